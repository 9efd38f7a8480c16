//! Kubernetes objects, read as far as the mirror needs them.

use serde_json::Value;

use super::InputError;
use super::load::{Document, Origin};

/// A Kubernetes object that was read without mistake.
#[derive(Debug, Clone)]
pub struct Object {}

impl Object {
    /// Reads a document.
    pub fn from_document(document: Document) -> Result<Object, InputError> {
        Object::from_value(document.value, &document.origin, "")
    }
    /// Reads a part of a document: `value` is what stands at `pointer` of `origin`.
    pub fn from_value(_value: Value, _origin: &Origin, _pointer: &str) -> Result<Object, InputError> {
        Ok(Object {})
    }
    /// `Kind/namespace/name`, or `Kind/name` where it has no namespace.
    pub fn key(&self) -> String {
        String::new()
    }
}
