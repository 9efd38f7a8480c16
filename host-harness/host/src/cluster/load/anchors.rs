//! What anchors were set on, and how much of it may be repeated.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lines::Lines;

/// How much memory copies may take in one document, in bytes, roughly.
const MAX_COPIES: usize = 16_000_000;

/// What anchors were set on.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    set: BTreeMap<usize, Anchored>,
    spent: usize,
}

#[derive(Debug)]
struct Anchored {
    value: Value,
    lines: Lines,
    weight: usize,
}

/// What is wrong, and what to do.
type Complaint = (String, &'static str);

impl Anchors {
    /// Keeps a copy of what an anchor was set on.
    pub(super) fn set(&mut self, anchor: usize, value: &Value, lines: Lines) -> Result<(), Complaint> {
        let weight = weigh(value);
        spend(&mut self.spent, weight)?;
        self.set.insert(anchor, Anchored { value: value.clone(), lines, weight });
        Ok(())
    }

    /// Another copy.
    pub(super) fn unfold(&mut self, anchor: usize) -> Result<(Value, Lines), Complaint> {
        let Some(anchored) = self.set.get(&anchor) else {
            return Err(("an alias of something that contains it".to_owned(), "write the value out"));
        };
        spend(&mut self.spent, anchored.weight)?;
        Ok((anchored.value.clone(), anchored.lines.clone()))
    }
}

fn spend(spent: &mut usize, weight: usize) -> Result<(), Complaint> {
    *spent = spent.saturating_add(weight);
    if *spent > MAX_COPIES {
        let message = format!("the aliases of this document unfold to more than {MAX_COPIES} bytes");
        return Err((message, "write the values out"));
    }
    Ok(())
}

/// The memory a value takes, roughly.
fn weigh(value: &Value) -> usize {
    let below = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weigh).fold(0, usize::saturating_add),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| key.len().saturating_add(weigh(value))).fold(0, usize::saturating_add)
        }
    };
    below.saturating_add(64)
}
