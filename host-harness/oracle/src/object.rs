//! Plain reading of objects.

use serde_json::Value;

use crate::ReadError;

/// Where an object says what.
pub(crate) fn at<'v>(object: &'v Value, pointer: &str) -> Option<&'v Value> {
    object.pointer(pointer)
}

/// A text at a place; empty where there is none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    at(object, pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A label or annotation of an object.
pub(crate) fn tag<'v>(object: &'v Value, kind: &str, key: &str) -> Option<&'v str> {
    at(object, &format!("/metadata/{kind}"))?.get(key)?.as_str()
}

/// Reads a time of the first day of 1970, in seconds; 0 where there is none.
pub(crate) fn seconds(stamp: &str) -> Result<i64, ReadError> {
    if stamp.is_empty() {
        return Ok(0);
    }
    let refused = || ReadError(format!("`{stamp}` is no time of 1970-01-01"));
    let time = stamp.strip_prefix("1970-01-01T").and_then(|time| time.strip_suffix('Z')).ok_or_else(refused)?;
    let parts = time.split(':').map(|part| part.parse::<i64>().map_err(|_| refused()));
    parts.collect::<Result<Vec<i64>, _>>().map(|parts| parts.into_iter().fold(0, |sum, part| sum * 60 + part))
}

/// Writes such a time.
pub(crate) fn stamp(seconds: i64) -> String {
    format!("1970-01-01T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
