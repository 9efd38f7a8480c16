//! The line at the top: the open input, the system that decides, and the look of the page.

use leptos::prelude::*;
use web_sys::{Event, HtmlSelectElement};

use super::save::Save;
use super::theme::ThemeSwitch;
use crate::model::quantity::counted;
use crate::state::page;

#[component]
pub(super) fn Header() -> impl IntoView {
    let page = page();
    let name = move || page.input.given.with(|given| given.as_ref().map(|given| given.name.clone()));
    let short = move || name().map(|name| name.rsplit('/').next().unwrap_or(&name).to_owned());
    let is_changeable = move || page.input.given.with(Option::is_some) && !page.is_recording();
    view! {
        <header>
            <h1>"Lictor"</h1>
            <Show when=move || page.input.given.with(Option::is_some)>
                <span class="file" title=name>{short}</span>
                <span class="counts">{counts}</span>
            </Show>
            <span class="grow"></span>
            <span class="shared" role="status">{move || page.settings.shared.get()}</span>
            <Show when=is_changeable>
                <System/>
                <Save/>
            </Show>
            <Show when=move || page.input.given.with(Option::is_some)>
                <button class="quiet" id="close" on:click=move |_| page.close()>"Open another"</button>
            </Show>
            <ThemeSwitch/>
        </header>
    }
}

/// Returns the size of the cluster, in words. `None`: nothing was decided yet.
fn counts() -> Option<String> {
    page().shown.record.with(|record| {
        let cluster = &record.as_ref()?.cluster;
        let time = cluster.now.as_ref().map(|now| format!(", as of {now}")).unwrap_or_default();
        let nodes = counted(cluster.nodes, "node");
        Some(format!("{nodes}, {} on nodes, {} pending{time}", counted(cluster.placed, "pod"), cluster.pending))
    })
}

/// Shows the choice of the system.
#[component]
fn System() -> impl IntoView {
    let page = page();
    let systems = move || page.input.summary.with(|it| it.as_ref().map(|it| it.systems.clone()).unwrap_or_default());
    let chosen = move || page.input.summary.with(|it| it.as_ref().map(|it| it.system.clone()).unwrap_or_default());
    let choose = move |event: Event| {
        let wanted = event_target_value(&event);
        // The choice stays the system before until the new one has decided, and where it cannot.
        event_target::<HtmlSelectElement>(&event).set_value(&untrack(chosen));
        page.with_system(wanted);
    };
    view! {
        <select id="system" aria-label="System" title="The system whose laws apply" on:change=choose prop:value=chosen>
            {move || {
                let now = chosen();
                let option = |system: String| {
                    let selected = system == now;
                    view! { <option value=system.clone() selected=selected>{system.clone()}</option> }
                };
                systems().into_iter().map(option).collect_view()
            }}
        </select>
    }
}
