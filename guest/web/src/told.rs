//! The input of a page.

use lictor_conformance::{Scenario, read_scenario};
use lictor_decide::{ClusterSnapshot, DecideError};
use lictor_host::cluster::InputError;
use lictor_host::cluster::load;
use serde::{Deserialize, Serialize};

/// A text, and how to decide about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Told"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenInput {
    /// The name of the text in messages.
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
    /// Objects that are added to the cluster, or replace those of the same kind and name, in YAML or JSON.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub changes: String,
}

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InputKind"))]
#[serde(rename_all = "camelCase")]
pub enum InputKind {
    /// A dump of a cluster.
    Snapshot,
    /// A scenario.
    Scenario,
    /// A recording.
    Recording,
}

impl OpenInput {
    /// Reads the scenario. `None`: the text is no scenario.
    ///
    /// # Errors
    /// The mistakes of the scenario.
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

    /// Reads the cluster without the changes: that of the scenario, where the text is one.
    ///
    /// # Errors
    /// The mistakes of the cluster.
    pub fn snapshot(&self, scenario: Option<&Scenario>) -> Result<ClusterSnapshot, DecideError> {
        match scenario {
            None => ClusterSnapshot::from_text(&self.name, self.text.clone()),
            Some(scenario) => {
                let (objects, files) = (scenario.cluster.clone(), vec![self.name.clone()]);
                Ok(ClusterSnapshot { objects, files, ..ClusterSnapshot::default() })
            }
        }
    }
}
