//! The smallest changes that let the job in that is selected.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::findings::finding;
use crate::data::{Given, WhatIf};
use crate::engine::{self, Answered};
use crate::model::what_if::{Offer, offers, waits, with};
use crate::state::{Page, page};

#[component]
pub(super) fn WhatIfPanel() -> impl IntoView {
    let page = page();
    let found = RwSignal::new(None::<Answered<WhatIf>>);
    let (trying, tries) = (RwSignal::new(false), RwSignal::new(0u32));
    let is_stopped = RwSignal::new(false);
    let ask = move |_| {
        let Some(name) = page.selected.get_untracked() else { return };
        // A gang gets in as a whole: it is asked about its job.
        let job = page.jobs.with_untracked(|jobs| jobs.get(&name).cloned()).unwrap_or_else(|| name.clone());
        found.set(None);
        let number = tries.get_untracked().wrapping_add(1);
        tries.set(number);
        trying.set(true);
        is_stopped.set(false);
        spawn_local(async move {
            let answer = engine::what_if(&job).await;
            // Where it was stopped, or something else is asked meanwhile, the answer is dropped.
            if tries.get_untracked() == number {
                trying.set(false);
                found.set(Some(answer));
            }
        });
    };
    let stop = move || {
        tries.update(|tries| *tries = tries.wrapping_add(1));
        trying.set(false);
        engine::stop();
    };
    Effect::new(move |_| {
        page.selected.track();
        found.set(None);
        is_stopped.set(false);
        if trying.get_untracked() {
            stop();
        }
    });
    let waiting =
        move || !page.is_recording() && page.answer.with(|answer| matches!(answer, Some(Ok(answer)) if waits(answer)));
    let shown = move || {
        found.get().map(|found| match found {
            Ok(answer) => listed(page, &answer).into_any(),
            Err(problems) => view! {
                <ul class="findings errors">{problems.into_iter().map(finding).collect_view()}</ul>
            }
            .into_any(),
        })
    };
    view! {
        <Show when=waiting>
            <section class="what-if" id="what-if" aria-label="What would let it in" aria-live="polite">
                <button id="ask-what-if" disabled=trying on:click=ask>
                    "What is the smallest change that lets this job in?"
                </button>
                <Show when=move || trying.get()>
                    <p class="tools">
                        <span class="field" role="status">"Trying changes ..."</span>
                        <button id="stop-what-if" on:click=move |_| { stop(); is_stopped.set(true); }>"Stop"</button>
                    </p>
                </Show>
                <Show when=move || is_stopped.get()><p>"Stopped: not all changes were tried."</p></Show>
                {shown}
            </section>
        </Show>
    }
}

fn listed(page: Page, answer: &WhatIf) -> impl IntoView {
    let offers = offers(answer);
    let said = match offers.is_empty() {
        true if answer.is_in => "It gets in as it is.",
        true => "No change of one quota, of the nodes or of its priority lets it in.",
        false => "Each of these is enough:",
    };
    let row = move |Offer { sentence, cost, text }: Offer| {
        let apply = move |_| {
            let changes = with(&page.changes.get_untracked(), &text);
            page.change(|given| Given { changes, ..given });
        };
        let label = format!("Apply: {sentence}");
        view! {
            <li>
                <span>{sentence} <span class="count">"; " {cost}</span></span>
                <button class="apply" aria-label=label on:click=apply>"Apply"</button>
            </li>
        }
    };
    view! { <p>{said}</p> <ul>{offers.into_iter().map(row).collect_view()}</ul> }
}
