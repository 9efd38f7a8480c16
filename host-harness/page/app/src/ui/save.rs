//! Sharing and saving the open input, with its names or with invented ones.

use leptos::prelude::*;

use crate::data::DownloadFile;
use crate::engine::{self, EngineResult};
use crate::state::page;

#[component]
pub(super) fn Save() -> impl IntoView {
    let page = page();
    view! {
        <button
            class="quiet"
            id="share"
            title="Puts what is open, with its changes, into the address of this page"
            on:click=move |_| page.share()
        >
            "Share"
        </button>
        <details class="save">
            <summary id="save">"Save"</summary>
            <div class="menu">
                <button id="save-snapshot" title="The objects with the changes" on:click=move |_| page.save(snapshot(page.settings.masks.get()))>
                    "As a snapshot"
                </button>
                <button
                    id="save-scenario"
                    title="The objects, and what was decided as expectations: lictor test runs it"
                    on:click=move |_| page.save(engine::scenario(page.settings.masks.get()))
                >
                    "As a scenario"
                </button>
            </div>
        </details>
        <label class="field" title="What is shared or saved has invented names">
            <input
                id="mask"
                type="checkbox"
                prop:checked=page.settings.masks
                on:change=move |event| page.settings.masks.set(event_target_checked(&event))
            />
            " Mask names"
        </label>
    }
}

/// Returns the open input with its changes. `masked`: under invented names.
async fn snapshot(masked: bool) -> EngineResult<DownloadFile> {
    match masked {
        true => engine::masked().await.map(|given| DownloadFile { name: given.name, text: given.text }),
        false => engine::snapshot().await,
    }
}
