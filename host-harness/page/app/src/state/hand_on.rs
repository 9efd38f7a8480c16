//! Sharing and saving the open input: in the address of the page, or as a file.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::PageState;
use crate::data::DownloadFile;
use crate::engine::{self, EngineResult};
use crate::model::share::sentence;

impl PageState {
    /// Puts the open input into the address of the page.
    pub(crate) fn share(self) {
        let Some(given) = self.input.given.get_untracked() else { return };
        self.input.problems.set(Vec::new());
        spawn_local(async move {
            let given = match self.settings.masks.get_untracked() {
                true => engine::masked().await,
                false => Ok(given),
            };
            let shared = match given {
                Ok(given) => engine::share(&given).await,
                Err(problems) => Err(problems),
            };
            match shared {
                Ok(shared) => self.settings.shared.set(Some(sentence(&shared))),
                Err(problems) => self.input.problems.set(problems),
            }
        });
    }

    /// Saves a file that the engine writes.
    pub(crate) fn save(self, written: impl Future<Output = EngineResult<DownloadFile>> + 'static) {
        self.input.problems.set(Vec::new());
        spawn_local(async move {
            match written.await {
                Ok(file) => {
                    engine::save(&file);
                    self.settings.shared.set(Some(format!("saved as {}", file.name)));
                }
                Err(problems) => self.input.problems.set(problems),
            }
        });
    }
}
