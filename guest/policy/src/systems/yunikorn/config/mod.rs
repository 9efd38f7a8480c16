//! `queues.yaml`: the partition, its placement rules and its tree of queues.
//!
//! There are three steps: [`yaml`] parses text and lines, [`decode`] reads the keys, [`check`] checks the rules of the tree. The first
//! mistake makes the whole configuration unusable, as upstream does (`pkg/common/configs`, `configvalidator.go`). The last valid
//! configuration then stays in force. Upstream features that are not supported here are reported.
//!
//! An invalid value of a property is no mistake: the default of the property is used, with a warning, in an update, too. So a
//! `preemption.delay` that is not a duration above 0s means 30s (design, Queue Configuration), and the rest of the text is in force.

pub mod check;
pub mod decode;
mod fields;
mod gzip;
pub mod quantity;
pub mod queue;
mod unsupported;
pub mod yaml;

use std::collections::BTreeMap;

pub use gzip::unpack;

/// A mistake in a configuration, or a value that may not mean what its author expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The queue, or the part of the partition.
    pub location: String,
    /// The line within the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}

impl ConfigProblem {
    /// Creates a mistake on a line, without a place.
    pub fn new(line: usize, message: impl Into<String>, remedy: &'static str) -> ConfigProblem {
        ConfigProblem { location: String::new(), line, message: message.into(), remedy }
    }

    /// Returns the mistake with this place.
    pub fn at(self, place: &str) -> ConfigProblem {
        ConfigProblem { location: place.to_owned(), ..self }
    }

    /// Returns the message with line and place.
    pub fn sentence(&self) -> String {
        match self.location.as_str() {
            "" => format!("line {}: {}", self.line, self.message),
            place => format!("line {}: `{place}`: {}", self.line, self.message),
        }
    }
}

/// An amount of a resource, with Kubernetes' name of the resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The name of the resource.
    pub resource: String,
    /// The amount, in the unit of the contract.
    pub amount: i64,
    /// The line in the text, from 1.
    pub line: usize,
}

/// The bounds of a queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueResources {
    /// The guaranteed amounts.
    pub guaranteed: Vec<Quantity>,
    /// The maximum.
    pub max: Vec<Quantity>,
}

/// The settings that a parent gives to queues created on demand below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildTemplate {
    /// Their bounds.
    pub resources: QueueResources,
    /// Their properties.
    pub properties: BTreeMap<String, String>,
}

/// A configured queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfiguredQueue {
    /// Its path from the root, in lower case.
    pub path: String,
    /// The line of its name.
    pub line: usize,
    /// Whether it may have child queues and takes no pods.
    pub is_parent: bool,
    /// Its bounds.
    pub resources: QueueResources,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// The settings of queues created below it.
    pub template: Option<ChildTemplate>,
    /// The queues below it.
    pub queues: Vec<ConfiguredQueue>,
}

/// A placement rule, which finds the queue of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementRule {
    /// Its name: `provided`, `fixed`, `tag`, `user`.
    pub name: String,
    /// Whether it creates a queue that does not exist.
    pub create: bool,
    /// Its parameter: the queue of `fixed`, the tag of `tag`.
    pub value: String,
    /// The rule that finds the parent.
    pub parent: Option<Box<PlacementRule>>,
}

/// The default partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionConfig {
    /// Whether preemption is off, except for pods of a DaemonSet.
    pub preemption_disabled: bool,
    /// Whether queues give back what they use over their maximum.
    pub quota_preemption: bool,
    /// The placement rules, in order.
    pub rules: Vec<PlacementRule>,
    /// The root queue.
    pub root: ConfiguredQueue,
}

impl Default for PartitionConfig {
    /// Returns upstream's built-in configuration: one queue for each namespace.
    fn default() -> PartitionConfig {
        let rule = PlacementRule { name: "tag".to_owned(), create: true, value: "namespace".to_owned(), parent: None };
        let root = ConfiguredQueue { path: "root".to_owned(), is_parent: true, ..ConfiguredQueue::default() };
        PartitionConfig { preemption_disabled: false, quota_preemption: false, rules: vec![rule], root }
    }
}

/// Reads a configuration, with warnings about values that may not mean what their author expects.
pub fn read(text: &str) -> Result<(PartitionConfig, Vec<ConfigProblem>), ConfigProblem> {
    let empty =
        || ConfigProblem::new(1, "the configuration is empty", "describe the partition `default` and its queues");
    let node = yaml::read(text)?.ok_or_else(empty)?;
    let mut warnings = Vec::new();
    let config = decode::config(&node, &mut warnings)?;
    check::tree(&config.root)?;
    Ok((config, warnings))
}
