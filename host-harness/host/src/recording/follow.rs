//! Runs another policy next to a recorded session, and returns its decisions. The cluster continues as recorded.

use std::collections::BTreeMap;

use super::{Header, RecordedResult, RecordedStep, SessionCall};
use crate::compare::Decisions;
use crate::policy::Policy;
use crate::replace::ReplacementTerms;
use crate::session::{
    CandidatePolicy, CommandId, LeaderDecisions, OpenError, ReplaceError, Session, SessionError, SessionInput,
};

/// A candidate policy that decides about every input of a recorded session, while the cluster follows the recorded commands.
pub struct RecordedFollower {
    session: Session,
    /// The commands of this session, by the recorded command.
    numbers: BTreeMap<CommandId, CommandId>,
}

impl RecordedFollower {
    /// Opens a session next to the recorded one, with the system, arguments, schedulers, fault rules and rails of a header.
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub fn open(policy: Box<dyn Policy>, header: &Header) -> Result<RecordedFollower, OpenError> {
        let mut session = Session::open(policy, &header.system, &header.arguments)?;
        if !header.schedulers.is_empty() {
            session.set_schedulers(header.schedulers.iter().cloned());
        }
        session.set_fault_rules(header.fault_rules);
        session.set_rails(header.rails.clone());
        Ok(RecordedFollower { session, numbers: BTreeMap::new() })
    }

    /// Explains every decision from now on; see [`Session::explain`]. Returns `false` where the policy has no explanations.
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.session.explain()
    }

    /// Returns the decisions of this policy about a recorded step, and then applies the recorded commands to the cluster. Only inputs and questions
    /// have decisions.
    pub fn step(&mut self, told: &SessionCall, led: Option<&RecordedResult>) -> Decisions {
        let is_input = told.has_step();
        let came = self.translated(told).apply(&mut self.session);
        let own = RecordedResult::of(&self.session, &came);
        if !is_input {
            return Decisions::default();
        }
        let led = led.map(|led| LeaderDecisions { commands: &led.commands, held: &led.held });
        let empty = BTreeMap::new();
        let led = led.unwrap_or(LeaderDecisions { commands: &[], held: &empty });
        let mut decisions = own.decisions;
        match self.session.follow_leader(&own.commands, led) {
            Ok(numbers) => self.numbers.extend(numbers),
            Err(error) => {
                decisions.error.get_or_insert(error.to_string());
            }
        }
        decisions
    }

    /// Begins to replace the policy; see [`Session::replace`]. The new policy receives the whole cluster before the next step.
    ///
    /// # Errors
    /// See [`Session::replace`].
    pub fn replace(&mut self, candidate: CandidatePolicy, terms: ReplacementTerms) -> Result<(), ReplaceError> {
        self.session.replace(candidate, terms)?;
        Ok(self.session.load_replacement()?)
    }

    /// Returns the session at the end of the recording.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Returns the current session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Replaces the recorded command numbers in outcomes by those of this session. Drops outcomes of commands that this session did not follow.
    fn translated(&self, told: &SessionCall) -> SessionCall {
        let SessionCall::Input(SessionInput::Outcomes(outcomes)) = told else { return told.clone() };
        let own = outcomes.iter().filter_map(|(id, outcome)| Some((*self.numbers.get(id)?, outcome.clone())));
        SessionCall::Input(SessionInput::Outcomes(own.collect()))
    }

    /// Returns the decisions of this policy about a step as it was recorded.
    pub fn decide_recorded(&mut self, recorded: &RecordedStep) -> Decisions {
        self.step(&recorded.call, recorded.result.as_ref())
    }
}
