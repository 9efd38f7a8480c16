//! What pods demand of their placement by labels and annotations that no law judges.
//!
//! Each system has one table of them in its keys. A demand that must be met is refused by `pod-demands-are-known`; a preference is not a
//! demand, and the pod is placed as if it were not there.

use serde_json::Value;

/// An annotation of pods that may demand a placement which no law judges.
#[derive(Debug, Clone, Copy)]
pub struct PlacementDemand {
    /// The key of the annotation.
    pub key: &'static str,
    /// The JSON pointer to the annotation, which the refusal names.
    pub path: &'static str,
    /// Returns whether the value of the annotation must be met. It is never empty.
    pub is_hard: fn(&str) -> bool,
}

/// Returns the JSON pointer to the first annotation that must be met; `value` looks an annotation up by its key.
pub fn first_unsupported<'a>(
    demands: &[PlacementDemand],
    value: impl Fn(&'static str) -> Option<&'a str>,
) -> Option<&'static str> {
    let is_hard =
        |demand: &&PlacementDemand| value(demand.key).is_some_and(|text| !text.is_empty() && (demand.is_hard)(text));
    demands.iter().find(is_hard).map(|demand| demand.path)
}

/// Returns whether an annotation of JSON must be met. A text that is no JSON object must be met, as its demand is not known.
pub fn is_hard(text: &str, of: impl Fn(&Value) -> bool) -> bool {
    serde_json::from_str(text).ok().filter(Value::is_object).is_none_or(|value| of(&value))
}

/// Returns whether a JSON object has a field with some content: no `null`, and no empty text, list or object.
pub fn has_content(value: &Value, field: &str) -> bool {
    match value.get(field) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => true,
    }
}

/// Returns whether a text field of a JSON object has another value than these. An absent field has an empty value.
pub fn is_beyond(value: &Value, field: &str, soft: &[&str]) -> bool {
    !soft.contains(&value.get(field).and_then(Value::as_str).unwrap_or_default())
}
