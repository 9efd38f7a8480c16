//! The smallest changes that let the selected job in.

use leptos::prelude::*;

use super::findings::findings;
use crate::data::{Edit, WhatIfView};
use crate::model::what_if::{ListedChange, listed_changes, summary, waits};
use crate::state::{PageState, SearchProgress, page};

#[component]
pub(super) fn WhatIfPanel() -> impl IntoView {
    let page = page();
    let is_waiting = move || {
        !page.is_recording() && page.selection.answer.with(|answer| matches!(answer, Some(Ok(answer)) if waits(answer)))
    };
    // Changes are tried in the cluster as it was opened.
    let is_first = move || page.timeline.at.get() == 1;
    let is_trying = move || page.selection.tries.with(|tries| matches!(tries, SearchProgress::Now(_)));
    let shown = move || match page.selection.tries.get() {
        SearchProgress::Not => ().into_any(),
        SearchProgress::Now(_) => view! {
            <p class="tools">
                <span class="field" role="status">"Trying changes ..."</span>
                <button id="stop-what-if" on:click=move |_| page.stop_trying(SearchProgress::Stopped)>"Stop"</button>
            </p>
        }
        .into_any(),
        SearchProgress::Stopped => view! { <p role="status">"Stopped: not all changes were tried."</p> }.into_any(),
        SearchProgress::Found(Ok(answer)) => listed(page, &answer).into_any(),
        SearchProgress::Found(Err(problems)) => findings(problems).into_any(),
    };
    view! {
        <Show when=is_waiting>
            <section class="what-if" id="what-if" aria-label="What would let it in">
                <Show
                    when=is_first
                    fallback=|| view! { <p class="empty">"What would let it in is asked in the first cycle: changes are made to the cluster as it was opened."</p> }
                >
                    <button id="ask-what-if" disabled=is_trying on:click=move |_| page.try_changes()>
                        "What is the smallest change that lets this job in?"
                    </button>
                    {shown}
                </Show>
            </section>
        </Show>
    }
}

fn listed(page: PageState, answer: &WhatIfView) -> impl IntoView {
    let row = move |ListedChange { sentence, cost, objects }: ListedChange| {
        let label = format!("Apply: {sentence}");
        let apply = move |_| page.apply(Edit::Objects { objects: objects.clone() });
        view! {
            <li>
                <span>{sentence} <span class="count">"; " {cost}</span></span>
                <button class="apply" aria-label=label on:click=apply>"Apply"</button>
            </li>
        }
    };
    view! {
        <p role="status">{summary(answer)}</p>
        <ul>{listed_changes(answer).into_iter().map(row).collect_view()}</ul>
    }
}
