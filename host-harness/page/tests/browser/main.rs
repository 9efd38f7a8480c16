//! The page in a real browser: each feature by what a person sees and clicks.
//!
//! They need Chromium and its driver (`apt-get install chromium chromium-driver`). Without them they say that they were not run;
//! where `LICTOR_REQUIRE_BROWSER=1` is set, that is a failure. `LICTOR_SCREENSHOTS` names a folder for pictures of the page.
#![expect(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, reason = "tests")]

mod browser;
mod changing;
mod cluster;
#[path = "../common/mod.rs"]
mod common;
mod decisions;
mod large;
mod look;
mod opening;
mod pictures;
mod recordings;
mod scenarios;
mod time;
#[path = "../../../../guest/web/src/engine/tests/two.rs"]
mod two;
mod what_if;

/// The bundled snapshot of four teams.
const FOUR_TEAMS: &str = include_str!("../../../../fixtures/snapshots/four-teams.yaml");
