//! The findings about the input: what, where, and what to do about it.

use leptos::prelude::*;

use crate::data::FindingView;
use crate::state::page;

#[component]
pub(super) fn Findings() -> impl IntoView {
    let page = page();
    let notes = Memo::new(move |_| {
        let decided = page.shown.record.with(|record| record.as_ref().map(|record| record.findings.clone()));
        decided.or_else(|| page.input.summary.with(|it| it.as_ref().map(|it| it.findings.clone()))).unwrap_or_default()
    });
    let title = move || match notes.with(Vec::len) {
        1 => "1 note about the objects".to_owned(),
        count => format!("{count} notes about the objects"),
    };
    view! {
        <Show when=move || page.input.problems.with(|problems| !problems.is_empty())>
            <section class="findings errors" role="alert" aria-label="Problems">
                {move || list(page.input.problems.get())}
                <button class="quiet" id="dismiss" on:click=move |_| page.input.problems.set(Vec::new())>"Dismiss"</button>
            </section>
        </Show>
        <Show when=move || notes.with(|notes| !notes.is_empty())>
            <details class="findings">
                <summary>{title}</summary>
                {move || list(notes.get())}
            </details>
        </Show>
    }
}

/// Shows problems next to the thing that they are about.
pub(super) fn findings(problems: Vec<FindingView>) -> impl IntoView {
    view! { <div class="findings errors">{list(problems)}</div> }
}

fn list(findings: Vec<FindingView>) -> impl IntoView {
    let one = |finding: FindingView| {
        let place = finding.place();
        view! {
            <li class=finding.severity>
                {(!place.is_empty()).then(|| view! { <span class="place">{place}</span> })}
                <span class="message">{finding.message}</span>
                {finding.remedy.map(|remedy| view! { <span class="remedy">{remedy}</span> })}
            </li>
        }
    };
    view! { <ul>{findings.into_iter().map(one).collect_view()}</ul> }
}
