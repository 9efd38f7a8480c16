//! The decisions that differ from those before the last change.

use leptos::prelude::*;

use super::parts::PodLink;
use crate::model::compare::{StateDifference, compare};
use crate::state::page;

#[component]
pub(super) fn Compare() -> impl IntoView {
    let page = page();
    let differences = Memo::new(move |_| {
        // The first cycles begin with the cluster as it was opened: only they can be compared.
        if page.timeline.at.get() != 1 {
            return None;
        }
        let before = page.shown.before.get()?;
        let after = page.shown.cycle.get()?;
        before.cycles.last().map(|before| compare(before, &after))
    });
    let row = |it: StateDifference| {
        view! { <tr><td><PodLink name=it.pod/></td><td>{it.before}</td><td>{it.after}</td></tr> }
    };
    let shown = move |differences: Vec<StateDifference>| {
        match differences.is_empty() {
        true => view! { <p class="empty">"The change makes no difference."</p> }.into_any(),
        false => view! {
            <table>
                <thead><tr><th scope="col">"Pod"</th><th scope="col">"Before"</th><th scope="col">"Now"</th></tr></thead>
                <tbody>{differences.into_iter().map(row).collect_view()}</tbody>
            </table>
        }
        .into_any(),
    }
    };
    view! {
        <Show when=move || differences.with(Option::is_some)>
            <section class="compare" id="compare" aria-label="Difference" aria-live="polite">
                <h3>"What the change does"</h3>
                {move || differences.get().map(shown)}
            </section>
        </Show>
    }
}
