//! A policy under test. Every answer of the policy is recorded, and it receives events and calls as this suite wants.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_oracle::RandomSource;

use super::exchange::{Call, CallReply, Exchange, ReceivedObjects};

/// The way in which a policy receives events and calls.
#[derive(Debug, Clone, Default)]
pub(super) struct EventDelivery {
    /// Whether consecutive events of one kind are shuffled, with this seed.
    pub(super) shuffled: Option<u64>,
    /// Whether every event is sent in a call of its own.
    pub(super) singly: bool,
    /// Whether the host takes no checkpoints.
    pub(super) unsaved: bool,
    /// Whether the first plan of every attempt is refused.
    pub(super) refusing: bool,
}

/// A policy under test. Clones are the same instance.
#[derive(Clone)]
pub(super) struct RecordingPolicy(Arc<Mutex<RecordingPolicyState>>);

struct RecordingPolicyState {
    policy: Box<dyn Policy>,
    delivery: EventDelivery,
    dice: RandomSource,
    exchanges: Vec<Exchange>,
    received: Arc<ReceivedObjects>,
    instance: usize,
    /// The next call ends the instance.
    ends: bool,
    /// The checkpoint of the next instance.
    next_checkpoint: Option<Checkpoint>,
    /// The number of pods that are reserved again in the next instance; these calls are not recorded as decisions.
    repeated_reserves: usize,
    plans: usize,
}

impl RecordingPolicy {
    pub(super) fn new(policy: Box<dyn Policy>, telling: EventDelivery) -> RecordingPolicy {
        let dice = RandomSource::after(telling.shuffled.unwrap_or_default());
        let (exchanges, known) = (Vec::new(), Arc::default());
        let (life, ends, recall, anew, plans) = (0, false, None, 0, 0);
        RecordingPolicy(Arc::new(Mutex::new(RecordingPolicyState {
            policy,
            delivery: telling,
            dice,
            exchanges,
            received: known,
            instance: life,
            ends,
            next_checkpoint: recall,
            repeated_reserves: anew,
            plans,
        })))
    }

    fn state(&self) -> MutexGuard<'_, RecordingPolicyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the exchanges so far. The log is empty afterwards.
    pub(super) fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.state().exchanges)
    }

    /// Calls the policy without a record.
    pub(super) fn call_unrecorded<T>(&self, question: impl FnOnce(&mut dyn Policy) -> T) -> T {
        question(self.state().policy.as_mut())
    }

    /// Makes the next call end the instance. The next instance gets this checkpoint, and this many reserved pods.
    pub(super) fn end(&self, recall: Option<Checkpoint>, reserved: usize) {
        let mut state = self.state();
        (state.ends, state.next_checkpoint, state.repeated_reserves) = (true, recall, reserved);
    }

    /// Returns whether a call has ended the instance. Else the instance is not ended any more.
    pub(super) fn has_ended(&self) -> bool {
        let mut state = self.state();
        let ended = !std::mem::take(&mut state.ends);
        if !ended {
            (state.next_checkpoint, state.repeated_reserves) = (None, 0);
        }
        ended
    }

    fn record_call<T: Clone>(
        &mut self,
        call: Call,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>,
        said: fn(T) -> CallReply,
    ) -> Result<T, CallError> {
        let mut state = self.state();
        state.check_running("a question")?;
        let anew = matches!(call, Call::Reserve(..)) && state.repeated_reserves > 0;
        if anew {
            state.repeated_reserves = state.repeated_reserves.saturating_sub(1);
            return question(state.policy.as_mut());
        }
        if let Some(checkpoint) = state.next_checkpoint.take() {
            state.policy.restore(&checkpoint).map(drop)?;
        }
        let answer = question(state.policy.as_mut());
        let said = match &answer {
            Ok(answer) => said(answer.clone()),
            Err(CallError::Refused { error, .. }) => CallReply::Refused(error.clone()),
            Err(CallError::Broke { cause, .. }) => CallReply::Broke(cause.to_string()),
            Err(CallError::MissingInterface(_)) => return answer,
        };
        let (known, life) = (state.received.clone(), state.instance);
        state.exchanges.push(Exchange { call, reply: said, received: known, instance: life });
        answer
    }
}

impl RecordingPolicyState {
    /// Checks that the instance is not ended.
    ///
    /// # Errors
    /// The suite ends the instance with this call.
    fn check_running(&mut self, call: &'static str) -> Result<(), CallError> {
        match std::mem::take(&mut self.ends) {
            true => Err(CallError::Broke { call, cause: "the suite ended this instance".into() }),
            false => Ok(()),
        }
    }

    /// Returns the events in the order and the groups in which the policy receives them.
    fn event_batches(&mut self, events: Vec<Event>) -> Vec<Vec<Event>> {
        let mut runs: Vec<Vec<Event>> = Vec::new();
        for event in events {
            match runs.last_mut().filter(|run| run.last().is_some_and(|last| are_interchangeable(last, &event))) {
                Some(run) => run.push(event),
                None => runs.push(vec![event]),
            }
        }
        if self.delivery.shuffled.is_some() {
            runs.iter_mut().for_each(|run| self.dice.shuffle(run));
        }
        let events = runs.into_iter().flatten();
        if self.delivery.singly { events.map(|event| vec![event]).collect() } else { vec![events.collect()] }
    }
}

/// Returns whether the order of two events has no meaning: both are about nodes, pods or objects, and of one kind.
fn are_interchangeable(one: &Event, other: &Event) -> bool {
    matches!(
        (one, other),
        (Event::NodeUpserted(_), Event::NodeUpserted(_))
            | (Event::NodeRemoved(_), Event::NodeRemoved(_))
            | (Event::PodUpserted(_), Event::PodUpserted(_))
            | (Event::PodRemoved(_), Event::PodRemoved(_))
            | (Event::PodStatus(_), Event::PodStatus(_))
            | (Event::Eligibility(_), Event::Eligibility(_))
            | (Event::ObjectUpserted(_), Event::ObjectUpserted(_))
            | (Event::ObjectRemoved(_), Event::ObjectRemoved(_))
    )
}

impl Policy for RecordingPolicy {
    fn restart(&mut self) -> Result<(), CallError> {
        self.state().policy.restart()
    }
    fn has(&self, interface: Interface) -> bool {
        self.state().policy.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.state().policy.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let mut state = self.state();
        let configured = state.policy.configure(system, arguments)?;
        if configured.is_ok() {
            (state.received, state.instance) = (Arc::default(), state.instance.saturating_add(1));
        }
        Ok(configured)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let mut state = self.state();
        state.check_running("apply")?;
        let known = Arc::make_mut(&mut state.received);
        events.iter().for_each(|event| known.apply(event));
        let mut all = Applied { findings: Vec::new() };
        for events in state.event_batches(events) {
            all.findings.extend(state.policy.apply(events)?.findings);
        }
        Ok(all)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.record_call(Call::QueueKeys(pods.to_vec()), |policy| policy.queue_keys(pods), CallReply::Keys)
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.record_call(Call::PreFilter(pod), |policy| policy.pre_filter(pod), CallReply::PreFiltered)
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.record_call(Call::Filter(pod), |policy| policy.filter(pod), CallReply::Verdicts)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let call = Call::PostFilter(pods.to_vec(), refuted.clone());
        let answer = self.record_call(call, |policy| policy.post_filter(pods, refuted), CallReply::PostFiltered)?;
        let Some(plan) = answer.plan.as_ref().filter(|_| *refuted == Refuted::default()) else { return Ok(answer) };
        let refuted = {
            let mut state = self.state();
            if !state.delivery.refusing {
                return Ok(answer);
            }
            state.plans = state.plans.saturating_add(1);
            state.policy.apply(vec![Event::PlanRefused(plan.id)])?;
            match plan.victims.first().filter(|_| state.plans.is_multiple_of(2)) {
                Some(victim) => Refuted { victims: vec![victim.pod], ..Refuted::default() },
                None => Refuted { placements: plan.nominations.clone(), ..Refuted::default() },
            }
        };
        let call = Call::PostFilter(pods.to_vec(), refuted.clone());
        self.record_call(call, |policy| policy.post_filter(pods, &refuted), CallReply::PostFiltered)
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.record_call(Call::Reserve(pod, node), |policy| policy.reserve(pod, node), CallReply::Effects)
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.record_call(Call::Unreserve(pod, cause), |policy| policy.unreserve(pod, cause), CallReply::Effects)
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        self.record_call(Call::Score(pod, nodes.to_vec()), |policy| policy.score(pod, nodes), CallReply::Scores)
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.record_call(Call::Permit(pod), |policy| policy.permit(pod), CallReply::Permitted)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        self.record_call(Call::Act, |policy| policy.act(), CallReply::Actions)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.record_call(Call::Enforce, |policy| policy.enforce(), CallReply::Enforced)
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.record_call(Call::Queues, |policy| policy.queues(), CallReply::Queues)
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.record_call(Call::Memberships(pods.to_vec()), |policy| policy.memberships(pods), CallReply::Memberships)
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.record_call(Call::Marks(pod, node), |policy| policy.marks(pod, node), CallReply::Marks)
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.record_call(Call::Standings(pods.to_vec()), |policy| policy.standings(pods), CallReply::Standings)
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        self.state().policy.record_notes(pods)
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.record_call(Call::Notes(pod), |policy| policy.notes(pod), CallReply::Notes)
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        let mut state = self.state();
        if state.delivery.unsaved {
            return Err(CallError::MissingInterface(Interface::State));
        }
        state.policy.save()
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        let mut state = self.state();
        let recall = state.next_checkpoint.take();
        state.policy.restore(recall.as_ref().unwrap_or(checkpoint))
    }
}
