//! The engine that compiles and runs components.

use std::sync::Arc;

use wasmtime::{Config, Engine, OptLevel};

use super::cache::Cache;
use super::clock::Clock;
use super::tally::Tally;
use super::{Limits, LoadError, SandboxCounters};

/// Where policies run, and what they may use there. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) engine: Engine,
    pub(super) limits: Arc<Limits>,
    pub(super) cache: Option<Cache>,
    pub(super) tally: Arc<Tally>,
    pub(super) clock: Arc<Clock>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Sandbox").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// A sandbox with these limits. An error means that this machine cannot run one.
    pub fn new(limits: Limits) -> Result<Sandbox, LoadError> {
        let engine = engine(None, &limits)?;
        let clock = Clock::start(limits.call_deadline)?;
        Ok(Sandbox { engine, limits: Arc::new(limits), cache: None, tally: Arc::default(), clock })
    }

    /// The same, which compiles nothing that it finds there.
    pub fn with_cache(self, cache: Cache) -> Sandbox {
        Sandbox { cache: Some(cache), ..self }
    }

    /// The limits of every policy here.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What was loaded here and what was refused, so far, by all clones of it.
    pub fn counters(&self) -> SandboxCounters {
        self.tally.read()
    }
}

/// Memory is reserved and guarded as wasmtime does by default: explicit bounds checks would nearly double the time of a scan.
/// What could differ between machines is off or pinned down.
fn config(limits: &Limits) -> Config {
    let mut config = Config::new();
    // Counting fuel makes every call slower by a twentieth.
    config.consume_fuel(limits.call_fuel.is_some());
    config.epoch_interruption(true).wasm_relaxed_simd(false).cranelift_nan_canonicalization(true);
    // A trap names functions, no addresses, and nobody else unwinds through a policy: neither table is read.
    config.generate_address_map(false).native_unwind_info(false);
    if cfg!(debug_assertions) {
        // Here the compiler itself is the time, not what it compiles. Its faster register allocator is not made for strangers.
        config.cranelift_opt_level(OptLevel::None);
    }
    config
}

/// An engine.
pub(super) fn engine(cache: Option<wasmtime::Cache>, limits: &Limits) -> Result<Engine, LoadError> {
    let mut config = config(limits);
    config.cache(cache);
    Engine::new(&config).map_err(|error| LoadError::NoSandbox(format!("{error:#}")))
}
