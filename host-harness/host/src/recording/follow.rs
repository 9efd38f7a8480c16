//! Another policy beside a recorded session: what it decides otherwise while the cluster goes on as recorded.

use std::collections::BTreeMap;

use super::{Came, Header, Recorded, Told};
use crate::compare::Decisions;
use crate::policy::Policy;
use crate::replace::Terms;
use crate::session::{Candidate, CommandId, Input, Led, OpenError, ReplaceError, Session, SessionError};

/// A policy that decides about every input of a recorded session, while what was recorded happens in the cluster.
pub struct Follow {
    session: Session,
    /// The numbers here of the recorded commands.
    numbers: BTreeMap<CommandId, CommandId>,
}

impl Follow {
    /// Opens a session beside the recorded one. System and arguments may be others than the recorded ones.
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub fn open(
        policy: Box<dyn Policy>,
        system: &str,
        arguments: &str,
        schedulers: &[String],
    ) -> Result<Follow, OpenError> {
        let mut session = Session::open(policy, system, arguments)?;
        if !schedulers.is_empty() {
            session.set_schedulers(schedulers.iter().cloned());
        }
        Ok(Follow { session, numbers: BTreeMap::new() })
    }

    /// The same with what the recorded session was opened with.
    ///
    /// # Errors
    /// As [`Follow::open`] says.
    pub fn open_as(policy: Box<dyn Policy>, header: &Header) -> Result<Follow, OpenError> {
        let mut follow = Follow::open(policy, &header.system, &header.arguments, &header.schedulers)?;
        follow.session.set_fault_rules(header.fault_rules);
        Ok(follow)
    }

    /// From here on every decision is explained; see [`Session::explain`].
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.session.explain()
    }

    /// What this policy decides about a recorded step; then the cluster goes on as recorded. What is no input decides nothing.
    pub fn step(&mut self, told: &Told, led: Option<&Came>) -> Decisions {
        let is_input = matches!(told, Told::Input(_));
        let came = self.translated(told).tell(&mut self.session);
        let own = Came::of(&self.session, &came);
        if !is_input {
            return Decisions::default();
        }
        let led = led.map(|led| Led { commands: &led.commands, held: &led.held });
        let empty = BTreeMap::new();
        let led = led.unwrap_or(Led { commands: &[], held: &empty });
        let mut decisions = own.decisions;
        match self.session.follow(&own.commands, led) {
            Ok(numbers) => self.numbers.extend(numbers),
            Err(error) => {
                decisions.error.get_or_insert(error.to_string());
            }
        }
        decisions
    }

    /// Begins to replace the policy; see [`Session::replace`]. The new one is told the whole cluster before the next step.
    ///
    /// # Errors
    /// See [`Session::replace`].
    pub fn replace(&mut self, candidate: Candidate, terms: Terms) -> Result<(), ReplaceError> {
        self.session.replace(candidate, terms)?;
        Ok(self.session.load_replacement()?)
    }

    /// The session, at the end of the recording.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// The session as it is now.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Outcomes name the commands of the recorded session.
    fn translated(&self, told: &Told) -> Told {
        let Told::Input(Input::Outcomes(outcomes)) = told else { return told.clone() };
        let own = outcomes.iter().filter_map(|(id, outcome)| Some((*self.numbers.get(id)?, outcome.clone())));
        Told::Input(Input::Outcomes(own.collect()))
    }

    /// What this policy decides about a step as it was recorded.
    pub fn recorded(&mut self, recorded: &Recorded) -> Decisions {
        self.step(&recorded.told, recorded.came.as_ref())
    }
}
