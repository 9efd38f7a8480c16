//! Labels, annotations and fields, as far as the policy declared an interest in them.

use std::collections::BTreeMap;

use lictor_contract::Attribute;
use serde_json::Value;

use crate::cluster::object::{Kept, as_texts};

/// The fields that an object has of these, JSON pointers, by number. Few objects have any: those without the last key of a pointer are not
/// read.
pub(super) fn fields(pointers: &[String], json: &Kept) -> Vec<Attribute> {
    if !pointers.iter().any(|pointer| may_have(json.as_written(), pointer)) {
        return Vec::new();
    }
    let mut object: Value = serde_json::from_str(&json.compact()).unwrap_or_default();
    as_texts(&mut object);
    let field = |(key, pointer): (u32, &String)| {
        let value = object.pointer(pointer)?.to_string();
        Some(Attribute { key, value })
    };
    (0..).zip(pointers).filter_map(field).collect()
}

/// Whether the last key of a pointer is somewhere in this JSON; yes where that cannot be said.
fn may_have(json: &str, pointer: &str) -> bool {
    let key = pointer.rsplit('/').next().unwrap_or_default();
    // Such a key is written as it is. A number may be a place in a list.
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let is_plain = is_plain && key.starts_with(|first: char| first.is_ascii_alphabetic());
    !is_plain || memchr::memmem::find(json.as_bytes(), key.as_bytes()).is_some()
}

/// Which keys are of interest, and how the policy numbers them.
#[derive(Debug, Default)]
pub(super) struct Filter {
    keys: BTreeMap<String, Vec<u32>>,
    /// The numbers under which every attribute is told, as `key=value`.
    all: Vec<u32>,
}

impl Filter {
    /// A filter for a list of interests; `*` in it means all where that is allowed.
    pub(super) fn new(interests: &[String], all_allowed: bool) -> Filter {
        let mut filter = Filter::default();
        for (number, key) in (0..).zip(interests) {
            if all_allowed && key == "*" {
                filter.all.push(number);
            } else {
                filter.keys.entry(key.clone()).or_default().push(number);
            }
        }
        filter
    }

    /// What the policy is told of these, by number.
    pub(super) fn apply(&self, attributes: &BTreeMap<String, String>) -> Vec<Attribute> {
        let mut told: Vec<_> = attributes.iter().flat_map(|(key, value)| self.of(key, value)).collect();
        sort(&mut told);
        told
    }

    /// Sets one among those that the policy is told.
    pub(super) fn set(&self, told: &mut Vec<Attribute>, key: &str, value: &str) {
        self.clear(told, key);
        told.extend(self.of(key, value));
        sort(told);
    }

    /// Takes one from those that the policy is told.
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
