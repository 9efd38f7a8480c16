//! The engine that compiles and runs components, and the clock that holds them to their deadlines.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use wasmtime::{Config, Engine, EngineWeak, OptLevel};

use super::cache::Cache;
use super::tally::Tally;
use super::{Limits, LoadError, SandboxCounters};

/// How often the clock of an engine ticks: how exactly a deadline is kept, against how often an idle host wakes up.
const TICK: Duration = Duration::from_millis(5);

/// Where policies run, and what they may use there. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) engine: Engine,
    pub(super) limits: Arc<Limits>,
    pub(super) cache: Option<Cache>,
    pub(super) tally: Arc<Tally>,
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
        Ok(Sandbox { engine, limits: Arc::new(limits), cache: None, tally: Arc::default() })
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

    /// The deadline of one call in ticks: one more, because the first may be about to end. The clock may be late and make up for it, so that
    /// at this tick the time itself is looked at, too.
    pub(super) fn deadline_ticks(&self) -> u64 {
        let ticks = self.limits.call_deadline.as_nanos().div_ceil(TICK.as_nanos());
        u64::try_from(ticks).unwrap_or(u64::MAX).saturating_add(1)
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

/// An engine whose clock ticks.
pub(super) fn engine(cache: Option<wasmtime::Cache>, limits: &Limits) -> Result<Engine, LoadError> {
    let mut config = config(limits);
    config.cache(cache);
    let engine = Engine::new(&config).map_err(|error| LoadError::NoSandbox(format!("{error:#}")))?;
    let weak = engine.weak();
    let ticker = thread::Builder::new().name("lictor-clock".to_owned());
    ticker.spawn(move || tick(&weak)).map_err(|error| LoadError::NoSandbox(error.to_string()))?;
    Ok(engine)
}

/// Ticks until the engine is gone. A tick that came late makes no later one late: those that were missed are made up for.
fn tick(engine: &EngineWeak) {
    let (since, mut ticks) = (Instant::now(), 0_u128);
    loop {
        thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else { return };
        let due = since.elapsed().as_nanos().checked_div(TICK.as_nanos()).unwrap_or(0);
        while ticks < due {
            engine.increment_epoch();
            ticks = ticks.saturating_add(1);
        }
    }
}
