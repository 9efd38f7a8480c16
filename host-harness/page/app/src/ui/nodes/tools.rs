//! The colours, the order and the filter of the nodes.

use leptos::prelude::*;

use crate::model::nodes::{Colour, NodeSortOrder};

#[component]
pub(super) fn Tools(
    colour: RwSignal<Colour>,
    order: RwSignal<NodeSortOrder>,
    filter: RwSignal<String>,
) -> impl IntoView {
    view! {
        <div class="tools">
            <label class="field">
                <span class="wide">"Colour "</span>
                <select id="colour" aria-label="Colour" on:change=move |event| {
                    colour.set(if event_target_value(&event) == "priority" { Colour::Priority } else { Colour::Queue });
                }>
                    <option value="queue">"by queue"</option>
                    <option value="priority">"by priority"</option>
                </select>
            </label>
            <label class="field">
                <span class="wide">"Order "</span>
                <select id="order" aria-label="Order" on:change=move |event| {
                    order.set(if event_target_value(&event) == "fullest" { NodeSortOrder::Fullest } else { NodeSortOrder::Name });
                }>
                    <option value="name">"by name"</option>
                    <option value="fullest">"fullest first"</option>
                </select>
            </label>
            <input
                type="search"
                id="find-node"
                placeholder="node"
                aria-label="Find a node"
                on:input=move |event| filter.set(event_target_value(&event))
            />
        </div>
    }
}
