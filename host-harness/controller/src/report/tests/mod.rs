//! Which reports are written, and how often.

mod accounts;
mod groups;
mod pods;
mod victims;

use std::collections::BTreeMap;

use lictor_host::reason::NamedReason;
use lictor_host::session::{Attempt, AttemptResult, Evicted, EvictedFor, How, RetryHint, Step};
use serde_json::Value;

use super::*;

const NOW: i64 = 1_790_000_000 * SECOND;

/// A cluster with these objects.
#[derive(Default)]
struct Cluster {
    objects: BTreeMap<String, Subject>,
    groups: BTreeMap<String, Name>,
    members: Members,
}

fn subject(group: &str, kind: &str, namespace: &str, name: &str) -> Subject {
    let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
    let (plural, uid) = (format!("{}s", kind.to_lowercase()), format!("uid-{name}"));
    let name = Name { group, kind, namespace, name };
    Subject { name, version: "v1".to_owned(), plural, uid, ..Subject::default() }
}

impl Cluster {
    fn with(pods: &[&str]) -> Cluster {
        let mut cluster = Cluster::default();
        for pod in pods {
            cluster.add(subject("", "Pod", "team", pod));
        }
        cluster
    }

    fn add(&mut self, subject: Subject) {
        let Name { kind, namespace, name, .. } = &subject.name;
        self.objects.insert(format!("{kind}/{namespace}/{name}"), subject);
    }
}

impl Objects for Cluster {
    fn pod(&self, name: &str) -> Option<Subject> {
        self.objects.get(&format!("Pod/{name}")).cloned()
    }
    fn object(&self, name: &Name) -> Option<Subject> {
        self.objects.values().find(|subject| subject.name == *name).cloned()
    }
    fn called(&self, key: &str) -> Option<Subject> {
        self.objects.get(key).cloned()
    }
    fn group_of(&self, pod: &str) -> Option<Name> {
        self.groups.get(pod).cloned()
    }
    fn members(&self, _: &Name) -> Members {
        self.members
    }
    fn all(&self, group: &str, kind: &str) -> Vec<Subject> {
        let is = |subject: &&Subject| subject.name.group == group && subject.name.kind == kind;
        self.objects.values().filter(is).cloned().collect()
    }
}

fn reporter(mode: Mode, system: &str) -> Reporter {
    let origin = Origin { controller: "lictor.dev/lictor".to_owned(), instance: "lictor-0".to_owned() };
    Reporter::new(mode, system, origin)
}

fn named(law: &str, message: String) -> NamedReason {
    let mut reason = NamedReason::default();
    (reason.code, reason.message) = (law.to_owned(), message);
    reason
}

fn attempt(pod: &str, result: AttemptResult, law: &str, free: i64) -> Step {
    let mut step = Step::default();
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

fn refused(pod: &str, law: &str, free: i64) -> Step {
    attempt(pod, AttemptResult::Unschedulable, law, free)
}

fn bound(pod: &str) -> Step {
    let mut step = Step::default();
    step.happened.bound.insert(format!("team/{pod}"), "n1".to_owned());
    step
}

fn victim(how: How, for_whom: EvictedFor) -> Step {
    let mut step = Step::default();
    let reason = named("a/b", "because".to_owned());
    let evicted = Evicted { how, node: Some("n1".to_owned()), plan: 7, for_whom, reason };
    step.happened.victims.insert("team/v".to_owned(), evicted);
    step
}

/// Returns the events that are created.
fn events(writes: &[Write]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            Change::Create(body) => Some(body),
            _ => None,
        })
        .collect()
}

/// Returns the conditions of pods.
fn conditions(writes: &[Write]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            Change::StrategicStatus(body) => body.pointer("/status/conditions/0"),
            _ => None,
        })
        .collect()
}
