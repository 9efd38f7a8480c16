//! What the policy in shadow does on its own thread: answers while the policy in force does, and work that is waited for with a later input.

use lictor_contract::*;

use super::machine::Memory;
use super::member::{Saved, Shadow};
use super::worker::{Absent, Pending};
use crate::cluster::Reached;
use crate::policy::{CallError, Policy, Usage};

/// What it was given to do.
pub(super) enum Busy {
    /// It is told a part of the cluster.
    Told(Pending<Applied>),
    /// It is given the pods that are held, and what the policy in force remembers.
    Settles(Pending<Result<(), StateError>>, Box<Saved>),
}

impl Shadow {
    /// Asks it, where it answers, while the caller does something else.
    pub(super) fn put<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError> + Send + 'static,
    ) -> Option<Pending<T>> {
        self.fetch();
        if self.wrong.is_some() {
            return None;
        }
        self.usage = self.member.policy.usage();
        let policy = std::mem::replace(&mut self.member.policy, Box::new(Absent));
        Some(self.worker.ask(policy, question))
    }

    /// What it has used, as far as that is known.
    pub(super) fn usage(&self) -> Usage {
        if self.busy.is_some() { self.usage } else { self.member.policy.usage() }
    }

    /// The answer.
    pub(super) fn get<T>(&mut self, call: &'static str, pending: Option<Pending<T>>) -> Option<T> {
        let answer = self.back(call, pending?);
        self.answered(answer)
    }

    fn back<T>(&mut self, call: &'static str, pending: Pending<T>) -> Result<T, CallError> {
        let Some((policy, answer)) = pending.wait() else { return Err(Absent::fault(call)) };
        self.member.policy = policy;
        answer
    }

    /// Tells it a part of the cluster, for which nobody waits.
    pub(super) fn tell_aside(&mut self, events: Vec<Event>, reached: Reached) {
        self.busy = self.put(|policy| policy.apply(events)).map(Busy::Told);
        self.reached = reached;
    }

    /// Gives it the pods that are held, and what the policy in force remembers, for which nobody waits.
    pub(super) fn settle_aside(&mut self, held: Vec<(PodId, NodeId)>, theirs: Saved) {
        let checkpoint = theirs.checkpoint.clone();
        let settles = self.put(move |policy| {
            reserve(policy, &held)?;
            policy.restore(&checkpoint)
        });
        self.busy = settles.map(|pending| Busy::Settles(pending, Box::new(theirs)));
    }

    /// Waits for what it was given to do.
    pub(super) fn fetch(&mut self) {
        match self.busy.take() {
            None => {}
            Some(Busy::Told(pending)) => {
                if let Some(applied) = self.get("apply", Some(pending)) {
                    self.findings.extend(applied.findings);
                }
            }
            Some(Busy::Settles(pending, theirs)) => {
                let taken = self.back("restore", pending);
                self.handed(*theirs, Some(taken));
            }
        }
    }

    /// It was given what the policy in force remembered; none: it has failed before. True where it has taken it.
    pub(super) fn handed(&mut self, theirs: Saved, taken: Option<Result<Result<(), StateError>, CallError>>) -> bool {
        let why = match taken {
            None => "it has failed".to_owned(),
            Some(Ok(Ok(()))) => {
                self.memory = Some(Memory::Restored);
                self.member.numbers = theirs.numbers.clone();
                // What it is given if it is started anew.
                self.member.saved = Some(theirs);
                return true;
            }
            Some(Ok(Err(StateError::UnknownFormat(known)))) => {
                format!("it has format {}, the other policy knows {known}", theirs.checkpoint.format)
            }
            Some(Ok(Err(StateError::Malformed(what)))) => what,
            Some(Err(CallError::Lacks(_))) => "the other policy takes none".to_owned(),
            Some(Err(fault)) => {
                self.fault(&fault);
                "it has failed".to_owned()
            }
        };
        self.memory = Some(Memory::Rebuilt { why });
        false
    }

    /// Nobody needs it any more. To give back its memory takes time, too.
    pub(super) fn leave(&mut self) {
        self.fetch();
        let policy = std::mem::replace(&mut self.member.policy, Box::new(Absent));
        self.worker.drop(policy);
    }
}

/// Gives a policy pods that are held, as a fact: what it thinks of them happens nowhere.
pub(super) fn reserve(policy: &mut dyn Policy, held: &[(PodId, NodeId)]) -> Result<(), CallError> {
    for (pod, node) in held {
        match policy.reserve(*pod, *node) {
            Ok(_) | Err(CallError::Lacks(_)) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}
