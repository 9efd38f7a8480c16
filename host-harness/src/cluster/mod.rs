//! The host's side of the cluster: Kubernetes objects are read, mirrored, and told to the policy as deltas.

mod error;
pub mod load;
mod mirror;
mod object;

pub use error::InputError;
pub use mirror::{Ineligible, Mirror};
pub use object::Object;
