//! What every law of the register has.

use super::*;
use crate::systems;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn path(entry: &LawListing) -> String {
    format!("{ROOT}/{}", entry.file())
}

#[test]
fn every_law_stands_in_the_file_of_its_name_with_a_manual_page_and_a_source() {
    let rules = systems::list_laws();
    assert!(!rules.is_empty());
    for (system, entry) in rules {
        let text = std::fs::read_to_string(path(&entry)).unwrap_or_default();
        assert_eq!(text, entry.text, "{} stands in {}", entry.code, path(&entry));
        assert!(entry.code.starts_with(&format!("{system}/")), "{} is a code of {system}", entry.code);
        assert!(entry.page().len() > entry.sentence.len(), "{} has a manual page", entry.code);
        assert!(
            !entry.page().lines().any(|line| line.starts_with([' ', '-', '|'])),
            "{} is prose: it is wrapped where it is shown",
            entry.code
        );
        assert!(entry.text.lines().count() < 150, "{} is one idea: its file is short", entry.code);
        assert!(entry.source.len() > 5, "{} names its source", entry.code);
        assert!(!entry.sentence.ends_with('.') && entry.sentence.len() > 10, "{} is a sentence", entry.code);
    }
}

#[test]
fn every_page_has_the_same_headings_and_something_below_each() {
    for (_, entry) in systems::list_laws() {
        let page = entry.page();
        let mut sections = page.split("# ").skip(1).map(|section| section.split_once('\n').unwrap_or_default());
        for heading in ["What it demands", "Example", "Why", "Source", "Options"] {
            let (found, text) = sections.next().unwrap_or_default();
            assert_eq!(found, heading, "{}", entry.code);
            assert!(text.trim().len() > 4, "{}: {heading}", entry.code);
        }
        assert_eq!(sections.next(), None, "{}", entry.code);
    }
}

#[test]
fn a_law_that_denies_has_a_sentence_for_every_case_in_its_file() {
    for (_, entry) in systems::list_laws().into_iter().filter(|(_, entry)| entry.kind != LawKind::Comparator) {
        let cases: Vec<&str> = entry.templates.iter().map(|(case, _)| *case).collect();
        assert!(!cases.is_empty(), "{}", entry.code);
        let said = |pattern: &str| -> Vec<String> {
            let after = entry.text.split(pattern).skip(1).filter_map(|rest| rest.split('"').next());
            after.map(str::to_owned).collect()
        };
        for case in [said("Denial::Case(\""), said("case: \"")].concat() {
            assert!(cases.contains(&case.as_str()), "{} has no sentence for `{case}`", entry.code);
        }
    }
}

#[test]
fn a_law_that_can_refuse_says_after_which_changes_it_may_hold() {
    for (_, entry) in systems::list_laws() {
        assert_eq!(entry.retry_after.is_empty(), entry.kind == LawKind::Comparator, "{}", entry.code);
    }
}

#[test]
fn no_law_is_left_lying_about() {
    let used: Vec<String> = systems::list_laws().iter().map(|(_, entry)| path(entry)).collect();
    for folder in ["gate", "guard", "limit", "order"] {
        let folder = format!("{ROOT}/guest/policy/src/laws/{folder}");
        for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let file = format!("{folder}/{}", file.file_name().display());
            assert!(used.contains(&file), "{file} is in no table");
        }
    }
}
