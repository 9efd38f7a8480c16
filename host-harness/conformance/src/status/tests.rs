//! What a status says.

use lictor_contract::Amount;
use serde_json::json;

use super::*;

/// Returns the accounts: 1500m cpu and 2Gi memory are in use in quota team-a.
fn books() -> BTreeMap<String, Option<UsedAmounts>> {
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

fn expected(books: Value) -> UsageByAccount {
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
