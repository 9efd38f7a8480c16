//! The host of Lictor's policies: feeds them a cluster, runs the scheduling cycle, verifies and carries out their plans.

pub mod cli;
pub mod cluster;
pub mod fuzz;
pub mod policy;
pub mod sandbox;
pub mod scenario;
pub mod scheduler;
pub mod verify;
