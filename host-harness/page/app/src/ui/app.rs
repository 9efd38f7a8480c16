//! The page as a whole.

use leptos::prelude::*;
use web_sys::DragEvent;

use super::cluster::Cluster;
use super::findings::Findings;
use super::header::Header;
use super::law::LawPage;
use super::open::{Open, take};
use super::parts::focus;
use super::results::Results;
use super::time::Time;
use super::why::WhyPanel;
use crate::state::PageState;

#[component]
pub(super) fn App() -> impl IntoView {
    let page = PageState::new();
    provide_context(page);
    page.start();
    // An address that is pasted into the address bar does not load the page anew.
    let _pasted = window_event_listener(leptos::ev::hashchange, move |_| page.open_pasted());
    let over = RwSignal::new(false);
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        if let Some(file) = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0)) {
            take(page, file);
        }
    };
    view! {
        <div
            class="page"
            class:over=over
            class:filled=move || page.input.given.with(Option::is_some)
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
            <button class="skip" on:click=move |_| focus("results")>"Skip to the decisions"</button>
            <Header/>
            <main>
                <Show when=move || page.input.given.with(Option::is_none)>
                    <Open/>
                </Show>
                <Findings/>
                <Show when=move || page.input.given.with(Option::is_some)>
                    <Time/>
                    <div class="columns">
                        <Cluster/>
                        <Results/>
                        <WhyPanel/>
                    </div>
                </Show>
            </main>
            <LawPage/>
            <p class="busy" role="status" aria-live="polite">{move || page.busy().get()}</p>
        </div>
    }
}
