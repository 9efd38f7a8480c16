//! The systems whose rules the engine knows: how each one's objects are read into the model, its arguments, and its table of
//! laws. Nothing of one system stands in another's folder.

mod arguments;
mod coscheduling;
mod document;
mod interests;
mod koordinator;
mod kubernetes;
mod pod_votes;
mod selector;
mod volcano;
mod yunikorn;

use std::fmt::Debug;

pub use arguments::{Arguments, argument};
pub use document::{Document, Findings};
pub use interests::interests;
pub use pod_votes::PodVotes;
pub use selector::{Labels, Selector, every_label};

use crate::contract::{self, ConfigError, Effects, Mark, ObjectKey, ReleaseCause, SystemInfo, Template};
use crate::engine::engine_rules;
use crate::laws::{Entry, Laws};
use crate::model::{Cluster, Overflow, Pod, PodAttributes, PodIx, QueueIx};

/// A system.
pub trait System: Debug {
    /// The laws in force under the arguments.
    fn laws(&self) -> &Laws;

    /// The same, to be switched.
    fn laws_mut(&mut self) -> &mut Laws;

    /// Reads what a pod says of itself: its labels, annotations and fields.
    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes;

    /// A pod is gone.
    fn forget_pod(&mut self, _pod: PodIx) {}

    /// The queue a pod belongs to.
    fn queue_of(&self, _cluster: &Cluster, _pod: &Pod) -> Option<QueueIx> {
        None
    }

    /// Reads an object that is new or has changed. What cannot be used is a finding, and what was known before still holds.
    fn read_object(&mut self, cluster: &mut Cluster, object: &Document, findings: &mut Findings);

    /// An object is gone.
    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey);

    /// Brings the queue tree up to date with the objects read since the last call.
    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) -> Result<(), Overflow>;

    /// Brings what follows from the whole cluster up to date before a question is asked.
    fn recompute(&mut self, _cluster: &mut Cluster) {}

    /// Brings up to date what the order of the queue goes by.
    fn rank(&mut self, _cluster: &mut Cluster) {}

    /// What it knows that the cluster does not show.
    fn remember(&self, _cluster: &Cluster) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Knows again what it remembered, after it was told the same cluster.
    fn recall(&mut self, _cluster: &Cluster, _memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        Ok(())
    }

    /// How a victim leaves.
    fn eviction(&self) -> contract::Eviction;

    /// What is written on the victims of a plan for this pod.
    fn marks(&self, _cluster: &Cluster, _preemptor: PodIx) -> Vec<Mark> {
        Vec::new()
    }

    /// What is written on a pod that is to use the room of this reservation.
    fn reservation_marks(&self, _cluster: &Cluster, _reservation: PodIx) -> Vec<Mark> {
        Vec::new()
    }

    /// How this system's users call a queue, and its bounds.
    fn terms(&self) -> Terms {
        Terms::default()
    }

    /// PreFilter let a pod pass the laws against which nothing helps: what follows for others.
    fn pre_filtered(&mut self, _cluster: &mut Cluster, _pod: PodIx) -> Effects {
        Effects::default()
    }

    /// A pod was permitted to be bound, those that were waiting for it as well: what follows for others.
    fn permitted(&mut self, _cluster: &mut Cluster, _pod: PodIx) {}

    /// A pod lost the node it was reserved: what follows for others.
    fn unreserved(&mut self, _cluster: &mut Cluster, _pod: PodIx, _cause: ReleaseCause) -> Effects {
        Effects::default()
    }
}

/// What a system calls a queue and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// `quota` or `queue`.
    pub queue: &'static str,
    /// The name of the guaranteed amounts.
    pub guaranteed: &'static str,
    /// The name of the deserved amounts.
    pub deserved: &'static str,
    /// The name of the maximum.
    pub max: &'static str,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { queue: "queue", guaranteed: "guaranteed", deserved: "deserved", max: "max" }
    }
}

/// The sentences of these laws and of the engine, in the words of a system.
fn sentences(rules: &[Entry], terms: Terms) -> Vec<Template> {
    let Terms { queue, guaranteed, deserved, max } = terms;
    let words = [("@queue", queue), ("@guaranteed", guaranteed), ("@deserved", deserved), ("@max", max)];
    rules.iter().chain(&engine_rules()).flat_map(|rule| rule.sentences(&words)).collect()
}

/// What a system is before it is configured.
struct SystemEntry {
    describe: fn() -> SystemInfo,
    configure: fn(&Arguments) -> Result<Box<dyn System>, ConfigError>,
    rules: fn() -> Vec<Entry>,
}

/// The systems, the default one first.
const SYSTEMS: [SystemEntry; 5] = [
    SystemEntry { describe: koordinator::describe, configure: koordinator::configure, rules: koordinator::rules },
    SystemEntry { describe: volcano::describe, configure: volcano::configure, rules: volcano::rules },
    SystemEntry { describe: coscheduling::describe, configure: coscheduling::configure, rules: coscheduling::rules },
    SystemEntry { describe: yunikorn::describe, configure: yunikorn::configure, rules: yunikorn::rules },
    SystemEntry {
        describe: coscheduling::describe_as_plugin,
        configure: coscheduling::configure_as_plugin,
        rules: kubernetes::rules,
    },
];

/// What the systems are.
pub fn describe() -> Vec<SystemInfo> {
    SYSTEMS.iter().map(|system| (system.describe)()).collect()
}

/// Every law of every system, whatever the arguments, with the name of its system.
pub fn rules() -> Vec<(String, Entry)> {
    let systems = SYSTEMS.iter().map(|system| ((system.describe)().name, (system.rules)()));
    systems.flat_map(|(name, rules)| rules.into_iter().map(move |rule| (name.clone(), rule))).collect()
}

/// Configures a system by its name and arguments (a JSON object, or empty for none).
pub fn configure(laws: &str, arguments: &str) -> Result<Box<dyn System>, ConfigError> {
    let known = || SYSTEMS.iter().map(|system| (system.describe)().name).collect();
    let system = SYSTEMS.iter().find(|system| (system.describe)().name == laws);
    let system = system.ok_or_else(|| ConfigError::UnknownLaws(known()))?;
    let arguments = Arguments::read(&(system.describe)(), arguments)?;
    (system.configure)(&arguments)
}
