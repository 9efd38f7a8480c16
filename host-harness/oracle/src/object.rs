//! Helpers to read objects.

use serde_json::Value;

use crate::ModelInputError;

/// Returns the value at a JSON pointer. `None`: it is absent.
pub(crate) fn at<'v>(object: &'v Value, pointer: &str) -> Option<&'v Value> {
    object.pointer(pointer)
}

/// Returns the text at a JSON pointer; empty where it is absent or no text.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    at(object, pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the value of a label or annotation: `kind` is `labels` or `annotations`. `None`: it is absent.
pub(crate) fn tag<'v>(object: &'v Value, kind: &str, key: &str) -> Option<&'v str> {
    at(object, &format!("/metadata/{kind}"))?.get(key)?.as_str()
}

/// Reads a time of 1970-01-01, in seconds; 0 for an empty text.
pub(crate) fn seconds(stamp: &str) -> Result<i64, ModelInputError> {
    if stamp.is_empty() {
        return Ok(0);
    }
    let refused = || ModelInputError(format!("`{stamp}` is not a time of 1970-01-01"));
    let time = stamp.strip_prefix("1970-01-01T").and_then(|time| time.strip_suffix('Z')).ok_or_else(refused)?;
    let parts = time.split(':').map(|part| part.parse::<i64>().map_err(|_| refused()));
    parts.collect::<Result<Vec<i64>, _>>().map(|parts| parts.into_iter().fold(0, |sum, part| sum * 60 + part))
}

/// Writes a time of 1970-01-01, given in seconds.
pub(crate) fn stamp(seconds: i64) -> String {
    format!("1970-01-01T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
