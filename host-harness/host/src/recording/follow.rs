//! Runs another policy next to a recorded session, and returns its decisions. The cluster continues as recorded.

use std::collections::BTreeMap;

use super::{Came, Header, Recorded, Told};
use crate::compare::Decisions;
use crate::policy::Policy;
use crate::replace::Terms;
use crate::session::{Candidate, CommandId, Input, Led, OpenError, ReplaceError, Session, SessionError};

/// A candidate policy that decides about every input of a recorded session, while the cluster follows the recorded commands.
pub struct Follow {
    session: Session,
    /// The commands of this session, by the recorded command.
    numbers: BTreeMap<CommandId, CommandId>,
}

impl Follow {
    /// Opens a session next to the recorded one. System and arguments may differ from the recorded ones.
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

    /// Opens a session with the system, arguments, schedulers and fault rules of the recorded one.
    ///
    /// # Errors
    /// Those of [`Follow::open`].
    pub fn open_as(policy: Box<dyn Policy>, header: &Header) -> Result<Follow, OpenError> {
        let mut follow = Follow::open(policy, &header.system, &header.arguments, &header.schedulers)?;
        follow.session.set_fault_rules(header.fault_rules);
        Ok(follow)
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
    pub fn step(&mut self, told: &Told, led: Option<&Came>) -> Decisions {
        let is_input = told.has_step();
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

    /// Begins to replace the policy; see [`Session::replace`]. The new policy receives the whole cluster before the next step.
    ///
    /// # Errors
    /// See [`Session::replace`].
    pub fn replace(&mut self, candidate: Candidate, terms: Terms) -> Result<(), ReplaceError> {
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
    fn translated(&self, told: &Told) -> Told {
        let Told::Input(Input::Outcomes(outcomes)) = told else { return told.clone() };
        let own = outcomes.iter().filter_map(|(id, outcome)| Some((*self.numbers.get(id)?, outcome.clone())));
        Told::Input(Input::Outcomes(own.collect()))
    }

    /// Returns the decisions of this policy about a step as it was recorded.
    pub fn recorded(&mut self, recorded: &Recorded) -> Decisions {
        self.step(&recorded.told, recorded.came.as_ref())
    }
}
