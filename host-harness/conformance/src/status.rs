//! What a quota or queue holds, expected and actual.

use std::collections::BTreeMap;

use lictor_contract::quantity::{self, QuantityError, Unit};
use lictor_contract::{QueueAccount, Resource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failure::ExpectationFailure;

/// The accounts by `kind/name`, such as `quota/team-a`.
pub type UsageByAccount = BTreeMap<String, UsedAmounts>;

/// The amounts in use of a quota or queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Usage"))]
#[serde(deny_unknown_fields)]
pub struct UsedAmounts {
    /// The amounts of bound and reserved pods, by resource; a quantity as text or a plain number. A missing resource is 0.
    pub used: BTreeMap<String, Value>,
}

impl UsedAmounts {
    /// Returns the amounts, each in the unit in which its resource is counted.
    pub(super) fn amounts(&self) -> Result<BTreeMap<&str, i64>, QuantityError> {
        let amount = |(resource, value): (&'_ String, &Value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            quantity::parse(&text, Unit::of(resource))
        };
        self.used.iter().map(|(resource, value)| Ok((resource.as_str(), amount((resource, value))?))).collect()
    }
}

/// Returns the accounts of these queues as the policy keeps them. `None` for a queue without an account.
pub(super) fn actual<'a>(
    names: impl Iterator<Item = &'a String>,
    accounts: &[QueueAccount],
    resources: &[Resource],
) -> BTreeMap<String, Option<UsedAmounts>> {
    let find = |name: &str| accounts.iter().find(|account| name == format!("{}/{}", account.kind, account.name));
    names.map(|name| (name.clone(), find(name).map(|account| usage(account, resources)))).collect()
}

/// Returns the amounts in use of an account, by the names of resources.
fn usage(account: &QueueAccount, resources: &[Resource]) -> UsedAmounts {
    let named = account.used.iter().filter_map(|amount| {
        let index = usize::try_from(amount.resource).ok()?;
        let name = &resources.get(index)?.name;
        Some((name.clone(), Value::String(written(amount.value, Unit::of(name)))))
    });
    UsedAmounts { used: named.collect() }
}

/// Returns an amount as a quantity.
fn written(amount: i64, unit: Unit) -> String {
    match (unit, amount.checked_rem(1000), amount.checked_div(1000)) {
        (Unit::Milli, Some(0), Some(whole)) => whole.to_string(),
        (Unit::Milli, ..) => format!("{amount}m"),
        (Unit::One, ..) => amount.to_string(),
    }
}

/// Returns a failure for each account that is not as expected.
pub(super) fn check(
    expected: &UsageByAccount,
    actual: &BTreeMap<String, Option<UsedAmounts>>,
) -> Vec<ExpectationFailure> {
    let mut failures = Vec::new();
    for (name, expected) in expected {
        let Some(Some(actual)) = actual.get(name) else {
            failures.push(ExpectationFailure::new(format!("status {name}"), expected, "no such account"));
            continue;
        };
        let (Ok(wanted), Ok(found)) = (expected.amounts(), actual.amounts()) else {
            failures.push(ExpectationFailure::new(format!("status {name}"), expected, actual));
            continue;
        };
        for (resource, wanted) in wanted {
            let found = found.get(resource).copied().unwrap_or(0);
            if found != wanted {
                let unit = Unit::of(resource);
                let key = format!("status {name} used {resource}");
                failures.push(ExpectationFailure::new(key, written(wanted, unit), written(found, unit)));
            }
        }
    }
    failures
}

#[cfg(test)]
mod tests;
