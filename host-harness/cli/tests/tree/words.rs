//! The words of the project: what is said in code, messages and pages uses standard terms, and the old inventions stay away.

use crate::files;

/// What is not said, and what is said instead. The glossary of CONTRIBUTING.md has the terms.
const BANNED: [(&str, &str); 22] = [
    ("make way", "be evicted"),
    ("makes way", "is evicted"),
    ("made way", "was evicted"),
    ("making way", "being evicted"),
    ("puts back", "reprieves"),
    ("put back", "reprieve"),
    ("everybody", "every pod, all pods"),
    ("at hand", "available"),
    ("who asks", "the preemptor"),
    ("the asking pod", "the preemptor"),
    ("goes by", "uses"),
    ("whoever", "every pod that"),
    ("whomever", "every pod that"),
    ("for ever", "forever"),
    ("lodging", "reservation allocation"),
    ("dialect", "system"),
    ("law set", "system"),
    ("set of laws", "system"),
    ("in the place of", "instead of"),
    ("clerk", "placer"),
    ("quest", "context, search"),
    ("thereof", "of it"),
];

/// Returns the lines of a text that contain a phrase as whole words, as line numbers from 1.
fn lines_with(text: &str, phrase: &str) -> Vec<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || c == '_');
    let says = |line: &str| {
        line.match_indices(phrase).any(|(at, _)| {
            let (before, after) = (line[..at].chars().next_back(), line[at + phrase.len()..].chars().next());
            !is_letter(before) && !is_letter(after)
        })
    };
    (1..).zip(text.lines()).filter(|(_, line)| says(&line.to_lowercase())).map(|(number, _)| number).collect()
}

#[test]
fn old_words_do_not_come_back() {
    // What people read: code, documents, the contract. This file says the words itself.
    let all = files(&["rs", "md", "wit"]);
    assert!(all.len() > 500, "{} files are read", all.len());
    let mut found = Vec::new();
    for file in all.iter().filter(|file| !file.name.ends_with("tree/words.rs")) {
        for (phrase, instead) in BANNED {
            let lines = lines_with(&file.text, phrase);
            found.extend(lines.iter().map(|at| format!("{}:{at}: `{phrase}`: say {instead}", file.name)));
        }
    }
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_word_is_found_as_a_whole_word_only() {
    assert_eq!(lines_with("a clerk\nclerks", "clerk"), [1]);
    assert_eq!(lines_with("A Clerk, twice: clerk", "clerk"), [1]);
    assert_eq!(lines_with("it makes wayside rests", "makes way"), Vec::<usize>::new());
}
