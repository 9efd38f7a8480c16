//! The register: every law in force anywhere, under the code its users are shown, and every rule of the engine.

use super::{ActiveLaw, LawKind, LawMetadata, Laws, MessageTemplate};
use crate::contract::{ChangeKind, Template};

/// A law, or a rule of the engine, as users see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawListing {
    /// Its code, such as `koordinator/may-preempt`.
    pub code: &'static str,
    /// The question that the law answers.
    pub kind: LawKind,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// The source of the law in its system.
    pub source: &'static str,
    /// The name of the law, shared by the systems that have it.
    pub name: &'static str,
    /// The preemptors that the law does not apply to. `None`: it applies to all.
    pub exempt: Option<&'static str>,
    /// The sentences for a law that does not hold.
    pub templates: &'static [MessageTemplate],
    /// The changes after which the law may hold where it did not; empty for an order.
    pub retry_after: &'static [ChangeKind],
    text: &'static str,
}

impl LawListing {
    /// Returns the file of the law, from the root of the repository.
    pub fn file(&self) -> String {
        match self.kind {
            LawKind::EngineReason => "guest/policy/src/engine/reasons.rs".to_owned(),
            question => format!("guest/policy/src/laws/{question}/{}.rs", self.name.replace('-', "_")),
        }
    }

    /// Returns the manual page: the documentation at the top of the file of the law.
    pub fn page(&self) -> String {
        if self.kind == LawKind::EngineReason {
            return self.text.to_owned();
        }
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }

    /// Returns the sentences in the words of a system: `words` replaces `@queue` and the like.
    pub fn sentences(&self, words: &[(&str, &str)]) -> Vec<Template> {
        let worded = |text: &str| words.iter().fold(text.to_owned(), |text, (word, meant)| text.replace(word, meant));
        let template = |(case, text): &MessageTemplate| Template {
            code: self.code.to_owned(),
            case: (*case).to_owned(),
            text: worded(text),
        };
        self.templates.iter().map(template).collect()
    }
}

impl From<&ActiveLaw> for LawListing {
    fn from(rule: &ActiveLaw) -> LawListing {
        let ActiveLaw { code, source, about, exemption, muted: _ } = *rule;
        let LawMetadata { kind: question, text: law, retry_after, .. } = *about;
        let exempt = exemption.map(|exemption| exemption.sentence);
        let (name, sentence, templates, text) = (law.name, law.sentence, law.templates, law.file);
        LawListing { code, kind: question, sentence, source, name, exempt, templates, retry_after, text }
    }
}

impl Laws {
    /// Returns every rule of the table, each once, in the order in which they are checked.
    pub fn list(&self) -> Vec<LawListing> {
        let mut rules: Vec<LawListing> = Vec::new();
        for seat in self.clone().seats() {
            let entry = LawListing::from(&*seat.rule());
            if rules.iter().all(|known| known.code != entry.code) {
                rules.push(entry);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests;
