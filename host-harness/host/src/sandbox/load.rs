//! From the bytes of a file to a component that can be started.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use wasmtime::component::{Component, InstancePre, Linker};

use super::engine::engine;
use super::guard::Guard;
use super::instance::{Indices, Live};
use super::{LoadError, Sandbox, Sandboxed, file, interfaces};

/// A component that passed: it imports nothing, exports what a policy exports, and starts. Cheap to clone.
#[derive(Clone)]
pub struct Loaded {
    pub(super) sandbox: Sandbox,
    pub(super) component: InstancePre<Guard>,
    pub(super) indices: Indices,
}

impl Sandbox {
    /// Compiles a component and checks that it is a policy.
    pub fn load(&self, bytes: &[u8]) -> Result<Loaded, LoadError> {
        let loaded = self.compile(bytes).and_then(|component| self.admit(&component));
        self.tally.load(&loaded);
        loaded
    }

    /// Compiles beside the caller, who waits until the deadline. A compilation cannot be stopped: one that is late goes on
    /// until it is done, and is thrown away.
    pub(super) fn compile(&self, bytes: &[u8]) -> Result<Component, LoadError> {
        file::check(bytes, self.limits.component_bytes)?;
        let (sandbox, bytes) = (self.clone(), bytes.to_vec());
        let (done, outcome) = mpsc::sync_channel(1);
        let compiler = thread::Builder::new().name("lictor-compile".to_owned());
        compiler
            .spawn(move || drop(done.send(sandbox.compile_here(&bytes))))
            .map_err(|error| LoadError::NoSandbox(error.to_string()))?;
        match outcome.recv_timeout(self.limits.compile_deadline) {
            Ok(compiled) => compiled,
            Err(RecvTimeoutError::Timeout) => Err(LoadError::SlowToCompile(self.limits.compile_deadline)),
            Err(RecvTimeoutError::Disconnected) => Err(LoadError::Invalid("the compiler gave up on it".to_owned())),
        }
    }

    /// Compiles, or finds what was compiled before: a cache belongs to an engine, and each component has one of its own.
    fn compile_here(&self, bytes: &[u8]) -> Result<Component, LoadError> {
        let invalid = |error: wasmtime::Error| LoadError::Invalid(format!("{:#}", error.root_cause()));
        let Some(shelf) = self.cache.as_ref().map(|cache| cache.shelf(bytes)) else {
            return Component::new(&self.engine, bytes).map_err(invalid);
        };
        let compiled = Component::new(&engine(shelf.for_compiler(), &self.limits)?, bytes).map_err(invalid);
        self.tally.shelf(&shelf);
        shelf.close();
        compiled
    }

    /// Checks that a compiled component is a policy, and starts it once: only an instance shows its types.
    pub(super) fn admit(&self, component: &Component) -> Result<Loaded, LoadError> {
        let engine = component.engine();
        interfaces::check(component, engine)?;
        let unlike = |error: wasmtime::Error| LoadError::Invalid(format!("{error:#}"));
        let sandbox = Sandbox { engine: engine.clone(), ..self.clone() };
        let component = Linker::new(engine).instantiate_pre(component).map_err(unlike)?;
        let indices = Indices::new(&component).map_err(unlike)?;
        let loaded = Loaded { sandbox, component, indices };
        Live::new(&loaded)?;
        Ok(loaded)
    }
}

impl Loaded {
    /// Starts an instance, which holds an empty cluster.
    pub fn start(&self) -> Result<Sandboxed, LoadError> {
        Sandboxed::new(self.clone())
    }

    /// The version of the contract that it exports.
    pub fn contract(&self) -> Option<String> {
        interfaces::contract_version(self.component.component(), &self.sandbox.engine)
    }
}
