//! The page of a law.

use leptos::prelude::*;

use crate::data::Law;
use crate::model::manual::{Block, blocks};
use crate::state::page;

#[component]
pub(super) fn LawPage() -> impl IntoView {
    let page = page();
    let close = move || page.law.set(None);
    let body = move |code: String| match page.laws.with(|laws| laws.get(&code).cloned()) {
        Some(law) => shown(law).into_any(),
        None => view! { <p>"There is no page about " <code>{code}</code> "."</p> }.into_any(),
    };
    view! {
        <Show when=move || page.law.with(Option::is_some)>
            <div class="veil" on:click=move |_| close()></div>
            <aside
                class="law-page"
                role="dialog"
                aria-modal="true"
                aria-label="Law"
                tabindex="-1"
                on:keydown=move |event| if event.key() == "Escape" { close() }
            >
                <button class="quiet close" autofocus on:click=move |_| close()>"Close"</button>
                {move || page.law.get().map(body)}
            </aside>
        </Show>
    }
}

fn shown(law: Law) -> impl IntoView {
    let block = |block: Block| match block {
        Block::Heading(text) => view! { <h3>{text}</h3> }.into_any(),
        Block::Code(text) => view! { <pre>{text}</pre> }.into_any(),
        Block::Text(text) => view! { <p>{text}</p> }.into_any(),
    };
    view! {
        <h2>{law.code}</h2>
        <p class="sentence"><span class="tag">{law.question}</span> {law.sentence}</p>
        <dl class="facts">
            <div><dt>"source"</dt><dd>{law.source}</dd></div>
            <div><dt>"file"</dt><dd>{law.file}</dd></div>
        </dl>
        {blocks(&law.page).into_iter().map(block).collect_view()}
    }
}
