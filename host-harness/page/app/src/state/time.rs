//! Cycle after cycle.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::Page;
use crate::data::{Between, Finding};
use crate::engine;
use crate::model::time::{Kept, MOST};

/// After so many cycles in a row, the page stops even where each has changed something.
const MOST_IN_ROW: usize = 50;

impl Page {
    /// Decides one more cycle.
    pub(crate) fn run(self, between: Between) {
        self.run_while(between, 1);
    }

    /// Decides cycles until one changes nothing; of a recording, repeats the next moments.
    pub(crate) fn run_on(self, between: Between) {
        self.run_while(between, if self.is_recording() { MOST } else { MOST_IN_ROW });
    }

    /// What is open is a recording.
    pub(crate) fn is_recording(self) -> bool {
        self.summary.with(|summary| summary.as_ref().is_some_and(|summary| summary.kind == "recording"))
    }

    fn run_while(self, between: Between, most: usize) {
        let number = self.opened.get_untracked();
        if self.busy.get_untracked().is_some() {
            return;
        }
        spawn_local(async move {
            self.steps(between, number, most).await;
            if self.opened.get_untracked() == number {
                self.busy.set(None);
            }
        });
    }

    /// Decides at most so many cycles of what was opened as this number, and shows them.
    pub(super) async fn steps(self, between: Between, number: u32, most: usize) {
        for _ in 0..most {
            let goes_on = self.step(between, number).await;
            if !goes_on {
                return;
            }
        }
        if most == MOST_IN_ROW {
            let message = format!("{most} cycles in a row have changed something, the last one too");
            let remedy = Some("look at what repeats, or run on".to_owned());
            self.problems.set(vec![Finding { severity: "warning".to_owned(), remedy, ..Finding::error(message) }]);
        }
    }

    /// Decides the next cycle, and shows it; whether it is worth to go on.
    async fn step(self, between: Between, number: u32) -> bool {
        self.busy.set(Some("Deciding ..."));
        let decided = engine::cycle(between).await;
        if self.opened.get_untracked() != number {
            return false;
        }
        match decided {
            Ok(None) => {
                self.is_at_end.set(true);
                false
            }
            Ok(Some(moment)) => {
                self.moments.update(|moments| moments.push(moment));
                self.show(self.moments.with_untracked(|moments| moments.last()));
                let at = self.at.get_untracked();
                let changed = |last: &Kept| !last.changes.is_quiet();
                // In a recording, something may happen after a moment in which nothing did.
                self.is_recording() || self.moments.with_untracked(|moments| moments.get(at).is_some_and(changed))
            }
            Err(problems) => {
                self.is_at_end.set(true);
                self.problems.set(problems);
                false
            }
        }
    }

    /// Shows the cycle with this number, where it is kept. Of a recording that is being written, the newest one is shown from then on, or not.
    pub(crate) fn show(self, number: usize) {
        if self.live.with_untracked(Option::is_some) {
            let is_newest = number == self.moments.with_untracked(|moments| moments.last());
            self.change_live(|live| live.follows = is_newest);
        }
        let Some(moment) = self.moments.with_untracked(|moments| moments.get(number).cloned()) else { return };
        if self.at.get_untracked() == number {
            return;
        }
        self.at.set(number);
        self.picture.set(moment.picture);
        self.record.set(Some(moment.record));
        if let Some(name) = self.selected.get_untracked() {
            self.select(name);
        }
    }
}
