//! No hard constraint of Kubernetes is broken by what is decided, as the oracle judges it: its checker knows nothing of the engine, of the
//! host's mirror and of its verification. It reads the dump as it is written, and judges each pod that got a node.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod checker;
mod decided;
#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the tests of the command use the rest")]
mod run;
mod three_zones;
mod volumes;
