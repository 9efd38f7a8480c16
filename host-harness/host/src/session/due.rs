//! What a session does when its time comes, without any change of the cluster.

use std::collections::{BTreeMap, VecDeque};

use lictor_contract::PodId;

/// The attempts and calls that time makes due, and the rest of a cycle in parts. Times are nanoseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct DueWork {
    /// The time of the next attempt for refused pods, where time alone may help.
    retries: BTreeMap<PodId, i64>,
    /// The time of the next cycle of the policy's own, for the pods that the last one left pending.
    pub(super) cycle_retry: Option<i64>,
    /// The time of the next call of `enforce`.
    pub(super) enforce_at: Option<i64>,
    /// The pods that a cycle in parts has still to try, in order.
    pub(super) remaining_queue: VecDeque<PodId>,
    /// Whether the queue must be sorted again.
    pub(super) is_queue_stale: bool,
}

impl DueWork {
    /// Stores the time of the next attempt for a pod; forgets it where there is none.
    pub(super) fn set_retry(&mut self, pod: PodId, at: Option<i64>) {
        match at {
            Some(at) => drop(self.retries.insert(pod, at)),
            None => drop(self.retries.remove(&pod)),
        }
    }

    /// Forgets the attempts for pods that do not exist any more.
    pub(super) fn keep_pods(&mut self, exists: impl Fn(PodId) -> bool) {
        self.retries.retain(|pod, _| exists(*pod));
    }

    /// Returns the next time after `now` at which a pending pod, a cycle or `enforce` is due.
    pub(super) fn next(&self, now: i64, is_pending: impl Fn(PodId) -> bool, any_pending: bool) -> Option<i64> {
        let pods = self.retries.iter().filter(|(pod, _)| is_pending(**pod)).map(|(_, at)| *at);
        let cycle = self.cycle_retry.filter(|_| any_pending);
        pods.chain(cycle).chain(self.enforce_at).filter(|at| *at > now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_time_that_has_not_passed_is_the_next() {
        let mut due = DueWork { cycle_retry: Some(40), enforce_at: Some(50), ..DueWork::default() };
        due.set_retry(1, Some(20));
        due.set_retry(2, Some(30));
        assert_eq!(due.next(10, |_| true, true), Some(20));
        assert_eq!(due.next(20, |_| true, true), Some(30));
        assert_eq!(due.next(10, |pod| pod != 1, true), Some(30));
        due.set_retry(2, None);
        due.keep_pods(|pod| pod != 1);
        assert_eq!(due.next(10, |_| true, true), Some(40));
        assert_eq!(due.next(10, |_| true, false), Some(50));
        assert_eq!(due.next(50, |_| true, true), None);
    }
}
