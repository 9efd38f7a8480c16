//! The decision about the pod or job that is selected, step by step.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::why::part;
use crate::model::steps::{DecisionStep, stages};
use crate::state::page;

#[component]
pub(super) fn Steps() -> impl IntoView {
    let page = page();
    let at = RwSignal::new(0usize);
    let all = Memo::new(move |_| {
        let cycle = page.shown.cycle.get()?;
        page.selection.answer.with(|answer| answer.as_ref().and_then(|answer| stages(answer.as_ref().ok()?, &cycle)))
    });
    let last = move || all.with(|all| all.as_ref().map_or(0, |(_, stages)| stages.len().saturating_sub(1)));
    let next = move || at.update(|at| *at = at.saturating_add(1).min(last()));
    let previous = move || at.update(|at| *at = at.saturating_sub(1));
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowRight" => next(),
            "ArrowLeft" => previous(),
            "Home" => at.set(0),
            "End" => at.set(last()),
            _ => return,
        }
        event.prevent_default();
    };
    // Another pod begins at its first step.
    Effect::new(move |_| {
        page.selection.selected.track();
        at.set(0);
    });
    let name = move |(place, stage): (usize, DecisionStep)| {
        let current = move || (at.get() == place).then_some("step");
        view! {
            <li>
                <button class="step" aria-current=current on:click=move |_| at.set(place)>{stage.name}</button>
            </li>
        }
    };
    let names = move || {
        let stages = all.get().map(|(_, stages)| stages).unwrap_or_default();
        stages.into_iter().enumerate().map(name).collect_view()
    };
    let shown = move || all.get().and_then(|(pod, stages)| stages.into_iter().nth(at.get()).map(|it| one(&pod, it)));
    let none = move || match page.selection.answer.with(Option::is_none) {
        true => "Asking ...",
        false => "No attempt was made for it in this cycle.",
    };
    view! {
        <Show
            when=move || all.with(Option::is_some)
            fallback=move || view! { <p class="empty">{none}</p> }
        >
            <div class="steps" id="steps" on:keydown=key>
                <ol class="step-names">{names}</ol>
                <p class="tools">
                    <button id="previous-step" disabled=move || at.get() == 0 on:click=move |_| previous()>"Previous"</button>
                    <button id="next-step" class="first" disabled=move || at.get() == last() on:click=move |_| next()>"Next"</button>
                </p>
                <div aria-live="polite">{shown}</div>
            </div>
        </Show>
    }
}

fn one(pod: &str, stage: DecisionStep) -> impl IntoView + use<> {
    view! {
        <article class="told">
            <h3>{stage.name} ": " {pod.to_owned()}</h3>
            <p class="line">{stage.what}</p>
            <p>{stage.end}</p>
            {stage.parts.into_iter().map(part).collect_view()}
        </article>
    }
}
