//! Lists: what kubectl prints when it prints more than one object.

use serde_json::{Map, Value};

use super::{Document, Sink};
use crate::cluster::InputError;

/// The kind of the items of a typed list (`Pod` of `PodList`); `List` itself names none.
fn kind_of_items(root: &Map<String, Value>) -> Option<&str> {
    root.get("kind")?.as_str()?.strip_suffix("List")
}

/// Gives an item of a typed list the kind and version that only the list has.
pub(super) fn name_item(item: &mut Value, root: &Map<String, Value>) {
    let (Value::Object(item), Some(kind)) = (item, kind_of_items(root)) else {
        return;
    };
    if !kind.is_empty() && !item.contains_key("kind") && !item.contains_key("apiVersion") {
        item.insert("kind".to_owned(), kind.into());
        item.extend(root.get("apiVersion").map(|version| ("apiVersion".to_owned(), version.clone())));
    }
}

/// Whether an item says itself what it is.
pub(super) fn stands_alone(item: &Value) -> bool {
    item.get("kind").is_some() && item.get("apiVersion").is_some()
}

/// Hands a document over, or what is left of a list: its items that did not stand alone before the list said its kind.
pub(super) fn hand_over(mut document: Document, unfolded: bool, sink: Sink<'_>) -> Result<(), InputError> {
    let Value::Object(root) = &mut document.value else {
        return if document.value.is_null() { Ok(()) } else { sink(document) };
    };
    if kind_of_items(root).is_none() || !root.contains_key("items") {
        if unfolded {
            let message = "`items` of something that is no list";
            return Err(document.origin.mistake("/kind", message, "write `apiVersion: v1` and `kind: List` beside it"));
        }
        return sink(document);
    }
    let items = match root.remove("items") {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => return Ok(()),
        Some(_) => {
            return Err(document.origin.mistake("/items", "`items` is no sequence", "write the items as one"));
        }
    };
    for (index, mut value) in items.into_iter().enumerate() {
        name_item(&mut value, root);
        let origin = document.origin.below(&format!("/items/{index}"));
        sink(Document { value, origin })?;
    }
    Ok(())
}
