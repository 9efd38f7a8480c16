//! The page: a cluster and the engine in a browser. All of it is one file, which needs no server and opens no connection; but the page
//! that follows a recording, which asks for what is written. And the engine alone, as a package for npm.
//!
//! Without the features `bundle` and `npm` this crate is empty: what is in it takes a while to build.

#[cfg(feature = "bundle")]
mod bundle;

#[cfg(feature = "bundle")]
pub use bundle::{PageInput, live, page, sizes};

#[cfg(feature = "npm")]
pub mod npm;
