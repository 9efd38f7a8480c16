//! A session with or without a recorder.

use std::collections::BTreeMap;

use lictor_contract::QueueAccount;
use lictor_host::recording::{Recorder, SessionCall};
use lictor_host::session::{PodStanding, Session, SessionCheckpoint, SessionError, SessionInput, StepOutput};

/// A session, and the recorder of its inputs, if there is one.
pub struct RecordableSession {
    session: Session,
    recorder: Option<Recorder>,
}

impl RecordableSession {
    /// Makes a session with an optional recorder. The policy of the session must be the one that the recorder watches.
    pub fn new(session: Session, recorder: Option<Recorder>) -> RecordableSession {
        RecordableSession { session, recorder }
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the session for changes that are no inputs, such as the replacement of its policy. The recorder does not see them.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Hands an input to the session: see [`Session::handle`].
    ///
    /// # Errors
    /// See [`Session::handle`].
    pub fn handle(&mut self, input: SessionInput) -> Result<StepOutput, SessionError> {
        match &self.recorder {
            None => self.session.handle(input),
            Some(recorder) => recorder.handle(&mut self.session, input),
        }
    }

    /// Asks for an explanation of the pods that wait: see [`Session::explain`].
    ///
    /// # Errors
    /// See [`Session::explain`].
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.call_recorded(&SessionCall::Explain, Session::explain)
    }

    /// Returns the accounts of the queues: see [`Session::accounts`].
    ///
    /// # Errors
    /// See [`Session::accounts`].
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        self.call_recorded(&SessionCall::Accounts, Session::accounts)
    }

    /// Returns the standings of pods: see [`Session::standings_of`].
    ///
    /// # Errors
    /// See [`Session::standings_of`].
    pub fn standings_of(&mut self, pods: &[String]) -> Result<BTreeMap<String, PodStanding>, SessionError> {
        self.call_recorded(&SessionCall::StandingsOf(pods.to_vec()), |session| session.standings_of(pods))
    }

    /// Returns a checkpoint of the session: see [`Session::checkpoint`].
    ///
    /// # Errors
    /// See [`Session::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<SessionCheckpoint, SessionError> {
        self.call_recorded(&SessionCall::Checkpoint, Session::checkpoint)
    }

    /// Restores a checkpoint into the session: see [`Session::restore`].
    ///
    /// # Errors
    /// See [`Session::restore`].
    pub fn restore(&mut self, checkpoint: SessionCheckpoint) -> Result<(), SessionError> {
        let told = SessionCall::Restore(Box::new(checkpoint.clone()));
        self.call_recorded(&told, |session| session.restore(checkpoint))
    }

    fn call_recorded<T>(&mut self, told: &SessionCall, ask: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => ask(&mut self.session),
            Some(recorder) => recorder.record_call(&mut self.session, told, ask),
        }
    }
}
