//! Coscheduling: gangs by label, all or nothing, over kube-scheduler's default preemption.
//!
//! The proposal of January 2020 (KEP coscheduling, 2020-01-16): QueueSort, PreFilter with the last group, Permit, Unreserve. A gang
//! that cannot reach its minimum evicts nobody: a plan is made for as many members as it needs, or for none.

mod groups;
mod laws;

use crate::contract::ReleaseCause;
use crate::contract::{self, ArgumentKind, ConfigError, Effects, Eviction, ExtensionPoint, ObjectKey, SystemInfo};
use crate::laws::{Entry, Laws, Sample};
use crate::model::{Cluster, Overflow, PodAttributes, PodIx};
use crate::systems::kubernetes::{self, Kubernetes};
use crate::systems::{self, Arguments, Document, Findings, System, Terms, argument};
use groups::Groups;

/// What these laws are.
pub fn describe() -> SystemInfo {
    use ExtensionPoint::*;
    let about = "how long a pod is held at permit for its gang";
    let mut arguments = vec![argument("permitTimeout", ArgumentKind::Duration, "\"10s\"", about)];
    arguments.extend(kubernetes::arguments());
    SystemInfo {
        name: "coscheduling".to_owned(),
        about: "gangs by label, over kube-scheduler's default preemption".to_owned(),
        extension_points: vec![QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit],
        interests: kubernetes::interests(),
        arguments,
        templates: systems::sentences(&laws::table(Sample::default()).rules(), Terms::default()),
    }
}

/// Every law that some arguments put in force, those of kube-scheduler apart.
pub fn rules() -> Vec<Entry> {
    let rules = laws::table(Sample::default()).rules();
    rules.into_iter().filter(|rule| rule.code.starts_with("coscheduling/")).collect()
}

/// Configures these laws.
pub fn configure(arguments: &Arguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(Coscheduling {
        base: Kubernetes::new(laws::table(kubernetes::sample(arguments)?)),
        groups: Groups::new(arguments.duration("permitTimeout")),
    }))
}

/// kube-scheduler with the plugin: under its own name it is off where `permitTimeout` is not given.
pub fn describe_as_plugin() -> SystemInfo {
    let mut described = kubernetes::describe();
    let about = "enables the coscheduling plugin: how long a pod is held at permit for its pod-group";
    described.templates = describe().templates;
    described.arguments.push(argument("permitTimeout", ArgumentKind::Duration, "null", about));
    described
}

/// Configures kube-scheduler's laws, and with them these where `permitTimeout` is given.
pub fn configure_as_plugin(arguments: &Arguments) -> Result<Box<dyn System>, ConfigError> {
    if arguments.has("permitTimeout") { configure(arguments) } else { kubernetes::configure(arguments) }
}

/// kube-scheduler under these laws, and what is remembered of the groups.
#[derive(Debug)]
struct Coscheduling {
    base: Kubernetes,
    groups: Groups,
}

impl System for Coscheduling {
    fn laws(&self) -> &Laws {
        self.base.laws()
    }

    fn laws_mut(&mut self) -> &mut Laws {
        self.base.laws_mut()
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        let job = self.groups.group_of(cluster, pod, findings);
        PodAttributes { job, ..self.base.read_pod(cluster, pod, findings) }
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.base.forget_pod(pod);
        self.groups.forget_pod(pod);
    }

    fn read_object(&mut self, cluster: &mut Cluster, object: &Document, findings: &mut Findings) {
        self.base.read_object(cluster, object, findings);
    }

    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey) {
        self.base.remove_object(cluster, object);
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) -> Result<(), Overflow> {
        self.groups.sync_queues(cluster);
        self.base.sync_queues(cluster, findings)
    }

    fn eviction(&self) -> Eviction {
        self.base.eviction()
    }

    fn pre_filtered(&mut self, cluster: &mut Cluster, pod: PodIx) -> Effects {
        self.groups.begin(cluster, pod)
    }

    fn permitted(&mut self, cluster: &mut Cluster, pod: PodIx) {
        self.groups.succeeded(cluster, pod);
    }

    fn remember(&self, cluster: &Cluster) -> serde_json::Value {
        self.groups.remember(cluster)
    }

    fn recall(&mut self, cluster: &Cluster, memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        self.groups.recall(cluster, memory)
    }

    fn unreserved(&mut self, cluster: &mut Cluster, pod: PodIx, cause: ReleaseCause) -> Effects {
        let failed = cause == ReleaseCause::Timeout && self.groups.failed(cluster, pod);
        Effects { reorder: failed, ..Effects::default() }
    }
}
