//! The thread of the session, while this process leads.

mod begin;
mod end;
mod facts;
mod look;
mod pods;
mod tasks;

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use lictor_host::living::{SessionClock, nanoseconds};
use tokio::time::Instant;

use super::inbox::{LoopEvent, receive_batch};
use super::listener::LoopObserver;
use super::pace::{DecidedPart, LoopPace};
use super::{SessionSetup, Settings};
use crate::carry_out::{Executor, ExecutorTask, FinishedTask, PlaceableObject, TaskContext, TaskReport};
use crate::decide::{Decider, DeciderOutput, SessionFact};
use crate::state::CheckpointStore;
use crate::watch::store::ObjectCache;
use crate::watch::{GroupKind, WatchMessage};
use end::LeaderCheckpoints;
pub(super) use end::LeaderLoopParts;
use facts::PendingChanges;
use look::named;
use pods::TrackedPods;
use tasks::SubmittedTasks;

/// How long to wait where nothing is due. 10 s.
const IDLE: Duration = Duration::from_secs(10);

/// One time of leading.
pub(super) struct LeaderLoop<L> {
    settings: Settings,
    clock: SessionClock,
    cache: ObjectCache,
    pending_changes: PendingChanges,
    /// The session, before and after the cluster was listed.
    setup: Option<SessionSetup>,
    decider: Option<Decider>,
    pods: TrackedPods,
    /// Whether this process deletes victims, by the policy and the arguments in force.
    deletes_victims: bool,
    checkpoints: LeaderCheckpoints,
    tasks: SubmittedTasks,
    observer: L,
    pace: LoopPace,
}

impl<L: LoopObserver> LeaderLoop<L> {
    pub(super) fn new(
        settings: Settings,
        opened: SessionSetup,
        store: ObjectCache,
        executor: Executor,
        listener: L,
        keep: Option<Box<dyn CheckpointStore>>,
        clock: SessionClock,
    ) -> LeaderLoop<L> {
        LeaderLoop {
            pods: TrackedPods::new(&settings),
            deletes_victims: opened.deletes_victims,
            settings,
            clock,
            cache: store,
            pending_changes: PendingChanges::new(),
            setup: Some(opened),
            decider: None,
            checkpoints: LeaderCheckpoints::new(keep),
            tasks: SubmittedTasks::new(executor),
            observer: listener,
            pace: LoopPace::new(),
        }
    }

    /// Runs until it is stopped, or another process leads.
    pub(super) fn run(mut self, inbox: &Receiver<LoopEvent>) -> LeaderLoopParts<L> {
        while let Some(came) = receive_batch(inbox, self.wait(), self.batch_window()) {
            match self.turn(came) {
                None => {}
                Some(graceful) => {
                    if graceful {
                        self.shut_down(inbox);
                    }
                    break;
                }
            }
        }
        self.into_parts()
    }

    /// Takes messages, and decides. Returns whether the end is a graceful one where the loop must stop; then nothing is decided. A checkpoint that
    /// another process has taken over is an end, too.
    pub(super) fn turn(&mut self, came: Vec<LoopEvent>) -> Option<bool> {
        let stop =
            came.iter().find_map(|came| if let LoopEvent::Stop(graceful) = came { Some(*graceful) } else { None });
        self.take(came);
        if stop.is_none() {
            self.decide();
            self.tick();
        }
        if self.checkpoints.is_taken_over() { Some(false) } else { stop }
    }

    /// Returns how long to wait for further messages after the first one. Zero in the middle of a cycle.
    fn batch_window(&self) -> Duration {
        let is_in_cycle = self.decider.as_ref().is_some_and(Decider::is_in_cycle);
        if is_in_cycle { Duration::ZERO } else { self.settings.batch_window }
    }

    /// Returns how long nothing is due.
    pub(super) fn wait(&self) -> Duration {
        let Some(decider) = &self.decider else { return IDLE };
        let own = [self.pods.next(), self.observer.due()];
        let timed = decider.wake_at().into_iter().chain(own.into_iter().flatten()).min();
        let timed = timed.map_or(IDLE, |at| self.clock.until(at).max(Duration::from_millis(1)));
        if decider.is_due() { self.pace.rest().min(timed).min(IDLE) } else { timed.min(IDLE) }
    }

    /// Takes messages.
    fn take(&mut self, came: Vec<LoopEvent>) {
        let mut outcomes = Vec::new();
        let is_listing = self.decider.is_none();
        for came in came {
            match came {
                LoopEvent::Watch(kind, seen) => self.observe(&kind, seen),
                LoopEvent::Report(TaskReport::Finished(finished)) => outcomes.extend(self.finish(*finished)),
                LoopEvent::Report(TaskReport::Blocked(victim, why)) => self.observer.eviction_blocked(&victim, &why),
                LoopEvent::Wake | LoopEvent::Stop(_) => {}
            }
        }
        if is_listing {
            let missing: Vec<GroupKind> = self.cache.missing().cloned().collect();
            self.observer.syncing(&missing);
            if missing.is_empty() {
                self.begin();
            }
            return;
        }
        let mut facts = self.pending_changes.take_facts(&mut self.observer);
        facts.extend(outcomes);
        let now = self.clock.now();
        if let Some(mut decider) = self.decider.take() {
            let turn = decider.apply_facts(now, facts);
            self.carry_out(&mut decider, turn, None);
            self.decider = Some(decider);
        }
        self.check_timeouts(now);
    }

    fn observe(&mut self, kind: &GroupKind, seen: WatchMessage) {
        let now = self.clock.now();
        match &seen {
            WatchMessage::Unreadable(why) => self.observer.kind_unreadable(kind, why),
            WatchMessage::Upserted(object) if kind.group.is_empty() && kind.kind == "Pod" => {
                self.check_other_controllers(object, now)
            }
            _ => {}
        }
        for news in self.cache.take(kind, seen) {
            let evicted = self.pods.observe(&news, now);
            if let Some(decider) = &mut self.decider {
                decider.observe(&news, now);
                // A pod that was leaving before this process led was reported by another process.
                evicted.iter().for_each(|evicted| self.observer.external_eviction(evicted));
            }
            self.observer.object_changed(&news);
            self.pending_changes.push(news);
        }
    }

    /// Takes the end of a task: first the object that it shows, as a change, then the outcome. `None`: the task was no command of the session.
    fn finish(&mut self, finished: FinishedTask) -> Option<SessionFact> {
        self.tasks.finish(&finished.task);
        self.observer.task_finished(&finished);
        let FinishedTask { task, done } = finished;
        if done.is_deleted || done.object.is_some() {
            let placed = self.cache.placed(&task.object().kind).map(|(kind, _)| kind.clone());
            // The watch may lag: a decision with the old object would send requests in vain, again and again.
            let seen = done.object.map_or_else(|| WatchMessage::Deleted(named(task.object())), WatchMessage::Upserted);
            self.observe(&placed.unwrap_or(GroupKind::new("", "Pod")), seen);
        }
        task.command().map(|id| SessionFact::Outcome(id, done.outcome))
    }

    fn tick(&mut self) {
        let now = self.clock.now();
        self.observer.tick(now, self.decider.as_mut().map(Decider::recordable_session));
        if self.observer.wants_decision() {
            self.decider.iter_mut().for_each(Decider::request_cycle);
        }
        if let Some(deletes) = self.observer.deletes_victims() {
            self.set_deletes_victims(deletes);
        }
    }

    fn decide(&mut self) {
        let begun = Instant::now();
        if !self.pace.rest().is_zero() || !self.decider.as_ref().is_some_and(Decider::is_due) {
            return;
        }
        let Some(mut decider) = self.decider.take() else { return };
        let turn = decider.decide(self.pace.batch_size());
        let cycle = self.pace.after(&DecidedPart {
            begun,
            attempts: turn.steps.iter().map(|step| step.happened.attempts.len()).sum(),
            is_in_cycle: decider.is_in_cycle(),
            withdraws: turn.steps.iter().any(|step| !step.happened.withdrawn.is_empty()),
            has_failed: !turn.errors.is_empty(),
        });
        self.carry_out(&mut decider, turn, cycle.map(nanoseconds));
        self.decider = Some(decider);
    }

    /// Hands the tasks of a turn to the executor. The state that another process would need is stored before any of them writes: a process that has
    /// lost the lead without notice learns that from its checkpoint, and must not undo what the other one has written.
    fn carry_out(&mut self, decider: &mut Decider, turn: DeciderOutput, cycle: Option<i64>) {
        if turn.tasks.iter().any(|task| !matches!(task, ExecutorTask::Confirm(..))) {
            self.save(decider);
        }
        // The other process decides about all of this.
        if self.checkpoints.is_taken_over() {
            return;
        }
        self.observer.output_applied(&turn, decider.session(), cycle);
        for id in turn.cancelled {
            self.tasks.cancel(id);
        }
        for task in turn.tasks {
            let object = task.object();
            let kind = self.cache.placed(&object.kind);
            let placed = kind.map(|(_, kind)| PlaceableObject::of(kind.clone(), object, decider.session().mirror()));
            let raw = if placed.is_none() { self.cache.raw(&object.namespace, &object.name) } else { None };
            let leaving_marks = if task.evicts() { decider.leaving_marks() } else { Vec::new() };
            self.tasks.submit(task, TaskContext { raw, placed: placed.map(Arc::new), leaving_marks });
        }
    }
}
