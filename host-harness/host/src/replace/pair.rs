//! The policy of a session, and the one beside it while it is replaced.

use lictor_contract::*;

use super::answer::{Answer, Unlike};
use super::machine::Memory;
use super::member::{Member, Saved, Shadow};
use super::numbers::Numbers;
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

    /// Tells the policy in shadow the next part of the cluster; whether it has been told everything by now.
    pub(crate) fn feed(&mut self, most: usize) -> bool {
        let Some(shadow) = &mut self.shadow else { return false };
        let part: Vec<Event> = shadow.queue.drain(..shadow.queue.len().min(most)).collect();
        shadow.tell(part);
        shadow.queue.is_empty() && shadow.wrong.is_none()
    }

    /// The policy in shadow was told everything: it gets the pods that are held, and what the policy in force remembers.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn settle_in(&mut self, held: &[(PodId, NodeId)]) -> Result<(), CallError> {
        if let Some(shadow) = &mut self.shadow
            && shadow.points.contains(&ExtensionPoint::Reserve)
        {
            shadow.reserve(held);
        }
        self.primary.save()?;
        self.hand_over(self.primary.saved.clone(), false);
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
        let own = shadow.save();
        if matches!(shadow.memory, Some(Memory::Rebuilt { .. })) {
            return Ok(());
        }
        let theirs = self.primary.save()?;
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
        let taken = shadow.wrong.is_none().then(|| shadow.member.recall(&theirs));
        let why = match taken {
            None => "it has failed".to_owned(),
            Some(Ok(Ok(()))) => {
                shadow.memory = Some(Memory::Restored);
                // What it is given if it is started anew.
                shadow.member.saved = Some(theirs);
                return;
            }
            Some(Ok(Err(StateError::UnknownFormat(known)))) => {
                format!("it has format {}, the other policy knows {known}", theirs.checkpoint.format)
            }
            Some(Ok(Err(StateError::Malformed(what)))) => what,
            Some(Err(CallError::Lacks(_))) => "the other policy takes none".to_owned(),
            Some(Err(fault)) => {
                shadow.fault(&fault);
                "it has failed".to_owned()
            }
        };
        if let Some(own) = shadow.member.saved.clone().filter(|_| is_new) {
            drop(shadow.ask(|policy| policy.restore(&own.checkpoint)));
        }
        shadow.memory = Some(Memory::Rebuilt { why });
    }

    /// The two policies change places. Plans get numbers that the session has not used.
    pub(crate) fn exchange(&mut self) {
        let Some(shadow) = &mut self.shadow else { return };
        std::mem::swap(&mut self.primary, &mut shadow.member);
        self.primary.numbers.go_on_from(self.last_plan);
    }

    /// The policy in shadow is not needed any more.
    pub(crate) fn dismiss(&mut self) -> Option<Box<Shadow>> {
        let shadow = self.shadow.take()?;
        let used = shadow.member.policy.usage();
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

    /// Asks the policy in shadow what the one in force was asked, and compares the answers.
    pub(super) fn compare(
        &mut self,
        point: ExtensionPoint,
        pod: Option<PodId>,
        primary: impl FnOnce() -> Answer,
        question: impl FnOnce(&mut dyn Policy) -> Result<Answer, CallError>,
    ) {
        let Some(shadow) = self.beside(point) else { return };
        if let Some(own) = shadow.ask(question) {
            shadow.compare(pod, primary(), own);
        }
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
