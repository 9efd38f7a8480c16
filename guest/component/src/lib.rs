//! The policy as a WebAssembly component: what the host calls, handed to the engine.
//!
//! One instance holds one cluster. The engine itself knows no bindings.

mod bindings;
mod core;
mod cycle;
mod reports;

use std::cell::RefCell;

use lictor_contract::Templates;
use lictor_policy::Engine;

use bindings::exports::lictor::policy as bound;

lictor_contract::cross_contract!(bound);

/// The type on which the interfaces of the contract are implemented.
struct Component;

thread_local! {
    /// The policy of this instance.
    static ENGINE: RefCell<Engine> = RefCell::default();
    /// The templates of pods that the host has sent.
    static TEMPLATES: RefCell<Templates> = RefCell::default();
}

/// Asks the engine, and turns its answer into a binding.
fn with_engine<A: lictor_contract::Cross<B>, B>(question: impl FnOnce(&mut Engine) -> A) -> B {
    ENGINE.with_borrow_mut(question).cross()
}

/// What the component exports. A native linker takes no names with colons in them, and the crate must build there, too.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "wit-bindgen writes the exports, and exporting is unsafe")]
mod exports {
    use crate::{Component, bindings};

    bindings::export!(Component with_types_in bindings);
}
