//! The names of types: one name has one meaning in the whole project.

use std::collections::{BTreeMap, BTreeSet};

use crate::definitions::{Item, definitions};
use crate::files;

/// Names that several types have, and why.
const SHARED: [(&str, &str); 1] = [(
    "Policy",
    "the two sides of the contract: an author implements the one of the SDK, and the host calls the other",
)];

/// Returns whether a file belongs to tests: their types are read in one file.
pub(crate) fn is_test(name: &str) -> bool {
    name.contains("/tests") || name.ends_with("tests.rs")
}

#[test]
fn a_type_name_is_defined_once() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&["rs"]).iter().filter(|file| !is_test(&file.name)) {
        for found in definitions(&file.text).iter().filter(|found| found.item == Item::Type) {
            places.entry(found.name.to_owned()).or_default().insert(file.name.clone());
        }
    }
    assert!(places.len() > 1000, "{} types are found", places.len());
    let reasons: BTreeMap<&str, &str> = SHARED.into();
    let several = |name: &str| places.get(name).is_some_and(|files| files.len() > 1);
    let needless: Vec<&&str> = reasons.keys().filter(|name| !several(name)).collect();
    assert!(needless.is_empty(), "these names are defined once; delete their reasons: {needless:?}");
    let wrong = places.iter().filter(|(name, files)| files.len() > 1 && !reasons.contains_key(&***name));
    let wrong: Vec<String> = wrong.map(|(name, files)| format!("{name}: {files:?}")).collect();
    assert!(wrong.is_empty(), "{} names are defined more than once:\n{}", wrong.len(), wrong.join("\n"));
}
