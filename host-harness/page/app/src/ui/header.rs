//! The line at the top: what is open, by which system it is decided, and how the page looks.

use leptos::prelude::*;

use super::save::Save;
use super::theme::ThemeSwitch;
use crate::state::page;

#[component]
pub(super) fn Header() -> impl IntoView {
    let page = page();
    let name = move || page.given.with(|given| given.as_ref().map(|given| given.name.clone()));
    view! {
        <header>
            <h1>"Lictor"</h1>
            <Show when=move || page.given.with(Option::is_some)>
                <span class="file" title="What is open">{name}</span>
                <Show when=move || !page.is_recording()><System/></Show>
                <span class="counts">{counts}</span>
                <Show when=move || !page.is_recording()>
                    <button class="quiet" id="share" on:click=move |_| page.share()>"Share"</button>
                    <Save/>
                </Show>
                <span class="shared" role="status">{move || page.shared.get()}</span>
                <button class="quiet" on:click=move |_| page.close()>"Open another"</button>
            </Show>
            <span class="grow"></span>
            <ThemeSwitch/>
        </header>
    }
}

/// How much there is in the cluster.
fn counts() -> Option<String> {
    page().record.with(|record| {
        let cluster = &record.as_ref()?.cluster;
        let time = cluster.now.as_ref().map(|now| format!(", as of {now}")).unwrap_or_default();
        Some(format!("{} nodes, {} pods on nodes, {} pending{time}", cluster.nodes, cluster.placed, cluster.pending))
    })
}

/// The choice of the system.
#[component]
fn System() -> impl IntoView {
    let page = page();
    let systems = move || page.summary.with(|it| it.as_ref().map(|it| it.systems.clone()).unwrap_or_default());
    let chosen = move || page.summary.with(|it| it.as_ref().map(|it| it.system.clone()).unwrap_or_default());
    view! {
        <label class="field">
            "System "
            <select id="system" on:change=move |event| page.with_system(event_target_value(&event)) prop:value=chosen>
                {move || {
                    let now = chosen();
                    let option = |system: String| {
                        let selected = system == now;
                        view! { <option value=system.clone() selected=selected>{system.clone()}</option> }
                    };
                    systems().into_iter().map(option).collect_view()
                }}
            </select>
        </label>
    }
}
