//! The laws that a user may have meant by the name of a law that does not exist.

use std::collections::BTreeSet;

use super::RegisteredRule;

/// The similarity from which on one code may be meant by the other, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.85;

/// The number of laws that are named.
const ENOUGH: usize = 3;

/// Returns the laws that may be meant: those that share a word with the code or are spelled similarly, the likeliest first. Where no code fits, those
/// whose texts contain the words.
pub(crate) fn similar_laws(asked: &str, rules: &[RegisteredRule]) -> Vec<String> {
    let mut near = by_code(asked, rules);
    if near.is_empty() {
        near = by_text(asked, rules);
    }
    near.truncate(ENOUGH);
    near
}

fn by_code(code: &str, rules: &[RegisteredRule]) -> Vec<String> {
    let name = |code: &'static str| code.rsplit('/').next().unwrap_or_default();
    let asked = code.rsplit('/').next().unwrap_or_default();
    let mut near: Vec<(usize, f64, &str)> = Vec::new();
    // `is` and `of` say nothing; YuniKorn's laws are numbers.
    let telling = |word: &&str| word.len() > 2 || word.starts_with(|c: char| c.is_ascii_digit());
    for entry in rules {
        let words = name(entry.code).split('-').filter(telling);
        let shared = words.filter(|word| asked.split('-').any(|other| other == *word)).count();
        let alike = strsim::jaro_winkler(entry.code, code).max(strsim::jaro_winkler(name(entry.code), asked));
        if shared > 0 || alike > MIN_SIMILARITY {
            near.push((shared, alike, entry.code));
        }
    }
    near.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    near.into_iter().map(|(_, _, code)| code.to_owned()).collect()
}

fn by_text(asked: &str, rules: &[RegisteredRule]) -> Vec<String> {
    laws_with_words(asked, rules).map(|entry| entry.code.to_owned()).collect()
}

/// Returns the laws whose code, source, sentence and manual page together contain all the words.
pub(super) fn laws_with_words<'r>(
    asked: &str,
    rules: &'r [RegisteredRule],
) -> impl Iterator<Item = &'r RegisteredRule> {
    let asked = words(asked);
    let has_all = move |entry: &&RegisteredRule| {
        let text = words(&[entry.code, entry.source, entry.sentence, &entry.page].join(" "));
        !asked.is_empty() && asked.is_subset(&text)
    };
    rules.iter().filter(has_all)
}

fn words(text: &str) -> BTreeSet<String> {
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
