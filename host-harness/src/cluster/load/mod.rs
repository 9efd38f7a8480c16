//! Reads files that kubectl printed, or that look like it.

mod origin;

use std::path::Path;

use serde_json::Value;

use super::InputError;

pub use origin::Origin;

/// A document of a file, or an item of a list in it.
#[derive(Debug, Clone)]
pub struct Document {
    /// What it says.
    pub value: Value,
    /// Where it says it.
    pub origin: Origin,
}

/// Reads a text, YAML or JSON: all documents in it, the items of lists (`kind: List`, `PodList`) as documents of their own.
pub fn read(_file: &str, _text: &str) -> Result<Vec<Document>, InputError> {
    Ok(Vec::new())
}

/// Reads a text like `read`, but hands every document over as soon as it is complete.
pub fn each(
    _file: &str,
    _text: &str,
    _sink: &mut dyn FnMut(Document) -> Result<(), InputError>,
) -> Result<(), InputError> {
    Ok(())
}

/// Reads a file like `each`; `-` is the standard input.
pub fn each_in(_path: &Path, _sink: &mut dyn FnMut(Document) -> Result<(), InputError>) -> Result<(), InputError> {
    Ok(())
}
