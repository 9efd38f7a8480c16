//! Policies that misbehave: each ends in a typed error within its limits, and the host goes on.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod assemble;
mod refused;
mod running;
