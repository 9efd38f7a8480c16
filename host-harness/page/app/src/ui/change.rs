//! Changes of the open input: arguments of the system, and objects.

mod forms;

use leptos::prelude::*;

use self::forms::Forms;
use crate::data::OpenRequest;
use crate::state::page;

#[component]
pub(super) fn Change() -> impl IntoView {
    let page = page();
    let (arguments, key) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    // The arguments in force: another file or another system has others.
    Effect::new(move |_| {
        let given = page.input.given.with(|given| given.as_ref().map(|given| given.arguments.clone()));
        arguments.set(given.unwrap_or_default());
    });
    let decide = move |_| {
        let (arguments, changes) = (arguments.get(), page.input.changes.get());
        page.change(|given| OpenRequest { arguments, changes, ..given });
    };
    view! {
        <div class="change">
            <Forms/>
            <label for="arguments">"Arguments of the system"</label>
            <textarea
                id="arguments"
                rows="2"
                spellcheck="false"
                placeholder="enableRuntimeQuota: true"
                prop:value=arguments
                on:input=move |event| arguments.set(event_target_value(&event))
            ></textarea>
            <label for="object">"An object to edit"</label>
            <p class="tools">
                <input
                    id="object"
                    type="search"
                    placeholder="Pod/namespace/name"
                    prop:value=key
                    on:input=move |event| key.set(event_target_value(&event))
                />
                <button
                    id="edit"
                    disabled=move || key.with(String::is_empty)
                    on:click=move |_| page.edit(key.get_untracked().trim().to_owned())
                >
                    "Edit"
                </button>
            </p>
            <label for="changes">"Objects to add, or to stand instead of those of the same kind and name"</label>
            <textarea
                id="changes"
                rows="14"
                spellcheck="false"
                placeholder="apiVersion: v1 ..."
                prop:value=page.input.changes
                on:input=move |event| page.input.changes.set(event_target_value(&event))
            ></textarea>
            <p class="tools">
                <button id="decide" class="first" on:click=decide>"Decide again"</button>
                <button
                    id="undo"
                    class="quiet"
                    title="Back to what was opened, with its system and its arguments"
                    on:click=move |_| page.undo()
                >
                    "Undo all changes"
                </button>
            </p>
        </div>
    }
}
