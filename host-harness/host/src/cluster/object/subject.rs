//! The object that a mistake is about.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::typed::typed;
use crate::cluster::InputError;
use crate::cluster::load::DocumentOrigin;

/// The object to read.
#[derive(Debug)]
pub(super) struct ObjectContext<'a> {
    pub(super) origin: &'a DocumentOrigin,
    /// The name of the object in messages, for example `Pod default/a`.
    pub(super) name: String,
}

impl ObjectContext<'_> {
    /// Returns a mistake at a JSON pointer into the object.
    pub(super) fn mistake(&self, pointer: &str, what: impl std::fmt::Display, remedy: &str) -> InputError {
        let message = match dotted(pointer) {
            path if path.is_empty() => format!("{}: {what}", self.name),
            path => format!("{path} of {}: {what}", self.name),
        };
        self.origin.mistake(pointer, message, remedy)
    }

    /// Reads the value at a JSON pointer as a Kubernetes type.
    pub(super) fn typed<T: DeserializeOwned>(&self, value: &Value, pointer: &str) -> Result<T, InputError> {
        self.typed_from(value, &value.to_string(), pointer)
    }

    /// Reads a value as a Kubernetes type. `json` is the JSON of the value, which the caller already has.
    pub(super) fn typed_from<T: DeserializeOwned>(
        &self,
        value: &Value,
        json: &str,
        pointer: &str,
    ) -> Result<T, InputError> {
        typed(value, json).map_err(|mistake| {
            let at = format!("{pointer}{}", mistake.pointer);
            self.mistake(&at, mistake.message, "write the expected type; quote a text that looks like another type")
        })
    }
}

/// Returns a key as part of a JSON pointer.
pub fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns a JSON pointer as a Kubernetes field path: `spec.containers[0].resources.requests[nvidia.com/gpu]`.
pub fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for token in pointer.split('/').skip(1) {
        let key = token.replace("~1", "/").replace("~0", "~");
        if key.contains(['.', '/']) || key.starts_with(|c: char| c.is_ascii_digit()) {
            path.push_str(&format!("[{key}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&key);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_paths_as_kubernetes_does() {
        assert_eq!(dotted(""), "");
        assert_eq!(
            dotted("/spec/containers/0/resources/requests/nvidia.com~1gpu"),
            "spec.containers[0].resources.requests[nvidia.com/gpu]"
        );
        assert_eq!(dotted("/metadata/labels/a~0b"), "metadata.labels.a~b");
    }
}
