//! The components, one file each.

mod app;
mod change;
mod cluster;
mod compare;
mod findings;
mod header;
mod jobs;
mod law;
mod live;
mod nodes;
mod open;
mod parts;
mod queues;
mod results;
mod save;
mod steps;
mod theme;
mod time;
mod what_if;
mod why;

use wasm_bindgen::prelude::*;

/// Shows the page.
#[wasm_bindgen(start)]
pub fn start() {
    leptos::mount::mount_to_body(app::App);
}
