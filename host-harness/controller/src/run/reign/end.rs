//! The end of a time of leading, and the checkpoints from which the next leader continues.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::LeaderLoop;
use crate::decide::{Decider, RunMode};
use crate::run::inbox::{LoopEvent, receive_batch};
use crate::run::listener::LoopObserver;
use crate::state::{CheckpointStore, StoreError};

/// The result of the last checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckpointStatus {
    /// It was stored, or there was none yet.
    Stored,
    /// It was not stored.
    Failed,
    /// Another process has taken it over: nothing more is carried out.
    TakenOver,
}

/// The parts of a process that outlive a time of leading.
pub(in crate::run) struct LeaderLoopParts<L> {
    pub(in crate::run) observer: L,
    pub(in crate::run) checkpoint_store: Option<Box<dyn CheckpointStore>>,
    /// Whether another process has taken the checkpoint over.
    pub(in crate::run) is_taken_over: bool,
}

impl<L: LoopObserver> LeaderLoop<L> {
    /// Returns whether another process has taken the checkpoint over.
    pub(super) fn is_taken_over(&self) -> bool {
        self.checkpoint == CheckpointStatus::TakenOver
    }

    /// Returns what outlives this time of leading.
    pub(super) fn into_parts(self) -> LeaderLoopParts<L> {
        LeaderLoopParts {
            is_taken_over: self.is_taken_over(),
            observer: self.observer,
            checkpoint_store: self.checkpoint_store,
        }
    }

    /// Waits for the tasks under way, as long as the settings allow; decides no more.
    pub(super) fn shut_down(&mut self, inbox: &Receiver<LoopEvent>) {
        let begun = Instant::now();
        while !self.is_idle() && !self.is_taken_over() {
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
        self.tasks_in_flight.is_empty() || self.decider.is_none()
    }

    /// Stores the last checkpoint. Nothing is decided any more.
    pub(in crate::run) fn save_last(&mut self) {
        if let Some(mut decider) = self.decider.take() {
            self.save(&mut decider);
        }
    }

    /// Stores a checkpoint, and reports where it cannot be stored, or can be again. A process that only reports what it would do stores none.
    pub(super) fn save(&mut self, decider: &mut Decider) {
        let is_over = self.settings.mode != RunMode::Enforce || self.is_taken_over();
        let Some(keep) = self.checkpoint_store.as_mut().filter(|_| !is_over) else { return };
        let saved = decider.checkpoint().map_err(|error| StoreError::Failed(error.to_string()));
        let was_unsaved = self.checkpoint == CheckpointStatus::Failed;
        self.checkpoint = match saved.and_then(|saved| keep.store(&saved)) {
            Err(StoreError::TakenOver(why)) => {
                self.observer.checkpoint_taken_over(&why);
                CheckpointStatus::TakenOver
            }
            Err(StoreError::Failed(why)) => {
                self.observer.checkpoint_failed(&why);
                CheckpointStatus::Failed
            }
            Ok(()) => {
                if was_unsaved {
                    self.observer.checkpoint_failed("");
                }
                CheckpointStatus::Stored
            }
        };
    }
}
