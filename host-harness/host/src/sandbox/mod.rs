//! The sandbox: a policy that is a WebAssembly component, in wasmtime.
//!
//! A policy from a stranger can compute and nothing else: it imports nothing, and [`SandboxLimits`] bound its time, its fuel, its memory and
//! the size of its answers. Whatever it does ends in a typed error, and the host continues:
//!
//! ```no_run
//! # #[cfg(feature = "sandbox")] {
//! use lictor_host::policy::Policy;
//! use lictor_host::sandbox::{SandboxLimits, Sandbox};
//!
//! let sandbox = Sandbox::new(SandboxLimits::default())?;
//! let mut policy = sandbox.load(&std::fs::read("policy.wasm")?)?.start()?;
//! assert_eq!(policy.describe()?.name, "lictor");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Sandbox`] compiles and checks, [`LoadedComponent`] is a component that passed, [`SandboxedPolicy`] one instance of it: a
//! [`Policy`](crate::policy::Policy) that holds one cluster.
//!
//! All of that needs the feature `sandbox`. Without it there is no wasmtime, as in a browser. Then only the types remain that describe limits, faults
//! and refusals of a policy.

mod breakage;
mod limits;
mod refusal;

#[cfg(feature = "sandbox")]
mod bindings;
#[cfg(feature = "sandbox")]
mod cache;
#[cfg(feature = "sandbox")]
mod chunks;
#[cfg(feature = "sandbox")]
mod clock;
#[cfg(feature = "sandbox")]
mod compilers;
#[cfg(feature = "sandbox")]
mod engine;
#[cfg(feature = "sandbox")]
mod file;
#[cfg(feature = "sandbox")]
mod guard;
#[cfg(feature = "sandbox")]
mod inspect;
#[cfg(feature = "sandbox")]
mod instance;
#[cfg(feature = "sandbox")]
mod interfaces;
#[cfg(feature = "sandbox")]
mod load;
#[cfg(feature = "sandbox")]
mod policy;
#[cfg(feature = "sandbox")]
mod signature;
#[cfg(feature = "sandbox")]
mod tally;
#[cfg(feature = "sandbox")]
mod templates;
#[cfg(feature = "sandbox")]
mod trap;

pub use breakage::PolicyFault;
pub use limits::{LIMITS, LimitError, LimitInfo, SandboxLimits};
pub use refusal::{LoadError, NotAComponent};

#[cfg(feature = "sandbox")]
pub use self::{
    cache::Cache,
    engine::Sandbox,
    inspect::{Export, Function, Inspection, Presence},
    load::LoadedComponent,
    policy::SandboxedPolicy,
    tally::SandboxCounters,
    templates::TemplateNumbers,
};
