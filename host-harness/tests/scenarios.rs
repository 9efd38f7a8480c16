//! The scenarios that come with the project.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lictor::scenario;

/// Where they stand.
fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/scenarios")
}

#[test]
fn every_scenario_can_be_read_and_stands_in_the_folder_of_its_laws() {
    let scenarios = scenario::load(&[scenarios()]).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    });
    let mut seen = BTreeSet::new();
    for scenario in &scenarios {
        let file = Path::new(&**scenario.origin.file());
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        assert_eq!(folder, scenario.laws, "{}", file.display());
        assert!(seen.insert((folder.to_owned(), scenario.name.clone())), "{} twice", scenario.name);
        assert!(!scenario.steps.is_empty(), "{} has no steps", file.display());
        assert!(!scenario.description.is_empty() && !scenario.source.is_empty(), "{}", file.display());
    }
    let folders: BTreeSet<String> = seen.into_iter().map(|(folder, _)| folder).collect();
    assert!(folders.iter().eq(["coscheduling", "koordinator", "kubernetes", "volcano", "yunikorn"]));
}
