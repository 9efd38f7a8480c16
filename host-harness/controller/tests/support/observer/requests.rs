//! What a pod requests, by the rules of Kubernetes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::quantity;

/// Amounts by resource, in billionths.
pub type Amounts = BTreeMap<String, i128>;

/// Reads a map of amounts.
///
/// # Panics
///
/// Where one is none: the API server would not have taken it.
pub fn amounts(map: Option<&Value>) -> Amounts {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    let amount = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        quantity::parse(&text).unwrap_or_else(|| panic!("`{text}` is no amount"))
    };
    entries.map(|(resource, value)| (resource.clone(), amount(value))).collect()
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        *sum.entry(resource.clone()).or_default() += amount;
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let known = most.entry(resource.clone()).or_default();
        *known = (*known).max(*amount);
    }
}

/// Computes what a pod takes on its node: its containers together with the init containers that stay, or the largest init container that runs alone
/// before them. Requests of the pod itself replace that. The overhead and one of `pods` are added.
pub fn requests(pod: &Value) -> Amounts {
    let list = |pointer| pod.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    let of = |container: &Value| amounts(container.pointer("/resources/requests"));
    let (mut stays, mut most) = (Amounts::new(), Amounts::new());
    for container in list("/spec/initContainers") {
        let own = of(container);
        if container["restartPolicy"] == "Always" {
            add(&mut stays, &own);
            raise(&mut most, &stays);
        } else {
            let mut then = stays.clone();
            add(&mut then, &own);
            raise(&mut most, &then);
        }
    }
    let mut sum = stays;
    list("/spec/containers").for_each(|container| add(&mut sum, &of(container)));
    raise(&mut sum, &most);
    sum.extend(amounts(pod.pointer("/spec/resources/requests")));
    add(&mut sum, &amounts(pod.pointer("/spec/overhead")));
    sum.insert("pods".to_owned(), 1_000_000_000);
    sum
}

#[test]
fn what_a_pod_takes() {
    let cpu = |text: &str| serde_json::json!({"resources": {"requests": {"cpu": text}}});
    let stays = |text: &str| {
        let mut container = cpu(text);
        container["restartPolicy"] = "Always".into();
        container
    };
    let taken = |spec: Value| requests(&serde_json::json!({"spec": spec})).get("cpu").copied();
    let containers = serde_json::json!([cpu("1"), cpu("500m")]);
    assert_eq!(taken(serde_json::json!({"containers": containers})), quantity::parse("1.5"));
    assert_eq!(
        taken(serde_json::json!({"containers": containers, "initContainers": [cpu("4")]})),
        quantity::parse("4")
    );
    // An init container that stays runs next to the containers, and next to the init container that starts after it.
    assert_eq!(
        taken(serde_json::json!({"containers": containers, "initContainers": [stays("1")]})),
        quantity::parse("2.5")
    );
    let both = serde_json::json!([stays("1"), cpu("2")]);
    assert_eq!(taken(serde_json::json!({"containers": containers, "initContainers": both})), quantity::parse("3"));
    assert_eq!(taken(serde_json::json!({"containers": containers, "overhead": {"cpu": "1"}})), quantity::parse("2.5"));
    let whole = serde_json::json!({"containers": containers, "resources": {"requests": {"cpu": "6"}}});
    assert_eq!(taken(whole), quantity::parse("6"));
}
