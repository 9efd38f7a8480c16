//! A driver whose cluster is the session's own picture: every command is carried out at once, and the clock is moved by hand.
//!
//! What decides in a file, plays a scenario or a random cluster drives this one.

#[cfg(any(test, feature = "testing"))]
#[expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it is code of tests"
)]
pub mod random;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Finding, Membership, PodId, QueueAccount};

use crate::cluster::{Mirror, Object};
use crate::policy::Policy;
use crate::recording::{Recorder, Told};
use crate::replace::Terms;
use crate::session::{
    Action, Attempt, Candidate, CommandOutcome, FaultRules, Happened, Input, OpenError, ReplaceError, Session,
    SessionError, Standing, Step,
};

/// A session and the cluster that it decides about.
pub struct Virtual {
    pub(crate) session: Session,
    /// The victims that have not left.
    leaving: BTreeSet<PodId>,
    happened: Happened,
    recorder: Option<Recorder>,
}

impl Virtual {
    /// Opens a session in an empty cluster. See [`Session::open`].
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub fn open(policy: Box<dyn Policy>, system: &str, arguments: &str) -> Result<Virtual, OpenError> {
        let session = Session::open(policy, system, arguments)?;
        Ok(Virtual { session, leaving: BTreeSet::new(), happened: Happened::default(), recorder: None })
    }

    /// Goes on with a session: its victims leave when [`evictions_complete`](Virtual::evictions_complete) says so.
    pub fn over(session: Session) -> Virtual {
        let leaving = session.victims().collect();
        Virtual { session, leaving, happened: Happened::default(), recorder: None }
    }

    /// From here on, what the session is told is recorded. It was opened with a policy to which this recorder
    /// [listens](Recorder::listen), and was told nothing yet but its schedulers.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Begins to replace the policy. See [`Session::replace`]. A recording ends before that, whole: it names one policy and has its
    /// answers, and a replay has no other one to repeat the replacement with.
    ///
    /// # Errors
    /// See [`Session::replace`].
    pub fn replace(&mut self, candidate: Candidate, terms: Terms) -> Result<(), ReplaceError> {
        self.recorder.take().iter().for_each(Recorder::close);
        self.session.replace(candidate, terms)
    }

    /// See [`Session::load_replacement`].
    ///
    /// # Errors
    /// See [`Session::load_replacement`].
    pub fn load_replacement(&mut self) -> Result<(), SessionError> {
        self.session.load_replacement()
    }

    /// See [`Session::set_schedulers`].
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.session.set_schedulers(names);
    }

    /// See [`Session::set_fault_rules`].
    pub fn set_fault_rules(&mut self, rules: FaultRules) {
        self.session.set_fault_rules(rules);
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The cluster.
    pub fn mirror(&self) -> &Mirror {
        self.session.mirror()
    }

    /// The pods held at permit, and the nodes they are held for.
    pub fn waiting(&self) -> BTreeMap<String, String> {
        self.session.waiting()
    }

    /// The last attempt of what has happened.
    pub fn last_attempt(&self) -> Option<Attempt> {
        self.happened.attempts.last().cloned()
    }

    /// What the policy found in the objects so far.
    pub fn findings(&self) -> &[Finding] {
        self.session.findings()
    }

    /// What has happened since this was last asked.
    pub fn take_happened(&mut self) -> Happened {
        std::mem::take(&mut self.happened)
    }

    /// From here on every attempt is explained; see [`Session::explain`].
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.ask(&Told::Explain, Session::explain)
    }

    /// The books, as of now.
    ///
    /// # Errors
    /// The policy keeps none, or fails.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        self.ask(&Told::Accounts, Session::accounts)
    }

    /// Where each pod belongs; see [`Session::memberships`].
    ///
    /// # Errors
    /// The policy fails, or lies.
    pub fn memberships(&mut self) -> Result<BTreeMap<PodId, Membership>, SessionError> {
        self.ask(&Told::Memberships, Session::memberships)
    }

    /// Which running pods are safe; see [`Session::standings`].
    ///
    /// # Errors
    /// The policy fails, or lies.
    pub fn standings(&mut self) -> Result<BTreeMap<String, Standing>, SessionError> {
        self.ask(&Told::Standings, Session::standings)
    }

    /// The pending pods in queue order, by name.
    ///
    /// # Errors
    /// The policy fails.
    pub fn queue(&mut self) -> Result<Vec<String>, SessionError> {
        self.ask(&Told::Queue, Session::queue)
    }

    /// Moves the clock on.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn advance(&mut self, nanoseconds: i64) -> Result<(), SessionError> {
        self.tell(Input::Clock(self.mirror().now().saturating_add(nanoseconds.max(0))))
    }

    /// Creates or replaces objects.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn apply(&mut self, objects: Vec<Object>) -> Result<(), SessionError> {
        self.tell(Input::Objects(objects))
    }

    /// Removes an object; false where there is none.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn remove(&mut self, key: &str) -> Result<bool, SessionError> {
        let known = self.mirror().contains(key);
        self.tell(Input::Removed(key.to_owned()))?;
        Ok(known)
    }

    /// The objects that [`evictions_complete`](Virtual::evictions_complete) removes, as `Kind/namespace/name`.
    pub fn leaving(&self) -> Vec<String> {
        let owners = self.leaving.iter().flat_map(|victim| self.session.leaving_with(*victim));
        let pods: BTreeSet<PodId> = self.leaving.iter().copied().chain(owners).collect();
        pods.into_iter().filter_map(|pod| self.session.key_of(pod)).collect()
    }

    /// Every victim so far leaves the cluster; with a placed object leave the pods that use its room.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn evictions_complete(&mut self) -> Result<(), SessionError> {
        let keys = self.leaving();
        self.leaving.clear();
        keys.into_iter().try_for_each(|key| self.tell(Input::Removed(key)))
    }

    /// Tells the session something, and carries out what it asks for.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn tell(&mut self, input: Input) -> Result<(), SessionError> {
        let mut step = self.handle(input)?;
        loop {
            let commands = self.take(step);
            if commands.is_empty() {
                return Ok(());
            }
            step = self.handle(Input::Outcomes(commands))?;
        }
    }

    fn handle(&mut self, input: Input) -> Result<Step, SessionError> {
        match &self.recorder {
            None => self.session.handle(input),
            Some(recorder) => recorder.handle(&mut self.session, input),
        }
    }

    fn ask<T>(&mut self, told: &Told, ask: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => ask(&mut self.session),
            Some(recorder) => recorder.ask(&mut self.session, told, ask),
        }
    }

    /// Takes what came of an input; the outcomes of its commands.
    fn take(&mut self, step: Step) -> Vec<(u64, CommandOutcome)> {
        self.happened.add(step.happened);
        let mut outcomes = Vec::with_capacity(step.commands.len());
        for command in step.commands {
            if let Action::Evict { .. } = command.action {
                self.leaving.extend(self.mirror().pod_id(&command.object.pod_name()));
            }
            outcomes.push((command.id, CommandOutcome::Done));
        }
        outcomes
    }
}
