//! What a page is given.

use lictor_conformance::{Scenario, read_scenario};
use lictor_decide::Snapshot;
use lictor_host::cluster::InputError;
use lictor_host::cluster::load;
use serde::{Deserialize, Serialize};

/// A text, and how to decide about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Told {
    /// What messages call the text.
    pub name: String,
    /// The output of `kubectl get -o yaml` or `json`, or a scenario.
    pub text: String,
    /// The name of the system; empty for the first one of the policy, or the one of the scenario.
    #[serde(default)]
    pub system: String,
    /// The arguments of the system, in YAML or JSON; empty for those of the scenario, or none.
    #[serde(default)]
    pub arguments: String,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    #[serde(default)]
    pub schedulers: Vec<String>,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A dump of a cluster.
    Snapshot,
    /// A scenario.
    Scenario,
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

    /// The snapshot.
    ///
    /// # Errors
    /// Its mistakes.
    pub fn snapshot(&self) -> Result<Snapshot, lictor_decide::Failure> {
        Snapshot::told(&self.name, self.text.clone())
    }
}
