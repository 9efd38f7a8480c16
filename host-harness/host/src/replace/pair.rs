//! The policy of a session, and the one beside it while it is replaced.

use lictor_contract::*;

use super::answer::{Answer, Unlike};
use super::machine::Memory;
use super::member::{Member, Saved, Shadow};
use super::numbers::Numbers;
use crate::cluster::Reached;
use crate::policy::{CallError, Policy, Usage};

/// The policy in force, and one in shadow. It answers as the policy in force does, under numbers of plans that are the session's.
pub(crate) struct Pair {
    pub(super) primary: Member,
    pub(crate) shadow: Option<Box<Shadow>>,
    /// The highest number of a plan that the session knows.
    pub(super) last_plan: u64,
    /// What policies have used that are not here any more.
    pub(super) past: Usage,
}

/// How far the policy in shadow is with what it is told of the cluster.
pub(crate) enum Loading {
    /// It has a part that it has not read to its end.
    Busy,
    /// It comes next to what stands behind this place.
    From(Reached),
    /// It has everything, or broke.
    Ended,
}

impl Pair {
    pub(crate) fn new(policy: Box<dyn Policy>) -> Pair {
        Pair { primary: Member::new(policy, Numbers::default()), shadow: None, last_plan: 0, past: Usage::default() }
    }

    /// What the policy in force remembered last.
    pub(crate) fn saved(&self) -> Option<&Saved> {
        self.primary.saved.as_ref()
    }

    /// The same of the policy beside it.
    pub(crate) fn saved_beside(&self) -> Option<&Saved> {
        self.shadow.as_ref()?.member.saved.as_ref()
    }

    /// What the policy is given when it is started anew.
    pub(crate) fn set_saved(&mut self, saved: Option<Saved>) {
        self.primary.saved = saved;
    }

    /// The highest number of a plan that the session knows.
    pub(crate) fn last_plan(&self) -> u64 {
        self.last_plan
    }

    /// No plan gets a number up to this one.
    pub(crate) fn reserve_plans(&mut self, last: u64) {
        self.last_plan = self.last_plan.max(last);
    }

    /// New instances are given what was remembered: both this, or the one beside what it remembered itself.
    pub(crate) fn recall(&mut self, saved: &Saved) -> Result<Result<(), StateError>, CallError> {
        let taken = self.primary.recall(saved)?;
        if taken.is_ok() {
            self.primary.numbers.go_on_from(self.last_plan);
        }
        self.hand_over(Some(saved.clone()), true);
        Ok(taken)
    }

    /// Where the policy in shadow stands that is told the cluster.
    pub(crate) fn loading(&mut self) -> Loading {
        let Some(shadow) = &mut self.shadow else { return Loading::Ended };
        if !shadow.is_back() {
            return Loading::Busy;
        }
        match shadow.memory.is_none() && shadow.wrong.is_none() {
            true => Loading::From(shadow.reached.clone()),
            false => Loading::Ended,
        }
    }

    /// Waits for the policy in shadow.
    pub(crate) fn wait(&mut self) {
        if let Some(shadow) = &mut self.shadow {
            shadow.fetch();
        }
    }

    /// Tells the policy in shadow the next part of the cluster. Nobody waits for it before the next input.
    pub(crate) fn feed(&mut self, events: Vec<Event>, reached: Reached) {
        if let Some(shadow) = &mut self.shadow {
            shadow.tell_aside(events, reached);
        }
    }

    /// The policy in shadow was told everything: it gets the pods that are held, and what the policy in force remembers. Nobody waits for
    /// it before the next input, but where `at_once` says so.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn settle_in(&mut self, held: Vec<(PodId, NodeId)>, at_once: bool) -> Result<(), CallError> {
        self.primary.save()?;
        let Some(shadow) = &mut self.shadow else { return Ok(()) };
        let held = if shadow.points.contains(&ExtensionPoint::Reserve) { held } else { Vec::new() };
        shadow.settle_aside(held, self.primary.saved.clone());
        if at_once {
            shadow.fetch();
        }
        Ok(())
    }

    /// The policy in shadow is about to take over: it gets the pods that are held, where the other was not told of them.
    pub(crate) fn reserve_beside(&mut self, held: &[(PodId, NodeId)]) {
        if let Some(shadow) = &mut self.shadow
            && !shadow.points.contains(&ExtensionPoint::Reserve)
            && shadow.configuration.points.contains(&ExtensionPoint::Reserve)
        {
            shadow.reserve(held);
        }
    }

    /// Makes sure that the policy in shadow remembers what the one in force does.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn align(&mut self) -> Result<(), CallError> {
        let Some(shadow) = self.shadow.as_mut().filter(|shadow| shadow.is_up()) else { return Ok(()) };
        shadow.astray = false;
        let asked = shadow.put(|policy| policy.save());
        let is_rebuilt = matches!(shadow.memory, Some(Memory::Rebuilt { .. }));
        let theirs = if is_rebuilt { Ok(None) } else { self.primary.save() };
        let own = shadow.get("save", asked);
        let own = shadow.keep(own);
        let theirs = theirs?;
        if is_rebuilt {
            return Ok(());
        }
        match theirs.is_some() && theirs == own {
            true => shadow.memory = Some(Memory::Same),
            false => self.hand_over(self.primary.saved.clone().filter(|_| theirs.is_some()), false),
        }
        Ok(())
    }

    /// Does so where it may remember what did not happen.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn bring_back(&mut self) -> Result<(), CallError> {
        match self.shadow.as_ref().is_some_and(|shadow| shadow.astray) {
            true => self.align(),
            false => Ok(()),
        }
    }

    /// Gives the policy in shadow what the one in force remembered; a new instance that does not take it, what it remembered itself.
    fn hand_over(&mut self, saved: Option<Saved>, is_new: bool) {
        let Some(shadow) = &mut self.shadow else { return };
        let Some(theirs) = saved else {
            shadow.memory = Some(Memory::None);
            return;
        };
        shadow.fetch();
        let taken = shadow.wrong.is_none().then(|| shadow.member.policy.restore(&theirs.checkpoint));
        let own = shadow.member.saved.clone().filter(|_| is_new);
        if !shadow.handed(theirs, taken)
            && let Some(own) = own
        {
            drop(shadow.ask(|policy| policy.restore(&own.checkpoint)));
        }
    }

    /// The two policies change places. Plans get numbers that the session has not used.
    pub(crate) fn exchange(&mut self) {
        let Some(shadow) = &mut self.shadow else { return };
        shadow.fetch();
        std::mem::swap(&mut self.primary, &mut shadow.member);
        self.primary.numbers.go_on_from(self.last_plan);
    }

    /// The policy in shadow is not needed any more.
    pub(crate) fn dismiss(&mut self) -> Option<Box<Shadow>> {
        let mut shadow = self.shadow.take()?;
        shadow.fetch();
        let used = shadow.member.policy.usage();
        shadow.leave();
        self.past = Usage { memory_bytes: 0, ..together(self.past, used) };
        Some(shadow)
    }

    /// The answers that decide otherwise, since the last call.
    pub(crate) fn take_unlike(&mut self) -> Vec<Unlike> {
        self.shadow.as_mut().map(|shadow| std::mem::take(&mut shadow.unlike)).unwrap_or_default()
    }

    /// Whether there are any.
    pub(crate) fn has_unlike(&self) -> bool {
        self.shadow.as_ref().is_some_and(|shadow| !shadow.unlike.is_empty())
    }

    /// The policy in shadow, where it can be asked at this point.
    pub(super) fn beside(&mut self, point: ExtensionPoint) -> Option<&mut Shadow> {
        let shadow = self.shadow.as_deref_mut()?;
        (shadow.is_up() && shadow.points.contains(&point)).then_some(shadow)
    }

    /// Asks both policies, at the same time, and compares the answers: that of the one in force as `wrap` shows it, and that of the one in
    /// shadow. The first is handed out.
    pub(super) fn ask_both<T>(
        &mut self,
        (point, pod): (ExtensionPoint, Option<PodId>),
        beside: impl FnOnce(&mut dyn Policy) -> Result<Answer, CallError> + Send + 'static,
        primary: impl FnOnce(&mut Pair) -> Result<T, CallError>,
        wrap: impl FnOnce(&T) -> Answer,
    ) -> Result<T, CallError> {
        let asked = self.beside(point).and_then(|shadow| shadow.put(beside));
        let answer = primary(self);
        let (Some(asked), Some(shadow)) = (asked, &mut self.shadow) else { return answer };
        let own = shadow.get(point.interface().name(), Some(asked));
        match (&answer, own) {
            (Ok(answer), Some(own)) => shadow.compare(pod, wrap(answer), own),
            // It may remember what the other one did not take.
            (Err(_), _) => shadow.astray = true,
            (Ok(_), None) => {}
        }
        answer
    }

    /// The session's number of a plan of the policy in force.
    pub(super) fn number(&mut self, own: u64) -> u64 {
        let plan = self.primary.numbers.outward(own);
        self.last_plan = self.last_plan.max(plan);
        plan
    }

    /// The events with the numbers of the policy in force.
    pub(super) fn inward(&self, events: Vec<Event>) -> Vec<Event> {
        if self.primary.numbers.is_plain() {
            return events;
        }
        let numbers = &self.primary.numbers;
        let own = |event| match event {
            Event::PlanAccepted(plan) => numbers.inward(plan).map(Event::PlanAccepted),
            Event::PlanRefused(plan) => numbers.inward(plan).map(Event::PlanRefused),
            other => Some(other),
        };
        events.into_iter().filter_map(own).collect()
    }
}

/// What two policies have used; the memory that is held now is the first one's.
pub(super) fn together(one: Usage, other: Usage) -> Usage {
    Usage {
        instances: one.instances.saturating_add(other.instances),
        calls: one.calls.saturating_add(other.calls),
        fuel: one.fuel.saturating_add(other.fuel),
        memory_bytes: one.memory_bytes,
        memory_high_bytes: one.memory_high_bytes.max(other.memory_high_bytes),
    }
}
