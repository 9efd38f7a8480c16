//! The arguments of a system, checked against the arguments it declares.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::Value;

use crate::contract::{Argument, ArgumentKind, BadArgument, ConfigError, SystemInfo};

/// Creates an argument that a system declares. The default is JSON; `null` means that there is no default.
pub fn argument(name: &str, kind: ArgumentKind, default: &str, about: &str) -> Argument {
    Argument { name: name.to_owned(), kind: kind.into(), default: default.to_owned(), about: about.to_owned() }
}

/// Arguments that the system declares, each of the declared kind.
#[derive(Debug)]
pub struct SystemArguments(BTreeMap<String, Value>);

impl SystemArguments {
    /// Reads arguments from a JSON object. An absent argument takes its default.
    pub fn read(system: &SystemInfo, json: &str) -> Result<SystemArguments, ConfigError> {
        let given: BTreeMap<String, Value> = match json.trim() {
            "" | "null" => BTreeMap::new(),
            json => serde_json::from_str(json).map_err(|error| ConfigError::Malformed(error.to_string()))?,
        };
        if let Some(name) = given.keys().find(|name| system.arguments.iter().all(|argument| argument.name != **name)) {
            return Err(ConfigError::UnknownArgument(name.clone()));
        }
        let mut values = BTreeMap::new();
        for argument in &system.arguments {
            let default = || serde_json::from_str(&argument.default).unwrap_or(Value::Null);
            let value = given.get(&argument.name).cloned().unwrap_or_else(default);
            if value.is_null() && !given.contains_key(&argument.name) {
                continue;
            }
            let expected = match ArgumentKind::named(&argument.kind).unwrap_or(ArgumentKind::Text) {
                ArgumentKind::Boolean => (!value.is_boolean()).then_some("true or false"),
                ArgumentKind::Integer => (!value.is_i64()).then_some("a whole number"),
                ArgumentKind::Duration => duration(&value).is_none().then_some("a duration such as `1m30s`"),
                ArgumentKind::Text => (!value.is_string()).then_some("a text"),
            };
            if let Some(expected) = expected {
                let (name, found) = (argument.name.clone(), value.to_string());
                return Err(ConfigError::BadArgument(BadArgument { name, expected: expected.to_owned(), found }));
            }
            values.insert(argument.name.clone(), value);
        }
        Ok(SystemArguments(values))
    }

    /// Checks whether an argument has a value, given or by default.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns a boolean argument; false where it has no value.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns a text argument; empty where it has no value.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns an integer argument. A number outside of `range` is an error.
    pub fn whole(&self, name: &str, range: RangeInclusive<u32>) -> Result<u32, ConfigError> {
        let value = self.0.get(name).unwrap_or(&Value::Null);
        let number =
            value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            ConfigError::BadArgument(BadArgument { name: name.to_owned(), expected, found: value.to_string() })
        })
    }

    /// Returns a duration argument in nanoseconds; 0 where it has no value.
    pub fn duration(&self, name: &str) -> i64 {
        self.0.get(name).and_then(duration).unwrap_or(0)
    }
}

/// Reads a duration: a Go duration, or a number of seconds. The result is in nanoseconds, 0 or more.
pub fn duration(value: &Value) -> Option<i64> {
    let nanoseconds = match value {
        Value::String(text) => crate::duration::parse(text).ok()?,
        Value::Number(seconds) => seconds.as_i64()?.checked_mul(1_000_000_000)?,
        _ => return None,
    };
    (nanoseconds >= 0).then_some(nanoseconds)
}
