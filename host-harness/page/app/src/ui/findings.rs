//! What is to be said of the input: what, where, and what to do about it.

use leptos::prelude::*;

use crate::data::Finding;
use crate::state::page;

#[component]
pub(super) fn Findings() -> impl IntoView {
    let page = page();
    let warnings = move || {
        let decided = page.record.with(|record| record.as_ref().map(|record| record.findings.clone()));
        decided.or_else(|| page.summary.with(|it| it.as_ref().map(|it| it.findings.clone()))).unwrap_or_default()
    };
    view! {
        <Show when=move || page.problems.with(|problems| !problems.is_empty())>
            <section class="findings errors" role="alert" aria-label="Problems">
                <h2>"This needs to be looked at"</h2>
                <ul>{move || page.problems.get().into_iter().map(finding).collect_view()}</ul>
            </section>
        </Show>
        <Show when=move || !warnings().is_empty()>
            <details class="findings">
                <summary>{move || format!("{} to note about the objects", warnings().len())}</summary>
                <ul>{move || warnings().into_iter().map(finding).collect_view()}</ul>
            </details>
        </Show>
    }
}

pub(super) fn finding(finding: Finding) -> impl IntoView {
    let place = finding.place();
    view! {
        <li class=finding.severity.clone()>
            <span class="place">{place}</span>
            <span class="message">{finding.message}</span>
            {finding.remedy.map(|remedy| view! { <span class="remedy">{remedy}</span> })}
        </li>
    }
}
