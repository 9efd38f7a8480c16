//! Reads texts in the format of kubectl's output.

mod anchors;
mod builder;
mod items;
mod json;
mod lines;
mod list;
mod origin;
mod scalar;
mod scan;
mod yaml;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::InputError;
use super::object::{FieldError, typed};
use builder::DocumentBuilder;

pub use items::SourceItem;
pub use origin::DocumentOrigin;

/// A document of a file, or an item of a list in it.
#[derive(Debug, Clone)]
pub struct SourceDocument {
    /// Its content, without `metadata.managedFields`.
    pub value: Value,
    /// The file and the lines of its content.
    pub origin: DocumentOrigin,
}

impl SourceDocument {
    /// Reads the document as a type that is not a Kubernetes object.
    ///
    /// # Errors
    /// The document does not have this type. The error is at the innermost wrong value and has this remedy.
    pub fn typed<T: DeserializeOwned>(&self, remedy: &str) -> Result<T, InputError> {
        let mistake = |mistake: FieldError| self.origin.mistake(&mistake.pointer, mistake.message, remedy);
        typed(&self.value, &self.value.to_string()).map_err(mistake)
    }
}

/// The byte order mark that some editors write at the beginning of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Receives each complete document.
type Sink<'s> = &'s mut dyn FnMut(SourceDocument) -> Result<(), InputError>;

/// Reads a YAML or JSON text with all of its documents. Items of lists (`kind: List`, `PodList`) become separate documents. Empty documents
/// are skipped.
pub fn read(file: &str, text: &str) -> Result<Vec<SourceDocument>, InputError> {
    let mut documents = Vec::new();
    each(file, text, &mut |document| {
        documents.push(document);
        Ok(())
    })?;
    Ok(documents)
}

/// Reads a text like `read`, and passes each document to `sink` as soon as it is complete.
///
/// # Errors
/// Stops at the first mistake, or at the first error of `sink`. Mistakes are: invalid YAML or JSON, a duplicate key, aliases that expand
/// beyond the limit, a text that is too long or too deep, or a value that JSON does not have.
pub fn each(
    file: &str,
    text: &str,
    sink: &mut dyn FnMut(SourceDocument) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut builder = DocumentBuilder::new(Arc::from(file), sink);
    // YAML flow mappings begin like JSON. For a file named `.json` the mistakes in its JSON are reported.
    if text.trim_start().starts_with(['{', '[']) && (file.ends_with(".json") || json::is_valid(text)) {
        json::read(text, &mut builder)
    } else {
        yaml::read(text, &mut builder)
    }
}

/// Reads a text like `each`. The pods of a large JSON list arrive as objects, read by several threads. All other items arrive as documents.
///
/// # Errors
/// Those of `each`. A mistake in a pod is reported when its document is read as an object.
pub fn each_item(
    file: &str,
    text: String,
    sink: &mut dyn FnMut(SourceItem) -> Result<(), InputError>,
) -> Result<(), InputError> {
    // The items that were read keep a reference to the text, so that there is only one copy of it.
    let text: Arc<str> = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => Arc::from(text),
        None => Arc::from(text),
    };
    if text.trim_start().starts_with('{')
        && let Some(read) = items::read(&Arc::from(file), &text, sink)
    {
        return read;
    }
    each(file, &text, &mut |document| sink(SourceItem::Document(document)))
}

/// Returns an object in JSON without spaces and without `metadata.managedFields`. `None`: the object is unusual (see [`scan::compact`]).
pub(crate) fn compact(object: &str) -> Option<String> {
    let mut to = String::with_capacity(object.len());
    scan::compact(object, &mut to).map(|_| to)
}

#[cfg(test)]
mod tests;
