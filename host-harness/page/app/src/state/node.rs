//! The chosen node.

use leptos::prelude::*;

use super::PageState;
use crate::engine;

impl PageState {
    /// Chooses a node by its name, or none.
    pub(crate) fn choose_node(self, name: Option<String>) {
        if self.selection.node.with_untracked(|node| *node != name) {
            self.selection.node.set(name);
            self.selection.placed.set(None);
            self.ask_pods();
        }
    }

    /// Asks for its pods after the cycle that is shown.
    pub(super) fn ask_pods(self) {
        let wanted = move || {
            let (node, at) = (self.selection.node.get_untracked()?, self.timeline.at.get_untracked());
            Some((node, at, self.number()))
        };
        let ask = |(node, at, _): &(String, usize, u32)| {
            let (node, at) = (node.clone(), *at);
            async move { engine::pods_on(&node, at).await }
        };
        self.work.asking_pods.send(wanted, ask, move |placed| self.selection.placed.set(Some(placed)));
    }
}
