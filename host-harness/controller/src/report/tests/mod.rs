//! Which reports are written, and how often.

mod accounts;
mod groups;
mod pods;
mod victims;

use std::collections::BTreeMap;

use lictor_host::reason::NamedReason;
use lictor_host::session::{
    Attempt, AttemptResult, EvictionBeneficiary, EvictionMethod, EvictionRecord, RetryHint, StepOutput,
};
use serde_json::Value;

use super::*;

const NOW: i64 = 1_790_000_000 * SECOND;

/// A cluster with these objects.
#[derive(Default)]
struct Cluster {
    objects: BTreeMap<String, ReportedObject>,
    groups: BTreeMap<String, QualifiedName>,
    members: MemberCounts,
}

fn subject(group: &str, kind: &str, namespace: &str, name: &str) -> ReportedObject {
    let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
    let (plural, uid) = (format!("{}s", kind.to_lowercase()), format!("uid-{name}"));
    let name = QualifiedName { group, kind, namespace, name };
    ReportedObject { name, version: "v1".to_owned(), plural, uid, ..ReportedObject::default() }
}

impl Cluster {
    fn with(pods: &[&str]) -> Cluster {
        let mut cluster = Cluster::default();
        for pod in pods {
            cluster.add(subject("", "Pod", "team", pod));
        }
        cluster
    }

    fn add(&mut self, subject: ReportedObject) {
        let QualifiedName { kind, namespace, name, .. } = &subject.name;
        self.objects.insert(format!("{kind}/{namespace}/{name}"), subject);
    }
}

impl ObjectLookup for Cluster {
    fn pod(&self, name: &str) -> Option<ReportedObject> {
        self.objects.get(&format!("Pod/{name}")).cloned()
    }
    fn object(&self, name: &QualifiedName) -> Option<ReportedObject> {
        self.objects.values().find(|subject| subject.name == *name).cloned()
    }
    fn object_by_key(&self, key: &str) -> Option<ReportedObject> {
        self.objects.get(key).cloned()
    }
    fn group_of(&self, pod: &str) -> Option<QualifiedName> {
        self.groups.get(pod).cloned()
    }
    fn members(&self, _: &QualifiedName) -> MemberCounts {
        self.members
    }
    fn all(&self, group: &str, kind: &str) -> Vec<ReportedObject> {
        let is = |subject: &&ReportedObject| subject.name.group == group && subject.name.kind == kind;
        self.objects.values().filter(is).cloned().collect()
    }
}

fn reporter(mode: ReportMode, system: &str) -> Reporter {
    let origin = EventSource { controller: "lictor.dev/lictor".to_owned(), instance: "lictor-0".to_owned() };
    Reporter::new(mode, system, origin)
}

fn named(law: &str, message: String) -> NamedReason {
    let mut reason = NamedReason::default();
    (reason.code, reason.message) = (law.to_owned(), message);
    reason
}

fn attempt(pod: &str, result: AttemptResult, law: &str, free: i64) -> StepOutput {
    let mut step = StepOutput::default();
    let reason = named(law, format!("free {free}"));
    step.happened.attempts.push(Attempt {
        pod: format!("team/{pod}"),
        result,
        node: Some("n1".to_owned()),
        reason: Some(reason),
        nodes: None,
        preemption: None,
        retry: RetryHint::default(),
        explanation: None,
    });
    step
}

fn refused(pod: &str, law: &str, free: i64) -> StepOutput {
    attempt(pod, AttemptResult::Unschedulable, law, free)
}

fn bound(pod: &str) -> StepOutput {
    let mut step = StepOutput::default();
    step.happened.bound.insert(format!("team/{pod}"), "n1".to_owned());
    step
}

fn victim(how: EvictionMethod, for_whom: EvictionBeneficiary) -> StepOutput {
    let mut step = StepOutput::default();
    let reason = named("a/b", "because".to_owned());
    let evicted = EvictionRecord { how, node: Some("n1".to_owned()), plan: 7, for_whom, reason };
    step.happened.victims.insert("team/v".to_owned(), evicted);
    step
}

/// Returns the events that are created.
fn events(writes: &[ApiWrite]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            WriteOperation::Create(body) => Some(body),
            _ => None,
        })
        .collect()
}

/// Returns the conditions of pods.
fn conditions(writes: &[ApiWrite]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            WriteOperation::StrategicStatus(body) => body.pointer("/status/conditions/0"),
            _ => None,
        })
        .collect()
}
