//! The host as a server: a kube-scheduler with a thin plugin asks questions, and the policy answers from its sandbox.
//!
//! The plugin sends all objects and asks one question at a time ([`lictor_host::session::PluginRequest`]). The consequences for other pods are sent as
//! commands. `host-harness/kube-scheduler/PROTOCOL.md` specifies the frames; its test vectors are run here and there.

mod conversation;
mod exclusive;
pub mod marked;
pub mod message;
#[cfg(test)]
mod model;
mod offer;
mod opened;
pub mod say;
mod server;
#[cfg(test)]
mod tests;
pub mod wire;

pub use conversation::SchedulerConnection;
pub use exclusive::{ExclusiveGuard, ExclusiveRight};
pub use offer::{CandidateFactory, CandidateSlot};
pub use opened::{ConnectionObserver, ConnectionSetup, FrameError};
pub use server::{ListenError, Server, SessionOpener, ShutdownHandle};
