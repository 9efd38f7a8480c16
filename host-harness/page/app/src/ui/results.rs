//! The decisions.

use std::sync::Arc;

use leptos::prelude::*;

use super::compare::Compare;
use super::parts::{LawLink, PodLink};
use crate::model::results::{Line, ListedVictim, ResultEntry, Section, sections, summary};
use crate::state::page;

/// The number of entries of a section that are shown at first, and that are added at a time.
const STEP: usize = 60;

#[component]
pub(super) fn Results() -> impl IntoView {
    let page = page();
    let shown = Memo::new(move |_| {
        let of = |cycle: &Arc<_>| page.shown.jobs.with(|jobs| sections(cycle, jobs));
        page.shown.cycle.with(|cycle| cycle.as_ref().map(of))
    });
    let counts = move || page.shown.cycle.with(|cycle| cycle.as_ref().map(|cycle| summary(cycle)));
    let is_empty = move || shown.with(|shown| shown.as_ref().is_some_and(Vec::is_empty));
    view! {
        <section class="panel results" id="results" tabindex="-1" aria-label="Decisions">
            <h2>"Decisions"</h2>
            <p class="summary">{counts}</p>
            <Compare/>
            <Show when=is_empty><p class="empty">"No pod was pending, and no pod was evicted."</p></Show>
            {move || shown.get().unwrap_or_default().into_iter().map(section).collect_view()}
        </section>
    }
}

fn section(section: Section) -> impl IntoView {
    let Section { word, title, entries } = section;
    let (all, most) = (StoredValue::new(entries), RwSignal::new(STEP));
    let more = move || all.with_value(Vec::len).saturating_sub(most.get());
    let shown = move || {
        let first = all.with_value(|all| all.iter().take(most.get()).cloned().collect::<Vec<ResultEntry>>());
        first.into_iter().map(entry).collect_view()
    };
    view! {
        <section class="fate" data-fate=word>
            <h3><span class=format!("dot {word}")></span>{title}</h3>
            <ul>{shown}</ul>
            <Show when=move || { more() > 0 }>
                <button class="quiet" on:click=move |_| most.update(|most| *most = most.saturating_add(STEP))>
                    {move || format!("{} more", more())}
                </button>
            </Show>
        </section>
    }
}

fn entry(entry: ResultEntry) -> impl IntoView {
    let ResultEntry { name, explain_name, pods, nodes, lines, victims: evicted } = entry;
    let count = pods.len();
    let who = match explain_name {
        Some(asked) => view! { <PodLink name=asked label=name/> }.into_any(),
        None => view! { <strong>{name}</strong> }.into_any(),
    };
    view! {
        <li class="entry">
            <p class="who">
                {who}
                {(count > 1).then(|| view! { <span class="count">{format!("{count} pods")}</span> })}
                {(!nodes.is_empty()).then(|| view! { <span class="nodes">"→ " {nodes}</span> })}
            </p>
            {lines.into_iter().map(line).collect_view()}
            {(!evicted.is_empty()).then(|| victims(evicted))}
        </li>
    }
}

fn line(line: Line) -> impl IntoView {
    view! {
        <p class="line">{line.law.map(|law| view! { <LawLink code=law/> " " })}{line.text}</p>
    }
}

fn victims(victims: Vec<ListedVictim>) -> impl IntoView {
    let row = |victim: ListedVictim| {
        view! {
            <tr><td><PodLink name=victim.pod/></td><td>{victim.node}</td><td>{victim.method}</td></tr>
        }
    };
    view! {
        <table class="victims">
            <thead><tr><th scope="col">"Victim"</th><th scope="col">"Node"</th><th scope="col">"How"</th></tr></thead>
            <tbody>{victims.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}
