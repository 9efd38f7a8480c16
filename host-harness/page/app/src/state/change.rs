//! Changing what is open.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{Page, Tab};
use crate::data::{Edit, Given};
use crate::engine;

impl Page {
    /// Decides about what is open with another system.
    pub(crate) fn with_system(self, system: String) {
        // Arguments are those of a system: they say nothing to another one.
        self.change(|given| Given { system, arguments: String::new(), ..given });
    }

    /// Adds a change, and decides again.
    pub(crate) fn apply(self, edit: Edit) {
        self.write(edit, move |changes| self.change(|given| Given { changes, ..given }));
    }

    /// Puts an object among the changes as it is, to be written otherwise there.
    pub(crate) fn edit(self, key: String) {
        self.write(Edit::Object { key }, move |changes| {
            self.changes.set(changes);
            self.tab.set(Tab::Change);
        });
    }

    /// Has the engine write a change behind those that are written.
    fn write(self, edit: Edit, then: impl FnOnce(String) + 'static) {
        self.problems.set(Vec::new());
        spawn_local(async move {
            match engine::edit(&edit, &self.changes.get_untracked()).await {
                Ok(changes) => then(changes),
                Err(problems) => self.problems.set(problems),
            }
        });
    }

    /// Asks which bounds of quotas and queues can be changed.
    pub(crate) fn ask_bounds(self) {
        let number = self.number();
        spawn_local(async move {
            let bounds = engine::bounds().await;
            if self.number() == number {
                self.bounds.set(bounds.unwrap_or_default());
            }
        });
    }
}
