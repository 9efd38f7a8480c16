//! The policy as a library, without WebAssembly.

use lictor_contract::*;
use lictor_policy::{Engine, Mutation};

use lictor_host::policy::{CallError, Policy};

/// The policy that the embedded component wraps, called directly.
#[derive(Debug, Default)]
pub struct Native(Engine, Option<(String, Mutation)>);

impl Native {
    /// Makes the policy with one law switched, to show which scenarios prove that law.
    pub fn switched(code: &str, to: Mutation) -> Native {
        Native(Engine::default(), Some((code.to_owned(), to)))
    }
}

/// Adds the name of the call to a refusal.
fn named<T>(call: &'static str, answer: Result<T, PolicyError>) -> Result<T, CallError> {
    answer.map_err(|error| CallError::Refused { call, error })
}

impl Policy for Native {
    fn restart(&mut self) -> Result<(), CallError> {
        self.0 = Engine::default();
        Ok(())
    }
    fn has(&self, interface: Interface) -> bool {
        interface != Interface::Score
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        Ok(Engine::describe())
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let configured = self.0.configure(system, arguments);
        if let Some((code, to)) = &self.1 {
            self.0.mutate_law(code, *to);
        }
        Ok(configured)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        named("apply", self.0.apply(events))
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        named("queue-keys", self.0.queue_keys(pods))
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        named("pre-filter", self.0.pre_filter(pod))
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        named("filter", self.0.filter(pod))
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        named("post-filter", self.0.post_filter(pods, refuted))
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        named("reserve", self.0.reserve(pod, node))
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        named("unreserve", self.0.unreserve(pod, cause))
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        named("permit", self.0.permit(pod))
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        named("act", self.0.act())
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        named("enforce", self.0.enforce())
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        named("queues", self.0.queues())
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        named("memberships", self.0.memberships(pods))
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        named("marks", self.0.marks(pod, node))
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        named("standings", self.0.standings(pods))
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        self.0.record_notes(pods);
        Ok(())
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        named("notes", self.0.notes(pod))
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        Ok(self.0.save())
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        Ok(self.0.restore(checkpoint))
    }
}
