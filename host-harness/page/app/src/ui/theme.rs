//! Light or dark: as the machine has it, until somebody chooses.

use leptos::prelude::*;

const KEY: &str = "lictor-theme";

/// The themes in the order of the switch.
const THEMES: [(&str, &str); 3] = [("auto", "Auto"), ("light", "Light"), ("dark", "Dark")];

#[component]
pub(super) fn ThemeSwitch() -> impl IntoView {
    let theme = RwSignal::new(kept().unwrap_or_else(|| "auto".to_owned()));
    Effect::new(move |_| {
        let theme = theme.get();
        if let Some(root) = document().document_element() {
            let _set = root.set_attribute("data-theme", &theme);
        }
        keep(&theme);
    });
    let option = move |(value, name): (&'static str, &'static str)| {
        view! { <option value=value selected=move || theme.get() == value>{name}</option> }
    };
    view! {
        <label class="field">
            <span class="wide">"Theme "</span>
            <select id="theme" aria-label="Theme" on:change=move |event| theme.set(event_target_value(&event))>
                {THEMES.map(option).collect_view()}
            </select>
        </label>
    }
}

/// The theme that was chosen before. A page from a file may have no storage.
fn kept() -> Option<String> {
    let theme = window().local_storage().ok()??.get_item(KEY).ok()??;
    THEMES.iter().any(|(known, _)| *known == theme).then_some(theme)
}

fn keep(theme: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _kept = storage.set_item(KEY, theme);
    }
}
