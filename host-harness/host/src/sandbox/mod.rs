//! The sandbox: a policy that is a WebAssembly component, in wasmtime.
//!
//! A policy from a stranger can compute and nothing else: it imports nothing, and [`Limits`] bound its time, its fuel, its memory and
//! the size of what it answers. Whatever it does ends in a typed error, and the host goes on:
//!
//! ```no_run
//! use lictor_host::policy::Policy;
//! use lictor_host::sandbox::{Limits, Sandbox};
//!
//! let sandbox = Sandbox::new(Limits::default())?;
//! let mut policy = sandbox.load(&std::fs::read("policy.wasm")?)?.start()?;
//! assert_eq!(policy.describe()?.name, "lictor");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Sandbox`] compiles and checks, [`Loaded`] is a component that passed, [`Sandboxed`] one instance of it: a
//! [`Policy`](crate::policy::Policy) that holds one cluster.

mod bindings;
mod breakage;
mod cache;
mod chunks;
mod clock;
mod engine;
mod file;
mod guard;
mod inspect;
mod instance;
mod interfaces;
mod limits;
mod load;
mod policy;
mod refusal;
mod signature;
mod tally;

pub use breakage::Breakage;
pub use cache::Cache;
pub use engine::Sandbox;
pub use inspect::{Export, Function, Inspection, Presence};
pub use limits::{LIMITS, LimitError, LimitInfo, Limits};
pub use load::Loaded;
pub use policy::Sandboxed;
pub use refusal::{LoadError, NotAComponent};
pub use tally::SandboxCounters;
