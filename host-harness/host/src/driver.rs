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

use crate::cluster::{KubernetesObject, Mirror};
use crate::policy::Policy;
use crate::rails::Rails;
use crate::recording::{Recorder, SessionCall};
use crate::replace::ReplacementTerms;
use crate::session::{
    Attempt, CandidatePolicy, CommandAction, CommandOutcome, FaultRules, OpenError, PodStanding, ReplaceError, Session,
    SessionError, SessionInput, SessionReport, StepOutput,
};

/// A session and the cluster that it decides about.
pub struct VirtualDriver {
    pub(crate) session: Session,
    /// The victims that have not left the cluster.
    victims: BTreeSet<PodId>,
    report: SessionReport,
    recorder: Option<Recorder>,
}

impl VirtualDriver {
    /// Opens a session in an empty cluster. See [`Session::open`].
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub fn open(policy: Box<dyn Policy>, system: &str, arguments: &str) -> Result<VirtualDriver, OpenError> {
        let session = Session::open(policy, system, arguments)?;
        Ok(VirtualDriver { session, victims: BTreeSet::new(), report: SessionReport::default(), recorder: None })
    }

    /// Continues a session. Its victims leave the cluster when [`evictions_complete`](VirtualDriver::evictions_complete) is called.
    pub fn from_session(session: Session) -> VirtualDriver {
        let leaving = session.victims().collect();
        VirtualDriver { session, victims: leaving, report: SessionReport::default(), recorder: None }
    }

    /// Records all inputs of the session from now on. The session must have been opened with a policy that this recorder [listens](Recorder::observe)
    /// to, and must not have received anything but its schedulers.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Begins to replace the policy. See [`Session::replace`]. A recording ends here, complete: it names one policy and has its answers, and a replay
    /// could not repeat the replacement.
    ///
    /// # Errors
    /// See [`Session::replace`].
    pub fn replace(&mut self, candidate: CandidatePolicy, terms: ReplacementTerms) -> Result<(), ReplaceError> {
        self.recorder.take().iter().for_each(Recorder::close);
        self.session.replace(candidate, terms)
    }

    /// Loads the rest of the cluster into the new policy; see [`Session::load_replacement`].
    ///
    /// # Errors
    /// See [`Session::load_replacement`].
    pub fn load_replacement(&mut self) -> Result<(), SessionError> {
        self.session.load_replacement()
    }

    /// Sets the schedulers of the session; see [`Session::set_schedulers`].
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.session.set_schedulers(names);
    }

    /// Sets the rails of the session; see [`Session::set_rails`].
    pub fn set_rails(&mut self, rails: Rails) {
        self.session.set_rails(rails);
    }

    /// Sets the fault rules of the session; see [`Session::set_fault_rules`].
    pub fn set_fault_rules(&mut self, rules: FaultRules) {
        self.session.set_fault_rules(rules);
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the cluster.
    pub fn mirror(&self) -> &Mirror {
        self.session.mirror()
    }

    /// Returns the pods that are held at permit, with their nodes.
    pub fn waiting(&self) -> BTreeMap<String, String> {
        self.session.waiting()
    }

    /// Returns the last attempt since the last [`take_report`](VirtualDriver::take_report). `None`: no attempt was made since.
    pub fn last_attempt(&self) -> Option<Attempt> {
        self.report.attempts.last().cloned()
    }

    /// Returns the findings of the policy in the objects so far.
    pub fn findings(&self) -> &[Finding] {
        self.session.findings()
    }

    /// Returns everything that has happened since the last call.
    pub fn take_report(&mut self) -> SessionReport {
        std::mem::take(&mut self.report)
    }

    /// Explains every attempt from now on; see [`Session::explain`]. Returns `false` where the policy has no explanations.
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.record_call(&SessionCall::Explain, Session::explain)
    }

    /// Explains the attempts of these pods from now on; see [`Session::explain_pods`]. Returns `false` where the policy has no explanations.
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain_pods(&mut self, names: &[String]) -> Result<bool, SessionError> {
        self.record_call(&SessionCall::ExplainPods(names.to_vec()), |session| session.explain_pods(names))
    }

    /// Returns the current accounts of the queues.
    ///
    /// # Errors
    /// The policy has no accounts, or fails.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        self.record_call(&SessionCall::Accounts, Session::accounts)
    }

    /// Returns the queue and the job of each pod; see [`Session::memberships`].
    ///
    /// # Errors
    /// The policy fails, or its answer is invalid.
    pub fn memberships(&mut self) -> Result<BTreeMap<PodId, Membership>, SessionError> {
        self.record_call(&SessionCall::Memberships, Session::memberships)
    }

    /// Returns the standing of each running pod: whether it is safe from eviction; see [`Session::standings`].
    ///
    /// # Errors
    /// The policy fails, or its answer is invalid.
    pub fn standings(&mut self) -> Result<BTreeMap<String, PodStanding>, SessionError> {
        self.record_call(&SessionCall::Standings, Session::standings)
    }

    /// Returns the names of the pending pods in queue order.
    ///
    /// # Errors
    /// The policy fails.
    pub fn queue(&mut self) -> Result<Vec<String>, SessionError> {
        self.record_call(&SessionCall::Queue, Session::queue)
    }

    /// Moves the clock forward by this many nanoseconds.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn advance(&mut self, nanoseconds: i64) -> Result<(), SessionError> {
        self.serve(SessionInput::Clock(self.mirror().now().saturating_add(nanoseconds.max(0))))
    }

    /// Creates or replaces objects.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn apply(&mut self, objects: Vec<KubernetesObject>) -> Result<(), SessionError> {
        self.serve(SessionInput::Objects(objects))
    }

    /// Removes an object. Returns `false` where the object did not exist.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn remove(&mut self, key: &str) -> Result<bool, SessionError> {
        let known = self.mirror().contains(key);
        self.serve(SessionInput::Removed(key.to_owned()))?;
        Ok(known)
    }

    /// Returns the objects that [`evictions_complete`](VirtualDriver::evictions_complete) removes, as `Kind/namespace/name`.
    pub fn victims(&self) -> Vec<String> {
        let owners = self.victims.iter().flat_map(|victim| self.session.pods_evicted_with(*victim));
        let pods: BTreeSet<PodId> = self.victims.iter().copied().chain(owners).collect();
        pods.into_iter().filter_map(|pod| self.session.key_of(pod)).collect()
    }

    /// Removes every victim so far from the cluster. Removing a placed object also removes the pods that use its room.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn evictions_complete(&mut self) -> Result<(), SessionError> {
        let keys = self.victims();
        self.victims.clear();
        keys.into_iter().try_for_each(|key| self.serve(SessionInput::Removed(key)))
    }

    /// Serves an input with the session, and carries out its commands at once.
    ///
    /// # Errors
    /// The session does not serve the input; see [`Session::handle`].
    pub fn serve(&mut self, input: SessionInput) -> Result<(), SessionError> {
        let mut step = self.handle(input)?;
        loop {
            let commands = self.collect(step);
            if commands.is_empty() {
                return Ok(());
            }
            step = self.handle(SessionInput::Outcomes(commands))?;
        }
    }

    fn handle(&mut self, input: SessionInput) -> Result<StepOutput, SessionError> {
        match &self.recorder {
            None => self.session.handle(input),
            Some(recorder) => recorder.handle(&mut self.session, input),
        }
    }

    fn record_call<T>(&mut self, told: &SessionCall, ask: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => ask(&mut self.session),
            Some(recorder) => recorder.record_call(&mut self.session, told, ask),
        }
    }

    /// Collects what has happened in a step. Returns the outcomes of its commands, all done.
    fn collect(&mut self, step: StepOutput) -> Vec<(u64, CommandOutcome)> {
        self.report.add(step.happened);
        let mut outcomes = Vec::with_capacity(step.commands.len());
        for command in step.commands {
            if let CommandAction::Evict { .. } = command.action {
                self.victims.extend(self.mirror().pod_id(&command.object.pod_name()));
            }
            outcomes.push((command.id, CommandOutcome::Done));
        }
        outcomes
    }
}
