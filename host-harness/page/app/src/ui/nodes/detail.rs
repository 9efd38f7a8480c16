//! The node that is chosen, and its pods.

use leptos::prelude::*;
use lictor_picture::Placed;
use wasm_bindgen_futures::spawn_local;

use super::super::parts::PodLink;
use crate::data::Edit;
use crate::engine;
use crate::model::object::cordoned;
use crate::model::quantity::short;
use crate::state::{Page, page};

#[component]
pub(super) fn Detail(
    /// The node.
    name: Signal<Option<String>>,
) -> impl IntoView {
    let page = page();
    let pods = RwSignal::new(Vec::<Placed>::new());
    Effect::new(move |_| {
        pods.set(Vec::new());
        let (cycle, Some(node)) = (page.at.get(), name.get()) else { return };
        spawn_local(async move {
            if let Ok(found) = engine::pods_on(&node, cycle).await
                && (name.get_untracked(), page.at.get_untracked()) == (Some(node), cycle)
            {
                pods.set(found);
            }
        });
    });
    let titles = move || {
        let titles = page.picture.with(|picture| picture.resources.clone());
        titles.into_iter().map(|title| view! { <th scope="col">{short(&title).to_owned()}</th> }).collect_view()
    };
    let row = |pod: Placed| {
        let amounts = pod.amounts.into_iter().map(|amount| view! { <td class="number">{amount}</td> }).collect_view();
        view! { <tr><td><PodLink name=pod.name/></td><td class="number">{pod.priority}</td>{amounts}</tr> }
    };
    view! {
        <Show when=move || name.get().is_some()>
            <section class="node-detail" aria-live="polite">
                <h3>{name}</h3>
                <Show when=move || !page.is_recording()><Tools name/></Show>
                <table>
                    <thead><tr><th scope="col">"Pod"</th><th scope="col">"Priority"</th>{titles}</tr></thead>
                    <tbody>{move || pods.get().into_iter().map(row).collect_view()}</tbody>
                </table>
            </section>
        </Show>
    }
}

/// What can be done with the node.
#[component]
fn Tools(name: Signal<Option<String>>) -> impl IntoView {
    let page = page();
    view! {
        <p class="tools">
            <button on:click=move |_| change(page, name, |node| node)>"Edit"</button>
            <button on:click=move |_| change(page, name, cordoned)>"Cordon"</button>
            <button
                id="drain"
                title="It takes no more pods, and its pods are pending again, but those of DaemonSets"
                on:click=move |_| name.get_untracked().into_iter().for_each(|node| page.apply(Edit::Drain { node }))
            >
                "Drain"
            </button>
        </p>
    }
}

/// Puts the node among the changes, as `edit` makes it.
fn change(page: Page, name: Signal<Option<String>>, edit: fn(String) -> String) {
    if let Some(name) = name.get_untracked() {
        page.edit(format!("Node/{name}"), edit);
    }
}
