//! Following a recording that is being written.

use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::PageState;
use crate::data::{CycleInterval, FindingView, MomentView};
use crate::engine::{self, EngineResult};
use crate::model::live::FollowProgress;

/// The number of moments that are repeated before the page shows its progress.
const PORTION: usize = 50;

/// The number of moments from which on the page shows that it catches up.
const MANY: usize = 10;

impl PageState {
    /// Follows the recording with this number of the opened input, from its beginning.
    pub(super) fn follow_anew(self, number: u32) {
        self.timeline.live.set(Some(FollowProgress::default()));
        spawn_local(self.read_on(number));
    }

    /// Shows the newest moment from now on.
    pub(crate) fn follow(self) {
        let number = self.number();
        let was_over = self.timeline.live.with_untracked(|live| live.is_some_and(|live| live.is_over));
        self.change_live(|live| (live.follows, live.is_over) = (true, false));
        match was_over {
            true => {
                self.input.problems.set(Vec::new());
                spawn_local(self.read_on(number));
            }
            false => spawn_local(self.catch_up(number)),
        }
    }

    /// Changes how the recording is followed. Without a difference no signal is sent.
    pub(super) fn change_live(self, change: impl FnOnce(&mut FollowProgress)) {
        let Some(mut live) = self.timeline.live.get_untracked() else { return };
        change(&mut live);
        if self.timeline.live.get_untracked() != Some(live) {
            self.timeline.live.set(Some(live));
        }
    }

    /// Reads what is written, until nothing more can be read or another input is opened.
    async fn read_on(self, number: u32) {
        while let Some(live) = self.followed(number).filter(|live| !live.is_over) {
            let known = engine::more(live.known.whole).await;
            if self.followed(number).is_none() {
                return;
            }
            match known {
                Ok(known) => self.change_live(|live| live.known = known),
                Err(problems) => self.give_up(problems),
            }
            if self.followed(number).is_some_and(|now| now.known.moments == 0 && now.known != live.known) {
                self.show_undecided(number).await;
            }
            if self.followed(number).is_some_and(|live| live.follows && !live.is_over) {
                self.catch_up(number).await;
            }
        }
    }

    /// Shows the cluster before the first decision.
    async fn show_undecided(self, number: u32) {
        let picture = engine::picture().await;
        if self.followed(number).is_none() {
            return;
        }
        match picture {
            Ok(picture) => self.shown.picture.set(Arc::new(picture)),
            Err(problems) => self.give_up(problems),
        }
    }

    /// Repeats the known moments, and shows the newest one.
    async fn catch_up(self, number: u32) {
        if self.followed(number).is_none_or(|live| live.is_repeating) {
            return;
        }
        self.change_live(|live| live.is_repeating = true);
        let came = self.repeat(number).await;
        if self.followed(number).is_none() {
            return;
        }
        self.rests(number);
        self.change_live(|live| live.is_repeating = false);
        self.timeline.moments.update(|moments| came.into_iter().for_each(|moment| moments.push(moment)));
        if self.followed(number).is_some_and(|live| live.follows) {
            self.show(self.timeline.moments.with_untracked(|moments| moments.last()));
        }
    }

    /// Repeats the known moments. Returns those that have a place on the line.
    async fn repeat(self, number: u32) -> Vec<MomentView> {
        let mut came = Vec::new();
        while let Some(live) = self.followed(number).filter(|live| live.behind() > 0) {
            if live.behind() > MANY {
                self.works("Catching up ...");
            }
            let repeated = match live.skipped() {
                0 => next_moment(&mut came).await,
                count => engine::skip(count.min(PORTION)).await,
            };
            match repeated {
                Ok(repeated) if repeated > live.repeated => self.change_live(|live| live.repeated = repeated),
                Ok(_) => break,
                Err(problems) => {
                    if self.followed(number).is_some() {
                        self.give_up(problems);
                    }
                    break;
                }
            }
        }
        came
    }

    fn give_up(self, problems: Vec<FindingView>) {
        self.input.problems.set(problems);
        self.change_live(|live| live.is_over = true);
    }

    /// Returns the progress of following the recording with this number. `None`: another input is open.
    fn followed(self, number: u32) -> Option<FollowProgress> {
        self.timeline.live.get_untracked().filter(|_| self.number() == number)
    }
}

/// Repeats and draws the next moment. Returns its number; 0 where the recording has no further moment.
async fn next_moment(came: &mut Vec<MomentView>) -> EngineResult<usize> {
    let moment = engine::cycle(CycleInterval::default()).await?;
    let number = moment.as_ref().map_or(0, |moment| moment.number);
    came.extend(moment);
    Ok(number)
}
