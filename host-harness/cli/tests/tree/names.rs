//! The names of functions: a function is named after what it does or returns, never by an everyday word that says neither.

use crate::definitions::{Item, definitions};
use crate::files;
use crate::types::is_test;

/// Words that are the whole name of no function.
const EVERYDAY: [&str; 24] = [
    "alike", "ask", "asked", "beside", "books", "fates", "go_on", "goes_on", "gone", "held", "kept", "look", "mates",
    "meant", "said", "say", "says", "seen", "taken", "tell", "told", "took", "way", "wish",
];

#[test]
fn functions_have_no_everyday_names() {
    let mut found = Vec::new();
    for file in files(&["rs"]).iter().filter(|file| !is_test(&file.name)) {
        let is_everyday = |name: &str| EVERYDAY.contains(&name);
        let functions =
            definitions(&file.text).into_iter().filter(|it| it.item == Item::Function && is_everyday(it.name));
        found.extend(functions.map(|it| format!("{}:{}: `{}`", file.name, it.line, it.name)));
    }
    assert!(found.is_empty(), "{} functions:\n{}", found.len(), found.join("\n"));
}
