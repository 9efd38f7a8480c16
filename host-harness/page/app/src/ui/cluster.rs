//! The cluster: its nodes, its queues, or its jobs.

use leptos::prelude::*;

use super::change::Change;
use super::jobs::Jobs;
use super::nodes::Nodes;
use super::queues::Queues;
use crate::state::page;

/// What is shown of the cluster.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Nodes,
    Queues,
    Jobs,
    Change,
}

const TABS: [(Tab, &str, &str); 4] = [
    (Tab::Nodes, "tab-nodes", "Nodes"),
    (Tab::Queues, "tab-queues", "Queues"),
    (Tab::Jobs, "tab-jobs", "Jobs"),
    (Tab::Change, "tab-change", "Change"),
];

#[component]
pub(super) fn Cluster() -> impl IntoView {
    let chosen = RwSignal::new(Tab::Nodes);
    let page = page();
    // What is written into the forms stays there while the system or the objects change.
    let is_recording = Memo::new(move |_| page.is_recording());
    let button = move |(tab, id, name): (Tab, &'static str, &'static str)| {
        view! {
            <button
                id=id
                role="tab"
                aria-selected=move || (chosen.get() == tab).to_string()
                aria-controls="cluster"
                on:click=move |_| chosen.set(tab)
            >
                {name}
            </button>
        }
    };
    view! {
        <section class="panel cluster" aria-label="Cluster">
            <div class="tabs" role="tablist">{TABS.map(button).collect_view()}</div>
            <div id="cluster" role="tabpanel">
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
