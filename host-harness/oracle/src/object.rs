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

/// Reads a time in whole seconds of UTC, such as `1970-01-01T00:00:09Z`, as seconds since 1970; 0 for an empty text.
pub(crate) fn seconds(stamp: &str) -> Result<i64, ModelInputError> {
    if stamp.is_empty() {
        return Ok(0);
    }
    let refused = || ModelInputError(format!("`{stamp}` is not a time that the model reads"));
    let (date, time) = stamp.strip_suffix('Z').and_then(|stamp| stamp.split_once('T')).ok_or_else(refused)?;
    let numbers = |text: &str, mark: char| -> Result<[i64; 3], ModelInputError> {
        let parts: Vec<i64> = text.split(mark).map_while(|part| part.parse().ok()).collect();
        parts.try_into().map_err(|_| refused())
    };
    let [hours, minutes, rest] = numbers(time, ':')?;
    Ok(((days(numbers(date, '-')?) * 24 + hours) * 60 + minutes) * 60 + rest)
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar, of which a year begins in March here, so that it ends with the leap day.
fn days([year, month, day]: [i64; 3]) -> i64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Writes a time of 1970-01-01, given in seconds.
pub(crate) fn stamp(seconds: i64) -> String {
    format!("1970-01-01T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_since_1970() {
        assert_eq!(seconds("1970-01-01T00:01:09Z"), Ok(69));
        assert_eq!(seconds("2000-03-01T00:00:00Z"), Ok(951_868_800));
        assert_eq!(seconds("2024-02-29T12:00:00Z"), Ok(1_709_208_000));
        assert_eq!(seconds("2026-01-01T00:00:00Z"), Ok(1_767_225_600));
        assert!(seconds("2026-01-01").is_err() && seconds("2026-01T00:00:00Z").is_err());
    }
}
