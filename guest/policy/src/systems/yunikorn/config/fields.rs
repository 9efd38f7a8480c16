//! Maps with known keys. An unknown key is a mistake. Every mistake names the place and the key.

use std::collections::BTreeMap;

use super::ConfigProblem;
use super::yaml::{YamlEntry, YamlNode, YamlValue};

/// A map to read key by key.
pub struct YamlFields<'a> {
    /// The queue or the part of the partition, for messages.
    pub location: String,
    entries: &'a [YamlEntry],
}

impl<'a> YamlFields<'a> {
    /// Opens a map. A key that is not in `known` is an error.
    pub fn of(node: &'a YamlNode, place: &str, known: &[&str]) -> Result<YamlFields<'a>, ConfigProblem> {
        let entries = map(node, place)?;
        if let Some(entry) = entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("unknown key `{}`; known are {}", entry.key, known.join(", "));
            return Err(ConfigProblem::new(entry.line, message, "correct or remove the key").at(place));
        }
        Ok(YamlFields { location: place.to_owned(), entries })
    }

    /// Returns the value of a key. `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&'a YamlNode> {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        entry.map(|entry| &entry.node).filter(|node| !matches!(node.value, YamlValue::Null))
    }

    /// Reads a scalar value. `None`: it is absent.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, ConfigProblem> {
        self.get(key).map(|node| text(node, &format!("{} {key}", self.location))).transpose()
    }

    /// Reads a boolean value. `None`: it is absent.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, ConfigProblem> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match text(node, &format!("{} {key}", self.location))? {
            "true" | "True" | "TRUE" => Ok(Some(true)),
            "false" | "False" | "FALSE" => Ok(Some(false)),
            other => {
                let message = format!("`{other}` of key `{key}` is neither true nor false");
                Err(ConfigProblem::new(node.line, message, "write true or false").at(&self.location))
            }
        }
    }

    /// Reads a whole number of 0 or more; 0 where it is absent.
    pub fn number(&self, key: &str) -> Result<u64, ConfigProblem> {
        let Some(node) = self.get(key) else { return Ok(0) };
        let text = text(node, &format!("{} {key}", self.location))?;
        text.parse::<u64>().map_err(|_| {
            let message = format!("`{text}` of key `{key}` is not a whole number of 0 or more");
            ConfigProblem::new(node.line, message, "write a whole number").at(&self.location)
        })
    }

    /// Reads a list; empty where it is absent.
    pub fn list(&self, key: &str) -> Result<&'a [YamlNode], ConfigProblem> {
        match self.get(key) {
            None => Ok(&[]),
            Some(YamlNode { value: YamlValue::List(list), .. }) => Ok(list),
            Some(node) => {
                let message = format!("key `{key}` is not a list");
                Err(ConfigProblem::new(node.line, message, "write its entries as `- ...`").at(&self.location))
            }
        }
    }

    /// Reads a map from keys to scalar values; empty where it is absent.
    pub fn texts(&self, key: &str) -> Result<BTreeMap<String, String>, ConfigProblem> {
        let Some(node) = self.get(key) else { return Ok(BTreeMap::new()) };
        let place = format!("{} {key}", self.location);
        let pair = |entry: &YamlEntry| Ok((entry.key.clone(), scalar(&entry.node, &place, &entry.key)?));
        map(node, &place)?.iter().map(pair).collect()
    }
}

/// Returns an earlier entry with the same key as the entry at this position.
fn duplicate(entries: &[YamlEntry], at: usize) -> Option<&YamlEntry> {
    let key = &entries.get(at)?.key;
    entries.iter().take(at).find(|entry| entry.key == *key)
}

/// Reads the entries of a map. A duplicate key is an error.
pub fn map<'a>(node: &'a YamlNode, place: &str) -> Result<&'a [YamlEntry], ConfigProblem> {
    match &node.value {
        YamlValue::Map(entries) => {
            match entries.iter().enumerate().find_map(|(at, entry)| Some((duplicate(entries, at)?, entry))) {
                Some((first, entry)) => {
                    let message = format!("key `{}` occurs twice, first on line {}", entry.key, first.line);
                    Err(ConfigProblem::new(entry.line, message, "remove one of the two").at(place))
                }
                None => Ok(entries),
            }
        }
        _ => Err(ConfigProblem::new(node.line, "this is not a map", "write `key: value` pairs").at(place)),
    }
}

/// Reads a scalar value.
pub fn text<'a>(node: &'a YamlNode, place: &str) -> Result<&'a str, ConfigProblem> {
    match &node.value {
        YamlValue::Scalar(text) => Ok(text),
        _ => Err(ConfigProblem::new(node.line, "this is not a single value", "write one value").at(place)),
    }
}

/// Reads a scalar value as text. `null` is the empty text.
pub fn scalar(node: &YamlNode, place: &str, key: &str) -> Result<String, ConfigProblem> {
    match &node.value {
        YamlValue::Null => Ok(String::new()),
        _ => text(node, &format!("{place}.{key}")).map(str::to_owned),
    }
}
