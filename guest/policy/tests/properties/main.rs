//! Properties of the whole policy, as a host sees it: the order of the events does not matter, and a plan is legal, no larger than it must
//! be, and found where there is one.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

mod answers;
mod oracle;
mod order;
mod scene;
mod search;
mod telling;
#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "the tests inside the crate use the rest")]
#[path = "../../src/testing/mod.rs"]
mod testing;

use lictor_contract::{self as contract, quantity};
use lictor_policy::Engine;
