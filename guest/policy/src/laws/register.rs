//! The register: every law in force anywhere, under the code its users are shown, and every rule of the engine.

use super::{About, CaseText, Laws, Question, Rule};
use crate::contract::{ChangeKind, Template};

/// A law, or a rule of the engine, as users know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its code, such as `koordinator/may-preempt`.
    pub code: &'static str,
    /// The question it answers.
    pub question: Question,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// Where its system says so.
    pub source: &'static str,
    /// The name of the law, shared by the systems that have it.
    pub name: &'static str,
    /// Which preemptors it does not apply to, where there is somebody.
    pub exempt: Option<&'static str>,
    /// What is said where it does not hold.
    pub templates: &'static [CaseText],
    /// After which changes it may hold where it did not; empty for an order.
    pub retry_after: &'static [ChangeKind],
    text: &'static str,
}

impl Entry {
    /// The file of the law, from the root of the repository.
    pub fn file(&self) -> String {
        match self.question {
            Question::Engine => "guest/policy/src/engine/reasons.rs".to_owned(),
            question => format!("guest/policy/src/laws/{question}/{}.rs", self.name.replace('-', "_")),
        }
    }

    /// The manual page: the documentation at the top of the file of a law.
    pub fn page(&self) -> String {
        if self.question == Question::Engine {
            return self.text.to_owned();
        }
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    /// Its sentences in the words of a system: for `@queue` and the like these stand.
    pub fn sentences(&self, words: &[(&str, &str)]) -> Vec<Template> {
        let worded = |text: &str| words.iter().fold(text.to_owned(), |text, (word, meant)| text.replace(word, meant));
        let template = |(case, text): &CaseText| Template {
            code: self.code.to_owned(),
            case: (*case).to_owned(),
            text: worded(text),
        };
        self.templates.iter().map(template).collect()
    }
}

impl From<&Rule> for Entry {
    fn from(rule: &Rule) -> Entry {
        let Rule { code, source, about, exemption } = *rule;
        let About { question, text: law, retry_after, .. } = *about;
        let exempt = exemption.map(|exemption| exemption.sentence);
        let (name, sentence, templates, text) = (law.name, law.sentence, law.templates, law.file);
        Entry { code, question, sentence, source, name, exempt, templates, retry_after, text }
    }
}

impl Laws {
    /// Every rule of the table, each once, in the order in which they are asked.
    pub fn rules(&self) -> Vec<Entry> {
        let mut rules: Vec<Entry> = Vec::new();
        for seat in self.clone().seats() {
            let entry = Entry::from(seat.rule());
            if rules.iter().all(|known| known.code != entry.code) {
                rules.push(entry);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

    fn path(entry: &Entry) -> String {
        format!("{ROOT}/{}", entry.file())
    }

    #[test]
    fn every_law_stands_in_the_file_of_its_name_with_a_manual_page_and_a_source() {
        let rules = systems::rules();
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
        for (_, entry) in systems::rules() {
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
        for (_, entry) in systems::rules().into_iter().filter(|(_, entry)| entry.question != Question::Order) {
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
        for (_, entry) in systems::rules() {
            assert_eq!(entry.retry_after.is_empty(), entry.question == Question::Order, "{}", entry.code);
        }
    }

    #[test]
    fn no_law_is_left_lying_about() {
        let used: Vec<String> = systems::rules().iter().map(|(_, entry)| path(entry)).collect();
        for folder in ["gate", "guard", "limit", "order"] {
            let folder = format!("{ROOT}/guest/policy/src/laws/{folder}");
            for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let file = format!("{folder}/{}", file.file_name().display());
                assert!(used.contains(&file), "{file} is in no table");
            }
        }
    }
}
