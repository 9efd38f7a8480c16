//! A scripted policy for tests: it gives the answers that a test has set, with names in place of numbers.

#[expect(clippy::arithmetic_side_effects, reason = "it is code of tests")]
mod plain;
mod scripted;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_contract::*;
use serde_json::Value;

use super::{Attempt, FailureCause, FaultRules, SessionInput};
use crate::cluster::Mirror;
use crate::driver::VirtualDriver;
use crate::reason::{MessageTemplates, NamedReason};
use crate::verify::testing::{interests, object};

pub use plain::Plain;

/// The extension points of the cycle that tries pod by pod.
pub const ALL: &[ExtensionPoint] = &[
    ExtensionPoint::QueueOrder,
    ExtensionPoint::PreFilter,
    ExtensionPoint::Filter,
    ExtensionPoint::PostFilter,
    ExtensionPoint::Reserve,
    ExtensionPoint::Permit,
];

/// The effects of a decision on other pods.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptedEffects {
    pub releases: &'static [&'static str],
    pub admits: &'static [&'static str],
    pub withdrawn: &'static [&'static str],
    pub reorder: bool,
}

/// A plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptedPlan {
    pub id: u64,
    pub nominations: &'static [(&'static str, &'static str)],
    pub victims: &'static [&'static str],
    pub soft: bool,
}

/// One answer.
#[derive(Debug, Clone)]
pub enum ScriptedReply {
    Pass(ScriptedEffects),
    Refused(&'static str),
    /// A refusal, with the time and the changes of the next try.
    RefusedUntil(&'static str, Option<i64>, &'static [&'static str]),
    /// A final refusal, or no plan, with the time and the changes of the next try.
    Later(&'static str, Option<i64>, &'static [&'static str]),
    Final(&'static str),
    /// These nodes fit, the others are full.
    Fits(&'static [&'static str]),
    Codes(Vec<u8>, usize),
    Plan(ScriptedPlan, ScriptedEffects),
    NoPlan(&'static str, ScriptedEffects),
    Effects(ScriptedEffects),
    /// A mark: this annotation.
    Marks(&'static str, &'static str),
    Allow(ScriptedEffects),
    Wait(i64, ScriptedEffects),
    Reject(&'static str, ScriptedEffects),
    Queue(Vec<&'static str>),
    Keys(Vec<Vec<u8>>),
    Scores(Vec<i64>),
    Act {
        bindings: &'static [(&'static str, &'static str)],
        plans: Vec<ScriptedPlan>,
        more: bool,
    },
    /// The plans of the answer to `enforce`, each for a queue `q`, and the time of the next call.
    Enforce(Vec<ScriptedPlan>, Option<i64>),
    CallError,
}

/// A policy with scripted answers. An answer is used once, for its question (`permit default/a`). Without a scripted answer, a pod passes, fits on
/// every node and is allowed. All clones share the log of calls.
#[derive(Debug, Clone, Default)]
pub struct Scripted {
    points: Vec<ExtensionPoint>,
    script: BTreeMap<String, VecDeque<ScriptedReply>>,
    pods: BTreeMap<String, PodId>,
    nodes: BTreeMap<String, NodeId>,
    /// The highest `cpu` of a pod and of a node that the policy can count.
    countable: Option<(i64, i64)>,
    ignores_capacity: bool,
    /// The format of the checkpoints. `None`: the policy has no memory.
    format: Option<u32>,
    calls: Arc<Mutex<CallLog>>,
}

/// The calls of the policy, and the events that it received.
#[derive(Debug, Default)]
struct CallLog {
    log: Vec<String>,
    most_events_at_once: usize,
    received: BTreeMap<String, Pod>,
    small: Vec<PodStatus>,
    whole: usize,
    /// The numbers of the accepted plans.
    accepted: Vec<u8>,
}

impl Scripted {
    pub fn deciding(points: &[ExtensionPoint]) -> Scripted {
        Scripted { points: points.to_vec(), ..Scripted::default() }
    }

    /// Adds an answer for the next time that the question has no earlier answer.
    pub fn reply(mut self, question: &str, answer: ScriptedReply) -> Scripted {
        self.script.entry(question.to_owned()).or_default().push_back(answer);
        self
    }

    /// Limits the `cpu` that the policy can count, of a pod and of a node.
    pub fn counting(self, pod: i64, node: i64) -> Scripted {
        Scripted { countable: Some((pod, node)), ..self }
    }

    /// Returns the error of an event that cannot be counted. `None`: it can be.
    fn overflow(&self, place: usize, event: &Event) -> Option<Overflow> {
        let (of_pods, of_nodes) = self.countable?;
        let (most, amounts, object) = match event {
            Event::PodUpserted(pod) => {
                (of_pods, &pod.template.requests, format!("Pod/{}/{}", pod.template.namespace, pod.name))
            }
            Event::NodeUpserted(node) => (of_nodes, &node.allocatable, format!("Node/{}", node.name)),
            _ => return None,
        };
        let over = amounts.iter().any(|amount| amount.resource == 0 && amount.value > most);
        over.then(|| Overflow { event: place as u32, object, resource: "cpu".to_owned() })
    }

    /// Lets the policy's Filter ignore free capacity.
    pub fn ignoring_capacity(self) -> Scripted {
        Scripted { ignores_capacity: true, ..self }
    }

    /// Lets the policy remember the accepted plans, in checkpoints of this format.
    pub fn remembering(self, format: u32) -> Scripted {
        Scripted { format: Some(format), ..self }
    }

    /// Returns the log of calls and events, in order.
    pub fn log(&self) -> Vec<String> {
        self.call_log().log.clone()
    }

    /// Returns the maximum number of events in one call.
    pub fn most_events_at_once(&self) -> usize {
        self.call_log().most_events_at_once
    }

    /// Returns a pod as the policy received it.
    pub fn received(&self, name: &str) -> Pod {
        self.call_log().received.get(name).cloned().unwrap()
    }

    /// Returns what the policy received of pods since the last call: the number of whole pods, and the statuses.
    pub fn take_received(&self) -> (usize, Vec<PodStatus>) {
        let mut told = self.call_log();
        (std::mem::take(&mut told.whole), std::mem::take(&mut told.small))
    }

    /// Returns how many pods the policy received.
    pub fn received_count(&self) -> usize {
        self.call_log().received.len()
    }

    fn call_log(&self) -> MutexGuard<'_, CallLog> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line to the log.
    fn log_call(&self, what: String) {
        self.call_log().log.push(what);
    }

    fn next(&mut self, question: &str) -> Option<ScriptedReply> {
        self.script.get_mut(question)?.pop_front()
    }

    fn pod(&self, name: &str) -> PodId {
        self.pods.get(name).copied().unwrap_or(PodId::MAX)
    }

    fn name(&self, pod: PodId) -> String {
        self.pods.iter().find(|(_, id)| **id == pod).map_or_else(|| format!("#{pod}"), |(name, _)| name.clone())
    }

    fn effects(&self, fx: ScriptedEffects) -> Effects {
        let ids = |names: &[&str]| names.iter().map(|name| self.pod(name)).collect();
        Effects {
            releases: ids(fx.releases),
            admits: ids(fx.admits),
            withdrawn: ids(fx.withdrawn),
            reorder: fx.reorder,
        }
    }

    fn placements(&self, named: &[(&str, &str)]) -> Vec<Placement> {
        let placement = |(pod, node): &(&str, &str)| Placement {
            pod: self.pod(pod),
            node: self.nodes.get(*node).copied().unwrap_or(NodeId::MAX),
        };
        named.iter().map(placement).collect()
    }

    fn victims(&self, sketch: &ScriptedPlan) -> Vec<Victim> {
        let eviction = if sketch.soft { Eviction::Soft } else { Eviction::Delete };
        let victim = |name: &&str| Victim { pod: self.pod(name), eviction };
        sketch.victims.iter().map(victim).collect()
    }

    fn plan(&self, sketch: ScriptedPlan) -> Plan {
        let nominations = self.placements(sketch.nominations);
        let mark = Mark { place: MarkPlace::Annotation, key: "other".to_owned(), value: "marked".to_owned() };
        Plan {
            id: sketch.id,
            preemptor: nominations.first().map_or(PodId::MAX, |first| first.pod),
            nominations,
            victims: self.victims(&sketch),
            marks: if sketch.soft { vec![mark] } else { Vec::new() },
            reason: reason("needs room"),
        }
    }
}

/// Returns a retry hint.
fn retry(at: Option<i64>, after: &[&str]) -> Retry {
    Retry { at, after: after.iter().map(|change| (*change).to_owned()).collect() }
}

/// Returns a reason of the policy.
pub fn reason(message: &str) -> Reason {
    let text = Fact { name: "text".to_owned(), value: FactValue::Text(message.to_owned()) };
    Reason { code: "test/law".to_owned(), case: String::new(), facts: vec![text] }
}

/// Returns the same reason in the host's form.
pub fn host_reason(message: &str) -> NamedReason {
    MessageTemplates::default().name(reason(message), &Mirror::new(interests()))
}

/// Opens a session with the policy in a cluster of these objects.
pub fn session(policy: &Scripted, objects: impl IntoIterator<Item = Value>) -> VirtualDriver {
    let mut session = VirtualDriver::open(Box::new(policy.clone()), "test", "").unwrap();
    // A scripted answer is used only once, so an input must not be tried again.
    session.set_fault_rules(FaultRules::ONCE);
    session.apply(objects.into_iter().map(object).collect()).unwrap();
    session.take_report();
    session
}

impl VirtualDriver {
    /// Makes one attempt for the pod of this name.
    pub fn try_pod(&mut self, name: &str) -> Result<Attempt, FailureCause> {
        self.serve(SessionInput::Attempt(name.to_owned())).map_err(|error| error.cause)?;
        Ok(self.last_attempt().unwrap())
    }

    /// Runs one cycle.
    pub fn cycle(&mut self) -> Result<(), FailureCause> {
        self.serve(SessionInput::Cycle).map_err(|error| error.cause)
    }

    /// Sends the policy the changes.
    pub fn sync(&mut self) -> Result<(), FailureCause> {
        let now = self.mirror().now();
        self.serve(SessionInput::Clock(now)).map_err(|error| error.cause)
    }
}
