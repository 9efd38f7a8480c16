//! Cycle after cycle.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::PageState;
use crate::data::{CycleInterval, FindingView, MomentView};
use crate::engine;
use crate::model::time::{MOST, Moments, StoredMoment};

/// The number of cycles in a row after which the page stops, even where each has changed something.
const MOST_IN_ROW: usize = 50;

impl PageState {
    /// Decides one more cycle; in a recording, repeats the next moment.
    pub(crate) fn run(self, between: CycleInterval) {
        self.advance(between, 1, 1);
    }

    /// Decides cycles until one changes nothing; in a recording, repeats the next moments.
    pub(crate) fn run_on(self, between: CycleInterval) {
        self.advance(between, MOST_IN_ROW, MOST);
    }

    /// Returns whether the open input is a recording.
    pub(crate) fn is_recording(self) -> bool {
        self.input.summary.with(|summary| summary.as_ref().is_some_and(|summary| summary.kind == "recording"))
    }

    /// Decides at most `cycles` cycles, or repeats at most `moments` moments of a recording.
    fn advance(self, between: CycleInterval, cycles: usize, moments: usize) {
        if self.work.busy.get_untracked().is_some() {
            return;
        }
        self.input.problems.set(Vec::new());
        let number = self.number();
        spawn_local(async move {
            match self.is_recording() {
                true => {
                    self.repeat_next(number, moments).await;
                    if self.number() == number {
                        self.show(self.timeline.moments.with_untracked(Moments::last));
                    }
                }
                false => self.decide(between, number, cycles).await,
            }
            self.rests(number);
        });
    }

    /// Decides at most `most` cycles of the input with this number, and shows each, until one changes nothing.
    pub(super) async fn decide(self, between: CycleInterval, number: u32, most: usize) {
        for _ in 0..most {
            let Some(moment) = self.next(between, number).await else { return };
            self.timeline.moments.update(|moments| moments.push(moment));
            let last = self.timeline.moments.with_untracked(Moments::last);
            self.show(last);
            let is_quiet = |last: &StoredMoment| last.changes.is_quiet();
            if self.timeline.moments.with_untracked(|moments| moments.get(last).is_none_or(is_quiet)) {
                return;
            }
        }
        if most > 1 {
            let message = format!("{most} cycles in a row have changed something, the last one too");
            let remedy = Some("look at what repeats, or run on".to_owned());
            self.input.problems.set(vec![FindingView {
                severity: "warning".to_owned(),
                remedy,
                ..FindingView::error(message)
            }]);
        }
    }

    /// Repeats at most `most` next moments of the recording with this number, and puts them on the line.
    pub(super) async fn repeat_next(self, number: u32, most: usize) {
        let mut came = Vec::new();
        while came.len() < most
            && let Some(moment) = self.next(CycleInterval::default(), number).await
        {
            came.push(moment);
        }
        if self.number() == number {
            self.timeline.moments.update(|moments| came.into_iter().for_each(|moment| moments.push(moment)));
        }
    }

    /// Returns the next cycle or moment. `None`: there is no further one, the engine failed, or another input is open by then.
    async fn next(self, between: CycleInterval, number: u32) -> Option<MomentView> {
        if self.number() != number {
            return None;
        }
        self.works("Deciding ...");
        let decided = engine::cycle(between).await;
        if self.number() != number {
            return None;
        }
        match decided {
            Ok(Some(moment)) => Some(moment),
            Ok(None) => {
                self.timeline.is_at_end.set(true);
                None
            }
            Err(problems) => {
                self.timeline.is_at_end.set(true);
                self.input.problems.set(problems);
                None
            }
        }
    }

    /// Shows the cycle with this number, where it is kept. For a recording that is being written, this decides whether the newest one is shown from
    /// then on.
    pub(crate) fn show(self, number: usize) {
        if self.timeline.live.with_untracked(Option::is_some) {
            let is_newest = number == self.timeline.moments.with_untracked(Moments::last);
            self.change_live(|live| live.follows = is_newest);
        }
        let Some(moment) = self.timeline.moments.with_untracked(|moments| moments.get(number).cloned()) else { return };
        if self.timeline.at.get_untracked() == number {
            return;
        }
        self.timeline.at.set(number);
        self.shown.picture.set(moment.picture);
        self.shown.record.set(Some(moment.record));
        self.ask_pods();
        if self.selection.selected.with_untracked(Option::is_some) {
            self.ask_why();
        }
    }
}
