//! Writes a scheduling policy as one Rust trait.
//!
//! Implement [`Policy`] and export it; every function but [`describe`](Policy::describe) and [`apply`](Policy::apply) has a default.
//! `guest/example` is a whole policy:
//!
//! ```
//! use lictor_sdk::*;
//!
//! /// Lets every pod pass.
//! #[derive(Default)]
//! struct Anything;
//!
//! impl Policy for Anything {
//!     fn describe() -> Description {
//!         let system = system_info("anything", "every pod passes", &[ExtensionPoint::PreFilter]);
//!         Description { name: "anything".to_owned(), version: "1".to_owned(), systems: vec![system] }
//!     }
//!
//!     fn apply(&mut self, _events: Vec<Event>) -> Result<Applied, PolicyError> {
//!         Ok(Applied { findings: Vec::new() })
//!     }
//! }
//!
//! lictor_sdk::export!(Anything);
//! ```
//!
//! A policy is called by one thread, holds one cluster, and is made anew by each `configure`. It must not panic: a host throws away
//! an instance that does, with all it knows. [`testing`] drives a policy in a test without WebAssembly.

#[doc(hidden)]
pub mod bindings;
mod guest;
mod policy;
pub mod testing;

pub use guest::{ExportedPolicy, PolicyStorage};
pub use lictor_contract::*;
pub use policy::{Policy, system_info};

/// Exports a type that implements [`Policy`] as the policy of this component. Once a crate, at its root, in a library with
/// `crate-type = ["cdylib"]`; outside of wasm only the type's own functions are there.
#[macro_export]
macro_rules! export {
    ($policy:ident) => {
        impl $crate::PolicyStorage for $policy {
            fn slot() -> &'static ::std::thread::LocalKey<::std::cell::RefCell<::std::option::Option<$policy>>> {
                ::std::thread_local! {
                    static POLICY: ::std::cell::RefCell<::std::option::Option<$policy>> =
                        const { ::std::cell::RefCell::new(::std::option::Option::None) };
                }
                &POLICY
            }
        }

        #[cfg(target_arch = "wasm32")]
        #[expect(unsafe_code, reason = "exporting is unsafe")]
        mod lictor_exports {
            type Exported = $crate::ExportedPolicy<super::$policy>;
            $crate::bindings::export!(Exported with_types_in $crate::bindings);
        }
    };
}
