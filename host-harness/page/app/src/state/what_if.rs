//! The search for the smallest change that lets a job in.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::Page;
use crate::data::WhatIf;
use crate::engine::{self, Answered};

/// How far the search is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Tries {
    /// Nobody asked for it.
    #[default]
    Not,
    /// Changes are tried. The number tells this search from later ones.
    Now(u32),
    /// Somebody stopped it.
    Stopped,
    /// What was found.
    Found(Answered<WhatIf>),
}

impl Page {
    /// Searches for what lets in what is selected.
    pub(crate) fn try_changes(self) {
        let Some(name) = self.selected.get_untracked() else { return };
        // A gang gets in as a whole: it is asked about its job.
        let job = self.jobs.with_untracked(|jobs| jobs.get(&name).cloned()).unwrap_or(name);
        let number = self.searches.try_update_value(|searches| {
            *searches = searches.wrapping_add(1);
            *searches
        });
        let now = Tries::Now(number.unwrap_or_default());
        self.tries.set(now.clone());
        spawn_local(async move {
            let found = engine::what_if(&job).await;
            // Where it was stopped, or something else is asked meanwhile, the answer is dropped.
            if self.tries.with_untracked(|tries| *tries == now) {
                self.tries.set(Tries::Found(found));
            }
        });
    }

    /// Ends a search that goes on; it is then in this state.
    pub(crate) fn stop_trying(self, state: Tries) {
        if self.tries.with_untracked(|tries| matches!(tries, Tries::Now(_))) {
            engine::stop();
        }
        self.tries.set(state);
    }
}
