//! The reasons for the state of the selected pod or job.

use leptos::prelude::*;

use super::findings::findings;
use super::parts::{LawLink, Names};
use super::steps::Steps;
use super::what_if::WhatIfPanel;
use crate::model::why::{ReasonGroup, ReasonItem, ReasonSection, reason_groups};
use crate::state::page;

#[component]
pub(super) fn WhyPanel() -> impl IntoView {
    let page = page();
    let stepped = RwSignal::new(false);
    let way = move |id: &'static str, word: &'static str, steps: bool| {
        let pressed = move || (stepped.get() == steps).to_string();
        view! { <button class="way-of" id=id aria-pressed=pressed on:click=move |_| stepped.set(steps)>{word}</button> }
    };
    let name = move || page.selection.selected.get().unwrap_or_default();
    // A screen reader announces that the answer is there, not all of it.
    let status = move || {
        let told =
            page.selection.answer.with(|answer| answer.as_ref().and_then(|it| it.as_ref().ok()).map(reason_groups))?;
        let states: Vec<String> = told.into_iter().map(|it| it.state).collect();
        Some(format!("{}: {}", name(), states.join("; ")))
    };
    let body = move || match page.selection.answer.get() {
        None => view! { <p class="empty">"Asking ..."</p> }.into_any(),
        Some(Ok(answer)) => reason_groups(&answer).into_iter().map(one).collect_view().into_any(),
        Some(Err(problems)) => findings(problems).into_any(),
    };
    view! {
        <section class="panel why" id="why" aria-label="Why">
            <h2>"Why"</h2>
            <p class="unseen" role="status">{status}</p>
            <Show
                when=move || page.selection.selected.with(Option::is_some)
                fallback=|| view! { <p class="empty">"Select a pod or a job to see why it is where it is."</p> }
            >
                <p class="asked">{name}</p>
                <p class="tools">
                    {way("at-once", "At once", false)}
                    {way("stepped", "Step by step", true)}
                </p>
                {move || if stepped.get() { view! { <Steps/> }.into_any() } else { body().into_any() }}
                <WhatIfPanel/>
            </Show>
        </section>
    }
}

fn one(told: ReasonGroup) -> impl IntoView {
    let who = match told.pods.as_slice() {
        [only] => only.clone(),
        pods => format!("{} pods", pods.len()),
    };
    let nothing = told.parts.is_empty();
    view! {
        <article class="told">
            <h3>{who} ": " {told.state}</h3>
            {nothing.then(|| view! { <p class="empty">"No attempt looked at it."</p> })}
            {told.parts.into_iter().map(part).collect_view()}
        </article>
    }
}

pub(super) fn part(part: ReasonSection) -> impl IntoView {
    view! {
        <section class="part">
            <h4>{part.title}</h4>
            <ul>{part.items.into_iter().map(item).collect_view()}</ul>
        </section>
    }
}

fn item(item: ReasonItem) -> impl IntoView {
    view! {
        <li>
            <p>
                {(!item.count.is_empty()).then(|| view! { <span class="count">{item.count}</span> " " })}
                <LawLink code=item.law/> " " {item.text}
            </p>
            {(!item.facts.is_empty()).then(|| facts(item.facts))}
            {(!item.names.is_empty()).then(|| view! { <Names names=item.names pods=item.are_pods/> })}
        </li>
    }
}

/// Shows the facts of both sides.
fn facts(facts: Vec<(String, String)>) -> impl IntoView {
    let fact = |(name, value): (String, String)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
    view! { <dl class="facts">{facts.into_iter().map(fact).collect_view()}</dl> }
}
