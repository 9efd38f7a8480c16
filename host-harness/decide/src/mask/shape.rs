//! The shape of a value: which of its fields are kept, and which are names. A field that its shape does not have is left out.

use lictor_host::cluster::load::read;
use serde_json::{Map, Value};

use super::keys::{self, LabelValueKind};
use super::kinds::METADATA;

/// The shape of a value.
pub(super) enum ValueShape {
    /// A name.
    Name,
    /// A number, a quantity, a time, a duration or a word of Kubernetes stays; anything else is taken for a name.
    Plain,
    /// The key of a label.
    Key,
    /// The name of a scheduler.
    Scheduler,
    /// A uid.
    Uid,
    /// An address.
    Address,
    /// The name of a resource, which stays where an amount of it is requested or offered.
    Resource,
    /// A value of which only its presence counts, and whether it is empty.
    Presence,
    /// A value of which only its presence counts.
    Empty,
    /// Quantities by resource. The names of resources stay.
    Amounts,
    /// Labels, or what selects by them.
    Labels,
    /// Annotations: those that the systems read.
    Annotations,
    /// A requirement for a label or a taint: its key says what its values are.
    Requirement,
    /// A rule of placement: only a `fixed` rule names a queue.
    Rule,
    /// Values by name.
    Named(&'static ValueShape),
    /// A list.
    List(&'static ValueShape),
    /// A whole object: its kind, its metadata and these fields.
    Object(&'static [(&'static str, &'static ValueShape)]),
    /// These fields.
    Fields(&'static [(&'static str, &'static ValueShape)]),
    /// A word, or these fields.
    WordOr(&'static [(&'static str, &'static ValueShape)]),
    /// A text in JSON or YAML. A text that cannot be read cannot be masked: it is left out.
    Document(&'static ValueShape),
}

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Name,
    Scheduler,
    Uid,
    Address,
    /// A resource of which an amount is requested or offered; it stays.
    Requested,
    /// A resource that may be such a one.
    Resource,
}

/// A function that receives every text that may have to be replaced, and may change it.
pub(super) type Visit<'v> = &'v mut dyn FnMut(TextKind, &mut String);

impl ValueShape {
    /// Removes from a value the fields that its shape does not have, and visits its texts. Returns whether the value itself is kept.
    pub(super) fn keep(&self, value: &mut Value, visit: Visit<'_>) -> bool {
        match self {
            ValueShape::Name => text(value, &mut |name| visit(TextKind::Name, name)),
            ValueShape::Plain => plain(value, visit),
            ValueShape::Key => text(value, &mut |key| keys::each_key(key, visit)),
            ValueShape::Scheduler => text(value, &mut |name| visit(TextKind::Scheduler, name)),
            ValueShape::Uid => text(value, &mut |uid| visit(TextKind::Uid, uid)),
            ValueShape::Address => text(value, &mut |address| visit(TextKind::Address, address)),
            ValueShape::Resource => text(value, &mut |name| visit(TextKind::Resource, name)),
            ValueShape::Presence => presence(value),
            ValueShape::Empty => {
                *value = Value::Object(Map::new());
                true
            }
            ValueShape::Rule => rule(value, visit),
            ValueShape::Document(shape) => document(value, shape, visit),
            ValueShape::WordOr(_) if value.is_string() => plain(value, visit),
            ValueShape::List(shape) => {
                let Value::Array(items) = value else { return false };
                items.retain_mut(|item| shape.keep(item, visit));
                true
            }
            _ => {
                let Value::Object(entries) = value else { return false };
                self.keep_entries(entries, visit);
                true
            }
        }
    }

    fn keep_entries(&self, entries: &mut Map<String, Value>, visit: Visit<'_>) {
        match self {
            ValueShape::Object(known) => entries.retain(|name, value| match name.as_str() {
                "apiVersion" | "kind" => true,
                "metadata" => METADATA.keep(value, visit),
                name => keep_field(known, name, value, visit),
            }),
            ValueShape::Fields(known) | ValueShape::WordOr(known) => {
                entries.retain(|name, value| keep_field(known, name, value, visit));
            }
            ValueShape::Amounts => entries.retain(|resource, amount| {
                visit(TextKind::Requested, &mut resource.clone());
                plain(amount, visit)
            }),
            ValueShape::Annotations => entries.retain(|key, value| keys::is_read(key) && of_key(key, value, visit)),
            ValueShape::Labels => renamed(entries, |mut key, mut value| {
                let is_kept = of_key(&key, &mut value, visit);
                keys::each_key(&mut key, visit);
                is_kept.then_some((key, value))
            }),
            ValueShape::Named(shape) => renamed(entries, |mut name, mut value| {
                let is_kept = shape.keep(&mut value, visit);
                visit(TextKind::Name, &mut name);
                is_kept.then_some((name, value))
            }),
            ValueShape::Requirement => requirement(entries, visit),
            // All other shapes have no entries.
            _ => entries.clear(),
        }
    }
}

fn keep_field(known: &[(&str, &ValueShape)], name: &str, value: &mut Value, visit: Visit<'_>) -> bool {
    let shape = known.iter().find(|(field, _)| *field == name);
    shape.is_some_and(|(_, shape)| shape.keep(value, visit))
}

/// Visits a text. A number becomes a text first, because YAML allows texts without quotes. Returns false for other values.
fn text(value: &mut Value, visit: &mut dyn FnMut(&mut String)) -> bool {
    if let Value::Number(number) = value {
        *value = Value::String(number.to_string());
    }
    let Value::String(text) = value else { return false };
    visit(text);
    true
}

fn plain(value: &mut Value, visit: Visit<'_>) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(text) => {
            if !keys::is_plain(text) {
                visit(TextKind::Name, text);
            }
            true
        }
        _ => false,
    }
}

/// Visits the value of a label or annotation with this key. Returns whether the value is kept.
fn of_key(key: &str, value: &mut Value, visit: Visit<'_>) -> bool {
    match keys::kind(key) {
        LabelValueKind::Name => ValueShape::Name.keep(value, visit),
        LabelValueKind::Plain => plain(value, visit),
        LabelValueKind::Zones => text(value, &mut |zones| {
            // A volume in several zones names all of them, joined by `__`.
            let each = zones.split("__").map(|zone| {
                let mut zone = Value::from(zone);
                plain(&mut zone, visit);
                zone.as_str().unwrap_or_default().to_owned()
            });
            *zones = each.collect::<Vec<String>>().join("__");
        }),
        LabelValueKind::Document(shape) => document(value, shape, visit),
    }
}

/// Replaces the entries of a mapping by those that `rename` returns. `None`: the entry is removed.
fn renamed(entries: &mut Map<String, Value>, mut rename: impl FnMut(String, Value) -> Option<(String, Value)>) {
    *entries = std::mem::take(entries).into_iter().filter_map(|(key, value)| rename(key, value)).collect();
}

fn requirement(entries: &mut Map<String, Value>, visit: Visit<'_>) {
    let key = entries.get("key").and_then(Value::as_str).unwrap_or_default().to_owned();
    entries.retain(|field, value| match (field.as_str(), value) {
        ("key", value) => ValueShape::Key.keep(value, visit),
        ("operator" | "effect", value) => plain(value, visit),
        ("value", value) => of_key(&key, value, visit),
        ("values", Value::Array(values)) => {
            values.retain_mut(|value| of_key(&key, value, visit));
            true
        }
        _ => false,
    });
}

fn presence(value: &mut Value) -> bool {
    match value {
        Value::Null => return false,
        Value::Array(items) if items.is_empty() => {}
        value => *value = Value::Bool(true),
    }
    true
}

fn rule(value: &mut Value, visit: Visit<'_>) -> bool {
    let Value::Object(entries) = value else { return false };
    let is_fixed = entries.get("name").and_then(Value::as_str).is_some_and(|name| name.eq_ignore_ascii_case("fixed"));
    entries.retain(|field, value| match field.as_str() {
        "name" | "create" => plain(value, visit),
        "value" if is_fixed => ValueShape::Name.keep(value, visit),
        "value" => plain(value, visit),
        "parent" => rule(value, visit),
        _ => false,
    });
    true
}

fn document(value: &mut Value, shape: &ValueShape, visit: Visit<'_>) -> bool {
    let Value::String(text) = value else { return false };
    let written = read("it", text).ok().and_then(|documents| documents.into_iter().next());
    let Some(mut written) = written else { return false };
    let is_kept = shape.keep(&mut written.value, visit);
    *text = written.value.to_string();
    is_kept
}
