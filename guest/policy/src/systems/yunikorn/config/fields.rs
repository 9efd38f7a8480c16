//! Maps with known keys. Strict: a key that is not known is a mistake. What is wrong names the place and the key.

use std::collections::BTreeMap;

use super::Mistake;
use super::yaml::{Entry, Node, Value};

/// A map that is read key by key.
pub struct Fields<'a> {
    /// The queue, or the part of the partition.
    pub place: String,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The map, none of whose keys is unknown.
    pub fn of(node: &'a Node, place: &str, known: &[&str]) -> Result<Fields<'a>, Mistake> {
        let entries = map(node, place)?;
        if let Some(entry) = entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("there is no key `{}` here, only {}", entry.key, known.join(", "));
            return Err(Mistake::new(entry.line, message, "correct or remove the key").at(place));
        }
        Ok(Fields { place: place.to_owned(), entries })
    }

    /// The value of a key; null is none.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        entry.map(|entry| &entry.node).filter(|node| !matches!(node.value, Value::Null))
    }

    /// A single value.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Mistake> {
        self.get(key).map(|node| text(node, &format!("{} {key}", self.place))).transpose()
    }

    /// True or false.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, Mistake> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match text(node, &format!("{} {key}", self.place))? {
            "true" | "True" | "TRUE" => Ok(Some(true)),
            "false" | "False" | "FALSE" => Ok(Some(false)),
            other => {
                let message = format!("`{other}` of key `{key}` is neither true nor false");
                Err(Mistake::new(node.line, message, "write true or false").at(&self.place))
            }
        }
    }

    /// A whole number; 0 where there is none.
    pub fn number(&self, key: &str) -> Result<u64, Mistake> {
        let Some(node) = self.get(key) else { return Ok(0) };
        let text = text(node, &format!("{} {key}", self.place))?;
        text.parse::<u64>().map_err(|_| {
            let message = format!("`{text}` of key `{key}` is no whole number of 0 or more");
            Mistake::new(node.line, message, "write a whole number").at(&self.place)
        })
    }

    /// A list; none is an empty one.
    pub fn list(&self, key: &str) -> Result<&'a [Node], Mistake> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Node { value: Value::List(list), .. }) => Ok(list),
            Some(node) => {
                let message = format!("key `{key}` is not a list");
                Err(Mistake::new(node.line, message, "write its entries as `- ...`").at(&self.place))
            }
        }
    }

    /// Keys with single values.
    pub fn texts(&self, key: &str) -> Result<BTreeMap<String, String>, Mistake> {
        let Some(node) = self.get(key) else { return Ok(BTreeMap::new()) };
        let place = format!("{} {key}", self.place);
        let pair = |entry: &Entry| Ok((entry.key.clone(), scalar(&entry.node, &place, &entry.key)?));
        map(node, &place)?.iter().map(pair).collect()
    }
}

/// The entry before this one that has the same key.
fn twin(entries: &[Entry], at: usize) -> Option<&Entry> {
    let key = &entries.get(at)?.key;
    entries.iter().take(at).find(|entry| entry.key == *key)
}

/// The entries of a map, in which no key stands twice.
pub fn map<'a>(node: &'a Node, place: &str) -> Result<&'a [Entry], Mistake> {
    match &node.value {
        Value::Map(entries) => {
            match entries.iter().enumerate().find_map(|(at, entry)| Some((twin(entries, at)?, entry))) {
                Some((first, entry)) => {
                    let message = format!("key `{}` stands there twice, first on line {}", entry.key, first.line);
                    Err(Mistake::new(entry.line, message, "remove one of them").at(place))
                }
                None => Ok(entries),
            }
        }
        _ => Err(Mistake::new(node.line, "these are not keys and values", "write `key: value` pairs").at(place)),
    }
}

/// A single value.
pub fn text<'a>(node: &'a Node, place: &str) -> Result<&'a str, Mistake> {
    match &node.value {
        Value::Scalar(text) => Ok(text),
        _ => Err(Mistake::new(node.line, "this is not a single value", "write one value").at(place)),
    }
}

/// A value as a text; nothing is the empty text.
pub fn scalar(node: &Node, place: &str, key: &str) -> Result<String, Mistake> {
    match &node.value {
        Value::Null => Ok(String::new()),
        _ => text(node, &format!("{place}.{key}")).map(str::to_owned),
    }
}
