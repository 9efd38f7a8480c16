//! Who is told what goes on: events and conditions, metrics, logs.

use lictor_host::cluster::InputError;
use lictor_host::session::Session;

use crate::carry_out::Finished;
use crate::decide::Turn;
use crate::decide::refused::Refusal;
use crate::watch::Kind;

/// Is told what goes on. It must not wait for anything: the session does not go on meanwhile.
pub trait Listener: Send + 'static {
    /// Watches have begun; these kinds were not listed yet. None left: the session begins.
    fn syncing(&mut self, _missing: &[Kind]) {}

    /// The session was told something, or has decided. `cycle`: it was a decision, and how long it took, in nanoseconds.
    fn turned(&mut self, _turn: &Turn, _session: &Session, _cycle: Option<i64>) {}

    /// A task has come to its end.
    fn finished(&mut self, _finished: &Finished) {}

    /// kube-scheduler refuses a pod that was let go. True: it is deleted now, because whoever owns it makes another.
    fn refused(&mut self, _refusal: &Refusal, _deleted: bool) {}

    /// An object could not be read; what was known of it before still holds.
    fn unread(&mut self, _key: &str, _mistake: &InputError) {}

    /// What another process would need to go on could not be stored.
    fn unsaved(&mut self, _why: &str) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Listener for Nobody {}
