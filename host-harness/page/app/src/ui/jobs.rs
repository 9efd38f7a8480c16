//! Jobs as lanes.

use leptos::prelude::*;

use super::parts::PodLink;
use crate::model::jobs::{Lane, lanes};
use crate::state::page;

/// How many lanes are shown at first, and how many more at a time.
const STEP: usize = 60;

#[component]
pub(super) fn Jobs() -> impl IntoView {
    let page = page();
    let filter = RwSignal::new(String::new());
    let most = RwSignal::new(STEP);
    let all = Memo::new(move |_| page.picture.with(|picture| lanes(picture, page.cycle().as_ref())));
    let matching = Memo::new(move |_| {
        let filter = filter.get();
        all.with(|all| all.iter().filter(|lane| lane.name.contains(&filter)).cloned().collect::<Vec<Lane>>())
    });
    let more = move || matching.with(Vec::len).saturating_sub(most.get());
    view! {
        <label class="field search">
            <span class="wide">"Find "</span>
            <input
                type="search"
                id="find-job"
                placeholder="job"
                aria-label="Find a job"
                on:input=move |event| {
                    most.set(STEP);
                    filter.set(event_target_value(&event));
                }
            />
        </label>
        <ul class="lanes">
            {move || matching.with(|lanes| lanes.iter().take(most.get()).cloned().map(lane).collect_view())}
        </ul>
        <Show when=move || { more() > 0 }>
            <button class="quiet" on:click=move |_| most.update(|most| *most = most.saturating_add(STEP))>
                {move || format!("{} more", more())}
            </button>
        </Show>
    }
}

fn lane(lane: Lane) -> impl IntoView {
    let (label, pods) = (lane.label(), lane.pods());
    let segment = |(state, count): (&crate::model::jobs::State, &usize)| {
        let title = format!("{count} {}", state.word());
        view! { <i class=format!("state {}", state.word()) style=format!("flex-grow:{count}") title=title></i> }
    };
    let segments = lane.states.iter().map(segment).collect_view();
    view! {
        <li class="lane">
            <p class="who">
                <PodLink name=lane.name.clone()/>
                <span class="count">{format!("{pods} × {}", lane.queue)} ", priority " {lane.priority}</span>
            </p>
            <div class="states" role="img" aria-label=label.clone()>{segments}</div>
            <p class="line">{label}</p>
        </li>
    }
}
