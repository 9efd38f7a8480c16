//! Invented words that sort like those they stand for.

use std::collections::{BTreeMap, BTreeSet};

/// Words with a meaning of their own: they stay.
const WELL_KNOWN_WORDS: [&str; 8] =
    ["autogen", "default", "koordinator", "kube", "quota", "root", "system", "yunikorn"];

/// The prefixes of the invented words below, between and above the words that stay, so that they sort in the same places.
const FIRST: [&str; 9] = ["a", "b", "e", "kp", "m", "qz", "sa", "t", "z"];

/// The syllables of invented words, in order.
const SYLLABLES: [&str; 20] = [
    "ba", "be", "da", "de", "fa", "ga", "ka", "la", "le", "ma", "mo", "na", "no", "pa", "ra", "sa", "so", "ta", "to",
    "za",
];

/// An invented word for each word of some names. A name consists of words and of separators, such as `-`, `.` and `/`, which sort before any letter.
/// All words have the same length, so that masked names sort like the names they stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordReplacements(BTreeMap<String, String>);

impl WordReplacements {
    /// Invents words for these names.
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n String>) -> WordReplacements {
        let known: BTreeSet<&str> = names.into_iter().flat_map(|name| words(name)).filter(|it| is_masked(it)).collect();
        let length = length(known.len());
        let place = |word: &str| WELL_KNOWN_WORDS.iter().filter(|kept| **kept < word).count();
        let invented = |(number, word): (usize, &str)| {
            let first = FIRST.get(place(word)).copied().unwrap_or_default();
            (word.to_owned(), format!("{first}{}", spelled(number, length)))
        };
        WordReplacements(known.into_iter().enumerate().map(invented).collect())
    }

    /// Returns a name with invented words. A word that is not known stays.
    pub(super) fn name(&self, name: &str) -> String {
        let mut masked = String::with_capacity(name.len());
        let mut word = String::new();
        for letter in name.chars() {
            if is_of_word(letter) {
                word.push(letter);
            } else {
                self.end(&mut word, &mut masked);
                masked.push(letter);
            }
        }
        self.end(&mut word, &mut masked);
        masked
    }

    fn end(&self, word: &mut String, masked: &mut String) {
        masked.push_str(self.0.get(word.as_str()).map_or(word.as_str(), String::as_str));
        word.clear();
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter| !is_of_word(letter)).filter(|word| !word.is_empty())
}

fn is_masked(word: &str) -> bool {
    !WELL_KNOWN_WORDS.contains(&word)
}

/// Returns how many syllables are needed to tell `count` words apart.
fn length(count: usize) -> u32 {
    let mut length = 1;
    while SYLLABLES.len().saturating_pow(length) < count {
        length = length.saturating_add(1);
    }
    length
}

/// Returns a number in `length` syllables.
fn spelled(number: usize, length: u32) -> String {
    let base = SYLLABLES.len();
    let digit = |place: u32| number.checked_div(base.saturating_pow(place)).and_then(|rest| rest.checked_rem(base));
    let syllable = |place| digit(place).and_then(|digit| SYLLABLES.get(digit)).copied();
    (0..length).rev().filter_map(syllable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorts masked names of one word and of several, some of which are prefixes of others, and words that stay.
    #[test]
    fn masked_names_sort_like_the_names() {
        let names = [
            "a",
            "a-b",
            "a.b",
            "a/b",
            "aa",
            "a-10",
            "a-9",
            "ab/c",
            "default",
            "default/a",
            "defaults",
            "root",
            "root.a",
            "root.a-b.c",
            "roots",
            "zoo",
            "Z",
            "0",
            "x_y",
            "a--b",
            "node-1.example.com",
        ];
        let names = names.into_iter().chain([
            "kube-system",
            "l",
            "koordinators",
            "quotas",
            "s",
            "sz",
            "systems",
            "e",
            "yunikorn-a",
            "yunikorns",
            "z",
        ]);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let words = WordReplacements::of(&names);
        for one in &names {
            for other in &names {
                assert_eq!(one.cmp(other), words.name(one).cmp(&words.name(other)), "{one} and {other}");
            }
        }
        assert_eq!((words.name("default"), words.name("root")), ("default".to_owned(), "root".to_owned()));
        assert_eq!(words.name("node-1.example.com").matches(['-', '.']).count(), 3);
        assert!(!words.name("node-1.example.com").contains("example"));
    }

    #[test]
    fn there_are_enough_words() {
        let names: Vec<String> = (0..500).map(|number| format!("w{number}")).collect();
        let words = WordReplacements::of(&names);
        let masked: BTreeSet<String> = names.iter().map(|name| words.name(name)).collect();
        assert_eq!(masked.len(), 500);
    }
}
