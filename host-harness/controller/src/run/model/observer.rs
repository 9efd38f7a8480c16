//! The judgement of an observer that knows only the objects of the API server, the requests to it and the events that were written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::server::SECOND;
use crate::names::{ASSIGNED_NODE, EVICTED_FOR, SCHEDULING_GATE};
use crate::view::{annotation, has_gate, text};

/// The most requests about one object in a minute. A task is tried again after 50 ms, then after pauses that double up to 2 s: 35 times in
/// a minute, of up to three requests each; and commands about one object come one after the other.
const MOST_A_MINUTE: usize = 150;

/// The longest time by which a process knows less than the cluster: its own requests and its watches are late by up to this.
const LATE: i64 = 60 * SECOND;

/// The most times that a pod is nominated, after its nomination was taken back, while nothing else changes: a pod or node that comes, leaves or
/// moves may give each of some jobs another plan.
const MOST_NOMINATIONS: usize = 5;

/// An eviction that the API server has accepted.
#[derive(Debug, Clone)]
struct AcceptedEviction {
    at: i64,
    process: u64,
    victim: String,
    name: String,
    plan: String,
    /// The uids of the pods that were nominated then, or shortly before.
    nominated: BTreeSet<String>,
}

/// The field of a pod with the node that it is nominated to.
const NOMINATED: &str = "/status/nominatedNodeName";

/// The record of what the observer has seen, with the violations that it has found.
#[derive(Debug, Default)]
pub(super) struct ControllerChecker {
    evictions: Vec<AcceptedEviction>,
    /// When each pod was nominated last, by uid.
    nominated: BTreeMap<String, i64>,
    /// Pods that had a node or are gone, or are being deleted, by uid: no plan waits for them.
    settled: BTreeSet<String>,
    /// Pods for which a plan was reported as given up, by uid.
    given_up: BTreeSet<String>,
    /// Pods that are said to have lost their room, by uid.
    capacity_taken: BTreeSet<String>,
    /// The preemptor of a victim, as the event `Preempted` says, by uid.
    preemptors: BTreeMap<String, String>,
    /// Counts how often each pod was nominated since anything else has changed, by uid.
    nominations: BTreeMap<String, usize>,
    requests: BTreeMap<String, VecDeque<i64>>,
    /// Counts requests that write.
    pub(super) writes: u64,
    /// Counts requests by verb.
    pub(super) verbs: BTreeMap<&'static str, u64>,
    pub(super) violations: Vec<String>,
    /// Describes what happened, where that is wanted.
    pub(super) story: Option<Vec<String>>,
}

impl ControllerChecker {
    pub(super) fn add_line(&mut self, line: impl FnOnce() -> String) {
        if let Some(story) = &mut self.story {
            story.push(line());
        }
    }

    /// Takes note of a request, and finds those that come too often.
    pub(super) fn record_request(&mut self, now: i64, process: u64, uid: &str, verb: &'static str) {
        self.add_line(|| format!("{:.3} process {process}: {verb} {uid}", seconds(now)));
        self.writes += u64::from(verb != "get");
        *self.verbs.entry(verb).or_default() += 1;
        let recent = self.requests.entry(uid.to_owned()).or_default();
        recent.push_back(now);
        while recent.front().is_some_and(|at| at + 60 * SECOND < now) {
            recent.pop_front();
        }
        if recent.len() == MOST_A_MINUTE {
            self.violations.push(format!("{uid}: {MOST_A_MINUTE} requests in a minute"));
        }
    }

    /// Takes note of an eviction that was accepted, while these pods are nominated.
    pub(super) fn record_eviction(&mut self, now: i64, process: u64, pod: &Value, mut nominated: BTreeSet<String>) {
        let victim = text(pod, "/metadata/uid").to_owned();
        if let Some(AcceptedEviction { at, process: first, .. }) =
            self.evictions.iter().find(|known| known.victim == victim)
        {
            self.violations.push(format!(
                "{victim} is evicted twice, by process {first} at {} and by process {process}",
                seconds(*at)
            ));
            return;
        }
        // Its nomination may have been taken back, or it may have been deleted, while the eviction was under way.
        nominated.extend(self.nominated.iter().filter(|(_, at)| **at + LATE >= now).map(|(uid, _)| uid.clone()));
        let plan = annotation(pod, EVICTED_FOR).to_owned();
        let name = text(pod, "/metadata/name").to_owned();
        self.add_line(|| format!("{:.3} {name} {victim} is evicted for {plan}, nominated {nominated:?}", seconds(now)));
        if nominated.is_empty() {
            self.violations.push(format!("{name} ({victim}) is evicted for {plan} while no pod is nominated"));
        }
        self.evictions.push(AcceptedEviction { at: now, process, victim, name, plan, nominated });
    }

    /// Returns how many evictions were accepted.
    pub(super) fn evicted(&self) -> usize {
        self.evictions.len()
    }

    /// Takes note of a change of an object.
    pub(super) fn record_change(&mut self, before: &Value, after: &Value) {
        if text(after, "/kind") != "Pod" {
            return;
        }
        let uid = text(after, "/metadata/uid").to_owned();
        let moves = |field: &str| text(before, field) != text(after, field);
        if ["/spec/nodeName", "/status/phase", "/metadata/deletionTimestamp"].into_iter().any(moves) {
            self.reset_nominations();
        }
        if text(before, NOMINATED).is_empty() && !text(after, NOMINATED).is_empty() {
            let count = self.nominations.entry(uid.clone()).or_default();
            *count += 1;
            if *count == MOST_NOMINATIONS {
                let name = text(after, "/metadata/name");
                self.violations.push(format!("{name} ({uid}) is nominated again and again, and nothing else changes"));
            }
        }
        if !text(after, "/spec/nodeName").is_empty() || !text(after, "/metadata/deletionTimestamp").is_empty() {
            self.settled.insert(uid);
        }
        let name = text(after, "/metadata/name");
        for (what, nodes) in [
            ("bound to", [before, after].map(|pod| text(pod, "/spec/nodeName"))),
            ("let go for", [before, after].map(|pod| annotation(pod, ASSIGNED_NODE))),
        ] {
            if !nodes[0].is_empty() && nodes[0] != nodes[1] {
                self.violations.push(format!("{name} was {what} {} and then {what} {}", nodes[0], nodes[1]));
            }
        }
    }

    /// Takes note that something else than nominations has changed: other plans are to be expected.
    pub(super) fn reset_nominations(&mut self) {
        self.nominations.clear();
    }

    /// Takes note of the pods that are nominated now.
    pub(super) fn record_nominated(&mut self, now: i64, nominated: BTreeSet<String>) {
        self.nominated.retain(|_, at| *at + LATE >= now);
        self.nominated.extend(nominated.into_iter().map(|uid| (uid, now)));
    }

    /// Takes note of an object that is gone.
    pub(super) fn deleted(&mut self, object: &Value) {
        self.settled.insert(text(object, "/metadata/uid").to_owned());
        self.reset_nominations();
    }

    /// Takes note of an event that is written.
    pub(super) fn event(&mut self, event: &Value) {
        let uid = text(event, "/regarding/uid").to_owned();
        self.add_line(|| {
            format!(
                "event {} of {} {uid}: {}",
                text(event, "/reason"),
                text(event, "/regarding/name"),
                text(event, "/note")
            )
        });
        match text(event, "/reason") {
            "PlanGivenUp" => drop(self.given_up.insert(uid)),
            "RoomTaken" => drop(self.capacity_taken.insert(uid)),
            "Preempted" => drop(self.preemptors.insert(uid, text(event, "/related/uid").to_owned())),
            _ => {}
        }
    }

    /// Finds what is wrong where everything is at rest: with these pods, and whether victims that are marked are left to another controller.
    pub(super) fn judge<'p>(&mut self, pods: impl Iterator<Item = &'p Value>) {
        let mut violations = Vec::new();
        for eviction in &self.evictions {
            let preemptor = self.preemptors.get(&eviction.victim).filter(|uid| !uid.is_empty());
            let pods: BTreeSet<&String> =
                preemptor.map_or_else(|| eviction.nominated.iter().collect(), |uid| [uid].into());
            let has_ended = |uid: &&String| {
                [&self.settled, &self.given_up, &self.capacity_taken].iter().any(|them| them.contains(*uid))
            };
            if !pods.is_empty() && !pods.iter().any(has_ended) {
                let AcceptedEviction { name, plan, .. } = eviction;
                violations.push(format!("{name} was evicted for {plan}, and {pods:?} neither run nor is it said why"));
            }
        }
        for pod in pods {
            let (name, uid) = (text(pod, "/metadata/name"), text(pod, "/metadata/uid"));
            let is_bound = !text(pod, "/spec/nodeName").is_empty();
            if !text(pod, "/metadata/deletionTimestamp").is_empty() {
                violations.push(format!("{name} has not stopped"));
            } else if is_bound {
                let has_ended = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
                if !has_ended && !annotation(pod, EVICTED_FOR).is_empty() {
                    violations.push(format!("{name} runs and still carries the mark {}", annotation(pod, EVICTED_FOR)));
                }
            } else if has_gate(pod) && !text(pod, NOMINATED).is_empty() {
                violations.push(format!("{name} is nominated, and nothing moves"));
            } else if !has_gate(pod) && !self.capacity_taken.contains(uid) && annotation(pod, "model/other").is_empty()
            {
                violations
                    .push(format!("{name} was let go without `{SCHEDULING_GATE}`, does not run, and nothing says why"));
            }
        }
        self.violations.extend(violations);
    }
}

pub(super) fn seconds(nanoseconds: i64) -> f64 {
    (nanoseconds % (1_000_000 * SECOND)) as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Nominates a pod and takes its nomination back, `times` times.
    fn nominated(observer: &mut ControllerChecker, times: usize) {
        let free = json!({"kind": "Pod", "metadata": {"name": "p", "uid": "u"}});
        let mut nominated = free.clone();
        nominated["status"] = json!({"nominatedNodeName": "n"});
        for _ in 0..times {
            observer.record_change(&free, &nominated);
            observer.record_change(&nominated, &free);
        }
    }

    #[test]
    fn a_pod_that_is_nominated_again_and_again_is_found() {
        let mut observer = ControllerChecker::default();
        nominated(&mut observer, MOST_NOMINATIONS - 1);
        assert!(observer.violations.is_empty());
        nominated(&mut observer, MOST_NOMINATIONS);
        assert_eq!(observer.violations, ["p (u) is nominated again and again, and nothing else changes"]);
    }

    #[test]
    fn a_pod_may_be_nominated_again_when_another_one_is_gone() {
        let mut observer = ControllerChecker::default();
        for _ in 0..3 {
            nominated(&mut observer, MOST_NOMINATIONS - 1);
            observer.deleted(&json!({"kind": "Pod", "metadata": {"name": "q", "uid": "v"}}));
        }
        assert!(observer.violations.is_empty());
    }
}
