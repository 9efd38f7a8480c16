//! The page of a law.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::data::LawView;
use crate::model::manual::{ManualBlock, TextSpan, blocks, spans};
use crate::state::page;

/// Shows the page of a law as a dialog of the browser: it takes the focus, keeps it, gives it back, and closes with Escape.
#[component]
pub(super) fn LawPage() -> impl IntoView {
    let page = page();
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let is_read = page.laws.open.with(Option::is_some);
        let Some(dialog) = dialog.get() else { return };
        match is_read {
            true if !dialog.open() => drop(dialog.show_modal()),
            false if dialog.open() => dialog.close(),
            _ => {}
        }
    });
    let body = move |code: String| match page.laws.all.with(|laws| laws.get(&code).cloned()) {
        Some(law) => shown(law).into_any(),
        None => view! { <p>"There is no page about " <code>{code}</code> "."</p> }.into_any(),
    };
    view! {
        <dialog
            class="law-page"
            aria-labelledby="law-title"
            node_ref=dialog
            on:close=move |_| page.laws.open.set(None)
            // What is in it lies on an article of its own: only the veil around it is the dialog itself.
            on:click=move |event| if event.target() == event.current_target() { page.laws.open.set(None) }
        >
            <article>
                <button class="quiet close" on:click=move |_| page.laws.open.set(None)>"Close"</button>
                {move || page.laws.open.get().map(body)}
            </article>
        </dialog>
    }
}

fn shown(law: LawView) -> impl IntoView {
    let block = |block: ManualBlock| match block {
        ManualBlock::Heading(text) => view! { <h3>{text}</h3> }.into_any(),
        ManualBlock::Code(text) => view! { <pre>{text}</pre> }.into_any(),
        ManualBlock::Text(text) => view! { <p>{prose(&text)}</p> }.into_any(),
    };
    view! {
        <h2 id="law-title">{law.code}</h2>
        <p class="sentence"><span class="tag">{law.question}</span> " " {prose(&law.sentence)}</p>
        <dl class="facts">
            <div><dt>"source"</dt><dd>{law.source}</dd></div>
            <div><dt>"file"</dt><dd>{law.file}</dd></div>
        </dl>
        {blocks(&law.page).into_iter().map(block).collect_view()}
    }
}

/// Shows a sentence with its code and its links.
fn prose(text: &str) -> impl IntoView + use<> {
    let span = |span: TextSpan| match span {
        TextSpan::Text(text) => text.into_any(),
        TextSpan::Code(text) => view! { <code>{text}</code> }.into_any(),
        TextSpan::Link(address) => {
            let shown = address.clone();
            view! { <a href=address target="_blank" rel="noreferrer">{shown}</a> }.into_any()
        }
    };
    spans(text).into_iter().map(span).collect_view()
}
