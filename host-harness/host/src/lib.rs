//! The host of a scheduling policy: feeds it a cluster, asks it, verifies what it answers and carries it out.
//!
//! A policy is whatever implements [`policy::Policy`]: a component in the [`sandbox`], or Rust code of the embedder. This library holds no
//! policy and knows none.

pub mod cluster;
pub mod compare;
pub mod driver;
pub mod living;
pub mod policy;
pub mod rails;
pub mod reason;
pub mod recording;
pub mod replace;
pub mod sandbox;
pub mod session;
mod sweep;
pub mod verify;
