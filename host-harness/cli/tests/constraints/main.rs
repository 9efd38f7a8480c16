//! No hard constraint of Kubernetes is broken by what is decided: a checker of its own, which knows nothing of the engine, of the host's
//! mirror and of its verification. It reads the dump as it is written, and judges each pod that got a node.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod checker;
mod decided;
mod dump;
mod inter_pod;
mod labels;
mod node;
mod room;
#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod run;
mod three_zones;
mod volumes;
