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
    fn leadership_started(&mut self, _wake: WakeFunction) {}

    /// Takes a change of an object: it is new, differs from before, or is gone.
    fn object_changed(&mut self, _news: &ObjectChange) {}

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
    fn output_applied(&mut self, _turn: &DeciderOutput, _session: &Session, _cycle: Option<i64>) {}

    /// Takes note that a task has come to its end.
    fn task_finished(&mut self, _finished: &FinishedTask) {}

    /// Takes note that kube-scheduler refuses a pod that was let go. `deleted`: the pod is deleted now, because its owner makes another.
    fn refused(&mut self, _refusal: &UnschedulablePod, _deleted: bool) {}

    /// Takes note that kube-scheduler does not refuse a pod any more, or that the pod is gone.
    fn refusal_ended(&mut self, _refusal: &UnschedulablePod) {}

    /// Takes note that a PodDisruptionBudget refuses an eviction that is tried again.
    fn eviction_blocked(&mut self, _victim: &ObjectRef, _why: &str) {}

    /// Takes note that a victim still runs long after it was marked.
    fn victim_overdue(&mut self, _victim: &RunningVictim) {}

    /// Takes note of how many pods that were let go kube-scheduler refuses now, and how many victims still run long after they were marked.
    fn overdue_counted(&mut self, _refused: usize, _overdue: usize) {}

    /// Takes note that the objects of a kind cannot be read, and why; an empty reason: they can be read again.
    fn kind_unreadable(&mut self, _kind: &GroupKind, _why: &str) {}

    /// Takes note that others evict a pod.
    fn external_eviction(&mut self, _foreign: &ExternalEviction) {}

    /// Takes note that an object could not be read; the last known version still holds.
    fn object_invalid(&mut self, _key: &str, _mistake: &InputError) {}

    /// Takes note that a checkpoint could not be stored, and why. An empty reason: the next one was stored.
    fn checkpoint_failed(&mut self, _why: &str) {}

    /// Takes note that another process has taken the checkpoint over, and which one, as a sentence. This time of leading ends.
    fn checkpoint_taken_over(&mut self, why: &str) {
        self.checkpoint_failed(why);
    }

    /// Takes note that another controller, named by the manager of its fields, writes at the same time.
    fn other_controller(&mut self, _manager: &str) {}
}

/// Two listeners, one after the other.
impl<A: LoopObserver, B: LoopObserver> LoopObserver for (A, B) {
    fn status(&self) -> Option<Arc<Status>> {
        self.0.status().or_else(|| self.1.status())
    }

    fn leadership_started(&mut self, wake: WakeFunction) {
        let wake = Arc::new(wake);
        let other = wake.clone();
        self.0.leadership_started(Box::new(move || wake()));
        self.1.leadership_started(Box::new(move || other()));
    }

    fn object_changed(&mut self, news: &ObjectChange) {
        self.0.object_changed(news);
        self.1.object_changed(news);
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

    fn output_applied(&mut self, turn: &DeciderOutput, session: &Session, cycle: Option<i64>) {
        self.0.output_applied(turn, session, cycle);
        self.1.output_applied(turn, session, cycle);
    }

    fn task_finished(&mut self, finished: &FinishedTask) {
        self.0.task_finished(finished);
        self.1.task_finished(finished);
    }

    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        self.0.refused(refusal, deleted);
        self.1.refused(refusal, deleted);
    }

    fn refusal_ended(&mut self, refusal: &UnschedulablePod) {
        self.0.refusal_ended(refusal);
        self.1.refusal_ended(refusal);
    }

    fn eviction_blocked(&mut self, victim: &ObjectRef, why: &str) {
        self.0.eviction_blocked(victim, why);
        self.1.eviction_blocked(victim, why);
    }

    fn victim_overdue(&mut self, victim: &RunningVictim) {
        self.0.victim_overdue(victim);
        self.1.victim_overdue(victim);
    }

    fn overdue_counted(&mut self, refused: usize, overdue: usize) {
        self.0.overdue_counted(refused, overdue);
        self.1.overdue_counted(refused, overdue);
    }

    fn kind_unreadable(&mut self, kind: &GroupKind, why: &str) {
        self.0.kind_unreadable(kind, why);
        self.1.kind_unreadable(kind, why);
    }

    fn external_eviction(&mut self, foreign: &ExternalEviction) {
        self.0.external_eviction(foreign);
        self.1.external_eviction(foreign);
    }

    fn object_invalid(&mut self, key: &str, mistake: &InputError) {
        self.0.object_invalid(key, mistake);
        self.1.object_invalid(key, mistake);
    }

    fn checkpoint_failed(&mut self, why: &str) {
        self.0.checkpoint_failed(why);
        self.1.checkpoint_failed(why);
    }

    fn checkpoint_taken_over(&mut self, why: &str) {
        self.0.checkpoint_taken_over(why);
        self.1.checkpoint_taken_over(why);
    }

    fn other_controller(&mut self, manager: &str) {
        self.0.other_controller(manager);
        self.1.other_controller(manager);
    }
}

/// A listener that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoopObserver;

impl LoopObserver for NoopObserver {}
