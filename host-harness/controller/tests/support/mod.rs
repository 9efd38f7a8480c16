//! The common parts of the tests in a living cluster: the cluster, the objects in it, and an observer that trusts only the API server.
//!
//! A test takes a [`testbed::Testbed`]; where its binary has not been built, the test says so and is not run.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

pub mod objects;
pub mod observer;
pub mod testbed;
