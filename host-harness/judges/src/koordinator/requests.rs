//! Amounts of resources: what pods request, and what nodes have.

use serde_json::Value;

use super::answer::Amounts;

/// Returns what pods request together.
pub(super) fn requests<'p>(pods: impl IntoIterator<Item = &'p Value>) -> Amounts {
    let mut sum = Amounts::new();
    for pod in pods {
        let containers = pod.pointer("/spec/containers").and_then(Value::as_array).into_iter().flatten();
        let lists = containers.filter_map(|container| container.pointer("/resources/requests")?.as_object());
        for (resource, amount) in lists.flatten() {
            *sum.entry(resource.clone()).or_default() += quantity(resource, amount);
        }
    }
    sum
}

/// Returns a list of amounts.
pub(super) fn amounts(list: Option<&Value>) -> Amounts {
    let entries = list.and_then(Value::as_object).into_iter().flatten();
    entries.map(|(resource, amount)| (resource.clone(), quantity(resource, amount))).collect()
}

/// Returns what a node has of a resource.
pub(super) fn allocatable(node: &Value, resource: &str) -> i64 {
    let amounts = node.pointer("/status/allocatable").and_then(|amounts| amounts.get(resource));
    amounts.map_or(0, |amount| quantity(resource, amount))
}

/// Returns an amount: thousandths of `cpu`, else whole units.
fn quantity(resource: &str, amount: &Value) -> i64 {
    let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
    let digits = text.trim_end_matches(char::is_alphabetic);
    let number: i64 = digits.parse().unwrap_or(0);
    let unit = match text.strip_prefix(digits).unwrap_or_default() {
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => 1,
    };
    let is_in_thousandths = text.ends_with('m');
    if resource == "cpu" && !is_in_thousandths { number * 1000 } else { number * unit }
}
