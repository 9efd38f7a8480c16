//! Selectors.

use serde_json::Value;

use super::dump::items;

/// Returns the value of a label of an object. `None`: the object has no such label.
pub(super) fn label<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object["metadata"]["labels"][key].as_str()
}

/// Returns whether a label selector selects an object. An absent selector selects nothing, an empty selector everything.
pub(crate) fn selects(selector: &Value, object: &Value) -> bool {
    let equal = |(key, value): (&String, &Value)| label(object, key) == value.as_str();
    selector.is_object()
        && selector["matchLabels"].as_object().is_none_or(|labels| labels.iter().all(equal))
        && items(&selector["matchExpressions"]).all(|expression| holds(expression, label_of(expression, object)))
}

/// Returns whether one of the terms of a node selector selects a node. A term without any requirement selects nothing.
pub(super) fn node_selected(selector: &Value, node: &Value) -> bool {
    items(&selector["nodeSelectorTerms"]).any(|term| {
        let fields = items(&term["matchFields"]).map(|field| holds(field, node["metadata"]["name"].as_str()));
        let labels = items(&term["matchExpressions"]).map(|expression| holds(expression, label_of(expression, node)));
        let mut all = fields.chain(labels).peekable();
        all.peek().is_some() && all.all(|holds| holds)
    })
}

fn label_of<'v>(expression: &Value, object: &'v Value) -> Option<&'v str> {
    label(object, expression["key"].as_str().unwrap_or_default())
}

fn holds(expression: &Value, value: Option<&str>) -> bool {
    let listed = || items(&expression["values"]).any(|listed| listed.as_str() == value);
    let numbers = || Some((value?.parse::<i64>().ok()?, expression["values"][0].as_str()?.parse::<i64>().ok()?));
    match expression["operator"].as_str().unwrap_or_default() {
        "In" => value.is_some() && listed(),
        "NotIn" => value.is_none() || !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => numbers().is_some_and(|(value, bound)| value > bound),
        "Lt" => numbers().is_some_and(|(value, bound)| value < bound),
        // No object with another one is accepted.
        _ => false,
    }
}
