//! Light or dark: as the machine sets it, until the user chooses.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::state::{PageState, page};

const KEY: &str = "lictor-theme";

/// The themes in the order of the switch.
const THEMES: [(&str, &str); 3] = [("auto", "Auto"), ("light", "Light"), ("dark", "Dark")];

#[component]
pub(super) fn ThemeSwitch() -> impl IntoView {
    let page = page();
    let first = stored_theme().unwrap_or_else(|| "auto".to_owned());
    show(page, &first);
    follow_machine(page);
    let theme = RwSignal::new(first);
    let choose = move |event| {
        let chosen = event_target_value(&event);
        keep(&chosen);
        show(page, &chosen);
        theme.set(chosen);
    };
    let option = move |(value, name): (&'static str, &'static str)| {
        view! { <option value=value selected=move || theme.get() == value>{name}</option> }
    };
    view! {
        <select id="theme" class="quiet" aria-label="Theme" title="Light or dark" on:change=choose>
            {THEMES.map(option).collect_view()}
        </select>
    }
}

/// Gives the page this theme.
fn show(page: PageState, theme: &str) {
    if let Some(root) = document().document_element() {
        let _set = root.set_attribute("data-theme", theme);
    }
    page.settings.look.set(theme.to_owned());
}

/// Makes drawings follow the machine's setting, too. The closure is never freed: the switch exists as long as the page.
fn follow_machine(page: PageState) {
    if let Ok(Some(dark)) = window().match_media("(prefers-color-scheme: dark)") {
        let changed = Closure::<dyn Fn()>::new(move || page.settings.look.update(|look| look.push(' ')));
        dark.set_onchange(Some(changed.as_ref().unchecked_ref()));
        changed.forget();
    }
}

/// Returns the theme that was chosen before. `None`: none was chosen, or the page is a file and has no storage.
fn stored_theme() -> Option<String> {
    let theme = window().local_storage().ok()??.get_item(KEY).ok()??;
    THEMES.iter().any(|(known, _)| *known == theme).then_some(theme)
}

fn keep(theme: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _kept = storage.set_item(KEY, theme);
    }
}
