//! The chosen node.

use leptos::prelude::*;

use super::PageState;
use crate::engine;

impl PageState {
    /// Chooses a node by its name, or none.
    pub(crate) fn choose_node(self, name: Option<String>) {
        if self.node.with_untracked(|node| *node != name) {
            self.node.set(name);
            self.placed.set(None);
            self.ask_pods();
        }
    }

    /// Asks for its pods after the cycle that is shown.
    pub(super) fn ask_pods(self) {
        let wanted = move || {
            let (node, at) = (self.node.get_untracked()?, self.at.get_untracked());
            Some((node, at, self.number()))
        };
        let ask = |(node, at, _): &(String, usize, u32)| {
            let (node, at) = (node.clone(), *at);
            async move { engine::pods_on(&node, at).await }
        };
        self.asking_pods.send(wanted, ask, move |placed| self.placed.set(Some(placed)));
    }
}
