//! The first word of a comment: a function's comment starts with a verb in the third person, a type's with a noun.

use crate::definitions::{Definition, Item, definitions};
use crate::files;

/// Words that end like a verb in the third person and are none. `Places` is a verb here.
const NO_VERBS: [&str; 48] = [
    "This",
    "Its",
    "Pods",
    "Nodes",
    "Others",
    "Whose",
    "Theirs",
    "Always",
    "Less",
    "Plus",
    "Across",
    "Unless",
    "Laws",
    "Names",
    "Amounts",
    "Resources",
    "Events",
    "Victims",
    "Gangs",
    "Queues",
    "Jobs",
    "Things",
    "Bytes",
    "Lines",
    "Objects",
    "Members",
    "Was",
    "Has",
    "Does",
    "Goes",
    "Stays",
    "Pieces",
    "Parts",
    "Cases",
    "Works",
    "Sources",
    "Reasons",
    "Facts",
    "Kinds",
    "Types",
    "Fields",
    "Values",
    "Keys",
    "Rules",
    "Words",
    "Labels",
    "Numbers",
    "Sizes",
];

/// Words with which no noun phrase begins.
const NO_NOUNS: [&str; 11] =
    ["What", "How", "Which", "Who", "Whose", "Whether", "It", "They", "Where", "When", "Returns"];

/// Returns whether a word is a verb in the third person, by its form.
fn is_verb(word: &str) -> bool {
    let is_form = word.len() > 3 && word.ends_with('s') && word.starts_with(|first: char| first.is_ascii_uppercase());
    is_form && word.chars().skip(1).all(|letter| letter.is_ascii_lowercase()) && !NO_VERBS.contains(&word)
}

/// Returns what is wrong with the comment of a definition. `None`: nothing is, or it has no comment.
fn mistake(definition: &Definition<'_>) -> Option<&'static str> {
    let word = definition.comment.split(|letter: char| !letter.is_alphabetic() && letter != '\'').next()?;
    match definition.item {
        _ if definition.comment.is_empty() => None,
        Item::Function => (!is_verb(word)).then_some("start with a verb in the third person"),
        Item::Type => NO_NOUNS.contains(&word).then_some("start with a noun"),
    }
}

#[test]
fn comments_start_with_a_verb_or_a_noun() {
    let mut wrong = Vec::new();
    for file in files(&["rs"]) {
        for found in definitions(&file.text) {
            let remedy = mistake(&found);
            wrong.extend(remedy.map(|remedy| format!("{}:{}: `{}`: {remedy}", file.name, found.line, found.comment)));
        }
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_first_word_is_judged_by_the_definition() {
    let remedies = |text: &str| definitions(text).iter().map(mistake).collect::<Vec<_>>();
    assert_eq!(
        remedies("/// Returns a node.\nfn a() {}\n/// Places pods.\npub(crate) async fn b() {}\nfn c() {}\n"),
        [None; 3]
    );
    assert_eq!(remedies("/// Whether it fits.\nfn a() {}\n"), [Some("start with a verb in the third person")]);
    assert_eq!(
        remedies("/// Pods of a node.\n#[must_use]\nfn a() {}\n"),
        [Some("start with a verb in the third person")]
    );
    assert_eq!(
        remedies("/// What it knows.\n#[derive(Debug)]\npub struct A;\n/// A node.\nenum B {}\n"),
        [Some("start with a noun"), None]
    );
}
