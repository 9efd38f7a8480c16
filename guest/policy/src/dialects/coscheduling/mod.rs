//! Coscheduling: gangs by label, all or nothing, over kube-scheduler's default preemption.
//!
//! The proposal of January 2020 (KEP coscheduling, 2020-01-16): QueueSort, PreFilter with the last group, Permit, Unreserve. A gang
//! that cannot reach its minimum evicts nobody: a plan is made for as many members as it needs, or for none.

mod groups;
mod laws;

use crate::contract::ReleaseCause;
use crate::contract::{self, ArgumentKind, ConfigError, Effects, Eviction, ExtensionPoint, LawSet, ObjectKey};
use crate::dialects::kubernetes::{self, Budgets};
use crate::dialects::{Arguments, Dialect, Document, Findings, argument};
use crate::engine::Sample;
use crate::laws::Laws;
use crate::laws::register::Entry;
use crate::model::{Cluster, Overflow, PodIx, Traits};
use groups::Groups;

/// What these laws are.
pub fn describe() -> LawSet {
    use ExtensionPoint::*;
    let about = "how long a pod is held at permit for its gang";
    let mut arguments = vec![argument("permitTimeout", ArgumentKind::Duration, "\"10s\"", about)];
    arguments.extend(kubernetes::arguments());
    LawSet {
        name: "coscheduling".to_owned(),
        about: "gangs by label, over kube-scheduler's default preemption".to_owned(),
        extension_points: vec![QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit],
        interests: kubernetes::interests(),
        arguments,
    }
}

/// Every law that some arguments put in force, those of kube-scheduler apart.
pub fn rules() -> Vec<Entry> {
    let rules = laws::table(Sample { percentage: 10, absolute: 100 }).rules();
    rules.into_iter().filter(|rule| rule.code.starts_with("coscheduling/")).collect()
}

/// Configures these laws.
pub fn configure(arguments: &Arguments) -> Result<Box<dyn Dialect>, ConfigError> {
    Ok(Box::new(Coscheduling {
        laws: laws::table(kubernetes::sample(arguments)?),
        budgets: Budgets::default(),
        groups: Groups::new(arguments.duration("permitTimeout")),
    }))
}

/// The laws, the budgets read so far, and what is remembered of the groups.
#[derive(Debug)]
struct Coscheduling {
    laws: Laws,
    budgets: Budgets,
    groups: Groups,
}

impl Dialect for Coscheduling {
    fn laws(&self) -> &Laws {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        &mut self.laws
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> Traits {
        let budgets = self.budgets.read_pod(pod);
        let job = self.groups.group_of(cluster, pod, findings);
        Traits { job, budgets, ..kubernetes::traits(pod) }
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.budgets.forget_pod(pod);
        self.groups.forget_pod(pod);
    }

    fn read_object(&mut self, _: &mut Cluster, object: &Document, findings: &mut Findings) {
        self.budgets.read(object, findings);
    }

    fn remove_object(&mut self, _: &mut Cluster, object: &ObjectKey) {
        self.budgets.remove(object);
    }

    fn settle(&mut self, cluster: &mut Cluster, _: &mut Findings) -> Result<(), Overflow> {
        self.budgets.settle(cluster);
        self.groups.settle(cluster);
        Ok(())
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
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
