//! The fields of types: what has more than a reader can keep in mind is several things.

use std::collections::BTreeMap;

use crate::definitions::{Item, defined};
use crate::files;
use crate::types::is_test;

/// The most fields of a type.
const FIELDS: usize = 12;

/// The types that have more, how many they have, and why. The number may only fall.
const LARGER: [(&str, usize, &str); 2] = [
    ("Expect", 14, "the keys of a scenario's expectations, which a derived reader takes flat"),
    ("Pod", 18, "a record of the contract: the interface has the same fields"),
];

/// Returns the structures of a text as rustfmt writes it, each with the number of its fields.
fn fields(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((Item::Type, name)) = defined(line).filter(|_| line.contains("struct ")) else { continue };
        if line.ends_with([';', '}']) {
            continue;
        }
        let is_last = |end: &str| indent(end) == indent(line) && end.trim_start().starts_with(['}', ')']);
        let is_field = |inner: &str| {
            let declared = inner.trim_start();
            let name = declared.split_once(": ").and_then(|(name, _)| name.rsplit([' ', '#']).next());
            let is_name = |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            indent(inner) == indent(line) + 4 && !declared.starts_with(['/', '#']) && name.is_some_and(is_name)
        };
        let body = lines.iter().skip(at).take_while(|end| !is_last(end));
        found.push((name, body.filter(|inner| is_field(inner)).count()));
    }
    found
}

#[test]
fn types_have_few_fields() {
    let all = files(&["rs"]);
    let counted = all.iter().filter(|file| !is_test(&file.name)).flat_map(|file| fields(&file.text));
    let large: BTreeMap<&str, usize> = counted.filter(|(_, count)| *count > FIELDS).collect();
    let known: BTreeMap<&str, usize> = LARGER.iter().map(|(name, count, _)| (*name, *count)).collect();
    assert_eq!(large, known, "types with more than {FIELDS} fields, and those that are listed");
}

#[test]
fn fields_are_found_and_counted() {
    let text = "/// A thing.\npub struct A {\n    /// One: it counts.\n    pub one: u8,\n    #[serde(default)]\n    pub(crate) two: \
                BTreeMap<String, u8>,\n    r#type: u8,\n}\nstruct B;\nstruct C(u8);\nmod m {\n    struct D<T> {\n        four: T,\n    \
                }\n}\n";
    assert_eq!(fields(text), [("A", 3), ("D", 1)]);
}
