//! The front end of the page: the view model, which needs no browser, and the components that show it in one.

pub mod data;
pub mod model;

#[cfg(target_arch = "wasm32")]
mod start {
    use leptos::prelude::*;
    use wasm_bindgen::prelude::*;

    /// Shows the page.
    #[wasm_bindgen(start)]
    pub fn start() {
        leptos::mount::mount_to_body(|| view! { <h1>"Lictor"</h1> });
    }
}
