//! Opening a file, and closing it.

use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{PageState, SearchProgress, Tab};
use crate::data::{CycleInterval, DecisionReportView, InputSummaryView, OpenRequest};
use crate::engine::{self, EngineResult};
use crate::model::time::{MOST, Moments};

/// The requests to open an input, and the open input. Late answers of the engine are recognised by their numbers.
#[derive(Clone, Copy)]
pub(super) struct InputRequests {
    /// The number of requests so far.
    asked: RwSignal<u32>,
    /// The number of requests at the last time at which the page was closed: those are not shown any more.
    closed: RwSignal<u32>,
    /// The number of inputs that are being read.
    reading: RwSignal<u32>,
    /// The number of the open input.
    open: RwSignal<u32>,
    /// The open input without its changes.
    unchanged: RwSignal<Option<OpenRequest>>,
}

impl InputRequests {
    pub(super) fn new() -> InputRequests {
        let [asked, closed, reading, open] = [0; 4].map(RwSignal::new);
        InputRequests { asked, closed, reading, open, unchanged: RwSignal::new(None) }
    }

    /// Returns whether an input is being read.
    pub(super) fn is_reading(self) -> bool {
        self.reading.get() > 0
    }
}

/// Increments the signal, and returns the new value.
fn count(signal: RwSignal<u32>) -> u32 {
    signal.update(|count| *count = count.wrapping_add(1));
    signal.get_untracked()
}

impl PageState {
    /// Shows the input that the page was opened with, and reads the laws.
    pub(crate) fn start(self) {
        spawn_local(async move {
            let pasted = engine::pasted().await;
            let given = if matches!(pasted, Ok(None)) { engine::inside().await } else { pasted };
            self.open_answered(given);
            if let Ok(laws) = engine::laws().await {
                self.laws.all.set(laws.into_iter().map(|law| (law.code.clone(), law)).collect());
            }
        });
    }

    /// Opens the input that was pasted into the address of the page.
    pub(crate) fn open_pasted(self) {
        spawn_local(async move { self.open_answered(engine::pasted().await) });
    }

    fn open_answered(self, given: EngineResult<Option<OpenRequest>>) {
        match given {
            Ok(given) => given.into_iter().for_each(|given| self.open(given)),
            Err(problems) => self.input.problems.set(problems),
        }
    }

    /// Opens a file and decides about it. Where the file has mistakes, the input before it stays open.
    pub(crate) fn open(self, given: OpenRequest) {
        self.read(given.clone(), None, Some(given));
    }

    /// Decides about the open input with these changes, and keeps the decisions before for comparison.
    pub(crate) fn change(self, change: impl FnOnce(OpenRequest) -> OpenRequest) {
        let Some(given) = self.input.given.get_untracked() else { return };
        // The first cycles are compared: they begin with the cluster as it was opened.
        let first = self.timeline.moments.with_untracked(|moments| moments.get(1).map(|first| first.record.clone()));
        self.read(change(given), first, None);
    }

    /// Decides about the open input without its changes.
    pub(crate) fn undo(self) {
        if let Some(unchanged) = self.work.opening.unchanged.get_untracked() {
            self.change(|_| unchanged);
        }
    }

    /// Returns the number of the open input.
    pub(super) fn number(self) -> u32 {
        self.work.opening.open.get_untracked()
    }

    /// Notes that the engine works on the open input; `what` is shown.
    pub(super) fn works(self, what: &'static str) {
        self.work.working.set(Some(what));
    }

    /// Notes that the engine has ended its work on the input with this number.
    pub(super) fn rests(self, number: u32) {
        if self.number() == number {
            self.work.working.set(None);
        }
    }

    fn read(self, given: OpenRequest, before: Option<Arc<DecisionReportView>>, unchanged: Option<OpenRequest>) {
        let InputRequests { asked, closed, reading, .. } = self.work.opening;
        let request = count(asked);
        count(reading);
        self.input.problems.set(Vec::new());
        spawn_local(async move {
            let opened = engine::open(&given).await;
            reading.update(|reading| *reading = reading.saturating_sub(1));
            match opened {
                Ok(summary) if request > closed.get_untracked() => {
                    if unchanged.is_some() {
                        self.work.opening.unchanged.set(unchanged);
                    }
                    self.show_opened(given, summary, before).await;
                }
                Err(problems) if asked.get_untracked() == request => self.input.problems.set(problems),
                _ => {}
            }
        });
    }

    /// Shows the input that the engine has opened, and decides about it.
    async fn show_opened(self, given: OpenRequest, summary: InputSummaryView, before: Option<Arc<DecisionReportView>>) {
        let number = count(self.work.opening.open);
        let is_same = self.input.given.with_untracked(|open| open.as_ref().is_some_and(|open| open.name == given.name));
        self.forget(is_same);
        self.shown.before.set(before);
        self.input.changes.set(given.changes.clone());
        let is_live = given.live;
        self.input.given.set(Some(given));
        self.input.summary.set(Some(summary));
        match self.is_recording() {
            true if is_live => self.follow_anew(number),
            true => {
                self.repeat_next(number, MOST).await;
                if self.number() == number {
                    self.show(self.timeline.moments.with_untracked(Moments::first));
                }
            }
            false => self.decide(CycleInterval::default(), number, 1).await,
        }
        self.rests(number);
    }

    /// Forgets the decisions. The selection stays where the same file was changed.
    fn forget(self, is_same: bool) {
        self.work.working.set(None);
        self.timeline.moments.set(Moments::default());
        self.timeline.at.set(0);
        self.timeline.is_at_end.set(false);
        self.timeline.live.set(None);
        self.shown.picture.set(Arc::default());
        self.shown.record.set(None);
        self.shown.before.set(None);
        self.settings.shared.set(None);
        self.selection.answer.set(None);
        self.selection.placed.set(None);
        self.stop_trying(SearchProgress::Not);
        if !is_same {
            self.selection.selected.set(None);
            self.choose_node(None);
            self.selection.tab.set(Tab::Nodes);
        }
    }

    /// Closes the open input.
    pub(crate) fn close(self) {
        let InputRequests { asked, closed, open, unchanged, .. } = self.work.opening;
        closed.set(asked.get_untracked());
        count(open);
        self.input.given.set(None);
        unchanged.set(None);
        self.input.summary.set(None);
        self.input.problems.set(Vec::new());
        self.forget(false);
    }
}
