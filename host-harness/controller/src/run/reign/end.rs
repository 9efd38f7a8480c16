//! The end of a time of leading.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::Reign;
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
}
