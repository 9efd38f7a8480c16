//! The kind and the name of an object.

use serde_json::Value;

use super::kinds;
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::load::DocumentOrigin;

/// The kind and the name of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectIdentity {
    /// The API group; empty for the core group.
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// The namespace; empty where it is absent, but `default` for a pod.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl ObjectIdentity {
    /// Reads the fields that every object has.
    pub(super) fn read(value: &Value, origin: &DocumentOrigin) -> Result<ObjectIdentity, InputError> {
        if !value.is_object() {
            let remedy = "write a mapping with apiVersion, kind and metadata";
            return Err(origin.mistake("", "this is not a Kubernetes object", remedy));
        }
        let unknown = ObjectContext { origin, name: "the object".to_owned() };
        let api_version = required(value, "/apiVersion", &unknown, "write it, for example `apiVersion: v1`")?;
        let kind = required(value, "/kind", &unknown, "write it, for example `kind: Pod`")?;
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        kinds::check(group, version, kind, &unknown)?;
        let unnamed = ObjectContext { origin, name: kind.to_owned() };
        let name = required(value, "/metadata/name", &unnamed, "add a name")?;
        let namespace = match text(value, "/metadata/namespace", &unnamed)? {
            "" if kinds::is_pod(group, kind) => "default",
            _ if kinds::has_no_namespace(group, kind) => "",
            namespace => namespace,
        };
        for (pointer, part) in [("/metadata/name", name), ("/metadata/namespace", namespace)] {
            if part.contains('/') {
                return Err(unnamed.mistake(pointer, format_args!("`{part}` contains `/`"), "remove the `/`"));
            }
        }
        let [group, version, kind, namespace, name] = [group, version, kind, namespace, name].map(str::to_owned);
        Ok(ObjectIdentity { group, version, kind, namespace, name })
    }

    /// Creates the identity of a pod.
    pub(super) fn of_pod(namespace: &str, name: &str) -> ObjectIdentity {
        let [version, kind, namespace, name] = ["v1", "Pod", namespace, name].map(str::to_owned);
        ObjectIdentity { group: String::new(), version, kind, namespace, name }
    }

    /// Returns `Kind/namespace/name`, or `Kind/name` for an object without namespace.
    pub(crate) fn key(&self) -> String {
        if self.namespace.is_empty() {
            format!("{}/{}", self.kind, self.name)
        } else {
            format!("{}/{}/{}", self.kind, self.namespace, self.name)
        }
    }

    /// Returns the key with the group of the kind, where it has a group: `Kind.group/namespace/name`.
    pub(crate) fn full_key(&self) -> String {
        if self.group.is_empty() {
            return self.key();
        }
        let key = self.key();
        let name = key.strip_prefix(&self.kind).unwrap_or(&key);
        format!("{}.{}{name}", self.kind, self.group)
    }

    /// Returns the kind with its version, for example `apps/v1 Deployment`.
    pub(crate) fn full_kind(&self) -> String {
        if self.group.is_empty() {
            format!("{} {}", self.version, self.kind)
        } else {
            format!("{}/{} {}", self.group, self.version, self.kind)
        }
    }

    /// Returns the object as messages name it, for example `Pod default/a`.
    pub(super) fn subject<'o>(&self, origin: &'o DocumentOrigin) -> ObjectContext<'o> {
        ObjectContext { origin, name: self.key().replacen('/', " ", 1) }
    }
}

/// Returns the text at a JSON pointer; empty where it is absent.
///
/// # Errors
/// The value is not a text.
fn text<'v>(value: &'v Value, pointer: &str, subject: &ObjectContext<'_>) -> Result<&'v str, InputError> {
    match value.pointer(pointer) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(other) => {
            Err(subject.mistake(pointer, format_args!("`{other}` is not a text"), "quote the value, or correct it"))
        }
    }
}

fn required<'v>(
    value: &'v Value,
    pointer: &str,
    subject: &ObjectContext<'_>,
    remedy: &str,
) -> Result<&'v str, InputError> {
    match text(value, pointer, subject)? {
        "" => Err(subject.mistake(pointer, "is missing", remedy)),
        text => Ok(text),
    }
}
