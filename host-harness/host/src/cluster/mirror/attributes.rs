//! Labels, annotations and fields, as far as the policy declared an interest in them.

use std::collections::BTreeMap;

use lictor_contract::Attribute;
use memchr::memmem::Finder;
use serde_json::Value;

use crate::cluster::object::{RawJson, as_texts};

/// The fields of pods that the policy declared an interest in, JSON pointers, by number.
#[derive(Debug, Default)]
pub(super) struct PodFieldInterests(Vec<(String, Option<Finder<'static>>)>);

impl PodFieldInterests {
    /// Makes the list of these pointers.
    pub(super) fn new(pointers: Vec<String>) -> PodFieldInterests {
        PodFieldInterests(pointers.into_iter().map(|pointer| (pointer.clone(), finder(&pointer))).collect())
    }

    /// Returns the fields that an object has. Few objects have any: those without the last key of a pointer are not read.
    pub(super) fn of(&self, json: &RawJson) -> Vec<Attribute> {
        let text = json.as_written().as_bytes();
        let may_have = |finder: &Option<Finder<'_>>| finder.as_ref().is_none_or(|finder| finder.find(text).is_some());
        if !self.0.iter().any(|(_, finder)| may_have(finder)) {
            return Vec::new();
        }
        let mut object: Value = serde_json::from_str(&json.compact()).unwrap_or_default();
        as_texts(&mut object);
        let field = |(key, (pointer, _)): (u32, &(String, _))| {
            let value = object.pointer(pointer)?.to_string();
            Some(Attribute { key, value })
        };
        (0..).zip(&self.0).filter_map(field).collect()
    }
}

/// Returns a finder of the last key of a pointer in JSON. `None`: JSON can write the key in another way, or a number may be a place in a list.
fn finder(pointer: &str) -> Option<Finder<'static>> {
    let key = pointer.rsplit('/').next().unwrap_or_default();
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let is_plain = is_plain && key.starts_with(|first: char| first.is_ascii_alphabetic());
    is_plain.then(|| Finder::new(key).into_owned())
}

/// The attribute keys that the policy is interested in, with their numbers.
#[derive(Debug, Default)]
pub(super) struct AttributeFilter {
    keys: BTreeMap<String, Vec<u32>>,
    /// The numbers under which the policy receives every attribute as `key=value`.
    all: Vec<u32>,
}

impl AttributeFilter {
    /// Creates a filter for a list of interests. `*` means every key where `all_allowed`; else it is an ordinary key.
    pub(super) fn new(interests: &[String], all_allowed: bool) -> AttributeFilter {
        let mut filter = AttributeFilter::default();
        for (number, key) in (0..).zip(interests) {
            if all_allowed && key == "*" {
                filter.all.push(number);
            } else {
                filter.keys.entry(key.clone()).or_default().push(number);
            }
        }
        filter
    }

    /// Returns the attributes that the policy receives of these, ordered by number.
    pub(super) fn apply(&self, attributes: &BTreeMap<String, String>) -> Vec<Attribute> {
        let mut told: Vec<_> = attributes.iter().flat_map(|(key, value)| self.of(key, value)).collect();
        sort(&mut told);
        told
    }

    /// Sets one attribute in the list that the policy receives.
    pub(super) fn set(&self, told: &mut Vec<Attribute>, key: &str, value: &str) {
        self.clear(told, key);
        told.extend(self.of(key, value));
        sort(told);
    }

    /// Removes one attribute from the list that the policy receives.
    pub(super) fn clear(&self, told: &mut Vec<Attribute>, key: &str) {
        let own = |number: u32| self.keys.get(key).is_some_and(|numbers| numbers.contains(&number));
        told.retain(|old| {
            let same = self.all.contains(&old.key) && old.value.split_once('=').is_some_and(|(k, _)| k == key);
            !own(old.key) && !same
        });
    }

    fn of(&self, key: &str, value: &str) -> impl Iterator<Item = Attribute> {
        let own = self.keys.get(key).into_iter().flatten();
        let own = own.map(|number| Attribute { key: *number, value: value.to_owned() });
        own.chain(self.all.iter().map(move |number| Attribute { key: *number, value: format!("{key}={value}") }))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

fn sort(attributes: &mut [Attribute]) {
    attributes.sort_by(|a, b| (a.key, &a.value).cmp(&(b.key, &b.value)));
}

#[cfg(test)]
mod tests;
