//! The front end of the page: the view model, which needs no browser, and the components that show it in one.

pub mod data;
pub mod model;

#[cfg(target_arch = "wasm32")]
mod engine;
#[cfg(target_arch = "wasm32")]
mod state;
#[cfg(target_arch = "wasm32")]
mod ui;
