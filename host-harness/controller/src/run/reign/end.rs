//! The end of a time of leading, and the checkpoints from which another one goes on.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::Reign;
use crate::decide::Decider;
use crate::run::inbox::{Came, batch};
use crate::run::listener::Listener;

impl<L: Listener> Reign<L> {
    /// Brings to its end what is under way, as far as that goes in time; decides no more.
    pub(super) fn end(&mut self, inbox: &Receiver<Came>) {
        let begun = Instant::now();
        while !self.is_idle() {
            let left = self.settings.end_within.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            match batch(inbox, left, Duration::ZERO) {
                Some(came) => self.take(came),
                None => break,
            }
        }
        self.save_last();
    }

    /// Returns whether no task is under way.
    pub(in crate::run) fn is_idle(&self) -> bool {
        self.under_way.is_empty() || self.decider.is_none()
    }

    /// Stores the last checkpoint. Nothing is decided any more.
    pub(in crate::run) fn save_last(&mut self) {
        if let Some(mut decider) = self.decider.take() {
            self.save(&mut decider);
        }
    }

    /// Stores a checkpoint, and says where it cannot be stored, or can be again.
    pub(super) fn save(&mut self, decider: &mut Decider) {
        let Some(keep) = &mut self.keep else { return };
        let stored = decider.saved().map_err(|error| error.to_string()).and_then(|saved| keep.store(&saved));
        let was_unsaved = std::mem::replace(&mut self.is_unsaved, stored.is_err());
        match stored {
            Err(why) => self.listener.unsaved(&why),
            Ok(()) if was_unsaved => self.listener.unsaved(""),
            Ok(()) => {}
        }
    }
}
