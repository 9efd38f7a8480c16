//! From the bytes of a file to a component that can be started.

use wasmtime::component::{Component, InstancePre, Linker};

use super::compilers::{CompilerPool, CompilerPoolError};
use super::engine::engine;
use super::guard::ResourceGuard;
use super::instance::{Indices, RunningInstance};
use super::{LoadError, Sandbox, SandboxedPolicy, file, interfaces};

/// The threads for compilations in this process: as many at a time as a machine with two cores can handle.
static COMPILERS: CompilerPool = CompilerPool::of(4);

/// A component that was accepted: it imports nothing, exports what a policy exports, and starts. Cheap to clone.
#[derive(Clone)]
pub struct LoadedComponent {
    pub(super) sandbox: Sandbox,
    pub(super) component: InstancePre<ResourceGuard>,
    pub(super) indices: Indices,
}

impl Sandbox {
    /// Compiles a component and checks that it is a policy.
    pub fn load(&self, bytes: &[u8]) -> Result<LoadedComponent, LoadError> {
        let loaded = self.compile(bytes).and_then(|component| self.admit(&component));
        self.tally.load(&loaded);
        loaded
    }

    /// Compiles in a separate thread, and waits until the deadline. A compilation cannot be stopped: one that is late continues, and its result is
    /// dropped. Later compilations wait for a free thread, so that few run at a time.
    pub(super) fn compile(&self, bytes: &[u8]) -> Result<Component, LoadError> {
        file::check(bytes, self.limits.component_bytes)?;
        let (sandbox, bytes) = (self.clone(), bytes.to_vec());
        match COMPILERS.run(self.limits.compile_deadline, move || sandbox.compile_in_thread(&bytes)) {
            Ok(compiled) => compiled,
            Err(CompilerPoolError::Slow) => Err(LoadError::SlowToCompile(self.limits.compile_deadline)),
            Err(CompilerPoolError::Panicked) => Err(LoadError::Invalid("the compiler gave up on it".to_owned())),
            Err(CompilerPoolError::Busy(running)) => Err(LoadError::NoSandbox(format!(
                "{running} compilations that took too long are still running: try again when they have ended"
            ))),
            Err(CompilerPoolError::NoThread(error)) => Err(LoadError::NoSandbox(error.to_string())),
        }
    }

    /// Compiles a component, or loads its compiled form from the cache. A cache belongs to an engine, and each component has a cache of its own.
    fn compile_in_thread(&self, bytes: &[u8]) -> Result<Component, LoadError> {
        let invalid = |error: wasmtime::Error| LoadError::Invalid(format!("{:#}", error.root_cause()));
        let Some(shelf) = self.cache.as_ref().and_then(|cache| cache.entry(bytes)) else {
            return Component::new(&self.engine, bytes).map_err(invalid);
        };
        let compiled = Component::new(&engine(shelf.for_compiler(), &self.limits)?, bytes).map_err(invalid);
        self.tally.count_cache(&shelf);
        shelf.close();
        compiled
    }

    /// Checks that a compiled component is a policy, and starts it once, because only an instance shows its types.
    pub(super) fn admit(&self, component: &Component) -> Result<LoadedComponent, LoadError> {
        let engine = component.engine();
        interfaces::check(component, engine)?;
        let unlike = |error: wasmtime::Error| LoadError::Invalid(format!("{error:#}"));
        let sandbox = Sandbox { engine: engine.clone(), ..self.clone() };
        let component = Linker::new(engine).instantiate_pre(component).map_err(unlike)?;
        let indices = Indices::new(&component).map_err(unlike)?;
        let loaded = LoadedComponent { sandbox, component, indices };
        RunningInstance::new(&loaded)?;
        Ok(loaded)
    }
}

impl LoadedComponent {
    /// Starts an instance, which holds an empty cluster.
    pub fn start(&self) -> Result<SandboxedPolicy, LoadError> {
        SandboxedPolicy::new(self.clone())
    }

    /// Returns the version of the contract that the component exports.
    pub fn contract(&self) -> Option<String> {
        interfaces::contract_version(self.component.component(), &self.sandbox.engine)
    }
}
