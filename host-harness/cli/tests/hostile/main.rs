//! Policies that misbehave: each ends in a typed error within its limits, and the host continues.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

mod assemble;
mod beside;
mod flat;
mod grows;
mod kept;
mod lies;
mod recovered;
mod refused;
mod remembers;
mod running;
mod slow;
mod stubborn;
