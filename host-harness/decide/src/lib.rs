//! What a policy decides about a snapshot of a cluster, and why, as data: what the `lictor` command prints, and the page shows.
//!
//! [`Opened`] is a policy that was told a cluster; it decides cycle by cycle, and a [`Record`] has what it decided. [`explain::Answer`] has
//! why, for one pod or job. Nothing here reads a file or a clock, or needs WebAssembly, so that it runs in a browser, too.

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

pub use arguments::Arguments;
pub use between::Between;
pub use changes::Changes;
pub use failure::{Failure, either};
pub use native::Native;
pub use opened::{Opened, With, load};
pub use origins::Origins;
pub use problem::Problem;
pub use record::{Cycle, Record};
pub use snapshot::Snapshot;
