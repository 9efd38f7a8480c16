//! Listeners of the loop: events and conditions, metrics, logs.

use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::cluster::InputError;
use lictor_host::session::{ObjectRef, Session};

use crate::carry_out::FinishedTask;
use crate::decide::foreign::ExternalEviction;
use crate::decide::refused::UnschedulablePod;
use crate::decide::victims::RunningVictim;
use crate::decide::{DeciderOutput, RecordableSession};
use crate::ops::Status;
use crate::watch::GroupKind;
use crate::watch::store::ObjectChange;

/// A function that makes the loop turn at once. False: the loop has ended.
pub type WakeFunction = Box<dyn Fn() -> bool + Send + Sync>;

/// The waker of the loop while this process leads. Its copies wake the same loop.
#[derive(Clone, Default)]
pub struct LoopWaker(Arc<Mutex<Option<WakeFunction>>>);

impl LoopWaker {
    /// Sets the function that wakes the loop, when a time of leading begins.
    pub fn set(&self, wake: WakeFunction) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    /// Makes the loop turn at once. Returns false where there is no loop.
    pub fn wake(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|wake| wake())
    }
}

/// A listener that the loop calls. It must not wait for anything: the session does not go on meanwhile.
pub trait LoopObserver: Send + 'static {
    /// Returns the status that counts the requests of commands. `None`: they are not counted.
    fn status(&self) -> Option<Arc<Status>> {
        None
    }

    /// Takes note that a time of leading begins. `wake` makes the loop turn at once.
    fn begins(&mut self, _wake: WakeFunction) {}

    /// Takes a change of an object: it is new, differs from before, or is gone.
    fn saw(&mut self, _news: &ObjectChange) {}

    /// Acts after each turn of the loop. The session may be asked questions; `None`: the cluster was not listed yet.
    fn tick(&mut self, _now: i64, _talk: Option<&mut RecordableSession>) {}

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
    fn syncing(&mut self, _missing: &[GroupKind]) {}

    /// Takes the result of an input to the session or of a decision. `cycle`: the time of the decision, in nanoseconds; `None`: it was an input.
    fn turned(&mut self, _turn: &DeciderOutput, _session: &Session, _cycle: Option<i64>) {}

    /// Takes note that a task has come to its end.
    fn finished(&mut self, _finished: &FinishedTask) {}

    /// Takes note that kube-scheduler refuses a pod that was let go. `deleted`: the pod is deleted now, because its owner makes another.
    fn refused(&mut self, _refusal: &UnschedulablePod, _deleted: bool) {}

    /// Takes note that kube-scheduler does not refuse a pod any more, or that the pod is gone.
    fn placed(&mut self, _refusal: &UnschedulablePod) {}

    /// Takes note that a PodDisruptionBudget refuses an eviction that is tried again.
    fn blocked(&mut self, _victim: &ObjectRef, _why: &str) {}

    /// Takes note that a victim still runs long after it was marked.
    fn stands(&mut self, _victim: &RunningVictim) {}

    /// Takes note of how many pods that were let go kube-scheduler refuses now, and how many victims still run long after they were marked.
    fn counted(&mut self, _refused: usize, _overdue: usize) {}

    /// Takes note that the objects of a kind cannot be read, and why; an empty reason: they can be read again.
    fn unreadable(&mut self, _kind: &GroupKind, _why: &str) {}

    /// Takes note that others evict a pod.
    fn foreign(&mut self, _foreign: &ExternalEviction) {}

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
impl<A: LoopObserver, B: LoopObserver> LoopObserver for (A, B) {
    fn status(&self) -> Option<Arc<Status>> {
        self.0.status().or_else(|| self.1.status())
    }

    fn begins(&mut self, wake: WakeFunction) {
        let wake = Arc::new(wake);
        let other = wake.clone();
        self.0.begins(Box::new(move || wake()));
        self.1.begins(Box::new(move || other()));
    }

    fn saw(&mut self, news: &ObjectChange) {
        self.0.saw(news);
        self.1.saw(news);
    }

    fn tick(&mut self, now: i64, mut talk: Option<&mut RecordableSession>) {
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

    fn syncing(&mut self, missing: &[GroupKind]) {
        self.0.syncing(missing);
        self.1.syncing(missing);
    }

    fn turned(&mut self, turn: &DeciderOutput, session: &Session, cycle: Option<i64>) {
        self.0.turned(turn, session, cycle);
        self.1.turned(turn, session, cycle);
    }

    fn finished(&mut self, finished: &FinishedTask) {
        self.0.finished(finished);
        self.1.finished(finished);
    }

    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        self.0.refused(refusal, deleted);
        self.1.refused(refusal, deleted);
    }

    fn placed(&mut self, refusal: &UnschedulablePod) {
        self.0.placed(refusal);
        self.1.placed(refusal);
    }

    fn blocked(&mut self, victim: &ObjectRef, why: &str) {
        self.0.blocked(victim, why);
        self.1.blocked(victim, why);
    }

    fn stands(&mut self, victim: &RunningVictim) {
        self.0.stands(victim);
        self.1.stands(victim);
    }

    fn counted(&mut self, refused: usize, overdue: usize) {
        self.0.counted(refused, overdue);
        self.1.counted(refused, overdue);
    }

    fn unreadable(&mut self, kind: &GroupKind, why: &str) {
        self.0.unreadable(kind, why);
        self.1.unreadable(kind, why);
    }

    fn foreign(&mut self, foreign: &ExternalEviction) {
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
pub struct NoopObserver;

impl LoopObserver for NoopObserver {}
