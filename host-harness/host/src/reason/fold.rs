//! Reasons that differ in their numbers only, as one reason with ranges.

use super::{NamedReason, sentence};

/// The parts that must be equal in reasons that are folded into one: code, case, names and kinds of facts, and the message of a reason without facts.
pub type FoldKey<'a> = (&'a str, &'a str, Vec<(&'a str, (u8, Vec<&'a str>))>, &'a str);

impl NamedReason {
    /// Returns the parts that must be equal in two reasons for them to be folded into one.
    pub fn fold_key(&self) -> FoldKey<'_> {
        let facts = self.facts.iter().map(|fact| (fact.name.as_str(), fact.value.kind())).collect();
        let words = if self.facts.is_empty() { self.message.as_str() } else { "" };
        (&self.code, &self.case, facts, words)
    }
}

/// Folds several reasons of the same shape into one. A number that differs becomes a range of the least and the most.
pub fn fold<'a>(reasons: impl IntoIterator<Item = &'a NamedReason>) -> NamedReason {
    let mut reasons = reasons.into_iter();
    let Some(mut folded) = reasons.next().cloned() else { return NamedReason::default() };
    let mut more = false;
    for other in reasons {
        more = true;
        for (mine, theirs) in folded.facts.iter_mut().zip(&other.facts) {
            mine.value.widen(&theirs.value);
        }
    }
    if more && !folded.facts.is_empty() {
        folded.message = sentence(&folded.patterns, &folded.case, &folded.facts);
    }
    folded
}
