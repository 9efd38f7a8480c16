//! The line of cycles: run the next ones, and look at earlier ones.

use leptos::prelude::*;

use super::live::Following;
use crate::data::CycleInterval;
use crate::model::form::number;
use crate::model::time::{CycleChanges, StoredMoment};
use crate::state::{PageState, page};

#[component]
pub(super) fn Time() -> impl IntoView {
    let page = page();
    view! {
        <section class="panel time" id="time" aria-label="Time">
            <div class="tools">
                <Show when=move || page.timeline.live.with(Option::is_some) fallback=move || view! { <Tools/> }>
                    <Following/>
                </Show>
                <Said/>
            </div>
            <Line/>
        </section>
    }
}

/// Shows the tools that run cycles.
#[component]
fn Tools() -> impl IntoView {
    let page = page();
    let (leave, seconds) = (RwSignal::new(true), RwSignal::new("0".to_owned()));
    let run = move |how: fn(PageState, CycleInterval)| match number("the time that passes", &seconds.get_untracked()) {
        Ok(seconds) => how(page, CycleInterval { victims_leave: leave.get_untracked(), seconds }),
        Err(mistake) => page.input.problems.set(vec![mistake]),
    };
    let is_idle = move || page.busy().with(Option::is_none) && !page.timeline.is_at_end.get();
    let word = move |cycle: &'static str, recorded: &'static str| if page.is_recording() { recorded } else { cycle };
    view! {
        <button id="run-cycle" class="first" disabled=move || !is_idle() on:click=move |_| run(PageState::run)>
            {move || word("Run a cycle", "Next moment")}
        </button>
        <button
            id="run-quiet"
            disabled=move || !is_idle()
            title=move || word("Runs cycles until one changes nothing", "Repeats the next moments of the recording")
            on:click=move |_| run(PageState::run_on)
        >
            {move || word("Until nothing changes", "Next moments")}
        </button>
        <Show when=move || !page.is_recording() fallback=move || view! { <RecordedEnd/> }>
            <label class="field" title="Before each cycle, the victims of the last one leave the cluster">
                <input
                    id="victims-leave"
                    type="checkbox"
                    prop:checked=leave
                    on:change=move |event| leave.set(event_target_checked(&event))
                />
                " victims leave first"
            </label>
            <label class="field" title="So many seconds pass before each cycle">
                <input
                    id="seconds"
                    class="small"
                    type="number"
                    min="0"
                    max="1000000"
                    prop:value=seconds
                    on:input=move |event| seconds.set(event_target_value(&event))
                />
                " seconds pass first"
            </label>
        </Show>
    }
}

/// Shows whether the recording may have more moments.
#[component]
fn RecordedEnd() -> impl IntoView {
    let page = page();
    let said = move || match page.timeline.is_at_end.get() {
        true => "A recording: all of it was repeated.",
        false => "A recording: there may be more.",
    };
    view! { <span class="field" id="recorded">{said}</span> }
}

/// Returns the word for what is counted: cycles, or the moments of a recording.
fn word(page: PageState) -> &'static str {
    if page.is_recording() { "Moment" } else { "Cycle" }
}

/// Shows the range of the cycles, with a mark for each.
#[component]
fn Line() -> impl IntoView {
    let page = page();
    let bounds = Memo::new(move |_| page.timeline.moments.with(|moments| (moments.first(), moments.last())));
    let count = move || bounds.get().1.saturating_sub(bounds.get().0).saturating_add(1);
    let drag = move |event| page.show(event_target_value(&event).parse().unwrap_or(0));
    let text = move || format!("{} {} of {}", word(page), page.timeline.at.get(), bounds.get().1);
    view! {
        <Show when=move || bounds.get().0 < bounds.get().1>
            <div class="line-of-time" style=move || format!("--count:{}", count())>
                <input
                    id="moment"
                    type="range"
                    step="1"
                    aria-label=move || word(page)
                    aria-valuetext=text
                    prop:min=move || bounds.get().0
                    prop:max=move || bounds.get().1
                    prop:value=move || page.timeline.at.get()
                    on:input=drag
                />
                <div class="marks" aria-hidden="true">
                    {move || page.timeline.moments.with(|moments| moments.iter().map(|kept| mark(page, kept)).collect_view())}
                </div>
            </div>
        </Show>
    }
}

/// Shows the changes by a cycle, as a small column.
fn mark(page: PageState, kept: &StoredMoment) -> impl IntoView + use<> {
    let (number, changes) = (kept.number, kept.changes);
    let CycleChanges { bound, nominated, evicted, .. } = changes;
    let parts = [("bound", bound), ("nominated", nominated), ("evicted", evicted)];
    let part = |(word, count): (&'static str, usize)| {
        // A few pods must be visible next to many.
        let height = (3.0 * (count as f64).sqrt()).min(11.0);
        (count > 0).then(|| view! { <i class=format!("state {word}") style=format!("height:{height:.1}px")></i> })
    };
    let title = format!("{} {number}: {}", untrack(|| word(page)), changes.sentence());
    view! {
        <span class="mark" title=title class:now=move || page.timeline.at.get() == number on:click=move |_| page.show(number)>
            {parts.map(part).into_iter().collect_view()}
        </span>
    }
}

/// Shows the changes by the cycle that is shown.
#[component]
fn Said() -> impl IntoView {
    let page = page();
    let shown = Memo::new(move |_| {
        let at = page.timeline.at.get();
        page.timeline.moments.with(|moments| moments.get(at).map(|kept| (kept.changes, kept.left.clone())))
    });
    let said = move || {
        let (changes, _) = shown.get()?;
        let time = page.shown.record.with(|record| record.as_ref().and_then(|record| record.cluster.now.clone()));
        let time = time.map(|time| format!(", {time}")).unwrap_or_default();
        let last = page.timeline.moments.with(|moments| moments.last());
        Some(format!("{} {} of {last}{time}: {}", word(page), page.timeline.at.get(), changes.sentence()))
    };
    let gone = move || page.timeline.moments.with(|moments| moments.dropped());
    let left = move || shown.get().map(|(_, left)| left).filter(|left| !left.is_empty());
    view! {
        <p class="said" id="cycle-said" aria-live="polite">{said}</p>
        {move || left().map(|left| view! {
            <details>
                <summary>{format!("{} left the cluster before it", left.len())}</summary>
                <ul class="names">{left.iter().map(|name| view! { <li>{name.clone()}</li> }).collect_view()}</ul>
            </details>
        })}
        <Show when=move || { gone() > 0 }>
            <p class="empty" id="moments-gone">{move || format!("{}s 1 to {} are not kept any more.", word(page), gone())}</p>
        </Show>
    }
}
