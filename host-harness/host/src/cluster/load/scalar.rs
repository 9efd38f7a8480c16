//! Converts YAML scalars to JSON values by the core schema of YAML 1.2.

use std::borrow::Cow;

use saphyr_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};

/// A message and a remedy for a scalar that JSON does not have.
type ParseProblem = (String, &'static str);

/// Reads a scalar.
pub(super) fn read(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, ParseProblem> {
    let plain = matches!(style, ScalarStyle::Plain);
    let Some(tag) = tag else {
        return if plain { guess(text) } else { Ok(Value::String(text.into_owned())) };
    };
    let unlike = || (format!("`{text}` does not match its tag `{tag}`"), "remove the tag or correct the value");
    if tag.handle.is_empty() && tag.suffix == "!" || tag.is_yaml_core_schema() && tag.suffix == "str" {
        return Ok(Value::String(text.into_owned()));
    }
    if !tag.is_yaml_core_schema() {
        return Err(unknown_tag(tag));
    }
    let value = guess(Cow::Borrowed(&*text))?;
    let matches = match (&*tag.suffix, &value) {
        ("null", Value::Null) | ("bool", Value::Bool(_)) | ("float", Value::Number(_)) => true,
        ("int", Value::Number(number)) => !number.is_f64(),
        ("null" | "bool" | "int" | "float", _) => false,
        _ => return Err(unknown_tag(tag)),
    };
    if matches { Ok(value) } else { Err(unlike()) }
}

/// Returns the complaint about a tag that has no equivalent in JSON.
pub(super) fn unknown_tag(tag: &Tag) -> ParseProblem {
    (format!("tag `{tag}` is not supported"), "remove the tag")
}

/// Returns the value of a plain scalar without a tag.
///
/// # Errors
/// The scalar is a number that JSON does not have, such as `.inf`.
fn guess(text: Cow<'_, str>) -> Result<Value, ParseProblem> {
    Ok(match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => match number(other)? {
            Some(number) => Value::Number(number),
            None => Value::String(text.into_owned()),
        },
    })
}

fn number(text: &str) -> Result<Option<Number>, ParseProblem> {
    let unlike = || (format!("`{text}` is not a number that JSON allows"), "quote a text, or write a finite number");
    if let Some(integer) = integer(text) {
        return Ok(Some(integer));
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(unlike());
    }
    if !is_decimal(digits) {
        return Ok(None);
    }
    match text.parse().ok().and_then(Number::from_f64) {
        Some(number) => Ok(Some(number)),
        None => Err(unlike()),
    }
}

fn integer(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(Number::from);
    }
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

/// Returns whether a text matches `[0-9]* (. [0-9]*)? ([eE] [-+]? [0-9]+)?` with a digit before the exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        None => (text, "0"),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole)
        && digits(fraction)
        && mantissa.len() > usize::from(mantissa.contains('.'))
        && !exponent.is_empty()
        && digits(exponent)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(text: &str) -> Result<Value, ParseProblem> {
        read(Cow::Borrowed(text), ScalarStyle::Plain, None)
    }

    #[test]
    fn reads_the_core_schema() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("True", json!(true)),
            ("false", json!(false)),
            ("yes", json!("yes")),
            ("12", json!(12)),
            ("-3", json!(-3)),
            ("+4", json!(4)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1.5", json!(1.5)),
            (".5", json!(0.5)),
            ("2.", json!(2.0)),
            ("1e3", json!(1000.0)),
            ("-2.5E-1", json!(-0.25)),
            ("1_000", json!("1_000")),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("+", json!("+")),
            ("0x", json!("0x")),
            ("infinity", json!("infinity")),
            ("2026-01-01T00:00:00Z", json!("2026-01-01T00:00:00Z")),
        ] {
            assert_eq!(plain(text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn refuses_numbers_that_json_does_not_have() {
        for text in [".nan", ".NaN", ".inf", "-.Inf", "+.INF", "1e999"] {
            assert!(plain(text).unwrap_err().0.contains(text), "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_decide() {
        let tag = |suffix: &str| Tag { handle: "tag:yaml.org,2002:".to_owned(), suffix: suffix.to_owned() };
        let tagged = |text: &'static str, tag: &Tag| read(Cow::Borrowed(text), ScalarStyle::Plain, Some(tag));
        assert_eq!(read(Cow::Borrowed("12"), ScalarStyle::DoubleQuoted, None).unwrap(), json!("12"));
        assert_eq!(tagged("12", &tag("str")).unwrap(), json!("12"));
        assert_eq!(tagged("12", &tag("int")).unwrap(), json!(12));
        assert!(tagged("1.5", &tag("int")).is_err());
        assert!(tagged("abc", &tag("bool")).is_err());
        assert!(tagged("abc", &tag("binary")).is_err());
        assert!(tagged("abc", &Tag { handle: "!".to_owned(), suffix: "own".to_owned() }).is_err());
    }
}
