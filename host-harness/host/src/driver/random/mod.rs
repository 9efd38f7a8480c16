//! A driver that fails, delays, reorders and loses outcomes at random, and a cluster that changes meanwhile.
//!
//! The driver holds a cluster of its own. The session receives the changes of this cluster late. The driver checks every request of the session
//! against its cluster: no pod is bound twice or evicted twice, no node takes more than it has, every promise is kept or withdrawn, and no pod is
//! forgotten.

mod cluster;
mod faulty;
mod killed;
mod play;
mod promises;
mod settle;
mod tell;

pub use cluster::{SimulatedCluster, SimulatedPod};
pub use faulty::{CallsUntilFault, Faulty};
pub use play::{FaultProbabilities, PodCreation, SessionSimulation, SimulationFaults, SimulationRecord};

/// Random numbers: splitmix64. The same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below a bound; 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    /// Returns `true` with this probability, in percent.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
