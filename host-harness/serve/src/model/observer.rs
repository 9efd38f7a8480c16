//! What an observer finds wrong that knows only the objects of the API server, the calls, and the plans that the host has said.

mod applications;
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use applications::Applications;

use super::queue::QueuedPodInfo;
use super::requeue::{capacity, cores};
use super::world::{
    Object, SECOND, SchedulerApiRequest, SimulatedApiServer, is_being_deleted, name_of, node_of, refusal, text, uid_of,
};
use crate::message::CommandMessage;
use crate::wire::kind;

/// The most requests about one pod in a minute in which nothing goes wrong. An attempt that ends at Permit takes three (where the pod is
/// expected, why it is refused, that it is expected no more), and what others do may have a pod tried more than once in a second.
pub(super) const MOST_REQUESTS: usize = 240;
/// The most questions about one pod in such a minute. An attempt takes two to five, and others change up to two hundred objects, each of
/// which may be what the pod waits for.
pub(super) const MOST_QUESTIONS: usize = 600;

/// The most plans without victims that nominate one pod in such a minute. The plugin makes the next one after 100 ms, and after a pause that
/// doubles up to ten seconds while no other change has the pod tried.
pub(super) const MOST_NOMINATIONS: usize = 60;

/// An eviction that the API server has accepted: of which plan of which host.
#[derive(Debug, Clone)]
struct ObservedEviction {
    name: String,
    uid: String,
    plan: (u64, u64),
}

/// All that was seen.
#[derive(Debug, Default)]
pub(super) struct SchedulerChecker {
    evictions: Vec<ObservedEviction>,
    /// The pods that get the room of a plan, by host and plan: uids.
    plans: BTreeMap<(u64, u64), BTreeSet<String>>,
    /// Pods that had a node or are gone, or are being deleted, by uid.
    settled: BTreeSet<String>,
    /// Pods that a request has bound whose kube-scheduler had ended, by uid.
    bound_late: BTreeSet<String>,
    /// The pods bound so that kube-scheduler knew of when it last chose a node for a pod, by the uid of that pod.
    known_late: BTreeMap<String, BTreeSet<String>>,
    /// The applications that hosts know.
    applications: Applications,
    /// Victims that their controllers have not replaced yet.
    unreplaced: Vec<Object>,
    /// Whether calls are bounded: nothing goes wrong that explains more of them.
    is_calm: bool,
    recent: RecentCalls,
    /// Counts requests by verb, and questions by their point.
    pub(super) calls: BTreeMap<&'static str, u64>,
    pub(super) violations: Vec<String>,
    /// Describes what happened, where that is wanted.
    pub(super) story: Option<Vec<String>>,
}

/// The calls of the last minute that are bounded, each by the pod that it is about.
#[derive(Debug, Default)]
struct RecentCalls {
    requests: CallTimes,
    questions: CallTimes,
    /// The plans without victims, by the pod that was nominated.
    nominations: CallTimes,
}

/// The times of calls in the last minute, by name.
#[derive(Debug, Default)]
struct CallTimes(BTreeMap<String, VecDeque<i64>>);

impl CallTimes {
    /// Takes note of a call, and returns how many there were in the last minute.
    fn record(&mut self, name: &str, now: i64) -> usize {
        let recent = self.0.entry(name.to_owned()).or_default();
        recent.push_back(now);
        while recent.front().is_some_and(|at| at + 60 * SECOND < now) {
            recent.pop_front();
        }
        recent.len()
    }
}

impl SchedulerChecker {
    pub(super) fn add_line(&mut self, now: i64, line: impl FnOnce() -> String) {
        if let Some(story) = &mut self.story {
            let seconds = now % (1_000_000 * SECOND) / 1_000_000;
            story.push(format!("{}.{:03} {}", seconds / 1000, seconds % 1000, line()));
        }
    }

    pub(super) fn violate(&mut self, what: String) {
        if let Some(story) = &mut self.story {
            story.push(format!("WRONG {what}"));
        }
        self.violations.push(what);
    }

    /// Takes note of what is wrong unless something goes wrong that explains it.
    pub(super) fn violate_in_calm(&mut self, what: String) {
        if self.is_calm {
            self.violate(what);
        }
    }

    /// Takes note of whether nothing goes wrong from now on.
    pub(super) fn calm(&mut self, is: bool) {
        self.is_calm = is;
        self.recent = RecentCalls::default();
    }

    /// Takes note of a question.
    pub(super) fn record_request(&mut self, now: i64, kind: u8, pod: &str) {
        let name = match kind {
            kind::PRE_FILTER_AND_FILTER => "try",
            kind::POST_FILTER => "post filter",
            kind::RESERVE => "reserve",
            kind::PERMIT => "permit",
            kind::UNRESERVE => "unreserve",
            _ => "keys",
        };
        *self.calls.entry(name).or_default() += 1;
        if self.is_calm && !pod.is_empty() && self.recent.questions.record(pod, now) == MOST_QUESTIONS {
            self.violate(format!("{pod}: {MOST_QUESTIONS} questions in a minute"));
        }
    }

    /// Takes note of the plan of a host, and of the pods that the plan is for.
    pub(super) fn planned(&mut self, now: i64, host: u64, plan: &[CommandMessage]) {
        let number = plan.iter().map(|order| order.plan).max().unwrap_or_default();
        let preemptors = plan.iter().filter(|order| order.action == "nominate" && !order.node.is_empty());
        self.plans.entry((host, number)).or_default().extend(preemptors.clone().map(|order| order.object.uid.clone()));
        if !self.is_calm || plan.iter().any(|order| order.action == "evict") {
            return;
        }
        for order in preemptors {
            let pod = order.object.pod_name();
            if self.recent.nominations.record(&pod, now) == MOST_NOMINATIONS {
                self.violate(format!("{pod}: {MOST_NOMINATIONS} plans without victims in a minute"));
            }
        }
    }

    /// Takes note of a request, of the pod as it was before, and of the answer.
    pub(super) fn requested(
        &mut self,
        now: i64,
        request: &SchedulerApiRequest,
        pod: Option<&Object>,
        served: &Result<Object, u16>,
    ) {
        let SchedulerApiRequest { verb, pod: name, body, .. } = request;
        self.add_line(now, || format!("{verb} {name} {body}: {:?}", served.as_ref().err()));
        *self.calls.entry(verb).or_default() += 1;
        if self.is_calm && self.recent.requests.record(name, now) == MOST_REQUESTS {
            self.violate(format!("{name}: {MOST_REQUESTS} requests in a minute"));
        }
        if let ("delete", Ok(_), Some(pod)) = (*verb, served, pod) {
            let number = |field: &str| body[field].as_u64().unwrap_or_default();
            self.evicted(pod, (number("host"), number("plan")));
        }
    }

    fn evicted(&mut self, pod: &Object, plan: (u64, u64)) {
        let eviction = ObservedEviction { name: name_of(pod), uid: uid_of(pod).to_owned(), plan };
        if self.evictions.iter().any(|it| (&it.uid, it.plan) == (&eviction.uid, plan)) {
            self.violate(format!("{} is evicted twice for plan {plan:?}", eviction.name));
        }
        if !self.plans.contains_key(&plan) {
            self.violate(format!("{} is evicted for plan {plan:?}, which nobody has made", eviction.name));
        }
        self.evictions.push(eviction);
        self.unreplaced.push(pod.clone());
    }

    /// Notes that a host begins, and receives these objects.
    pub(super) fn begins<'o>(&mut self, objects: impl Iterator<Item = &'o Object>) {
        self.applications.begin(&objects.map(|object| uid_of(object)).collect());
    }

    /// Notes that a host receives a pod.
    pub(super) fn record_pod(&mut self, pod: &Object) {
        self.applications.record_pod(pod);
    }

    /// Notes that a host learns that a pod is gone.
    pub(super) fn record_deleted(&mut self, pod: &Object) {
        self.applications.record_deleted(uid_of(pod));
    }

    /// Returns whether the pods of an application do not show its queue: a host that has not received all of them may take it for another.
    pub(super) fn has_hidden_queues(&self) -> bool {
        self.applications.have_several_queues()
    }

    /// Takes the victims that their controllers have not replaced yet.
    pub(super) fn take_evicted(&mut self) -> Vec<Object> {
        std::mem::take(&mut self.unreplaced)
    }

    /// Takes note that an attempt was not in vain. It is tried for its own sake that something has changed, not because kube-scheduler tries
    /// every pod again that was refused long ago: that pod has waited for minutes.
    pub(super) fn succeeded(&mut self, entry: &QueuedPodInfo) {
        if self.is_calm && entry.is_flushed {
            self.violate(format!("{} could be placed, and nothing had it tried", name_of(&entry.pod)));
        }
    }

    /// Takes note that kube-scheduler chooses a node for a pod, and of the pods with nodes that kube-scheduler knows of, by uid.
    pub(super) fn chooses(&mut self, pod: &Object, assigned: &BTreeMap<String, Object>) {
        let known = self.bound_late.iter().filter(|uid| assigned.contains_key(*uid)).cloned().collect();
        self.known_late.insert(uid_of(pod).to_owned(), known);
    }

    /// Takes note that a pod was bound by a request whose kube-scheduler had ended when the request was served.
    pub(super) fn bound_late(&mut self, pod: &Object) {
        self.bound_late.insert(uid_of(pod).to_owned());
    }

    /// Takes note that a pod was bound: its node must have room for all pods of the node.
    ///
    /// One kind of pod is not counted: its binding was sent by a kube-scheduler that has ended, and the present one chose the node before it received
    /// that binding. It had listed the pods before the binding was served, and could not know of it.
    pub(super) fn bound(&mut self, world: &SimulatedApiServer, pod: &Object) {
        let node = node_of(pod);
        let Some(there) = world.get("Node", node) else { return };
        let has_ended = |pod: &Object| matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
        let known = self.known_late.remove(uid_of(pod)).unwrap_or_default();
        let is_unknown = |other: &Object| self.bound_late.contains(uid_of(other)) && !known.contains(uid_of(other));
        let on_node = world.all("Pod").filter(|other| node_of(other) == node && !has_ended(other));
        let used: u64 = on_node.filter(|other| !is_unknown(other)).map(cores).sum();
        // kube-scheduler does not know of a binding whose answer was lost, either: requests are lost while something goes wrong.
        if self.is_calm && used > capacity(there) {
            self.violate(format!("{} is bound to {node}, which has no room for it", name_of(pod)));
        }
    }

    /// Takes note of the pods as they are: those that have a node, and those that are being deleted, need no plan any more.
    pub(super) fn observe(&mut self, world: &SimulatedApiServer) {
        let settled = world.all("Pod").filter(|pod| !node_of(pod).is_empty() || is_being_deleted(pod));
        self.settled.extend(settled.map(|pod| uid_of(pod).to_owned()));
    }

    /// Finds what is wrong where everything is at rest. These pods have been nominated for a while, by uid.
    pub(super) fn judge(&mut self, world: &SimulatedApiServer, promised: &BTreeSet<String>) {
        self.observe(world);
        let pods: BTreeMap<&str, &Object> = world.all("Pod").map(|pod| (uid_of(pod), pod)).collect();
        let mut violations = Vec::new();
        for ObservedEviction { name, plan, .. } in &self.evictions {
            let Some(preemptors) = self.plans.get(plan).filter(|pods| !pods.is_empty()) else { continue };
            // One that is gone needs no room. That a plan was given up stands in the condition of its pod.
            let has_ended = |uid: &String| {
                self.settled.contains(uid)
                    || pods.get(uid.as_str()).is_none_or(|pod| !promised.contains(uid) && !refusal(pod).is_empty())
            };
            if !preemptors.iter().any(has_ended) {
                violations.push(format!(
                    "{name} was evicted for {plan:?}, and {preemptors:?} neither run nor is it said why"
                ));
            }
        }
        for pod in world.all("Pod") {
            let name = name_of(pod);
            if is_being_deleted(pod) {
                violations.push(format!("{name} has not stopped"));
            } else if node_of(pod).is_empty() && promised.contains(uid_of(pod)) {
                violations.push(format!("{name} is nominated, and nothing moves"));
            } else if node_of(pod).is_empty() && refusal(pod).is_empty() {
                violations.push(format!("{name} does not run, and nothing says why"));
            }
        }
        violations.into_iter().for_each(|it| self.violate(it));
    }
}
