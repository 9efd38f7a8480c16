//! Jobs as lanes.

use leptos::prelude::*;

use super::parts::PodLink;
use crate::model::jobs::{Lane, LaneBlock, lanes};
use crate::model::quantity::counted;
use crate::state::page;

/// The number of lanes that are shown at first, and that are added at a time.
const STEP: usize = 60;

#[component]
pub(super) fn Jobs() -> impl IntoView {
    let page = page();
    let filter = RwSignal::new(String::new());
    let most = RwSignal::new(STEP);
    let all = Memo::new(move |_| {
        page.shown.picture.with(|picture| page.shown.cycle.with(|cycle| lanes(picture, cycle.as_deref())))
    });
    let matching = Memo::new(move |_| {
        let filter = filter.get();
        all.with(|all| all.iter().filter(|lane| lane.name.contains(&filter)).cloned().collect::<Vec<Lane>>())
    });
    let more = move || matching.with(Vec::len).saturating_sub(most.get());
    view! {
        <p class="tools">
            <input
                type="search"
                id="find-job"
                placeholder="Find a job"
                aria-label="Find a job"
                on:input=move |event| {
                    most.set(STEP);
                    filter.set(event_target_value(&event));
                }
            />
        </p>
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
    let (label, pods) = (lane.label(), counted(lane.pods(), "pod"));
    let blocks = lane.blocks();
    let is_large = blocks.iter().any(|block| block.pods > 1);
    let block = |LaneBlock { state, pods }: LaneBlock| {
        let word = state.word();
        let wide = is_large.then(|| format!("flex-grow:{pods}"));
        view! { <i class=format!("state {word}") style=wide title=format!("{pods} {word}")></i> }
    };
    view! {
        <li class="lane">
            <p class="who">
                <PodLink name=lane.name.clone()/>
                <span class="count">{pods} " of " {lane.queue.clone()} ", priority " {lane.priority}</span>
                <span class="became">{label.clone()}</span>
            </p>
            <div class="states" class:large=is_large role="img" aria-label=label>
                {blocks.into_iter().map(block).collect_view()}
            </div>
        </li>
    }
}
