//! Why a component is not taken as a policy.

use std::time::Duration;

use super::PolicyFault;

/// The kind of a file that is not a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAComponent {
    /// The file is empty.
    #[error("it is empty")]
    Empty,
    /// The file is text.
    #[error("it is text; if it is the text of a component, assemble it with `wasm-tools parse`")]
    Text,
    /// The file is a core module, which compilers write before it is made a component.
    #[error("it is a core module; make it a component with `wasm-tools component new`")]
    CoreModule,
    /// The file is something else.
    #[error("it does not begin as one; a component is what `wasm-tools component new` writes")]
    Other,
}

/// The reason why a component is refused as a policy. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file is not a component.
    #[error("not a WebAssembly component: {0}")]
    NotAComponent(NotAComponent),
    /// The component is larger than the limit.
    #[error("the component has {bytes} bytes, {limit} at most: build it optimised and without debug information")]
    TooLarge {
        /// The bytes of the component.
        bytes: usize,
        /// The maximum of bytes.
        limit: usize,
    },
    /// The file begins like a component but is not a valid one.
    #[error("not a valid WebAssembly component: {0}; build it anew, it may be cut off")]
    Invalid(String),
    /// The component takes too long to compile.
    #[error("the component was not compiled within {0:?}: build it smaller, or allow it more time")]
    SlowToCompile(Duration),
    /// The component imports something.
    #[error(
        "the component imports {}, but a policy may import nothing: build it for wasm32-unknown-unknown and let its world \
         export `lictor:policy/cluster`, too", names(.0)
    )]
    Imports(Vec<String>),
    /// The component was built for another version of the contract.
    #[error("the component is made for `lictor:policy@{found}` and this host knows `@{known}`: build it against that")]
    OtherVersion {
        /// The version that the component exports.
        found: String,
        /// The version that this host knows.
        known: &'static str,
    },
    /// The component lacks an interface that every policy exports.
    #[error("the component does not export `{0}`: build it for the world `policy` of `wit/`")]
    LacksInterface(String),
    /// An exported interface lacks a function.
    #[error("the component exports `{interface}` without `{function}`: build it against `wit/` as this host has it")]
    LacksFunction {
        /// The interface.
        interface: String,
        /// The function.
        function: String,
    },
    /// An exported interface has other types.
    #[error(
        "the component exports `{interface}` with other types ({difference}): build it against `wit/` as this host has it"
    )]
    OtherTypes {
        /// The interface.
        interface: String,
        /// The first difference.
        difference: String,
    },
    /// The component broke when it was started.
    #[error("the component broke when it was started: {0}")]
    Broke(PolicyFault),
    /// The component started, but did not describe itself.
    #[error("the component does not describe itself: {0}")]
    NoDescription(String),
    /// This machine cannot run a sandbox.
    #[error("no sandbox on this machine: {0}")]
    NoSandbox(String),
}

impl From<PolicyFault> for LoadError {
    fn from(breakage: PolicyFault) -> LoadError {
        LoadError::Broke(breakage)
    }
}

fn names(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
