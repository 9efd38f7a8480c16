//! Lists, the format in which kubectl prints several objects.

use serde_json::{Map, Value};

use super::{Sink, SourceDocument};
use crate::cluster::InputError;

/// Returns the kind of the items of a typed list (`Pod` of `PodList`); empty for `List`. `None`: the document is not a list.
fn kind_of_items(root: &Map<String, Value>) -> Option<&str> {
    root.get("kind")?.as_str()?.strip_suffix("List")
}

/// Adds the kind and version of a typed list to an item without them.
pub(super) fn name_item(item: &mut Value, root: &Map<String, Value>) {
    let (Value::Object(item), Some(kind)) = (item, kind_of_items(root)) else {
        return;
    };
    if !kind.is_empty() && !item.contains_key("kind") && !item.contains_key("apiVersion") {
        item.insert("kind".to_owned(), kind.into());
        item.extend(root.get("apiVersion").map(|version| ("apiVersion".to_owned(), version.clone())));
    }
}

/// Returns whether an item has its own kind and version.
pub(super) fn has_own_kind(item: &Value) -> bool {
    item.get("kind").is_some() && item.get("apiVersion").is_some()
}

/// Passes a document to the sink. For a list, passes the items that had no kind of their own.
pub(super) fn deliver(mut document: SourceDocument, expanded: bool, sink: Sink<'_>) -> Result<(), InputError> {
    let Value::Object(root) = &mut document.value else {
        return if document.value.is_null() { Ok(()) } else { sink(document) };
    };
    if kind_of_items(root).is_none() || !root.contains_key("items") {
        if expanded {
            let message = "the document has `items` but is not a list";
            return Err(document.origin.mistake(
                "/kind",
                message,
                "write `apiVersion: v1` and `kind: List` next to `items`",
            ));
        }
        return sink(document);
    }
    let items = match root.remove("items") {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => return Ok(()),
        Some(_) => {
            return Err(document.origin.mistake(
                "/items",
                "`items` is not a sequence",
                "write the items as a sequence",
            ));
        }
    };
    for (index, mut value) in items.into_iter().enumerate() {
        name_item(&mut value, root);
        let origin = document.origin.below(&format!("/items/{index}"));
        sink(SourceDocument { value, origin })?;
    }
    Ok(())
}
