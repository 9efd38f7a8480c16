//! What a sandbox counts.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::cache::CacheEntry;
use super::{LoadError, LoadedComponent};

/// The numbers of loaded and refused components of a sandbox so far. Counts only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxCounters {
    /// Components that were taken as policies.
    pub loaded: u64,
    /// Files that were refused, including those of the next two counts.
    pub refused: u64,
    /// Components that were larger than the limit.
    pub too_large: u64,
    /// Components that were not compiled in time.
    pub slow_to_compile: u64,
    /// Instances that were started. Loading a component starts one as well, to see its types.
    pub instances: u64,
    /// Components whose compiled form was found on the disk.
    pub cache_hits: u64,
    /// Compiled forms on the disk that did not match their digest, and were deleted.
    pub cache_discarded: u64,
}

/// A count that all clones of a sandbox share.
#[derive(Debug, Default)]
pub(super) struct SharedCounter(AtomicU64);

impl SharedCounter {
    pub(super) fn increment(&self) {
        self.add(1);
    }

    fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of a sandbox.
#[derive(Debug, Default)]
pub(super) struct LoadCounters {
    loaded: SharedCounter,
    refused: SharedCounter,
    too_large: SharedCounter,
    slow_to_compile: SharedCounter,
    pub(super) instances: SharedCounter,
    cache_hits: SharedCounter,
    cache_discarded: SharedCounter,
}

impl LoadCounters {
    /// Counts the result of loading a file.
    pub(super) fn load(&self, loaded: &Result<LoadedComponent, LoadError>) {
        let Err(error) = loaded else { return self.loaded.increment() };
        self.refused.increment();
        match error {
            LoadError::TooLarge { .. } => self.too_large.increment(),
            LoadError::SlowToCompile(_) => self.slow_to_compile.increment(),
            _ => {}
        }
    }

    /// Counts the hits and the discarded files of a cache.
    pub(super) fn count_cache(&self, shelf: &CacheEntry) {
        self.cache_hits.add(shelf.was_hit().into());
        self.cache_discarded.add(shelf.discarded());
    }

    pub(super) fn read(&self) -> SandboxCounters {
        SandboxCounters {
            loaded: self.loaded.get(),
            refused: self.refused.get(),
            too_large: self.too_large.get(),
            slow_to_compile: self.slow_to_compile.get(),
            instances: self.instances.get(),
            cache_hits: self.cache_hits.get(),
            cache_discarded: self.cache_discarded.get(),
        }
    }
}
