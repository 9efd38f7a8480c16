//! What a conversation begins with, who hears of it, and how it ends.

use std::sync::Arc;
use std::time::Duration;

use lictor_contract::ExtensionPoint;
use lictor_host::cluster::{InputError, Object};
use lictor_host::living::Stored;
use lictor_host::recording::Recorder;
use lictor_host::session::{Answer, CommandId, CommandOutcome, Question, Session, SessionError, Step};

use crate::exclusive::Acquired;
use crate::message::Welcome;

/// A session that was told nothing yet.
pub struct Opened {
    /// The session.
    pub session: Session,
    /// What records it: its policy is one that the recorder listens to. A recording is of one session at a time.
    pub recorder: Option<Arc<Recorder>>,
    /// Where its checkpoint is kept, for one session at a time; the session goes on from what is there.
    pub checkpoint: Option<Arc<Stored>>,
    /// The right to the recording and the checkpoint, where there is one of them; it ends with the conversation.
    pub right: Option<Acquired>,
    /// The points at which the policy decides.
    pub points: Vec<ExtensionPoint>,
    /// Who answers.
    pub welcome: Welcome,
}

/// Hears what happens, such as to say it in a log.
pub trait Report: Send + Sync {
    /// Returns what hears of one connection in place of this, until the connection ends; none where this hears of all of them.
    fn connection(&self) -> Option<Arc<dyn Report>> {
        None
    }
    /// Looks at the objects that the session gets next: at first all that there are, then those that are new or have changed.
    fn objects(&self, _objects: &[Object]) {}
    /// Something came of what was told or asked.
    fn step(&self, step: &Step, session: &Session);
    /// A question was answered, in this time. What came of it was heard before.
    fn answered(&self, _question: &Question, _answer: &Answer, _took: Duration) {}
    /// What became of a command.
    fn settled(&self, _command: CommandId, _outcome: &CommandOutcome) {}
    /// What came was taken. Where nothing comes, this is called every second; before all was told, without a session.
    fn turned(&self, _session: Option<&Session>) {}
    /// Counts the victims that were only marked and still run a minute later, over all connections.
    fn overdue(&self) -> usize {
        0
    }
    /// A scheduler is connected, or gone again.
    fn connected(&self, _is: bool) {}
    /// Something could not be served.
    fn error(&self, error: &SessionError);

    /// Notes that the attempt which a question is part of has failed, because the policy has.
    fn attempt_failed(&self) {}
    /// An object could not be read.
    fn unread(&self, mistake: &InputError);
    /// Something about a connection.
    fn say(&self, line: &str);
}

/// Why a conversation is over.
#[derive(Debug, thiserror::Error)]
pub enum Over {
    /// The other side does not keep to the protocol.
    #[error("a frame of kind {kind} cannot be read: {why}")]
    Unreadable {
        /// The kind.
        kind: u8,
        /// Why.
        why: String,
    },
    /// It sent a frame that has no place there.
    #[error("a frame of kind {0} has no place here")]
    Unexpected(u8),
}
