//! Why a component is not taken as a policy.

use std::time::Duration;

use super::Breakage;

/// What a file is that is no component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAComponent {
    /// It has no bytes.
    #[error("it is empty")]
    Empty,
    /// It is text.
    #[error("it is text; if it is the text of a component, assemble it with `wasm-tools parse`")]
    Text,
    /// It is a core module: what compilers write before it is made a component.
    #[error("it is a core module; make it a component with `wasm-tools component new`")]
    CoreModule,
    /// It is something else.
    #[error("it does not begin as one; a component is what `wasm-tools component new` writes")]
    Other,
}

/// Why a component is not taken as a policy. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is no component.
    #[error("not a WebAssembly component: {0}")]
    NotAComponent(NotAComponent),
    /// It is larger than the limit.
    #[error("the component has {bytes} bytes, {limit} at most: build it optimised and without debug information")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// What it may have.
        limit: usize,
    },
    /// It begins as a component but is not a valid one.
    #[error("not a valid WebAssembly component: {0}; build it anew, it may be cut off")]
    Invalid(String),
    /// It takes too long to compile.
    #[error("the component was not compiled within {0:?}: build it smaller, or allow it more time")]
    SlowToCompile(Duration),
    /// It imports something.
    #[error(
        "the component imports {}, but a policy may import nothing: build it for wasm32-unknown-unknown and let its world \
         export `lictor:policy/cluster`, too", names(.0)
    )]
    Imports(Vec<String>),
    /// It was built for another version of the contract.
    #[error("the component is made for `lictor:policy@{found}` and this host knows `@{known}`: build it against that")]
    OtherVersion {
        /// The version it exports.
        found: String,
        /// The version this host knows.
        known: &'static str,
    },
    /// It does not export an interface that every policy has.
    #[error("the component does not export `{0}`: build it for the world `policy` of `wit/`")]
    LacksInterface(String),
    /// An interface it exports lacks a function.
    #[error("the component exports `{interface}` without `{function}`: build it against `wit/` as this host has it")]
    LacksFunction {
        /// The interface.
        interface: String,
        /// The function.
        function: String,
    },
    /// An interface it exports has other types.
    #[error(
        "the component exports `{interface}` with other types ({difference}): build it against `wit/` as this host has it"
    )]
    OtherTypes {
        /// The interface.
        interface: String,
        /// The first difference found.
        difference: String,
    },
    /// It broke before it could be asked anything.
    #[error("the component broke when it was started: {0}")]
    Broke(Breakage),
    /// It started, but did not say what it is.
    #[error("the component does not describe itself: {0}")]
    Mute(String),
    /// This machine cannot run a sandbox.
    #[error("no sandbox on this machine: {0}")]
    NoSandbox(String),
}

impl From<Breakage> for LoadError {
    fn from(breakage: Breakage) -> LoadError {
        LoadError::Broke(breakage)
    }
}

fn names(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
