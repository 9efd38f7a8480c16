//! The values of YAML anchors, with a limit on how much aliases may repeat.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lines::ValueLines;

/// The approximate limit on the memory of all copies in one document, in bytes.
const MAX_COPIES: usize = 16_000_000;

/// The anchored values of a document.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    set: BTreeMap<usize, AnchorValue>,
    expanded_bytes: usize,
}

#[derive(Debug)]
struct AnchorValue {
    value: Value,
    lines: ValueLines,
    weight: usize,
}

/// A message and a remedy.
type Complaint = (String, &'static str);

impl Anchors {
    /// Stores a copy of an anchored value.
    pub(super) fn set(&mut self, anchor: usize, value: &Value, lines: ValueLines) -> Result<(), Complaint> {
        let weight = weigh(value);
        spend(&mut self.expanded_bytes, weight)?;
        self.set.insert(anchor, AnchorValue { value: value.clone(), lines, weight });
        Ok(())
    }

    /// Returns another copy of an anchored value.
    pub(super) fn expand(&mut self, anchor: usize) -> Result<(Value, ValueLines), Complaint> {
        let Some(anchored) = self.set.get(&anchor) else {
            return Err((
                "an alias refers to an anchor that contains it".to_owned(),
                "write the value instead of the alias",
            ));
        };
        spend(&mut self.expanded_bytes, anchored.weight)?;
        Ok((anchored.value.clone(), anchored.lines.clone()))
    }
}

fn spend(spent: &mut usize, weight: usize) -> Result<(), Complaint> {
    *spent = spent.saturating_add(weight);
    if *spent > MAX_COPIES {
        let message = format!("the aliases of this document expand to more than {MAX_COPIES} bytes");
        return Err((message, "write the values instead of aliases"));
    }
    Ok(())
}

/// Computes the approximate memory of a value, in bytes.
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
