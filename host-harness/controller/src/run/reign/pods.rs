//! The pods that a leader tracks outside of the session: refused ones, victims, and what other controllers did to them.

use lictor_host::living::nanoseconds;
use serde_json::Value;

use crate::decide::foreign::{ExternalEviction, ExternalEvictions};
use crate::decide::leftovers::Leftovers;
use crate::decide::refused::UnschedulablePods;
use crate::decide::victims::RunningVictims;
use crate::run::Settings;
use crate::run::rivals::OtherControllers;
use crate::watch::store::ObjectChange;

/// The pods for which time alone, or another controller, makes something due.
pub(super) struct TrackedPods {
    pub(super) unschedulable: UnschedulablePods,
    pub(super) victims: RunningVictims,
    /// The marks and nominations of ended plans.
    pub(super) leftovers: Leftovers,
    external_evictions: ExternalEvictions,
    other_controllers: OtherControllers,
}

impl TrackedPods {
    /// Creates the trackers of a process with these settings.
    pub(super) fn new(settings: &Settings) -> TrackedPods {
        TrackedPods {
            unschedulable: UnschedulablePods::new(settings.refused_grace.map(nanoseconds)),
            victims: RunningVictims::new(nanoseconds(settings.victim_patience)),
            leftovers: Leftovers::default(),
            external_evictions: ExternalEvictions::default(),
            other_controllers: OtherControllers::new(&settings.identity),
        }
    }

    /// Takes note of a change. Returns the eviction by another component that the change shows.
    pub(super) fn observe(&mut self, change: &ObjectChange, now: i64) -> Option<ExternalEviction> {
        self.unschedulable.observe(change, now);
        self.victims.observe(change, now);
        self.leftovers.observe(change, now);
        self.external_evictions.observe(change)
    }

    /// Returns the name of another controller that has written on a pod since the cluster was listed.
    pub(super) fn other_controller(&mut self, pod: &Value, is_listing: bool, now: i64) -> Option<String> {
        self.other_controllers.observe(pod, is_listing, now)
    }

    /// Returns when the next report or deletion is due, in nanoseconds since 1970. `None`: never.
    pub(super) fn next(&self) -> Option<i64> {
        [self.unschedulable.next(), self.victims.next(), self.leftovers.next()].into_iter().flatten().min()
    }
}
