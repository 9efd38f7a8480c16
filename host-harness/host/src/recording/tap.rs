//! A policy of which every answer is looked at.

use std::sync::{Arc, Mutex, PoisonError};

use lictor_contract::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::policy::{CallError, Policy, PolicyUsage};

/// The name that stands for a function where the session reads the memory of the instance.
const USAGE: &str = "usage";

/// An observer of the answers of a policy.
pub(super) trait ReplyObserver: Send {
    /// Receives the answer of a call. A returned text makes the call fail: the policy broke, with this cause.
    fn on_reply(&mut self, answer: RecordedReply) -> Option<String>;
    /// Receives the resources that the policy has used. Returns the usage that the session sees.
    fn on_usage(&mut self, usage: PolicyUsage, recycle_bytes: Option<u64>) -> PolicyUsage;
    /// Returns the bytes of memory above which the session replaces the instance.
    fn recycle_bytes(&self, own: Option<u64>) -> Option<u64>;
}

/// A call of the policy, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedReply {
    /// The function of `wit/`; `usage` where the session read the memory of the instance.
    pub call: String,
    /// The numbers of the pods and nodes of the call; for `apply`, the number of events.
    pub ids: Vec<u32>,
    /// The answer as JSON after `+`, or the kind of failure as JSON after `-`: `refused`, `broke` or `lacks`.
    pub reply: String,
}

impl RecordedReply {
    /// Returns the line of a recording.
    pub(super) fn line(&self) -> String {
        let asked: Vec<String> = self.ids.iter().map(u32::to_string).collect();
        format!("{} {} {}", self.call, asked.join(","), self.reply)
    }

    /// Reads a line of a recording. `None`: the line is invalid.
    pub(super) fn read(line: &str) -> Option<RecordedReply> {
        let (call, rest) = line.split_once(' ')?;
        let (asked, said) = rest.split_once(' ')?;
        let asked = asked.split(',').filter(|part| !part.is_empty()).map(|part| part.parse().ok());
        let asked = asked.collect::<Option<Vec<u32>>>()?;
        Some(RecordedReply { call: call.to_owned(), ids: asked, reply: said.to_owned() })
    }

    /// Returns the memory of an instance as an answer. `None`: the memory is at most half of what an instance is replaced for, so it cannot matter.
    pub(super) fn of_memory(usage: PolicyUsage, recycle_bytes: Option<u64>) -> Option<RecordedReply> {
        let matters = recycle_bytes.is_some_and(|mark| usage.memory_bytes.saturating_mul(2) > mark);
        let said = || format!("+{}", usage.memory_bytes);
        matters.then(|| RecordedReply { call: USAGE.to_owned(), ids: Vec::new(), reply: said() })
    }

    /// Returns the memory of an instance, in bytes. `None`: this is an answer of a call.
    pub(super) fn memory(&self) -> Option<u64> {
        self.reply.strip_prefix('+').filter(|_| self.call == USAGE)?.parse().ok()
    }

    /// Returns why the policy broke. `None`: the policy did not break.
    pub fn broke(&self) -> Option<String> {
        let failed: serde_json::Value = serde_json::from_str(self.reply.strip_prefix('-')?).ok()?;
        Some(failed.get("broke")?.as_str()?.to_owned())
    }
}

/// Returns the answer of a policy in its written form.
fn encode_reply<T: Serialize>(answer: &Result<T, CallError>) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    enum Failed<'a> {
        Refused(&'a PolicyError),
        Broke(String),
        Lacks(String),
    }
    let (sign, written) = match answer {
        Ok(answer) => ('+', serde_json::to_string(answer)),
        Err(CallError::Refused { error, .. }) => ('-', serde_json::to_string(&Failed::Refused(error))),
        Err(CallError::Broke { cause, .. }) => ('-', serde_json::to_string(&Failed::Broke(cause.to_string()))),
        Err(CallError::MissingInterface(interface)) => {
            ('-', serde_json::to_string(&Failed::Lacks(interface.to_string())))
        }
    };
    // The types of the contract have no keys that JSON forbids.
    format!("{sign}{}", written.unwrap_or_else(|error| format!("\"{error}\"")))
}

/// A policy whose answers a `ReplyObserver` observes.
pub(super) struct ObservedPolicy {
    policy: Box<dyn Policy>,
    tap: Arc<Mutex<dyn ReplyObserver>>,
}

impl ObservedPolicy {
    pub(super) fn new(policy: Box<dyn Policy>, tap: Arc<Mutex<dyn ReplyObserver>>) -> ObservedPolicy {
        ObservedPolicy { policy, tap }
    }

    fn observe_call<A: Serialize>(
        &mut self,
        call: &'static str,
        asked: &[u32],
        ask: impl FnOnce(&mut dyn Policy) -> Result<A, CallError>,
    ) -> Result<A, CallError> {
        let answer = ask(self.policy.as_mut());
        let said = encode_reply(&answer);
        self.observe_reply(call, asked, said, answer)
    }

    fn observe_reply<A>(
        &mut self,
        call: &'static str,
        asked: &[u32],
        said: String,
        answer: Result<A, CallError>,
    ) -> Result<A, CallError> {
        let seen = RecordedReply { call: call.to_owned(), ids: asked.to_vec(), reply: said };
        let mut tap = self.tap.lock().unwrap_or_else(PoisonError::into_inner);
        match tap.on_reply(seen) {
            None => answer,
            Some(cause) => Err(CallError::Broke { call, cause: cause.into() }),
        }
    }
}

impl Policy for ObservedPolicy {
    fn restart(&mut self) -> Result<(), CallError> {
        self.observe_call("restart", &[], |policy| policy.restart())
    }
    fn usage(&self) -> PolicyUsage {
        let (usage, mark) = (self.policy.usage(), self.policy.recycle_bytes());
        self.tap.lock().unwrap_or_else(PoisonError::into_inner).on_usage(usage, mark)
    }
    fn recycle_bytes(&self) -> Option<u64> {
        self.tap.lock().unwrap_or_else(PoisonError::into_inner).recycle_bytes(self.policy.recycle_bytes())
    }
    fn has(&self, interface: Interface) -> bool {
        self.policy.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        // The description is long, and the same each time. Its digest is enough to compare it.
        let answer = self.policy.describe();
        let said = match &answer {
            Ok(_) => format!("+\"{:x}\"", Sha256::digest(encode_reply(&answer))),
            Err(_) => encode_reply(&answer),
        };
        self.observe_reply("describe", &[], said, answer)
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.observe_call("configure", &[], |policy| policy.configure(system, arguments))
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
        self.observe_call("apply", &[count], |policy| policy.apply(events))
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.observe_call("queue-keys", pods, |policy| policy.queue_keys(pods))
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.observe_call("pre-filter", &[pod], |policy| policy.pre_filter(pod))
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.observe_call("filter", &[pod], |policy| policy.filter(pod))
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        self.observe_call("post-filter", pods, |policy| policy.post_filter(pods, refuted))
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.observe_call("reserve", &[pod, node], |policy| policy.reserve(pod, node))
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.observe_call("unreserve", &[pod], |policy| policy.unreserve(pod, cause))
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        self.observe_call("score", &[pod], |policy| policy.score(pod, nodes))
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.observe_call("permit", &[pod], |policy| policy.permit(pod))
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        self.observe_call("act", &[], |policy| policy.act())
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.observe_call("enforce", &[], |policy| policy.enforce())
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.observe_call("queues", &[], |policy| policy.queues())
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.observe_call("memberships", pods, |policy| policy.memberships(pods))
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.observe_call("marks", &[pod, node], |policy| policy.marks(pod, node))
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.observe_call("standings", pods, |policy| policy.standings(pods))
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        self.observe_call("record-notes", &[], |policy| policy.record_notes(pods))
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.observe_call("notes", &[pod], |policy| policy.notes(pod))
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        self.observe_call("save", &[], |policy| policy.save())
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        self.observe_call("restore", &[], |policy| policy.restore(checkpoint))
    }
}
