//! What was decided.

use leptos::prelude::*;

use super::compare::Compare;
use super::parts::{LawLink, PodLink};
use crate::model::results::{Entry, Line, Section, Victim, sections};
use crate::state::page;

#[component]
pub(super) fn Results() -> impl IntoView {
    let page = page();
    let shown = move || match page.cycle() {
        Some(cycle) => page.jobs.with(|jobs| sections(&cycle, jobs)),
        None => Vec::new(),
    };
    let empty = move || page.cycle().is_some() && shown().is_empty();
    view! {
        <section class="panel results" id="results" aria-label="Decisions">
            <h2>"Decisions"</h2>
            <p class="summary">{move || page.cycle().map(|_| summary(&shown()))}</p>
            <Compare/>
            <Show when=empty><p class="empty">"No pod was pending."</p></Show>
            {move || shown().into_iter().map(section).collect_view()}
        </section>
    }
}

/// The counts of a cycle.
fn summary(sections: &[Section]) -> String {
    let count = |section: &Section| {
        let pods = section.entries.iter().fold(0usize, |sum, entry| sum.saturating_add(entry.pods.len()));
        format!("{pods} {}", section.fate.word())
    };
    sections.iter().map(count).collect::<Vec<_>>().join(" · ")
}

fn section(section: Section) -> impl IntoView {
    let word = section.fate.word();
    view! {
        <section class="fate" data-fate=word>
            <h3><span class=format!("dot {word}")></span>{section.fate.title()}</h3>
            <ul>{section.entries.into_iter().map(entry).collect_view()}</ul>
        </section>
    }
}

fn entry(entry: Entry) -> impl IntoView {
    let count = entry.pods.len();
    // A job of several pods is asked about as a whole, where it has a name of its own.
    let asked = match entry.pods.as_slice() {
        [only] => only.clone(),
        _ => entry.name.clone(),
    };
    let evicted = (!entry.victims.is_empty()).then(|| victims(entry.victims));
    view! {
        <li class="entry">
            <p class="who">
                <PodLink name=asked label=entry.name/>
                {(count > 1).then(|| view! { <span class="count">{format!("{count} pods")}</span> })}
                {(!entry.nodes.is_empty()).then(|| view! { <span class="nodes">"→ " {entry.nodes}</span> })}
            </p>
            {entry.lines.into_iter().map(line).collect_view()}
            {evicted}
        </li>
    }
}

fn line(line: Line) -> impl IntoView {
    view! {
        <p class="line">{line.law.map(|law| view! { <LawLink code=law/> " " })}{line.text}</p>
    }
}

fn victims(victims: Vec<Victim>) -> impl IntoView {
    let row = |victim: Victim| {
        view! {
            <tr><td><PodLink name=victim.pod/></td><td>{victim.node}</td><td>{victim.how}</td></tr>
        }
    };
    view! {
        <table class="victims">
            <thead><tr><th scope="col">"Victim"</th><th scope="col">"Node"</th><th scope="col">"How"</th></tr></thead>
            <tbody>{victims.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}
