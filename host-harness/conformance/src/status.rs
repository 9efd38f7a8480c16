//! What a quota or queue holds, expected and actual.

use std::collections::BTreeMap;

use lictor_contract::quantity::{self, QuantityError, Unit};
use lictor_contract::{QueueAccount, Resource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure::Failure;

/// Books by `kind/name`, such as `quota/team-a`.
pub type Books = BTreeMap<String, Usage>;

/// What a quota or queue holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// What bound and reserved pods hold, by resource; a quantity as text or a plain number. A missing resource is 0.
    pub used: BTreeMap<String, Value>,
}

impl Usage {
    /// The amounts in the unit that they are counted in.
    pub(super) fn amounts(&self) -> Result<BTreeMap<&str, i64>, QuantityError> {
        let amount = |(resource, value): (&'_ String, &Value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            quantity::parse(&text, Unit::of(resource))
        };
        self.used.iter().map(|(resource, value)| Ok((resource.as_str(), amount((resource, value))?))).collect()
    }
}

/// The books as the policy keeps them, of these queues; none for one that it does not keep.
pub(super) fn actual<'a>(
    names: impl Iterator<Item = &'a String>,
    accounts: &[QueueAccount],
    resources: &[Resource],
) -> BTreeMap<String, Option<Usage>> {
    let find = |name: &str| accounts.iter().find(|account| name == format!("{}/{}", account.kind, account.name));
    names.map(|name| (name.clone(), find(name).map(|account| usage(account, resources)))).collect()
}

/// What an account holds, by names.
fn usage(account: &QueueAccount, resources: &[Resource]) -> Usage {
    let named = account.used.iter().filter_map(|amount| {
        let index = usize::try_from(amount.resource).ok()?;
        let name = &resources.get(index)?.name;
        Some((name.clone(), Value::String(written(amount.value, Unit::of(name)))))
    });
    Usage { used: named.collect() }
}

/// An amount as a quantity.
fn written(amount: i64, unit: Unit) -> String {
    match (unit, amount.checked_rem(1000), amount.checked_div(1000)) {
        (Unit::Milli, Some(0), Some(whole)) => whole.to_string(),
        (Unit::Milli, ..) => format!("{amount}m"),
        (Unit::One, ..) => amount.to_string(),
    }
}

/// Where the books are not as expected.
pub(super) fn check(expected: &Books, actual: &BTreeMap<String, Option<Usage>>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (name, expected) in expected {
        let Some(Some(actual)) = actual.get(name) else {
            failures.push(Failure::new(format!("status {name}"), expected, "no such account"));
            continue;
        };
        let (Ok(wanted), Ok(found)) = (expected.amounts(), actual.amounts()) else {
            failures.push(Failure::new(format!("status {name}"), expected, actual));
            continue;
        };
        for (resource, wanted) in wanted {
            let found = found.get(resource).copied().unwrap_or(0);
            if found != wanted {
                let unit = Unit::of(resource);
                let key = format!("status {name} used {resource}");
                failures.push(Failure::new(key, written(wanted, unit), written(found, unit)));
            }
        }
    }
    failures
}

#[cfg(test)]
mod tests {

    use lictor_contract::Amount;
    use serde_json::json;

    use super::*;

    /// 1500m cpu and 2Gi memory are used in quota team-a.
    fn books() -> BTreeMap<String, Option<Usage>> {
        let resource = |name: &str| Resource { name: name.to_owned(), everywhere: 0 };
        let account = QueueAccount {
            kind: "quota".to_owned(),
            name: "team-a".to_owned(),
            parent: None,
            bounds: Vec::new(),
            used: vec![Amount { resource: 0, value: 1500 }, Amount { resource: 1, value: 2_147_483_648 }],
            promised: Vec::new(),
            pending: Vec::new(),
        };
        let names = ["quota/team-a".to_owned(), "queue/team-a".to_owned()];
        actual(names.iter(), &[account], &[resource("cpu"), resource("memory")])
    }

    fn expected(books: Value) -> Books {
        serde_json::from_value(books).unwrap()
    }

    #[test]
    fn quantities_are_compared_as_amounts() {
        for used in [
            json!({"cpu": "1500m", "memory": "2Gi"}),
            json!({"cpu": 1.5, "memory": 2_147_483_648_i64}),
            json!({"cpu": "1.5", "nvidia.com/gpu": "0"}),
        ] {
            assert_eq!(check(&expected(json!({"quota/team-a": {"used": used}})), &books()), []);
        }
    }

    #[test]
    fn a_difference_names_the_resource_and_both_amounts() {
        let expected = expected(json!({"quota/team-a": {"used": {"cpu": "2", "nvidia.com/gpu": "1"}}}));
        let failures: Vec<String> = check(&expected, &books()).iter().map(ToString::to_string).collect();
        assert_eq!(
            failures,
            [
                "status quota/team-a used cpu: expected \"2\", got \"1500m\"",
                "status quota/team-a used nvidia.com/gpu: expected \"1\", got \"0\"",
            ]
        );
    }

    #[test]
    fn kind_and_name_must_both_match() {
        let failures = check(&expected(json!({"queue/team-a": {"used": {}}})), &books());
        assert_eq!(failures.len(), 1);
        assert_eq!(failures.first().unwrap().actual, json!("no such account"));
    }
}
