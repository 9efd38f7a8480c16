//! Small parts of several components.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::state::page;

/// The number of names that are shown; the rest is hidden behind a count.
const SHOWN: usize = 6;

/// Gives the element with this id the focus.
pub(super) fn focus(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        let _focused = element.focus();
    }
}

/// Shows the code of a law, which opens its page.
#[component]
pub(super) fn LawLink(code: String) -> impl IntoView {
    let page = page();
    let shown = code.clone();
    view! {
        <button class="law" title="Read this law" on:click=move |_| page.laws.open.set(Some(code.clone()))>{shown}</button>
    }
}

/// Shows the name of a pod or a job, which opens the reasons for its state.
#[component]
pub(super) fn PodLink(
    /// What is selected.
    name: String,
    /// What is shown; the name, where it is left out.
    #[prop(optional)]
    label: Option<String>,
) -> impl IntoView {
    let page = page();
    let shown = label.unwrap_or_else(|| name.clone());
    let own = name.clone();
    let is_selected = move || page.selection.selected.with(|selected| selected.as_ref() == Some(&own));
    view! {
        <button class="pod" aria-pressed=move || is_selected().to_string() on:click=move |_| page.select(name.clone())>
            {shown}
        </button>
    }
}

/// Shows names, the first of them at once. Names of pods may end with ` on NODE`.
#[component]
pub(super) fn Names(names: Vec<String>, pods: bool) -> impl IntoView {
    let name = move |text: String| {
        let pod = text.split_once(" on ").map_or(&*text, |(pod, _)| pod).to_owned();
        match pods {
            true => view! { <li><PodLink name=pod label=text/></li> }.into_any(),
            false => view! { <li>{text}</li> }.into_any(),
        }
    };
    let mut first = names;
    let rest = first.split_off(first.len().min(SHOWN));
    let more = rest.len();
    view! {
        <ul class="names">{first.into_iter().map(name).collect_view()}</ul>
        {(more > 0).then(|| view! {
            <details>
                <summary>{format!("{more} more")}</summary>
                <ul class="names">{rest.into_iter().map(name).collect_view()}</ul>
            </details>
        })}
    }
}
