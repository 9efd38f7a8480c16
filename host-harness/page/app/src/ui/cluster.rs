//! The cluster: its nodes, its queues, or its jobs; and the changes of it.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::change::Change;
use super::jobs::Jobs;
use super::nodes::Nodes;
use super::parts::focus;
use super::queues::Queues;
use crate::state::{Tab, page};

const TABS: [(Tab, &str, &str); 4] = [
    (Tab::Nodes, "tab-nodes", "Nodes"),
    (Tab::Queues, "tab-queues", "Queues"),
    (Tab::Jobs, "tab-jobs", "Jobs"),
    (Tab::Change, "tab-change", "Change"),
];

#[component]
pub(super) fn Cluster() -> impl IntoView {
    let page = page();
    let chosen = page.selection.tab;
    // The input of the forms stays while the system or the objects change.
    let is_recording = Memo::new(move |_| page.is_recording());
    let title = move || TABS.into_iter().find(|(tab, ..)| *tab == chosen.get()).map(|(_, id, _)| id);
    let button = move |(tab, id, name): (Tab, &'static str, &'static str)| {
        let is_chosen = move || chosen.get() == tab;
        view! {
            <button
                id=id
                role="tab"
                aria-selected=move || is_chosen().to_string()
                aria-controls="cluster"
                tabindex=move || if is_chosen() { "0" } else { "-1" }
                on:click=move |_| chosen.set(tab)
            >
                {name}
            </button>
        }
    };
    let key = move |event: KeyboardEvent| {
        let Some((tab, id, _)) = next(&event.key(), chosen.get_untracked()) else { return };
        event.prevent_default();
        chosen.set(tab);
        focus(id);
    };
    view! {
        <section class="panel cluster" aria-label="Cluster">
            <div class="tabs" role="tablist" on:keydown=key>{TABS.map(button).collect_view()}</div>
            <div id="cluster" role="tabpanel" aria-labelledby=title>
                {move || match chosen.get() {
                    Tab::Nodes => view! { <Nodes/> }.into_any(),
                    Tab::Queues => view! { <Queues/> }.into_any(),
                    Tab::Jobs => view! { <Jobs/> }.into_any(),
                    Tab::Change if is_recording.get() => {
                        view! { <p class="empty">"A recording can be looked at, not changed."</p> }.into_any()
                    }
                    Tab::Change => view! { <Change/> }.into_any(),
                }}
            </div>
        </section>
    }
}

/// Returns the tab that a key leads to from this one. `None`: the key leads to no tab.
fn next(key: &str, now: Tab) -> Option<(Tab, &'static str, &'static str)> {
    let last = TABS.len().saturating_sub(1);
    let place = TABS.iter().position(|(tab, ..)| *tab == now)?;
    let next = match key {
        "ArrowRight" => place.checked_add(1).filter(|next| *next <= last).unwrap_or(0),
        "ArrowLeft" => place.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    TABS.get(next).copied()
}
