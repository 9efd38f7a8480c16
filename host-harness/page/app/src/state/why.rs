//! The reasons for the state of the selected pod or job.

use leptos::prelude::*;

use super::{PageState, SearchProgress};
use crate::engine;

impl PageState {
    /// Selects a pod or a job, and asks for the reasons for its state in the cycle that is shown.
    pub(crate) fn select(self, name: String) {
        self.stop_trying(SearchProgress::Not);
        self.selection.selected.set(Some(name));
        self.ask_why();
    }

    /// Asks the engine about the selection.
    pub(super) fn ask_why(self) {
        self.selection.answer.set(None);
        let wanted = move || {
            let name = self.selection.selected.get_untracked()?;
            Some((name, self.timeline.at.get_untracked(), self.number()))
        };
        let ask = |(name, at, _): &(String, usize, u32)| {
            let (name, at) = (name.clone(), *at);
            async move { engine::explain(&name, at).await }
        };
        self.work.asking_why.send(wanted, ask, move |answer| self.selection.answer.set(Some(answer)));
    }
}
