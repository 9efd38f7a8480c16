//! Reads objects: JSON in, values or findings out. A finding names the object and the field.

use serde_json::Value;

use crate::contract::{Attribute, Finding, Object, Severity};
use crate::quantity::{self, QuantityError, Unit};

/// The findings about objects, for their authors.
pub type Findings = Vec<Finding>;

/// Amounts by resource name, sorted by name. Each amount is in the unit of the contract.
pub type NamedAmounts = Vec<(String, i64)>;

/// Returns the value of a label or an annotation of a pod. `key` must be one of `read`, the keys that are read. Each attribute of the pod is compared
/// with the key, as a pod has fewer attributes than there are keys.
pub fn look_up<'a>(read: &[&str], attributes: &'a [Attribute], key: &str) -> Option<&'a str> {
    let key_of = |attribute: &Attribute| usize::try_from(attribute.key).ok().and_then(|at| read.get(at).copied());
    attributes.iter().find(|attribute| key_of(attribute) == Some(key)).map(|attribute| attribute.value.as_str())
}

/// A Kubernetes object whose JSON has been parsed.
#[derive(Debug)]
pub struct ParsedObject {
    /// Its API group; empty for the core group.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a cluster-scoped object.
    pub namespace: String,
    /// Its name.
    pub name: String,
    value: Value,
}

impl ParsedObject {
    /// Parses an object. An object that is not valid JSON becomes a finding.
    pub fn read(object: &Object, findings: &mut Findings) -> Option<ParsedObject> {
        let document = ParsedObject::named(&object.kind, &object.namespace, &object.name);
        match serde_json::from_str(&object.json) {
            Ok(value) => Some(ParsedObject { group: object.group.clone(), value, ..document }),
            Err(error) => {
                findings.push(document.error("", format!("the object is not valid JSON: {error}"), "send valid JSON"));
                None
            }
        }
    }

    /// Creates an object with a name and no content, as the subject of a finding.
    pub fn named(kind: &str, namespace: &str, name: &str) -> ParsedObject {
        let (kind, namespace, name) = (kind.to_owned(), namespace.to_owned(), name.to_owned());
        ParsedObject { group: String::new(), kind, namespace, name, value: Value::Null }
    }

    /// Returns the name of the object for messages: `Kind/namespace/name`, or `Kind/name`.
    pub fn object_name(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{}/{}", self.kind, self.name),
            namespace => format!("{}/{namespace}/{}", self.kind, self.name),
        }
    }

    /// Creates a finding: the object, or a part of it, cannot be used. `path` is a JSON pointer.
    pub fn error(&self, path: &str, message: impl Into<String>, remedy: &str) -> Finding {
        self.finding(Severity::Error, path, message.into(), remedy)
    }

    /// Creates a finding: the object is used, but one field may not mean what its author expects.
    pub fn warning(&self, path: &str, message: impl Into<String>, remedy: &str) -> Finding {
        self.finding(Severity::Warning, path, message.into(), remedy)
    }

    /// Creates a finding of the given severity.
    pub fn finding(&self, severity: Severity, path: &str, message: String, remedy: &str) -> Finding {
        Finding { severity, object: self.object_name(), path: path.to_owned(), message, remedy: remedy.to_owned() }
    }

    /// Returns the value at a JSON pointer. `null` counts as absent.
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        self.value.pointer(pointer).filter(|value| !value.is_null())
    }

    /// Returns the value of a label. `None`: the object does not have the label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.at("/metadata/labels")?.get(key)?.as_str()
    }

    /// Returns the value of an annotation. `None`: the object does not have the annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.at("/metadata/annotations")?.get(key)?.as_str()
    }

    /// Reads the amounts of a resource list; an absent list is empty. The first invalid amount is the finding. An amount too large for 64 bits counts
    /// as the largest number; with `skip_overflow` it is left out.
    pub fn amounts(&self, pointer: &str, skip_overflow: bool) -> Result<NamedAmounts, Finding> {
        self.at(pointer).map_or(Ok(Vec::new()), |list| self.resource_list(pointer, list, skip_overflow))
    }

    /// Reads the amounts of a resource list that an annotation holds as JSON. An absent annotation is empty.
    pub fn amounts_in_annotation(&self, key: &str) -> Result<NamedAmounts, Finding> {
        let Some(text) = self.annotation(key) else { return Ok(Vec::new()) };
        let path = annotation_path(key);
        match serde_json::from_str(text) {
            Ok(list) => self.resource_list(&path, &list, false),
            Err(error) => {
                let message = format!("`{text}` is not valid JSON: {error}");
                Err(self.error(&path, message, r#"write it as `{"cpu": "40"}`"#))
            }
        }
    }

    fn resource_list(&self, path: &str, list: &Value, skip_overflow: bool) -> Result<NamedAmounts, Finding> {
        let list = list.as_object().ok_or_else(|| {
            self.error(path, format!("`{list}` is not a resource list"), "write `resource: quantity` pairs")
        })?;
        let mut amounts = Vec::with_capacity(list.len());
        for (resource, value) in list {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match quantity::parse(&text, Unit::of(resource)) {
                Ok(amount) => amounts.push((resource.clone(), amount)),
                Err(QuantityError::Overflow(_)) if skip_overflow => {}
                // The API server accepts such an amount. No sum of requests is larger than the largest number.
                Err(QuantityError::Overflow(_)) => amounts.push((resource.clone(), i64::MAX)),
                Err(error) => {
                    let path = format!("{path}/{}", escape(resource));
                    let remedy = "write a quantity of 0 or more such as `4`, `500m` or `16Gi`";
                    return Err(self.error(&path, error.to_string(), remedy));
                }
            }
        }
        Ok(amounts)
    }
}

/// Escapes a key for use in a JSON pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the JSON pointer to a label.
pub fn label_path(key: &str) -> String {
    format!("/metadata/labels/{}", escape(key))
}

/// Returns the JSON pointer to an annotation.
pub fn annotation_path(key: &str) -> String {
    format!("/metadata/annotations/{}", escape(key))
}
