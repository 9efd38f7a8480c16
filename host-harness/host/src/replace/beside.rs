//! Every call to the policy in force, made of the one beside it, too.

use lictor_contract::*;

use super::answer::Answer;
use super::machine::Memory;
use super::member::Saved;
use super::numbers::Numbers;
use super::pair::{Pair, together};
use crate::policy::{CallError, Policy, Usage};

impl Policy for Pair {
    /// Both are started anew, and are told everything anew together.
    fn restart(&mut self) -> Result<(), CallError> {
        self.primary.policy.restart()?;
        self.primary.numbers = Numbers::behind(self.last_plan);
        if let Some(shadow) = &mut self.shadow {
            shadow.ask(|policy| policy.restart());
            shadow.member.numbers = Numbers::apart();
            shadow.queue.clear();
            shadow.unlike.clear();
            shadow.used.clear();
            (shadow.astray, shadow.ahead) = (false, false);
            shadow.memory = Some(Memory::None);
            shadow.report.restarts = shadow.report.restarts.saturating_add(1);
        }
        Ok(())
    }
    fn usage(&self) -> Usage {
        let beside = self.shadow.as_ref().map(|shadow| shadow.member.policy.usage()).unwrap_or_default();
        together(together(self.primary.policy.usage(), beside), self.past)
    }
    fn recycle_bytes(&self) -> Option<u64> {
        self.primary.policy.recycle_bytes()
    }
    fn has(&self, interface: Interface) -> bool {
        self.primary.policy.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.primary.policy.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        if let Some(shadow) = &mut self.shadow {
            let (system, arguments) = (shadow.configuration.system.clone(), shadow.configuration.arguments.clone());
            if let Some(Err(error)) = shadow.ask(|policy| policy.configure(&system, &arguments)) {
                shadow.lie("configure", format!("it refuses what it took before: {error:?}"));
            }
        }
        self.primary.policy.configure(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let beside = self.shadow.is_some().then(|| events.clone());
        let applied = self.primary.policy.apply(self.inward(events))?;
        if let (Some(shadow), Some(events)) = (&mut self.shadow, beside) {
            shadow.hear(events);
        }
        Ok(applied)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        let answer = self.primary.policy.queue_keys(pods)?;
        let order = |keys| Answer::Order { asked: pods.to_vec(), keys };
        let primary = || order(answer.clone());
        self.compare(ExtensionPoint::QueueOrder, None, primary, |policy| policy.queue_keys(pods).map(order));
        Ok(answer)
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        let answer = self.primary.policy.pre_filter(pod)?;
        let primary = || Answer::PreFilter(answer.clone());
        let question = |policy: &mut dyn Policy| policy.pre_filter(pod).map(Answer::PreFilter);
        self.compare(ExtensionPoint::PreFilter, Some(pod), primary, question);
        Ok(answer)
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        let answer = self.primary.policy.filter(pod)?;
        let primary = || Answer::Filter(answer.clone());
        self.compare(ExtensionPoint::Filter, Some(pod), primary, |policy| policy.filter(pod).map(Answer::Filter));
        Ok(answer)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let mut answer = self.primary.policy.post_filter(pods, refuted)?;
        if let Some(plan) = &mut answer.plan {
            plan.id = self.number(plan.id);
        }
        let planned = |answer| Answer::PostFilter(answer, refuted.clone());
        let primary = || planned(answer.clone());
        let question = |policy: &mut dyn Policy| policy.post_filter(pods, refuted).map(planned);
        self.compare(ExtensionPoint::PostFilter, pods.first().copied(), primary, question);
        Ok(answer)
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        let answer = self.primary.policy.reserve(pod, node)?;
        let primary = || Answer::Reserve(answer.clone());
        let question = |policy: &mut dyn Policy| policy.reserve(pod, node).map(Answer::Reserve);
        self.compare(ExtensionPoint::Reserve, Some(pod), primary, question);
        Ok(answer)
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        let answer = self.primary.policy.unreserve(pod, cause)?;
        let primary = || Answer::Unreserve(answer.clone());
        let question = |policy: &mut dyn Policy| policy.unreserve(pod, cause).map(Answer::Unreserve);
        self.compare(ExtensionPoint::Reserve, Some(pod), primary, question);
        Ok(answer)
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        let answer = self.primary.policy.score(pod, nodes)?;
        let scored = |scores| Answer::Score(nodes.to_vec(), scores);
        let primary = || scored(answer.clone());
        self.compare(ExtensionPoint::Score, Some(pod), primary, |policy| policy.score(pod, nodes).map(scored));
        Ok(answer)
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        let answer = self.primary.policy.permit(pod)?;
        let primary = || Answer::Permit(answer.clone());
        self.compare(ExtensionPoint::Permit, Some(pod), primary, |policy| policy.permit(pod).map(Answer::Permit));
        Ok(answer)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        let mut answer = self.primary.policy.act()?;
        for slice in &mut answer.plans.slices {
            slice.id = self.number(slice.id);
        }
        if let Some(shadow) = self.beside(ExtensionPoint::Act) {
            if shadow.ahead {
                shadow.ahead = answer.more;
            } else if let Some(own) = shadow.ask(|policy| policy.act()) {
                let own_more = own.more;
                shadow.compare(None, Answer::Act(answer.clone()), Answer::Act(own));
                shadow.follow_cycle(answer.more, own_more);
            }
        }
        Ok(answer)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        let mut answer = self.primary.policy.enforce()?;
        for enforcement in &mut answer.enforcements {
            enforcement.id = self.number(enforcement.id);
        }
        let primary = || Answer::Enforce(answer.clone());
        self.compare(ExtensionPoint::Enforce, None, primary, |policy| policy.enforce().map(Answer::Enforce));
        Ok(answer)
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.primary.policy.queues()
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        let answer = self.primary.policy.marks(pod, node)?;
        if let Some(shadow) = self.shadow.as_deref_mut().filter(|shadow| shadow.is_up())
            && let Some(own) = shadow.ask(|policy| policy.marks(pod, node))
        {
            shadow.compare(Some(pod), Answer::Marks(answer.clone()), Answer::Marks(own));
        }
        Ok(answer)
    }
    fn record_notes(&mut self, on: bool) -> Result<(), CallError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.ask(|policy| policy.record_notes(on));
        }
        self.primary.policy.record_notes(on)
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.primary.policy.notes(pod)
    }
    /// The policy beside it takes a checkpoint of its own, too, for the case that it is started anew.
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        let saved = self.primary.save()?;
        if let Some(shadow) = self.shadow.as_mut().filter(|shadow| shadow.is_up() && !shadow.astray) {
            shadow.save();
        }
        saved.ok_or(CallError::Lacks(Interface::State))
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        self.recall(&Saved { checkpoint: checkpoint.clone(), numbers: Numbers::default() })
    }
}
