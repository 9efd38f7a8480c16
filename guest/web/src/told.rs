//! What a page is given.

use std::collections::BTreeSet;

use lictor_conformance::{Scenario, read_scenario};
use lictor_decide::{Failure, Snapshot};
use lictor_host::cluster::load;
use lictor_host::cluster::{InputError, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A text, and how to decide about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Told {
    /// What messages call the text.
    pub name: String,
    /// The output of `kubectl get -o yaml` or `json`, or a scenario; empty for a recording.
    pub text: String,
    /// A recording, its bytes in base 64; empty for anything else. System, arguments and schedulers are those that were recorded.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub recording: String,
    /// The name of the system; empty for the first one of the policy, or the one of the scenario.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub system: String,
    /// The arguments of the system, in YAML or JSON; empty for those of the scenario, or none.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub arguments: String,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub schedulers: Vec<String>,
    /// Objects that are added to the cluster, or stand instead of those of the same kind and name, in YAML or JSON.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub changes: String,
}

/// What messages call the changes.
const CHANGES: &str = "the changes";

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InputKind"))]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A dump of a cluster.
    Snapshot,
    /// A scenario.
    Scenario,
    /// A recording.
    Recording,
}

impl Told {
    /// The scenario, if it is one.
    ///
    /// # Errors
    /// Its mistakes.
    pub fn scenario(&self) -> Result<Option<Scenario>, InputError> {
        // Only a scenario names this version at the beginning of a line, and a scenario is one document.
        if !self.text.lines().any(|line| line.starts_with("apiVersion: lictor.dev/")) {
            return Ok(None);
        }
        let mut documents = load::read(&self.name, &self.text)?;
        match (documents.pop(), documents.pop()) {
            (Some(document), None) => read_scenario(document).map(Some),
            (_, Some(second)) => {
                Err(second.origin.mistake("", "there is more than one document", "open one scenario at a time"))
            }
            (None, _) => Ok(None),
        }
    }

    /// The snapshot with the changes.
    ///
    /// # Errors
    /// Its mistakes.
    pub fn snapshot(&self) -> Result<Snapshot, Failure> {
        let snapshot = Snapshot::told(&self.name, self.text.clone())?;
        self.changed(snapshot)
    }

    /// A snapshot with the changes.
    ///
    /// # Errors
    /// The mistakes of the changes.
    pub fn changed(&self, mut snapshot: Snapshot) -> Result<Snapshot, Failure> {
        if self.changes.trim().is_empty() {
            return Ok(snapshot);
        }
        let changes = Snapshot::told(CHANGES, self.changes.clone())?;
        // What is changed twice is as the last change has it.
        let mut changed = BTreeSet::new();
        let last = changes.objects.into_iter().rev().filter(|object| changed.insert(object.full_key()));
        let last: Vec<Object> = last.collect();
        snapshot.objects.retain(|object| !changed.contains(&object.full_key()));
        snapshot.objects.extend(last.into_iter().rev());
        snapshot.origins.extend(changes.origins);
        snapshot.files.push(CHANGES.to_owned());
        Ok(snapshot)
    }

    /// An object as it is written, in JSON, with the changes so far: `Kind/namespace/name`, or `Kind/name` where it has no namespace.
    ///
    /// # Errors
    /// The text has mistakes, or no such object.
    pub fn object(&self, key: &str) -> Result<String, Failure> {
        let mut documents = load::read(CHANGES, &self.changes).map_err(|mistake| vec![mistake])?;
        documents.reverse();
        documents.extend(load::read(&self.name, &self.text).map_err(|mistake| vec![mistake])?);
        let found = documents.into_iter().find(|document| key_of(&document.value).as_deref() == Some(key));
        let unknown = || Failure::UnknownName(key.to_owned(), Vec::new());
        let written = found.and_then(|document| serde_json::to_string_pretty(&document.value).ok());
        written.ok_or_else(unknown)
    }
}

/// The kind, namespace and name of an object.
fn key_of(value: &Value) -> Option<String> {
    let text = |pointer| value.pointer(pointer).and_then(Value::as_str);
    let (kind, namespace, name) = (text("/kind")?, text("/metadata/namespace"), text("/metadata/name")?);
    let parts = [Some(kind), namespace, Some(name)];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
}
