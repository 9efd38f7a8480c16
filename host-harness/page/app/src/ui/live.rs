//! The state of following a recording that is being written, and the way back to its newest moment.

use leptos::prelude::*;

use crate::state::page;

#[component]
pub(super) fn Following() -> impl IntoView {
    let page = page();
    let said = move || page.timeline.live.with(|live| live.map(|live| live.sentence(page.timeline.at.get())));
    let is_behind = move || page.timeline.live.with(|live| live.is_some_and(|live| !live.follows || live.is_over));
    view! {
        <Show when=is_behind>
            <button id="follow" class="first" title="Shows the newest moment, and each that comes" on:click=move |_| page.follow()>
                "Follow"
            </button>
        </Show>
        <span class="field" id="live">{said}</span>
    }
}
