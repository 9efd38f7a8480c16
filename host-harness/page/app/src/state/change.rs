//! Changes of the open input.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::{PageState, Tab};
use crate::data::{Edit, OpenRequest};
use crate::engine;

impl PageState {
    /// Decides about the open input with another system.
    pub(crate) fn with_system(self, system: String) {
        // Arguments belong to a system: another one does not know them.
        self.change(|given| OpenRequest { system, arguments: String::new(), ..given });
    }

    /// Adds a change, and decides again.
    pub(crate) fn apply(self, edit: Edit) {
        self.write(edit, move |changes| self.change(|given| OpenRequest { changes, ..given }));
    }

    /// Adds an unchanged object to the changes, for the user to edit it there.
    pub(crate) fn edit(self, key: String) {
        self.write(Edit::Object { key }, move |changes| {
            self.input.changes.set(changes);
            self.selection.tab.set(Tab::Change);
        });
    }

    /// Appends a change to the text of changes, as the engine writes it, and passes the text to `then`.
    fn write(self, edit: Edit, then: impl FnOnce(String) + 'static) {
        self.input.problems.set(Vec::new());
        spawn_local(async move {
            match engine::edit(&edit, &self.input.changes.get_untracked()).await {
                Ok(changes) => then(changes),
                Err(problems) => self.input.problems.set(problems),
            }
        });
    }

    /// Asks for the bounds of quotas and queues that can be changed.
    pub(crate) fn ask_bounds(self) {
        let number = self.number();
        spawn_local(async move {
            let bounds = engine::bounds().await;
            if self.number() == number {
                self.input.bounds.set(bounds.unwrap_or_default());
            }
        });
    }
}
