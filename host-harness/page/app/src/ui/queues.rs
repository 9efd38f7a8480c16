//! The tree of queues.

use leptos::prelude::*;

use crate::model::bars::{Bar, QueueBars, queues};
use crate::model::quantity::short;
use crate::state::page;

#[component]
pub(super) fn Queues() -> impl IntoView {
    let page = page();
    let shown =
        move || page.shown.record.with(|it| it.as_ref().map(|record| queues(&record.accounts)).unwrap_or_default());
    view! {
        <Show when=move || !shown().is_empty() fallback=|| view! { <p class="empty">"This system has no queues here."</p> }>
            <p class="legend">
                <span><i class="used"></i>"used"</span>
                <span><i class="promised"></i>"promised"</span>
                <span><i class="bound-mark"></i>"bound"</span>
            </p>
            <ul class="queues">{move || shown().into_iter().map(queue).collect_view()}</ul>
        </Show>
    }
}

fn queue(queue: QueueBars) -> impl IntoView {
    view! {
        <li style=format!("--depth:{}", queue.depth)>
            <p class="name">{queue.name}</p>
            {queue.bars.into_iter().map(bar).collect_view()}
        </li>
    }
}

fn bar(bar: Bar) -> impl IntoView {
    let percent = |part: f64| format!("{:.2}%", part * 100.0);
    let bounds: Vec<String> = bar.bounds.iter().map(|bound| format!("{} {}", bound.name, bound.quantity)).collect();
    let mark = |bound: &crate::model::bars::BarBound| {
        let (left, title) = (percent(bound.at), format!("{} {}", bound.name, bound.quantity));
        view! { <i class="bound-mark" style=format!("left:{left}") title=title></i> }
    };
    let marks = bar.bounds.iter().map(mark).collect_view();
    view! {
        <div class="quota" class:grows=bar.grows role="img" aria-label=bar.label.clone() title=bar.label>
            <span class="resource">{short(&bar.resource).to_owned()}</span>
            <span class="track">
                <i class="used" style=format!("width:{}", percent(bar.used))></i>
                <i class="promised" style=format!("left:{};width:{}", percent(bar.used), percent(bar.promised))></i>
                {marks}
            </span>
            <span class="bounds"><b>{bar.used_text}</b> " · " {bounds.join(" · ")}</span>
        </div>
    }
}
