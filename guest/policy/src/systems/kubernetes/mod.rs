//! kube-scheduler's default preemption: one pod, one node, victims of lower priority, disruption budgets where possible.
//!
//! Upstream pkg/scheduler/framework/preemption and plugins/defaultpreemption (Kubernetes 1.37). The results are equal up to 100
//! candidate nodes (minCandidateNodesAbsolute). Beyond that, upstream dry-runs a random part of them; this system takes the first by
//! name. Upstream breaks the last tie at random; this system breaks it by name. The pods of a PodGroup of `scheduling.k8s.io` are
//! gangs, as in upstream's feature GenericWorkload.

mod budgets;
mod laws;

use std::sync::Arc;

use crate::contract::{self, Argument, ArgumentKind, ConfigError, Eviction, ExtensionPoint, Interests};
use crate::contract::{ObjectKey, PodStatus, SystemInfo};
use crate::laws::{LawListing, Laws, MinCandidateNodes};
use crate::model::{Cluster, JobIx, PodAttributes, PodIx, Preemptibility, TaskAttributes};
use crate::systems::gang_findings::GangLabelKeys;
use crate::systems::scheduling_groups::{SchedulingGroups, with_groups};
use crate::systems::{
    self, DEFAULT_SCHEDULER, Findings, ParsedObject, QueueVocabulary, System, SystemArguments, argument, schedulers,
};
use budgets::Budgets;
pub use laws::table;

/// API group and kind of disruption budgets.
pub const BUDGETS: (&str, &str) = ("policy", "PodDisruptionBudget");

/// Describes the system.
pub fn describe() -> SystemInfo {
    use ExtensionPoint::*;
    SystemInfo {
        name: "kubernetes".to_owned(),
        about: "kube-scheduler's default preemption".to_owned(),
        extension_points: [QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit].map(Into::into).into(),
        judges_room: true,
        evicts_higher_priority: true,
        schedulers: schedulers(&[DEFAULT_SCHEDULER]),
        interests: interests(),
        arguments: arguments(),
        templates: systems::message_templates(&list_laws(), QueueVocabulary::default()),
    }
}

/// Returns the interests of the system: what the host must report.
pub fn interests() -> Interests {
    with_groups(systems::interests(&["*"], &[], &[BUDGETS]))
}

/// Returns the plugin arguments, with upstream's names.
pub fn arguments() -> Vec<Argument> {
    let MinCandidateNodes { percentage, absolute } = MinCandidateNodes::default();
    let whole = |name, default: u32, about| argument(name, ArgumentKind::Integer, &default.to_string(), about);
    let percent = "the share of the candidate nodes to dry-run, in percent";
    vec![
        whole("minCandidateNodesPercentage", percentage, percent),
        whole("minCandidateNodesAbsolute", absolute, "the least number of candidate nodes to dry-run"),
    ]
}

/// Returns the number of candidate nodes to dry-run under these arguments.
pub fn sample(arguments: &SystemArguments) -> Result<MinCandidateNodes, ConfigError> {
    let percentage = arguments.whole("minCandidateNodesPercentage", 0..=100)?;
    let absolute = arguments.whole("minCandidateNodesAbsolute", 0..=u32::MAX)?;
    Ok(MinCandidateNodes { percentage, absolute })
}

/// Returns every law that some arguments put in force.
pub fn list_laws() -> Vec<LawListing> {
    table(MinCandidateNodes::default()).list()
}

/// Configures the system.
pub fn configure(arguments: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(Kubernetes::new(laws::table(sample(arguments)?))))
}

/// The system: kube-scheduler's laws, the disruption budgets and the pod groups.
#[derive(Debug)]
pub struct Kubernetes {
    laws: Arc<Laws>,
    budgets: Budgets,
    groups: SchedulingGroups,
}

impl Kubernetes {
    /// Creates the system with this table of laws. A system that builds on kube-scheduler passes its own table.
    pub fn new(laws: Laws) -> Kubernetes {
        Kubernetes {
            laws: Arc::new(laws),
            budgets: Budgets::default(),
            groups: SchedulingGroups::for_equal_pods(GangLabelKeys::default()),
        }
    }

    /// Reads a pod for a system that builds on this one. `job` is the gang of the pod in that system; without one, the pod group counts, if the pod
    /// has one. `named` is the field in which the pod names that gang, a JSON pointer.
    pub fn read_pod_of(
        &mut self,
        cluster: &mut Cluster,
        pod: &contract::Pod,
        job: Option<JobIx>,
        named: impl FnOnce() -> String,
        findings: &mut Findings,
    ) -> PodAttributes {
        let budgets = self.budgets.read_pod(pod);
        let mut attributes = PodAttributes { budgets, job, ..attributes(pod) };
        self.groups.read_pod(cluster, pod, &mut attributes, named, findings);
        attributes
    }
}

impl System for Kubernetes {
    fn laws(&self) -> &Arc<Laws> {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        Arc::make_mut(&mut self.laws)
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        self.read_pod_of(cluster, pod, None, String::new, findings)
    }

    fn read_pod_status(&mut self, _: &Cluster, status: &PodStatus, _: &mut PodAttributes) {
        self.groups.read_status(status);
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.budgets.forget_pod(pod);
        self.groups.forget_pod(pod);
    }

    fn read_object(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        if !self.groups.read_object(object, findings) && object.kind == BUDGETS.1 {
            self.budgets.read(cluster, object, findings);
        }
    }

    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey) {
        if !self.groups.remove_object(object) && object.kind == BUDGETS.1 {
            self.budgets.remove(cluster, object);
        }
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        self.groups.sync(cluster, findings);
        self.groups.report(cluster, findings);
        self.budgets.sync(cluster);
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
    }
}

/// Reads the attributes of a pod, without its budgets.
fn attributes(pod: &contract::Pod) -> PodAttributes {
    PodAttributes {
        priority: pod.template.priority.unwrap_or(0),
        queue_name: None,
        job: None,
        preemptibility: Preemptibility::Preemptible,
        may_preempt: !pod.template.never_preempts,
        opted_out: false,
        reservation: None,
        budgets: Vec::new(),
        marked_for_eviction: false,
        unsupported_field: None,
        task: TaskAttributes::default(),
    }
}
