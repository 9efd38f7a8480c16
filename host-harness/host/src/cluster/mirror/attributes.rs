//! Labels, annotations and fields, as far as the policy declared an interest in them.

use std::collections::BTreeMap;

use lictor_contract::Attribute;
use serde_json::Value;

/// The fields that an object has of these, JSON pointers, by number.
pub(super) fn fields(pointers: &[String], json: &str) -> Vec<Attribute> {
    if pointers.is_empty() {
        return Vec::new();
    }
    let object: Value = serde_json::from_str(json).unwrap_or_default();
    let field = |(key, pointer): (u32, &String)| {
        let value = object.pointer(pointer)?.to_string();
        Some(Attribute { key, value })
    };
    (0..).zip(pointers).filter_map(field).collect()
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
mod tests {
    use super::*;

    fn attribute(key: u32, value: &str) -> Attribute {
        Attribute { key, value: value.to_owned() }
    }

    #[test]
    fn tells_only_what_is_of_interest_by_its_number() {
        let labels = [("a", "1"), ("b", "2"), ("c", "3")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let interests = ["c", "*", "a"].map(str::to_owned);
        let all = Filter::new(&interests, true);
        let expected =
            [attribute(0, "3"), attribute(1, "a=1"), attribute(1, "b=2"), attribute(1, "c=3"), attribute(2, "1")];
        assert_eq!(all.apply(&labels), expected);
        let mut told = all.apply(&labels);
        all.set(&mut told, "a", "9");
        all.set(&mut told, "d", "4");
        let expected = [
            attribute(0, "3"),
            attribute(1, "a=9"),
            attribute(1, "b=2"),
            attribute(1, "c=3"),
            attribute(1, "d=4"),
            attribute(2, "9"),
        ];
        assert_eq!(told, expected);
        all.clear(&mut told, "d");
        all.clear(&mut told, "c");
        assert_eq!(told, [attribute(1, "a=9"), attribute(1, "b=2"), attribute(2, "9")]);
        assert_eq!(Filter::new(&interests, false).apply(&labels), [attribute(0, "3"), attribute(2, "1")]);
    }
}
