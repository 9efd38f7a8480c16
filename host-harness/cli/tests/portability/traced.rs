//! A policy whose calls are written down.

use std::sync::{Arc, Mutex};

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_host::sandbox::{SandboxedPolicy, TemplateNumbers};
use serde::Serialize;
use serde_json::{Value, json};

/// A call to the policy. Values are as serde writes the types of the contract.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function of `wit/`, or `restart`.
    pub function: &'static str,
    /// Its arguments, as a list.
    pub arguments: Value,
    /// `{"ok": value}` or `{"err": error}`.
    pub answer: Value,
}

/// The calls so far.
#[derive(Debug, Clone, Default)]
pub struct Calls(Arc<Mutex<Vec<Call>>>);

impl Calls {
    /// Returns the calls, in their order.
    pub fn taken(&self) -> Vec<Call> {
        self.0.lock().unwrap().clone()
    }
}

/// An instance of the component whose calls are written down.
pub struct Traced {
    policy: SandboxedPolicy,
    /// The templates that the instance has received, with the numbers that the host gives them.
    templates: TemplateNumbers,
    calls: Calls,
}

impl Traced {
    /// Wraps an instance. Its calls are added to `calls`.
    pub fn new(policy: SandboxedPolicy, calls: &Calls) -> Traced {
        Traced { policy, templates: TemplateNumbers::default(), calls: calls.clone() }
    }

    fn note(&self, function: &'static str, arguments: Value, answer: Value) {
        self.calls.0.lock().unwrap().push(Call { function, arguments, answer });
    }

    fn pass<A: Serialize>(
        &mut self,
        function: &'static str,
        arguments: Value,
        ask: impl FnOnce(&mut SandboxedPolicy) -> Result<A, CallError>,
    ) -> Result<A, CallError> {
        let answer = ask(&mut self.policy);
        let said = match &answer {
            Ok(value) => json!({"ok": value}),
            Err(CallError::Refused { error, .. }) => json!({"err": error}),
            Err(other) => panic!("{other}"),
        };
        self.note(function, arguments, said);
        answer
    }

    /// Calls a function that returns a verdict of its own, and records the call.
    fn judged<E: Serialize>(
        &mut self,
        function: &'static str,
        arguments: Value,
        ask: impl FnOnce(&mut SandboxedPolicy) -> Result<Result<(), E>, CallError>,
    ) -> Result<Result<(), E>, CallError> {
        let verdict = ask(&mut self.policy).unwrap();
        let said = verdict.as_ref().map_or_else(|error| json!({"err": error}), |()| json!({"ok": null}));
        self.note(function, arguments, said);
        Ok(verdict)
    }
}

impl Policy for Traced {
    fn restart(&mut self) -> Result<(), CallError> {
        self.templates = TemplateNumbers::default();
        self.pass("restart", json!([]), |policy| policy.restart())
    }
    fn has(&self, interface: Interface) -> bool {
        self.policy.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.pass("describe", json!([]), |policy| policy.describe())
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let configured =
            self.judged("configure", json!([system, arguments]), |policy| policy.configure(system, arguments))?;
        if configured.is_ok() {
            self.templates = TemplateNumbers::default();
        }
        Ok(configured)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let (templates, numbered) = self.templates.number(events.clone());
        self.pass("apply", json!([templates, numbered]), |policy| policy.apply(events))
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.pass("queue-keys", json!([pods]), |policy| policy.queue_keys(pods))
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.pass("pre-filter", json!([pod]), |policy| policy.pre_filter(pod))
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.pass("filter", json!([pod]), |policy| policy.filter(pod))
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        self.pass("post-filter", json!([pods, refuted]), |policy| policy.post_filter(pods, refuted))
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.pass("reserve", json!([pod, node]), |policy| policy.reserve(pod, node))
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.pass("unreserve", json!([pod, cause]), |policy| policy.unreserve(pod, cause))
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.pass("permit", json!([pod]), |policy| policy.permit(pod))
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        self.pass("act", json!([]), |policy| policy.act())
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.pass("enforce", json!([]), |policy| policy.enforce())
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.pass("queues", json!([]), |policy| policy.queues())
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.pass("memberships", json!([pods]), |policy| policy.memberships(pods))
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.pass("standings", json!([pods]), |policy| policy.standings(pods))
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.pass("marks", json!([pod, node]), |policy| policy.marks(pod, node))
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        self.pass("record-notes", json!([pods]), |policy| policy.record_notes(pods))
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.pass("notes", json!([pod]), |policy| policy.notes(pod))
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        self.pass("save", json!([]), |policy| policy.save())
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        self.judged("restore", json!([checkpoint]), |policy| policy.restore(checkpoint))
    }
}
