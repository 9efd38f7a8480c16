//! Volcano's elastic jobs over whole cycles, as a host lives through them: sizes stay legal, pods are evicted only for a gang that then runs,
//! a guarantee holds, and the cluster comes to rest.

mod host;
mod many;
mod rest;
#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "the tests inside the crate use the rest")]
#[path = "../../src/testing/mod.rs"]
mod testing;

use lictor_contract::{self as contract, quantity};
use lictor_policy::{Engine, Mutation};
