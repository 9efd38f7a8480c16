//! The end of a time of leading, and the checkpoints from which the next leader continues.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::LeaderLoop;
use crate::decide::{Decider, DeciderCheckpoint, RunMode};
use crate::run::inbox::{LoopEvent, receive_batch};
use crate::run::listener::LoopObserver;
use crate::state::{CheckpointStore, StoreError};

/// The result of the last checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckpointStatus {
    /// It was stored, or there was none yet.
    Stored,
    /// It was not stored.
    Failed,
    /// Another process has taken it over: nothing more is carried out.
    TakenOver,
}

/// The checkpoints of a leader: where they are stored, and whether the last one was.
pub(super) struct LeaderCheckpoints {
    store: Option<Box<dyn CheckpointStore>>,
    last: CheckpointStatus,
}

impl LeaderCheckpoints {
    /// Begins before the first checkpoint. Without a store, none is stored.
    pub(super) fn new(store: Option<Box<dyn CheckpointStore>>) -> LeaderCheckpoints {
        LeaderCheckpoints { store, last: CheckpointStatus::Stored }
    }

    /// Returns whether another process has taken the checkpoint over.
    pub(super) fn is_taken_over(&self) -> bool {
        self.last == CheckpointStatus::TakenOver
    }

    /// Loads the checkpoint of an earlier process, and takes it over; a process that only reports what it would do takes nothing over. A failure is
    /// reported.
    pub(super) fn load(&mut self, mode: RunMode, observer: &mut impl LoopObserver) -> Option<DeciderCheckpoint> {
        let store = self.store.as_mut()?;
        let loaded = if mode == RunMode::Enforce { store.take_over() } else { store.load() };
        loaded.unwrap_or_else(|why| {
            observer.checkpoint_failed(&why);
            self.last = CheckpointStatus::Failed;
            None
        })
    }

    /// Stores a checkpoint, and reports where it cannot be stored, or can be again.
    fn save(&mut self, decider: &mut Decider, observer: &mut impl LoopObserver) {
        let is_over = self.is_taken_over();
        let Some(store) = self.store.as_mut().filter(|_| !is_over) else { return };
        let saved = decider.checkpoint().map_err(|error| StoreError::Failed(error.to_string()));
        let had_failed = self.last == CheckpointStatus::Failed;
        self.last = match saved.and_then(|saved| store.store(&saved)) {
            Err(StoreError::TakenOver(why)) => {
                observer.checkpoint_taken_over(&why);
                CheckpointStatus::TakenOver
            }
            Err(StoreError::Failed(why)) => {
                observer.checkpoint_failed(&why);
                CheckpointStatus::Failed
            }
            Ok(()) => {
                if had_failed {
                    observer.checkpoint_failed("");
                }
                CheckpointStatus::Stored
            }
        };
    }
}

/// The parts of a process that outlive a time of leading.
pub(in crate::run) struct LeaderLoopParts<L> {
    pub(in crate::run) observer: L,
    pub(in crate::run) checkpoint_store: Option<Box<dyn CheckpointStore>>,
    /// Whether another process has taken the checkpoint over.
    pub(in crate::run) is_taken_over: bool,
}

impl<L: LoopObserver> LeaderLoop<L> {
    /// Returns what outlives this time of leading.
    pub(super) fn into_parts(self) -> LeaderLoopParts<L> {
        LeaderLoopParts {
            is_taken_over: self.checkpoints.is_taken_over(),
            observer: self.observer,
            checkpoint_store: self.checkpoints.store,
        }
    }

    /// Waits for the tasks under way, as long as the settings allow; decides no more.
    pub(super) fn shut_down(&mut self, inbox: &Receiver<LoopEvent>) {
        let begun = Instant::now();
        while !self.is_idle() && !self.checkpoints.is_taken_over() {
            let left = self.settings.shutdown_timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            match receive_batch(inbox, left, Duration::ZERO) {
                Some(came) => self.take(came),
                None => break,
            }
        }
        self.save_last();
    }

    /// Returns whether no task is under way.
    pub(in crate::run) fn is_idle(&self) -> bool {
        self.tasks.is_empty() || self.decider.is_none()
    }

    /// Stores the last checkpoint. Nothing is decided any more.
    pub(in crate::run) fn save_last(&mut self) {
        if let Some(mut decider) = self.decider.take() {
            self.save(&mut decider);
        }
    }

    /// Stores a checkpoint. A process that only reports what it would do stores none.
    pub(super) fn save(&mut self, decider: &mut Decider) {
        if self.settings.mode == RunMode::Enforce {
            self.checkpoints.save(decider, &mut self.observer);
        }
    }
}
