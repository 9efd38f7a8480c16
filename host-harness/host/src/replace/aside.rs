//! What the policy in shadow does on its own thread: answers while the policy in force does, and work that is waited for with a later input.

use lictor_contract::*;

use super::machine::Memory;
use super::member::{Saved, Shadow};
use super::worker::{Absent, Done, Pending};
use crate::cluster::Reached;
use crate::policy::{CallError, Policy, Usage};

/// What it was given to do.
pub(super) enum Busy {
    /// It is told a part of the cluster.
    Told(Pending<Applied>),
    /// It is given the pods that are held, and what the policy in force remembers, if that keeps a memory.
    Settles(Pending<Settled>, Option<Box<Saved>>),
}

/// What it found in what it was told last, and what it says of the memory that it was given.
type Settled = (Applied, Result<(), StateError>);

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
        let answer = self.back(call, pending?.wait());
        self.answered(answer)
    }

    /// It is here again; none: its thread broke.
    fn back<T>(&mut self, call: &'static str, done: Option<Done<T>>) -> Result<T, CallError> {
        let Some((policy, answer)) = done else { return Err(Absent::fault(call)) };
        self.member.policy = policy;
        answer
    }

    /// Tells it a part of the cluster, for which nobody waits, behind what has happened to what it knows.
    pub(super) fn tell_aside(&mut self, events: Vec<Event>, reached: Reached) {
        let mut all = std::mem::take(&mut self.backlog);
        all.extend(events);
        self.busy = self.put(|policy| policy.apply(all)).map(Busy::Told);
        self.reached = reached;
    }

    /// Gives it the pods that are held, and what the policy in force remembers, for which nobody waits.
    pub(super) fn settle_aside(&mut self, held: Vec<(PodId, NodeId)>, theirs: Option<Saved>) {
        let backlog = std::mem::take(&mut self.backlog);
        let checkpoint = theirs.as_ref().map(|theirs| theirs.checkpoint.clone());
        let settles = self.put(move |policy| {
            let applied = policy.apply(backlog)?;
            reserve(policy, &held)?;
            Ok((applied, checkpoint.map_or(Ok(Ok(())), |checkpoint| policy.restore(&checkpoint))?))
        });
        self.busy = settles.map(|pending| Busy::Settles(pending, theirs.map(Box::new)));
    }

    /// Waits for what it was given to do.
    pub(super) fn fetch(&mut self) {
        match self.busy.take() {
            None => {}
            Some(Busy::Told(pending)) => self.told(pending.wait()),
            Some(Busy::Settles(pending, theirs)) => self.settled(pending.wait(), theirs),
        }
    }

    /// Whether it has done what it was given to do. Nobody waits.
    pub(super) fn is_back(&mut self) -> bool {
        match self.busy.take() {
            None => {}
            Some(Busy::Told(pending)) => match pending.poll() {
                Ok(done) => self.told(done),
                Err(pending) => self.busy = Some(Busy::Told(pending)),
            },
            Some(Busy::Settles(pending, theirs)) => match pending.poll() {
                Ok(done) => self.settled(done, theirs),
                Err(pending) => self.busy = Some(Busy::Settles(pending, theirs)),
            },
        }
        self.busy.is_none()
    }

    fn told(&mut self, done: Option<Done<Applied>>) {
        let applied = self.back("apply", done);
        if let Some(applied) = self.answered(applied) {
            self.findings.extend(applied.findings);
        }
    }

    fn settled(&mut self, done: Option<Done<Settled>>, theirs: Option<Box<Saved>>) {
        let taken = self.back("restore", done).map(|(applied, taken)| {
            self.findings.extend(applied.findings);
            taken
        });
        match (theirs, taken) {
            (Some(theirs), taken) => drop(self.handed(*theirs, Some(taken))),
            (None, Ok(_)) => self.memory = Some(Memory::None),
            (None, Err(fault)) => self.fault(&fault),
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
