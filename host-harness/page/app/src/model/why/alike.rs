//! Grouping of reasons that differ only in their numbers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::quantity::{self, rounded, short};
use super::ReasonItem;
use crate::data::{NoteView, ReasonCountView, ReasonView};

/// The parts that must be equal for two notes to form one item.
type ReasonKey<'a> = (&'a str, &'a str, &'a str, &'a str, Vec<(&'a str, String)>, &'a str);

/// Returns the items, the most frequent first. A sentence with ranges comes from `counted`.
pub(super) fn items(notes: &[NoteView], counted: &[ReasonCountView], what: &str) -> Vec<ReasonItem> {
    let mut groups: Vec<Vec<&NoteView>> = Vec::new();
    let mut places: BTreeMap<ReasonKey<'_>, usize> = BTreeMap::new();
    for note in notes {
        let place = *places.entry(shape(note)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(note),
            None => groups.push(vec![note]),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups.iter().filter_map(|group| item(group, counted, what)).collect()
}

fn item(group: &[&NoteView], counted: &[ReasonCountView], what: &str) -> Option<ReasonItem> {
    let first = group.first()?;
    let said = counted.iter().find(|said| {
        said.count == group.len()
            && (&said.about, &said.outcome) == (&first.about, &first.outcome)
            && shape_of(&said.about, &said.outcome, &said.reason) == shape(first)
    });
    let reason = said.map_or(&first.reason, |said| &said.reason);
    let message = reason.message.strip_prefix("node(s) ").unwrap_or(&reason.message);
    let what = if what.is_empty() && first.about != "preemptor" { first.about.as_str() } else { what };
    let count = if what.is_empty() { String::new() } else { quantity::counted(group.len(), what) };
    let names = group.iter().filter_map(|note| match (&note.name, &note.node) {
        (Some(name), Some(node)) => Some(format!("{name} on {node}")),
        (name, _) => name.clone(),
    });
    let facts = facts(reason);
    let are_pods = first.about == "pod";
    Some(ReasonItem {
        count,
        law: reason.code.clone(),
        text: message.to_owned(),
        facts,
        names: names.collect(),
        are_pods,
    })
}

fn shape(note: &NoteView) -> ReasonKey<'_> {
    shape_of(&note.about, &note.outcome, &note.reason)
}

fn shape_of<'a>(about: &'a str, outcome: &'a str, reason: &'a ReasonView) -> ReasonKey<'a> {
    let facts = reason.facts.iter().map(|(name, value)| (name.as_str(), kind(value))).collect();
    let words = if reason.facts.is_empty() { reason.message.as_str() } else { "" };
    (about, outcome, &reason.code, &reason.case, facts, words)
}

/// Returns the kind of a value, without its numbers. The least and the most of several numbers count as a number, too.
fn kind(value: &Value) -> String {
    match value {
        Value::Number(_) => "number".to_owned(),
        Value::Object(amounts) if amounts.keys().eq(["least", "most"]) => "number".to_owned(),
        Value::Object(amounts) => amounts.keys().cloned().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Returns the facts of a reason, in words.
pub(super) fn facts(reason: &ReasonView) -> Vec<(String, String)> {
    reason.facts.iter().map(|(name, value)| (name.replace('-', " "), words(value))).collect()
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(parts) => match range(value, words) {
            Some(range) => range,
            None => parts.iter().map(|(name, part)| amount(name, part)).collect::<Vec<_>>().join(", "),
        },
        other => other.to_string(),
    }
}

/// Returns the least and the most of several values. `None`: the value is no such range.
fn range(value: &Value, one: impl Fn(&Value) -> String) -> Option<String> {
    Some(format!("{} to {}", one(value.get("least")?), one(value.get("most")?)))
}

/// Returns an amount of a resource, rounded.
fn amount(resource: &str, value: &Value) -> String {
    let one = |value: &Value| value.as_str().map_or_else(|| words(value), |quantity| rounded(resource, quantity));
    format!("{} {}", short(resource), range(value, one).unwrap_or_else(|| one(value)))
}
