//! The parts with which a conversation begins, its listener, and its end.

use std::sync::Arc;
use std::time::Duration;

use lictor_contract::ExtensionPoint;
use lictor_host::cluster::{InputError, KubernetesObject};
use lictor_host::living::JsonFile;
use lictor_host::recording::Recorder;
use lictor_host::session::{
    CommandId, CommandOutcome, PluginRequest, PluginResponse, Session, SessionError, StepOutput,
};

use crate::exclusive::ExclusiveGuard;
use crate::message::Welcome;

/// A session without inputs.
pub struct ConnectionSetup {
    /// The session.
    pub session: Session,
    /// The recorder of the session, if there is one. It already watches the policy. A recording is of one session at a time.
    pub recorder: Option<Arc<Recorder>>,
    /// The store of the checkpoint, for one session at a time. The session continues from the state in it.
    pub checkpoint: Option<Arc<JsonFile>>,
    /// The exclusive right to the recording and the checkpoint, where one of them exists. It ends with the conversation.
    pub right: Option<ExclusiveGuard>,
    /// The points at which the policy decides.
    pub points: Vec<ExtensionPoint>,
    /// The first message of the host.
    pub welcome: Welcome,
}

/// A listener, for example for a log.
pub trait ConnectionObserver: Send + Sync {
    /// Returns the listener of one connection, which replaces this one until the connection ends. `None`: this listener stays.
    fn connection(&self) -> Option<Arc<dyn ConnectionObserver>> {
        None
    }
    /// Takes the objects before the session receives them: at first all objects, then those that are new or have changed.
    fn objects(&self, _objects: &[KubernetesObject]) {}
    /// Takes the step of an input or a question.
    fn step(&self, step: &StepOutput, session: &Session);
    /// Takes note that a question was answered, and of the time that took. Its step was reported before.
    fn request_handled(&self, _question: &PluginRequest, _answer: &PluginResponse, _took: Duration) {}
    /// Takes the outcome of a command.
    fn command_settled(&self, _command: CommandId, _outcome: &CommandOutcome) {}
    /// Takes note that a batch of frames was taken. Called every second where no frame arrives. `None`: not all objects were received yet.
    fn batch_handled(&self, _session: Option<&Session>) {}
    /// Counts the victims that were only marked and still run a minute later, over all connections.
    fn count_overdue(&self) -> usize {
        0
    }
    /// Takes note that a scheduler has connected, or that it has disconnected.
    fn connection_changed(&self, _is: bool) {}
    /// Takes note that an input or a question could not be served.
    fn error(&self, error: &SessionError);

    /// Takes note that the attempt of a question has failed, because the policy has.
    fn attempt_failed(&self) {}
    /// Takes note that an object could not be read.
    fn object_invalid(&self, mistake: &InputError);
    /// Takes the reason why the checkpoint cannot be read or stored. The conversation continues without a checkpoint.
    fn checkpoint_failed(&self, why: &str) {
        self.write_line(&format!("{why}; continuing without a checkpoint"));
    }
    /// Takes a line about a connection.
    fn write_line(&self, line: &str);
}

/// Why a conversation has ended.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side does not keep to the protocol.
    #[error("a frame of kind {kind} cannot be read: {why}")]
    Unreadable {
        /// The kind.
        kind: u8,
        /// Why.
        why: String,
    },
    /// The other side sent a frame that is not allowed at that point.
    #[error("a frame of kind {0} has no place here")]
    Unexpected(u8),
}
