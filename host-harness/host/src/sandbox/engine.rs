//! The engine that compiles and runs components.

use std::sync::Arc;

use wasmtime::{Config, Engine, OptLevel};

use super::cache::Cache;
use super::clock::DeadlineClock;
use super::tally::LoadCounters;
use super::{LoadError, SandboxCounters, SandboxLimits};

/// The engine that runs policies, with their limits. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) engine: Engine,
    pub(super) limits: Arc<SandboxLimits>,
    pub(super) cache: Option<Cache>,
    pub(super) tally: Arc<LoadCounters>,
    pub(super) clock: Arc<DeadlineClock>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Sandbox").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Creates a sandbox with these limits.
    ///
    /// # Errors
    /// This machine cannot run a sandbox.
    pub fn new(limits: SandboxLimits) -> Result<Sandbox, LoadError> {
        let engine = engine(None, &limits)?;
        let clock = DeadlineClock::start(limits.call_deadline)?;
        Ok(Sandbox { engine, limits: Arc::new(limits), cache: None, tally: Arc::default(), clock })
    }

    /// Adds a cache: components that it contains are not compiled again.
    pub fn with_cache(self, cache: Cache) -> Sandbox {
        Sandbox { cache: Some(cache), ..self }
    }

    /// Returns the limits of every policy in the sandbox.
    pub fn limits(&self) -> &SandboxLimits {
        &self.limits
    }

    /// Returns how many components were loaded and refused so far, by all clones of the sandbox.
    pub fn counters(&self) -> SandboxCounters {
        self.tally.read()
    }
}

/// Returns the settings of the engine. Memory is reserved and guarded as wasmtime does by default, because explicit bounds checks would nearly double
/// the time of a scan. Features that could differ between machines are off or fixed.
fn config(limits: &SandboxLimits) -> Config {
    let mut config = Config::new();
    // Counting fuel makes every call slower by about 5%.
    config.consume_fuel(limits.call_fuel.is_some());
    config.epoch_interruption(true).wasm_relaxed_simd(false).cranelift_nan_canonicalization(true);
    // A trap names functions and no addresses, and no other code unwinds through a policy. So neither table is read.
    config.generate_address_map(false).native_unwind_info(false);
    if cfg!(debug_assertions) {
        // In debug builds compilation takes most of the time. The faster register allocator is not used, because it is not made for untrusted code.
        config.cranelift_opt_level(OptLevel::None);
    }
    config
}

/// Creates an engine.
///
/// # Errors
/// This machine cannot run one.
pub(super) fn engine(cache: Option<wasmtime::Cache>, limits: &SandboxLimits) -> Result<Engine, LoadError> {
    let mut config = config(limits);
    config.cache(cache);
    Engine::new(&config).map_err(|error| LoadError::NoSandbox(format!("{error:#}")))
}
