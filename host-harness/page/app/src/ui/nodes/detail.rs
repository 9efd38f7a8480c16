//! The chosen node, and its pods.

use leptos::prelude::*;
use lictor_picture::{DrawnNode, PodOnNode};

use super::super::findings::findings;
use super::super::parts::PodLink;
use crate::data::{CycleView, Edit};
use crate::model::nodes::sentence;
use crate::model::quantity::short;
use crate::state::{PageState, page};

#[component]
pub(super) fn Detail(
    /// The node.
    node: Signal<Option<DrawnNode>>,
) -> impl IntoView {
    let page = page();
    let said = move || {
        let node = node.get()?;
        let said = page.shown.picture.with(|picture| sentence(picture, &node));
        Some(said.strip_prefix(&node.name).unwrap_or_default().trim_start_matches(": ").to_owned())
    };
    let pods = move || match page.selection.placed.get() {
        None => view! { <p class="empty">"Asking ..."</p> }.into_any(),
        Some(Ok(pods)) => table(page, pods).into_any(),
        Some(Err(problems)) => findings(problems).into_any(),
    };
    view! {
        <Show when=move || node.with(Option::is_some)>
            <section class="node-detail" aria-label="Node">
                <h3>{move || node.with(|node| node.as_ref().map(|node| node.name.clone()))}</h3>
                <p class="line">{said}</p>
                <Show when=move || !page.is_recording()><Tools/></Show>
                {pods}
            </section>
        </Show>
    }
}

/// Shows the pods after the cycle that is shown, with the result of the cycle for each. The bars are those before the cycle.
fn table(page: PageState, pods: Vec<PodOnNode>) -> impl IntoView {
    let titles = page.shown.picture.with_untracked(|picture| picture.resources.clone());
    let title = |title: String| view! { <th scope="col" class="number">{short(&title).to_owned()}</th> };
    let cycle = page.shown.cycle.get_untracked();
    let row = move |pod: PodOnNode| {
        let amounts = pod.amounts.into_iter().map(|amount| view! { <td class="number">{amount}</td> }).collect_view();
        let word = cycle.as_ref().and_then(|cycle| became(cycle, &pod.name));
        view! {
            <tr>
                <td><PodLink name=pod.name/> {word.map(|word| view! { " " <span class=format!("word {word}")>{word}</span> })}</td>
                <td class="number">{pod.priority}</td>
                {amounts}
            </tr>
        }
    };
    view! {
        <table>
            <thead>
                <tr>
                    <th scope="col">"Pod"</th>
                    <th scope="col" class="number">"priority"</th>
                    {titles.into_iter().map(title).collect_view()}
                </tr>
            </thead>
            <tbody>{pods.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// Returns the result of a cycle for a pod that has a node. `None`: the cycle left the pod alone.
fn became(cycle: &CycleView, pod: &str) -> Option<&'static str> {
    match (cycle.victims.contains_key(pod), cycle.bound.contains_key(pod), cycle.waiting.contains_key(pod)) {
        (true, ..) => Some("evicted"),
        (_, true, _) => Some("bound"),
        (_, _, true) => Some("held"),
        _ => None,
    }
}

/// Shows the actions for the node.
#[component]
fn Tools() -> impl IntoView {
    let page = page();
    let with = move |what: fn(PageState, String)| {
        move |_| page.selection.node.get_untracked().into_iter().for_each(|it| what(page, it))
    };
    view! {
        <p class="tools">
            <button
                id="cordon"
                title="It takes no more pods"
                on:click=with(|page, node| page.apply(Edit::Cordon { node }))
            >
                "Cordon"
            </button>
            <button
                id="drain"
                title="It takes no more pods, and its pods are pending again, but those of DaemonSets"
                on:click=with(|page, node| page.apply(Edit::Drain { node }))
            >
                "Drain"
            </button>
            <button
                id="edit-node"
                title="Writes the node among the changes"
                on:click=with(|page, node| page.edit(format!("Node/{node}")))
            >
                "Edit"
            </button>
        </p>
    }
}
