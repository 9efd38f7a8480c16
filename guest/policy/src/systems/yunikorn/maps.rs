//! What is read of a ConfigMap: its texts by key, those of `binaryData` unpacked.

use std::collections::BTreeMap;

use serde_json::Value;

use super::config::unpack;
use super::keys;
use crate::systems::ParsedObject;

/// A text of a ConfigMap.
#[derive(Debug, Clone)]
pub struct ConfigMapText {
    /// The JSON pointer to the text in the ConfigMap.
    pub path: String,
    /// The text, or the reason why it cannot be read.
    pub text: Result<String, &'static str>,
}

/// The texts of a ConfigMap that may be read, by key.
#[derive(Debug, Default)]
pub struct ConfigMap(BTreeMap<String, ConfigMapText>);

impl ConfigMap {
    /// Reads a ConfigMap. A key of `binaryData` counts without its `.gz`, and comes before that key of `data`, as in yunikorn-k8shim
    /// `conf.FlattenConfigMaps`.
    pub fn read(object: &ParsedObject) -> ConfigMap {
        let mut entries = BTreeMap::new();
        let texts = |list: &'static str| {
            let keys = object.at(&format!("/{list}")).and_then(Value::as_object).into_iter().flatten();
            keys.filter_map(move |(key, value)| Some((key, format!("/{list}/{key}"), value.as_str()?)))
        };
        for (key, path, text) in texts("data").filter(|(key, ..)| counts(key)) {
            entries.insert(key.clone(), ConfigMapText { path, text: Ok(text.to_owned()) });
        }
        for (key, path, packed) in texts("binaryData") {
            let unpacked = key.strip_suffix(".gz").or_else(|| key.strip_suffix(".GZ"));
            match unpacked.filter(|key| counts(key)) {
                Some(key) => drop(entries.insert(key.to_owned(), ConfigMapText { path, text: unpack(packed) })),
                None if counts(key) && !entries.contains_key(key) => {
                    let text = Err("binary data is read under a key that ends with `.gz` only");
                    entries.insert(key.clone(), ConfigMapText { path, text });
                }
                None => {}
            }
        }
        ConfigMap(entries)
    }

    /// Returns the text of a key.
    pub fn get(&self, key: &str) -> Option<&ConfigMapText> {
        self.0.get(key)
    }
}

/// Returns whether a key may contain the queues, or names the key that does.
fn counts(key: &str) -> bool {
    key == keys::POLICY_GROUP || key.ends_with(".yaml")
}
