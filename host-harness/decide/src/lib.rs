//! The decisions of a policy about a snapshot of a cluster, and their reasons, as data: what the `lictor` command prints, and the page shows.
//!
//! [`ClusterSession`] is a policy that has received a cluster; it decides cycle by cycle, and a [`DecisionReport`] holds its decisions.
//! [`explain::ExplanationReport`] holds the reasons, for one pod or job. No code here reads a file or a clock, or needs WebAssembly, so that it runs in a
//! browser, too.

mod arguments;
mod between;
mod changes;
pub mod edit;
pub mod explain;
mod failure;
pub mod jobs;
pub mod laws;
pub mod mask;
mod native;
mod opened;
mod origins;
mod overflow;
mod priorities;
mod problem;
pub mod record;
pub mod recorded;
mod snapshot;
pub mod system;
mod unread;
pub mod what_if;
pub mod written;

pub use arguments::UserArguments;
pub use between::CycleInterval;
pub use changes::SnapshotChanges;
pub use failure::{DecideError, either};
pub use native::Native;
pub use opened::{ClusterSession, DecisionSettings, load};
pub use origins::Origins;
pub use problem::Problem;
pub use record::{CycleReport, DecisionReport};
pub use snapshot::ClusterSnapshot;
