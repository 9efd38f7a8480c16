//! kube-scheduler's default preemption: one pod, one node, lower priority, budgets as far as possible.
//!
//! Upstream pkg/scheduler/framework/preemption and plugins/defaultpreemption (Kubernetes 1.35). Equal to upstream up to 100 nodes
//! that could take the pod (minCandidateNodesAbsolute); beyond, upstream looks at a random part of them, and this at the first by
//! name. Upstream leaves the last tie to chance, this to the name.

mod budgets;
mod laws;

use crate::contract::{self, Argument, ArgumentKind, ConfigError, Eviction, ExtensionPoint, Interests};
use crate::contract::{ObjectKey, SystemInfo};
use crate::laws::{Entry, Laws, Sample};
use crate::model::{Class, Cluster, Overflow, PodAttributes, PodIx, Task};
use crate::systems::{self, Arguments, Document, Findings, System, Terms, argument};
use budgets::Budgets;
pub use laws::table;

/// What these laws are.
pub fn describe() -> SystemInfo {
    use ExtensionPoint::*;
    SystemInfo {
        name: "kubernetes".to_owned(),
        about: "kube-scheduler's default preemption".to_owned(),
        extension_points: vec![QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit],
        interests: interests(),
        arguments: arguments(),
        templates: systems::sentences(&rules(), Terms::default()),
    }
}

/// What these laws want to be told.
pub fn interests() -> Interests {
    systems::interests(&["*"], &[], &[("policy", "PodDisruptionBudget")])
}

/// The plugin arguments, under upstream's names.
pub fn arguments() -> Vec<Argument> {
    let Sample { percentage, absolute } = Sample::default();
    let whole = |name, default: u32, about| argument(name, ArgumentKind::Integer, &default.to_string(), about);
    let per_hundred = "of the nodes that could take the pod, so many per hundred are looked at";
    vec![
        whole("minCandidateNodesPercentage", percentage, per_hundred),
        whole("minCandidateNodesAbsolute", absolute, "at least so many nodes are looked at"),
    ]
}

/// How many nodes are looked at under these arguments.
pub fn sample(arguments: &Arguments) -> Result<Sample, ConfigError> {
    let percentage = arguments.whole("minCandidateNodesPercentage", 0..=100)?;
    let absolute = arguments.whole("minCandidateNodesAbsolute", 0..=u32::MAX)?;
    Ok(Sample { percentage, absolute })
}

/// Every law that some arguments put in force.
pub fn rules() -> Vec<Entry> {
    table(Sample::default()).rules()
}

/// Configures these laws.
pub fn configure(arguments: &Arguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(Kubernetes::new(laws::table(sample(arguments)?))))
}

/// kube-scheduler's laws, and the budgets read so far.
#[derive(Debug)]
pub struct Kubernetes {
    laws: Laws,
    budgets: Budgets,
}

impl Kubernetes {
    /// kube-scheduler under this table, which may be that of a system over it.
    pub fn new(laws: Laws) -> Kubernetes {
        Kubernetes { laws, budgets: Budgets::default() }
    }
}

impl System for Kubernetes {
    fn laws(&self) -> &Laws {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        &mut self.laws
    }

    fn read_pod(&mut self, _: &mut Cluster, pod: &contract::Pod, _: &mut Findings) -> PodAttributes {
        let budgets = self.budgets.read_pod(pod);
        PodAttributes { budgets, ..attributes(pod) }
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.budgets.forget_pod(pod);
    }

    fn read_object(&mut self, _: &mut Cluster, object: &Document, findings: &mut Findings) {
        self.budgets.read(object, findings);
    }

    fn remove_object(&mut self, _: &mut Cluster, object: &ObjectKey) {
        self.budgets.remove(object);
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, _: &mut Findings) -> Result<(), Overflow> {
        self.budgets.sync_queues(cluster);
        Ok(())
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
    }
}

/// What a pod says of itself.
fn attributes(pod: &contract::Pod) -> PodAttributes {
    PodAttributes {
        priority: pod.priority.unwrap_or(0),
        queue_name: None,
        job: None,
        class: Class::Preemptible,
        may_preempt: !pod.never_preempts,
        opted_out: false,
        inside: None,
        budgets: Vec::new(),
        marked: false,
        task: Task::default(),
    }
}
