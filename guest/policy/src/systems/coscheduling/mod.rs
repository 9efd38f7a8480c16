//! Coscheduling: gangs by PodGroup or by label, all or nothing, over kube-scheduler's default preemption.
//!
//! Source: the proposal of January 2020 (KEP coscheduling, 2020-01-16) with QueueSort, PreFilter with the last group, Permit and
//! Unreserve. PodGroups are read as scheduler-plugins reads them today, in addition to the labels of the proposal. A plan serves as many
//! members as the gang needs. A gang that cannot reach its minimum evicts no pod.

mod borrowers;
mod groups;
mod laws;
mod pod_groups;
mod quotas;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::contract::ReleaseCause;
use crate::contract::{
    self, ArgumentKind, ConfigError, Effects, Eviction, ExtensionPoint, Interests, ObjectKey, PodStatus, SystemInfo,
    Template,
};
use crate::laws::{LawListing, Laws, MinCandidateNodes};
use crate::model::{Cluster, PodAttributes, PodInfo, PodIx, QueueIx};
use crate::systems::kubernetes::{self, Kubernetes};
use crate::systems::scheduling_groups::{self, with_groups};
use crate::systems::{
    self, DEFAULT_SCHEDULER, Findings, ParsedObject, QueueVocabulary, System, SystemArguments, argument, pod_group,
    schedulers,
};
use groups::CoschedulingGroups;
use quotas::CoschedulingQuotas;

/// What users of this system call a queue and its bounds.
const TERMS: QueueVocabulary = QueueVocabulary { queue: "quota", guaranteed: "min", deserved: "", max: "max" };

/// Describes the system.
pub fn describe() -> SystemInfo {
    use ExtensionPoint::*;
    let about = "how long a pod waits at permit for its gang";
    let mut arguments = vec![argument("permitTimeout", ArgumentKind::Duration, "\"10s\"", about)];
    arguments.extend(kubernetes::arguments());
    SystemInfo {
        name: "coscheduling".to_owned(),
        about: "gangs by PodGroup or by label, over kube-scheduler's default preemption".to_owned(),
        extension_points: [QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit].map(Into::into).into(),
        judges_room: true,
        evicts_higher_priority: true,
        schedulers: schedulers(&[DEFAULT_SCHEDULER, "scheduler-plugins-scheduler"]),
        interests: interests(&[(pod_groups::GROUP, "ElasticQuota")]),
        arguments,
        templates: systems::message_templates(&laws::table(MinCandidateNodes::default()).list(), TERMS),
    }
}

/// Returns the interests of the system: what the host must report, with the kinds in `also`.
fn interests(also: &[(&str, &str)]) -> Interests {
    let kinds = [&[kubernetes::BUDGETS, (pod_groups::GROUP, "PodGroup")], also].concat();
    with_groups(systems::interests(&["*"], &[], &kinds))
}

/// Returns every law that some arguments put in force, without the laws of kube-scheduler.
pub fn list_laws() -> Vec<LawListing> {
    let rules = laws::table(MinCandidateNodes::default()).list();
    rules.into_iter().filter(|rule| rule.code.starts_with("coscheduling/")).collect()
}

/// Configures the system.
pub fn configure(arguments: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(Coscheduling {
        base: Kubernetes::new(laws::table(kubernetes::sample(arguments)?)),
        groups: CoschedulingGroups::new(arguments.duration("permitTimeout")),
        quotas: CoschedulingQuotas::default(),
    }))
}

/// Describes kube-scheduler with the plugin. The plugin is off where `permitTimeout` is absent. Quotas are another plugin, and not read.
pub fn describe_kubernetes_with_gangs() -> SystemInfo {
    let mut described = kubernetes::describe();
    let about = "enables the coscheduling plugin: how long a pod waits at permit for its pod-group";
    let own = |template: &Template| template.code.starts_with("coscheduling/");
    described.templates.extend(describe().templates.into_iter().filter(own));
    described.interests = interests(&[]);
    described.arguments.push(argument("permitTimeout", ArgumentKind::Duration, "null", about));
    described
}

/// Configures kube-scheduler, with the plugin where `permitTimeout` is given.
pub fn configure_kubernetes_with_gangs(arguments: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    if arguments.has("permitTimeout") { configure(arguments) } else { kubernetes::configure(arguments) }
}

/// The system: kube-scheduler with the laws of the plugin, the state of the groups, and the quotas.
#[derive(Debug)]
struct Coscheduling {
    base: Kubernetes,
    groups: CoschedulingGroups,
    quotas: CoschedulingQuotas,
}

impl System for Coscheduling {
    fn laws(&self) -> &Arc<Laws> {
        self.base.laws()
    }

    fn laws_mut(&mut self) -> &mut Laws {
        self.base.laws_mut()
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        let job = self.groups.group_of(cluster, pod, findings);
        self.base.read_pod_of(cluster, pod, job, groups::group_label_path, findings)
    }

    fn read_pod_status(&mut self, cluster: &Cluster, status: &PodStatus, attributes: &mut PodAttributes) {
        self.base.read_pod_status(cluster, status, attributes);
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.base.forget_pod(pod);
        self.groups.forget_pod(pod);
    }

    fn queue_of(&self, cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
        quotas::quota_of(cluster, pod)
    }

    fn read_object(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        match object.kind.as_str() {
            "PodGroup" if object.group != scheduling_groups::GROUP => {
                pod_groups::read(self.groups.timeout(), cluster, object, findings)
            }
            "ElasticQuota" if object.group == pod_groups::GROUP => self.quotas.read(object, findings),
            _ => self.base.read_object(cluster, object, findings),
        }
    }

    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey) {
        match object.kind.as_str() {
            "PodGroup" if object.group != scheduling_groups::GROUP => {
                pod_group::remove(cluster, &object.namespace, &object.name)
            }
            "ElasticQuota" if object.group == pod_groups::GROUP => self.quotas.remove(object),
            _ => self.base.remove_object(cluster, object),
        }
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        self.groups.sync(cluster);
        self.quotas.sync(cluster);
        self.base.sync_queues(cluster, findings)
    }

    fn refresh_queue_order(&mut self, cluster: &mut Cluster) {
        let borrowers = borrowers::borrowers(cluster);
        cluster.set_borrowers(borrowers);
        cluster.set_turn(self.groups.gang_in_turn(cluster));
    }

    fn eviction(&self) -> Eviction {
        self.base.eviction()
    }

    fn vocabulary(&self) -> QueueVocabulary {
        TERMS
    }

    fn on_pre_filter_passed(&mut self, cluster: &mut Cluster, pod: PodIx) -> Effects {
        self.groups.on_pod_tried(cluster, pod)
    }

    fn on_permit_allowed(&mut self, cluster: &mut Cluster, pod: PodIx) {
        self.groups.on_group_bound(cluster, pod);
    }

    fn checkpoint(&self, cluster: &Cluster) -> serde_json::Value {
        self.groups.checkpoint(cluster)
    }

    fn restore(&mut self, cluster: &Cluster, memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        self.groups.restore(cluster, memory)
    }

    fn on_unreserved(&mut self, cluster: &mut Cluster, pod: PodIx, cause: ReleaseCause) -> Effects {
        let is_over = cause == ReleaseCause::Timeout && !cluster.has_plan_of_gang(pod);
        let failed = is_over && self.groups.on_group_timed_out(cluster, pod);
        Effects { reorder: failed, ..Effects::default() }
    }
}
