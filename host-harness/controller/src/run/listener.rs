//! Listeners of the loop: events and conditions, metrics, logs.

use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::cluster::InputError;
use lictor_host::session::{ObjectRef, Session};

use crate::carry_out::Finished;
use crate::decide::foreign::Foreign;
use crate::decide::refused::Refusal;
use crate::decide::victims::Standing;
use crate::decide::{Talk, Turn};
use crate::ops::Status;
use crate::watch::Kind;
use crate::watch::store::News;

/// A function that makes the loop turn at once. False: the loop has ended.
pub type Wake = Box<dyn Fn() -> bool + Send + Sync>;

/// The waker of the loop while this process leads. Its copies wake the same loop.
#[derive(Clone, Default)]
pub struct Waker(Arc<Mutex<Option<Wake>>>);

impl Waker {
    /// Sets the function that wakes the loop, when a time of leading begins.
    pub fn set(&self, wake: Wake) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    /// Makes the loop turn at once. Returns false where there is no loop.
    pub fn wake(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|wake| wake())
    }
}

/// A listener that the loop calls. It must not wait for anything: the session does not go on meanwhile.
pub trait Listener: Send + 'static {
    /// Returns the status that counts the requests of commands. `None`: they are not counted.
    fn status(&self) -> Option<Arc<Status>> {
        None
    }

    /// Takes note that a time of leading begins. `wake` makes the loop turn at once.
    fn begins(&mut self, _wake: Wake) {}

    /// Takes a change of an object: it is new, differs from before, or is gone.
    fn saw(&mut self, _news: &News) {}

    /// Acts after each turn of the loop. The session may be asked questions; `None`: the cluster was not listed yet.
    fn tick(&mut self, _now: i64, _talk: Option<&mut Talk>) {}

    /// Returns whether the loop must decide once more, though nothing has changed. Called after each `tick`.
    fn wants_decision(&mut self) -> bool {
        false
    }

    /// Returns whether victims are deleted from now on, because of another policy or other arguments. `None`: that has not changed. Called after each
    /// `tick`.
    fn deletes_victims(&mut self) -> Option<bool> {
        None
    }

    /// Returns the latest time of the next turn of the loop, in nanoseconds since 1970. `None`: the listener needs none.
    fn due(&self) -> Option<i64> {
        None
    }

    /// Takes note of the kinds that were not listed yet, after the watches have begun. Empty: the session begins.
    fn syncing(&mut self, _missing: &[Kind]) {}

    /// Takes the result of an input to the session or of a decision. `cycle`: the time of the decision, in nanoseconds; `None`: it was an input.
    fn turned(&mut self, _turn: &Turn, _session: &Session, _cycle: Option<i64>) {}

    /// Takes note that a task has come to its end.
    fn finished(&mut self, _finished: &Finished) {}

    /// Takes note that kube-scheduler refuses a pod that was let go. `deleted`: the pod is deleted now, because its owner makes another.
    fn refused(&mut self, _refusal: &Refusal, _deleted: bool) {}

    /// Takes note that kube-scheduler does not refuse a pod any more, or that the pod is gone.
    fn placed(&mut self, _refusal: &Refusal) {}

    /// Takes note that a PodDisruptionBudget refuses an eviction that is tried again.
    fn blocked(&mut self, _victim: &ObjectRef, _why: &str) {}

    /// Takes note that a victim still runs long after it was marked.
    fn stands(&mut self, _victim: &Standing) {}

    /// Takes note of how many pods that were let go kube-scheduler refuses now, and how many victims still run long after they were marked.
    fn counted(&mut self, _refused: usize, _overdue: usize) {}

    /// Takes note that the objects of a kind cannot be read, and why; an empty reason: they can be read again.
    fn unreadable(&mut self, _kind: &Kind, _why: &str) {}

    /// Takes note that others evict a pod.
    fn foreign(&mut self, _foreign: &Foreign) {}

    /// Takes note that an object could not be read; the last known version still holds.
    fn unread(&mut self, _key: &str, _mistake: &InputError) {}

    /// Takes note that a checkpoint could not be stored, and why. An empty reason: the next one was stored.
    fn unsaved(&mut self, _why: &str) {}

    /// Takes note that another process has taken the checkpoint over, and which one, as a sentence. This time of leading ends.
    fn taken_over(&mut self, why: &str) {
        self.unsaved(why);
    }

    /// Takes note that another controller, named by the manager of its fields, writes at the same time.
    fn rival(&mut self, _manager: &str) {}
}

/// Two listeners, one after the other.
impl<A: Listener, B: Listener> Listener for (A, B) {
    fn status(&self) -> Option<Arc<Status>> {
        self.0.status().or_else(|| self.1.status())
    }

    fn begins(&mut self, wake: Wake) {
        let wake = Arc::new(wake);
        let other = wake.clone();
        self.0.begins(Box::new(move || wake()));
        self.1.begins(Box::new(move || other()));
    }

    fn saw(&mut self, news: &News) {
        self.0.saw(news);
        self.1.saw(news);
    }

    fn tick(&mut self, now: i64, mut talk: Option<&mut Talk>) {
        self.0.tick(now, talk.as_deref_mut());
        self.1.tick(now, talk);
    }

    fn wants_decision(&mut self) -> bool {
        let (one, other) = (self.0.wants_decision(), self.1.wants_decision());
        one || other
    }

    fn deletes_victims(&mut self) -> Option<bool> {
        let (one, other) = (self.0.deletes_victims(), self.1.deletes_victims());
        one.or(other)
    }

    fn due(&self) -> Option<i64> {
        self.0.due().into_iter().chain(self.1.due()).min()
    }

    fn syncing(&mut self, missing: &[Kind]) {
        self.0.syncing(missing);
        self.1.syncing(missing);
    }

    fn turned(&mut self, turn: &Turn, session: &Session, cycle: Option<i64>) {
        self.0.turned(turn, session, cycle);
        self.1.turned(turn, session, cycle);
    }

    fn finished(&mut self, finished: &Finished) {
        self.0.finished(finished);
        self.1.finished(finished);
    }

    fn refused(&mut self, refusal: &Refusal, deleted: bool) {
        self.0.refused(refusal, deleted);
        self.1.refused(refusal, deleted);
    }

    fn placed(&mut self, refusal: &Refusal) {
        self.0.placed(refusal);
        self.1.placed(refusal);
    }

    fn blocked(&mut self, victim: &ObjectRef, why: &str) {
        self.0.blocked(victim, why);
        self.1.blocked(victim, why);
    }

    fn stands(&mut self, victim: &Standing) {
        self.0.stands(victim);
        self.1.stands(victim);
    }

    fn counted(&mut self, refused: usize, overdue: usize) {
        self.0.counted(refused, overdue);
        self.1.counted(refused, overdue);
    }

    fn unreadable(&mut self, kind: &Kind, why: &str) {
        self.0.unreadable(kind, why);
        self.1.unreadable(kind, why);
    }

    fn foreign(&mut self, foreign: &Foreign) {
        self.0.foreign(foreign);
        self.1.foreign(foreign);
    }

    fn unread(&mut self, key: &str, mistake: &InputError) {
        self.0.unread(key, mistake);
        self.1.unread(key, mistake);
    }

    fn unsaved(&mut self, why: &str) {
        self.0.unsaved(why);
        self.1.unsaved(why);
    }

    fn taken_over(&mut self, why: &str) {
        self.0.taken_over(why);
        self.1.taken_over(why);
    }

    fn rival(&mut self, manager: &str) {
        self.0.rival(manager);
        self.1.rival(manager);
    }
}

/// A listener that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Listener for Nobody {}
