//! The scheduling systems that the engine implements. Each folder reads one system's objects and arguments, and holds its table of laws. No folder
//! contains rules of another system; `coscheduling` extends the table and the arguments of `kubernetes`.

mod arguments;
mod coscheduling;
mod demands;
mod document;
mod gang_findings;
mod interests;
mod koordinator;
mod kubernetes;
mod named_queues;
mod pod_group;
mod pod_votes;
mod scheduling_groups;
mod selector;
mod volcano;
mod yunikorn;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

pub use arguments::{SystemArguments, argument};
pub use document::{Findings, ParsedObject};
pub use interests::{DEFAULT_SCHEDULER, interests, schedulers};
pub use pod_votes::PodVotes;
pub use selector::{Labels, Selector};
pub use yunikorn::unpack_queues;

use crate::contract::{self, ConfigError, Effects, Mark, ObjectKey, PodStatus, ReleaseCause, SystemInfo, Template};
use crate::engine::engine_rules;
use crate::laws::{LawListing, Laws};
use crate::model::{Cluster, JobIx, NameId, PodAttributes, PodInfo, PodIx, QueueIx};

/// A scheduling system, configured.
pub trait System: Send {
    /// Returns the laws in force, as the arguments select them.
    fn laws(&self) -> &Arc<Laws>;

    /// Returns the laws for changes, to switch some of them off.
    fn laws_mut(&mut self) -> &mut Laws;

    /// Reads a pod that is new or has changed: its labels, annotations and fields.
    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes;

    /// Reads what has changed in a known pod: all but its status is as it was read before.
    fn read_pod_status(&mut self, _cluster: &Cluster, _status: &PodStatus, _attributes: &mut PodAttributes) {}

    /// Removes a pod.
    fn forget_pod(&mut self, _pod: PodIx) {}

    /// Returns the queue of a pod. `None`: it has none.
    fn queue_of(&self, _cluster: &Cluster, _pod: &PodInfo) -> Option<QueueIx> {
        None
    }

    /// Returns the name of a job for people, as `namespace/name`. `None`: its pods are jobs of their own to people.
    fn job_name(&self, cluster: &Cluster, job: JobIx) -> Option<String> {
        scheduling_groups::job_name(cluster, job)
    }

    /// Reads an object that is new or has changed. An unusable object is a finding, and its last usable version stays in force.
    fn read_object(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings);

    /// Removes an object.
    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey);

    /// Updates the queues of the cluster from the objects read since the last call.
    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings);

    /// Forgets the state under names that are not in use, and adds the names that the system itself keeps to `_used`.
    fn sweep_names(&mut self, _cluster: &Cluster, _used: &mut BTreeSet<NameId>) {}

    /// Updates values that depend on the whole cluster. The engine calls this before each decision.
    fn refresh_derived_values(&mut self, _cluster: &mut Cluster) {}

    /// Updates the values that the order of the queue compares.
    fn refresh_queue_order(&mut self, _cluster: &mut Cluster) {}

    /// Returns the state that cannot be derived from the cluster, for a checkpoint.
    fn checkpoint(&self, _cluster: &Cluster) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Restores the state from a checkpoint, after the same cluster has been loaded. Fails where `memory` has another form.
    fn restore(&mut self, _cluster: &Cluster, _memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        Ok(())
    }

    /// Returns how victims are evicted.
    fn eviction(&self) -> contract::Eviction;

    /// Returns the labels and annotations to write on the victims of a plan for this preemptor.
    fn marks(&self, _cluster: &Cluster, _preemptor: PodIx) -> Vec<Mark> {
        Vec::new()
    }

    /// Returns the labels and annotations to write on a pod that allocates from this reservation.
    fn reservation_marks(&self, _cluster: &Cluster, _reservation: PodIx) -> Vec<Mark> {
        Vec::new()
    }

    /// Returns the system's own terms for a queue and its bounds.
    fn vocabulary(&self) -> QueueVocabulary {
        QueueVocabulary::default()
    }

    /// Records that PreFilter passed a pod through the laws that no eviction can satisfy. Returns the effects on other pods.
    fn on_pre_filter_passed(&mut self, _cluster: &mut Cluster, _pod: PodIx) -> Effects {
        Effects::default()
    }

    /// Records that Permit allowed a pod, and the pods that waited for it, to be bound.
    fn on_permit_allowed(&mut self, _cluster: &mut Cluster, _pod: PodIx) {}

    /// Records that a pod lost its reserved node. Returns the effects on other pods.
    fn on_unreserved(&mut self, _cluster: &mut Cluster, _pod: PodIx, _cause: ReleaseCause) -> Effects {
        Effects::default()
    }
}

/// Writes only the name. With `Debug` as a supertrait, the component would contain code to write all fields, a fifteenth of its size.
impl fmt::Debug for dyn System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("System")
    }
}

/// A system's own terms for a queue and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct QueueVocabulary {
    /// `quota` or `queue`.
    pub queue: &'static str,
    /// Its term for the guaranteed amounts.
    pub guaranteed: &'static str,
    /// Its term for the deserved amounts.
    pub deserved: &'static str,
    /// Its term for the maximum.
    pub max: &'static str,
}

impl Default for QueueVocabulary {
    fn default() -> QueueVocabulary {
        QueueVocabulary { queue: "queue", guaranteed: "guaranteed", deserved: "deserved", max: "max" }
    }
}

/// Returns the sentences of these laws and of the engine, in the words of a system.
fn message_templates(rules: &[LawListing], terms: QueueVocabulary) -> Vec<Template> {
    let QueueVocabulary { queue, guaranteed, deserved, max } = terms;
    let words = [("@queue", queue), ("@guaranteed", guaranteed), ("@deserved", deserved), ("@max", max)];
    rules.iter().chain(&engine_rules()).flat_map(|rule| rule.sentences(&words)).collect()
}

/// A system before it is configured.
struct SystemRegistration {
    describe: fn() -> SystemInfo,
    configure: fn(&SystemArguments) -> Result<Box<dyn System>, ConfigError>,
    list_laws: fn() -> Vec<LawListing>,
}

/// The systems, the default one first.
const SYSTEMS: [SystemRegistration; 5] = [
    SystemRegistration {
        describe: koordinator::describe,
        configure: koordinator::configure,
        list_laws: koordinator::list_laws,
    },
    SystemRegistration { describe: volcano::describe, configure: volcano::configure, list_laws: volcano::list_laws },
    SystemRegistration {
        describe: coscheduling::describe,
        configure: coscheduling::configure,
        list_laws: coscheduling::list_laws,
    },
    SystemRegistration { describe: yunikorn::describe, configure: yunikorn::configure, list_laws: yunikorn::list_laws },
    SystemRegistration {
        describe: coscheduling::describe_kubernetes_with_gangs,
        configure: coscheduling::configure_kubernetes_with_gangs,
        list_laws: kubernetes::list_laws,
    },
];

/// Describes every system.
pub fn describe() -> Vec<SystemInfo> {
    SYSTEMS.iter().map(|system| (system.describe)()).collect()
}

/// Returns every law of every system under any arguments, with the name of its system.
pub fn list_laws() -> Vec<(String, LawListing)> {
    let systems = SYSTEMS.iter().map(|system| ((system.describe)().name, (system.list_laws)()));
    systems.flat_map(|(name, rules)| rules.into_iter().map(move |rule| (name.clone(), rule))).collect()
}

/// Configures a system by its name and arguments: a JSON object, or an empty text for the defaults.
pub fn configure(name: &str, arguments: &str) -> Result<Box<dyn System>, ConfigError> {
    let known = || SYSTEMS.iter().map(|system| (system.describe)().name).collect();
    let system = SYSTEMS.iter().find(|system| (system.describe)().name == name);
    let system = system.ok_or_else(|| ConfigError::UnknownSystem(known()))?;
    let arguments = SystemArguments::read(&(system.describe)(), arguments)?;
    (system.configure)(&arguments)
}

/// Returns what takes the place of a memory that could not be written: the text of the error. No memory is a text, so restoring it fails
/// with that text.
pub fn unsaved_state(error: serde_json::Error) -> serde_json::Value {
    error.to_string().into()
}
