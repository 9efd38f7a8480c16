//! A policy whose answers are changed on purpose.

use std::collections::BTreeMap;

use lictor::Native;
use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

/// A change of the answers of a policy.
#[derive(Debug, Clone, Copy)]
pub enum Tamper {
    /// The queue is reversed.
    Queue,
    /// There is never a plan.
    Timid,
    /// Another running pod is evicted as well.
    Greedy,
    /// The reported usage is empty.
    Usage,
    /// No pod waits at permit.
    Hasty,
    /// Waiting pods are not released when another pod of their gang fails.
    Stubborn,
    /// Everything is explained, whether anybody asks for it or not: every node is looked at.
    Explained,
}

/// A policy with changed answers.
pub struct Tampered {
    native: Native,
    how: Tamper,
    pods: BTreeMap<PodId, Pod>,
}

impl Tampered {
    pub fn new(how: Tamper) -> Tampered {
        Tampered { native: Native::default(), how, pods: BTreeMap::new() }
    }

    /// Evicts another pod on the node of the first victim, of the same or a lower priority.
    fn evict_more(&self, plan: &mut Plan) {
        let Some(first) = plan.victims.first().cloned() else { return };
        let victim = self.pods.get(&first.pod).unwrap();
        let named = |pod: &Pod| plan.victims.iter().any(|victim| victim.pod == pod.id);
        let other = self.pods.values().find(|pod| {
            !named(pod)
                && pod.node.is_some()
                && !pod.terminating
                && pod.node == victim.node
                && pod.template.priority <= victim.template.priority
        });
        if let Some(other) = other {
            plan.victims.push(Victim { pod: other.id, ..first });
        }
    }
}

impl Policy for Tampered {
    forward_to_native!();

    fn restart(&mut self) -> Result<(), CallError> {
        self.pods.clear();
        self.native.restart()
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let configured = self.native.configure(laws, arguments);
        if let Tamper::Explained = self.how {
            self.native.record_notes(&NotedPods::All)?;
        }
        configured
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in &events {
            match event {
                Event::PodUpserted(pod) => {
                    self.pods.insert(pod.id, pod.clone());
                }
                Event::PodStatus(status) => self.pods.get_mut(&status.id).unwrap().set_status(status),
                Event::PodRemoved(gone) => drop(self.pods.remove(gone)),
                _ => {}
            }
        }
        self.native.apply(events)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        let mut answer = self.native.queue_keys(pods)?;
        if matches!(self.how, Tamper::Queue) {
            answer.keys.iter_mut().flatten().for_each(|byte| *byte = !*byte);
        }
        Ok(answer)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let mut answer = self.native.post_filter(pods, refuted)?;
        match (self.how, &mut answer.plan) {
            (Tamper::Timid, plan) => *plan = None,
            (Tamper::Greedy, Some(plan)) => self.evict_more(plan),
            (Tamper::Stubborn, _) => answer.effects.releases.clear(),
            _ => {}
        }
        Ok(answer)
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        let mut permitted = self.native.permit(pod)?;
        if matches!(self.how, Tamper::Hasty) {
            permitted.permission = Permission::Allow;
        }
        Ok(permitted)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        let mut actions = self.native.act()?;
        if matches!(self.how, Tamper::Timid) {
            actions.bindings.clear();
        }
        Ok(actions)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.native.enforce()
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        let mut accounts = self.native.queues()?;
        if matches!(self.how, Tamper::Usage) {
            accounts.clear();
        }
        Ok(accounts)
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.native.standings(pods)
    }
}
