//! The search for the smallest change that lets a job in.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::PageState;
use crate::data::WhatIfView;
use crate::engine::{self, EngineResult};

/// The progress of the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum SearchProgress {
    /// No search was begun.
    #[default]
    Not,
    /// Changes are tried. The number distinguishes this search from later ones.
    Now(u32),
    /// The user has stopped the search.
    Stopped,
    /// The result.
    Found(EngineResult<WhatIfView>),
}

impl PageState {
    /// Searches for the changes that let the selected job in.
    pub(crate) fn try_changes(self) {
        let Some(name) = self.selection.selected.get_untracked() else { return };
        // A gang gets in as a whole: the question is about its job.
        let job = self.shown.jobs.with_untracked(|jobs| jobs.get(&name).cloned()).unwrap_or(name);
        let number = self.work.searches.try_update_value(|searches| {
            *searches = searches.wrapping_add(1);
            *searches
        });
        let now = SearchProgress::Now(number.unwrap_or_default());
        self.selection.tries.set(now.clone());
        spawn_local(async move {
            let found = engine::what_if(&job).await;
            // Where the search was stopped, or another one was begun meanwhile, the answer is dropped.
            if self.selection.tries.with_untracked(|tries| *tries == now) {
                self.selection.tries.set(SearchProgress::Found(found));
            }
        });
    }

    /// Ends a search that is under way, and sets this state.
    pub(crate) fn stop_trying(self, state: SearchProgress) {
        if self.selection.tries.with_untracked(|tries| matches!(tries, SearchProgress::Now(_))) {
            engine::stop();
        }
        self.selection.tries.set(state);
    }
}
