//! The register: every law in force anywhere, under the code its users are shown.

use super::{Law, Laws, Question, Rule};

/// A law as its system's users know it.
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
    text: &'static str,
}

impl Entry {
    /// The file of the law, from the root of the repository.
    pub fn file(&self) -> String {
        format!("guest/policy/src/laws/{}/{}.rs", self.question, self.name.replace('-', "_"))
    }

    /// The manual page: the documentation at the top of the law's file.
    pub fn page(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}

impl From<&Rule> for Entry {
    fn from(rule: &Rule) -> Entry {
        let Law { name, question, sentence, file } = rule.law;
        Entry { code: rule.code, question: *question, sentence, source: rule.source, name, text: file }
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
            let is_prose = |line: &str| line.is_empty() || line.starts_with(|c: char| c.is_alphanumeric() || c == '`');
            assert!(entry.page().lines().all(is_prose), "{} is prose: it is wrapped where it is shown", entry.code);
            assert!(entry.text.lines().count() < 150, "{} is one idea: its file is short", entry.code);
            assert!(entry.source.len() > 5, "{} names its source", entry.code);
            assert!(!entry.sentence.ends_with('.') && entry.sentence.len() > 10, "{} is a sentence", entry.code);
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
