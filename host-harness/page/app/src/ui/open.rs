//! Opening: a file that is dropped or chosen, a text that is pasted, or an example.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlInputElement};

use crate::data::{FindingView, OpenRequest};
use crate::engine;
use crate::state::{PageState, page};

#[component]
pub(super) fn Open() -> impl IntoView {
    let page = page();
    let pasted = RwSignal::new(String::new());
    let chosen = move |event: web_sys::Event| {
        let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        if let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) {
            take(page, file);
        }
    };
    let paste = move |_| {
        page.open(OpenRequest { name: "pasted text".to_owned(), text: pasted.get(), ..OpenRequest::default() })
    };
    view! {
        <section class="open" aria-labelledby="open-title">
            <h2 id="open-title">"Who waits, who would be evicted, and why"</h2>
            <p>
                "Open what "
                <code>"kubectl get nodes,namespaces,pods,elasticquotas,podgroups,priorityclasses -A -o yaml"</code>
                " prints, a scenario, or a recording that "<code>"--record"</code>" has written. Nothing of it leaves this browser."
            </p>
            <div class="ways">
                <div class="way drop">
                    <label for="file">"Drop a file anywhere, or choose one"</label>
                    <input id="file" type="file" accept=".yaml,.yml,.json,.rec" on:change=chosen/>
                </div>
                <div class="way">
                    <label for="pasted">"Paste a text"</label>
                    <textarea
                        id="pasted"
                        rows="4"
                        spellcheck="false"
                        placeholder="apiVersion: v1 ..."
                        prop:value=pasted
                        on:input=move |event| pasted.set(event_target_value(&event))
                    ></textarea>
                    <button id="open-pasted" disabled=move || pasted.with(|text| text.trim().is_empty()) on:click=paste>
                        "Open the text"
                    </button>
                </div>
                <div class="way">
                    <h3>"Or look at an example"</h3>
                    <ul class="examples">
                        {engine::examples().into_iter().enumerate().map(|(at, example)| view! {
                            <li>
                                <button class="example" on:click=move |_| show(page, at)>
                                    <strong>{example.title}</strong>
                                    <span class="tag">{example.system}</span>
                                </button>
                            </li>
                        }).collect_view()}
                    </ul>
                </div>
            </div>
        </section>
    }
}

/// Shows an example.
fn show(page: PageState, index: usize) {
    spawn_local(async move {
        match engine::example(index).await {
            Ok(given) => page.open(given),
            Err(problems) => page.input.problems.set(problems),
        }
    });
}

/// Opens a file.
pub(super) fn take(page: PageState, file: File) {
    spawn_local(async move {
        match engine::read_file(&file).await {
            Ok(given) => page.open(given),
            Err(_) => page.input.problems.set(vec![FindingView::error(format!("{} could not be read", file.name()))]),
        }
    });
}
