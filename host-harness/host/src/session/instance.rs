//! The instance of the policy in force: its faults, what it cannot count, and what it notes.

use lictor_contract::{Event, NotedPods};

use super::Counters;
use super::breaker::Breaker;
use super::claimed::UsedPlanNumbers;
use super::left_out::UncountableObjects;

/// The health of the policy's instance, and of the instances before it.
#[derive(Debug)]
pub(super) struct InstanceHealth {
    /// The policy has failed. It gets no more calls until a new instance has replaced it.
    pub(super) needs_restart: bool,
    pub(super) breaker: Breaker,
    pub(super) counters: Counters,
    /// The bytes of memory that the last new instance held when it had received the cluster.
    pub(super) baseline_memory_bytes: u64,
    /// How often in a row a checkpoint broke the policy.
    restore_failures: u32,
    /// The policy has made or withdrawn a promise since its last checkpoint.
    pub(super) is_checkpoint_stale: bool,
    /// The events for the policy that are not changes of the cluster.
    pub(super) pending_notices: Vec<Event>,
    /// The objects with amounts that the policy cannot count.
    pub(super) uncountable: UncountableObjects,
    /// The numbers of plans that this instance of the policy has used.
    pub(super) used_plan_numbers: UsedPlanNumbers,
    /// The pods whose attempts are explained.
    pub(super) noted: NotedPods,
}

impl Default for InstanceHealth {
    fn default() -> InstanceHealth {
        InstanceHealth {
            needs_restart: false,
            breaker: Breaker::default(),
            counters: Counters::default(),
            baseline_memory_bytes: 0,
            restore_failures: 0,
            is_checkpoint_stale: false,
            pending_notices: Vec::new(),
            uncountable: UncountableObjects::default(),
            used_plan_numbers: UsedPlanNumbers::default(),
            noted: NotedPods::None,
        }
    }
}

impl InstanceHealth {
    /// Returns whether nothing is decided, because the breaker is open. Observations of the cluster are kept all the same.
    pub(super) fn is_breaker_open(&self) -> bool {
        self.needs_restart && self.breaker.until().is_some()
    }

    /// Counts that a checkpoint broke the policy. Returns whether the checkpoint has to be given up: a single fault may come from a slow machine, and a
    /// checkpoint that breaks two instances would break all later ones as well.
    pub(super) fn record_restore_failure(&mut self) -> bool {
        self.restore_failures = self.restore_failures.saturating_add(1);
        let gives_up = self.restore_failures > 1;
        if gives_up {
            self.restore_failures = 0;
        }
        gives_up
    }

    /// Counts that the policy took a checkpoint.
    pub(super) fn record_restore(&mut self) {
        self.restore_failures = 0;
    }

    /// Returns whether an instance that holds so many bytes has leaked: more than the mark, and more than twice what its cluster took in a new
    /// instance.
    pub(super) fn has_leaked(&self, memory_bytes: u64, mark: u64) -> bool {
        memory_bytes > mark.max(self.baseline_memory_bytes.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_given_up_when_it_broke_two_instances_in_a_row() {
        let mut instance = InstanceHealth::default();
        assert!(!instance.record_restore_failure());
        instance.record_restore();
        assert!(!instance.record_restore_failure());
        assert!(instance.record_restore_failure());
        assert!(!instance.record_restore_failure());
    }

    #[test]
    fn a_large_cluster_is_no_leak() {
        let mut instance = InstanceHealth::default();
        assert!(instance.has_leaked(101, 100));
        assert!(!instance.has_leaked(100, 100));
        instance.baseline_memory_bytes = 90;
        assert!(!instance.has_leaked(180, 100));
        assert!(instance.has_leaked(181, 100));
    }
}
