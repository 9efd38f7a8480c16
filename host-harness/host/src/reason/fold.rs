//! Reasons that differ in their numbers only, as one reason with ranges.

use super::{NamedReason, sentence};

/// What is the same in reasons that are told as one: everything but the numbers in their facts.
pub type Shape<'a> = (&'a str, &'a str, Vec<(&'a str, (u8, Vec<&'a str>))>, &'a str);

impl NamedReason {
    /// What must be the same in two reasons for them to be told as one.
    pub fn shape(&self) -> Shape<'_> {
        let facts = self.facts.iter().map(|fact| (fact.name.as_str(), fact.value.kind())).collect();
        let words = if self.facts.is_empty() { self.message.as_str() } else { "" };
        (&self.code, &self.case, facts, words)
    }
}

/// Several reasons of the same shape as one: a number that is not the same in all is the least and the most of them.
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
        folded.message = sentence(&folded.wording, &folded.case, &folded.facts);
    }
    folded
}
