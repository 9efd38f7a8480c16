//! The host's side of the cluster: Kubernetes objects are read, mirrored, and told to the policy as deltas.

mod mirror;

pub use mirror::{Ineligible, Mirror};
