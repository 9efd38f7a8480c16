//! The evictions of the last minutes.

use std::collections::VecDeque;

use lictor_contract::PodId;

/// The victims of accepted plans that count for a rate, the oldest first. The longest window of the rails bounds how long a victim counts,
/// and the rates bound their number.
#[derive(Debug, Default)]
pub struct EvictionHistory {
    victims: VecDeque<CountedEviction>,
}

/// A victim of an accepted plan.
#[derive(Debug)]
struct CountedEviction {
    /// The time of the plan, in nanoseconds since 1970.
    at: i64,
    pod: PodId,
    namespace: String,
}

impl EvictionHistory {
    /// Records a victim.
    pub fn record(&mut self, at: i64, pod: PodId, namespace: String) {
        self.victims.push_back(CountedEviction { at, pod, namespace });
    }

    /// Takes back the last record of a pod, because its plan was not carried out.
    pub fn take_back(&mut self, pod: PodId) {
        if let Some(at) = self.victims.iter().rposition(|victim| victim.pod == pod) {
            self.victims.remove(at);
        }
    }

    /// Forgets the victims before a time.
    pub fn forget_before(&mut self, time: i64) {
        while self.victims.front().is_some_and(|victim| victim.at < time) {
            self.victims.pop_front();
        }
    }

    /// Returns the number of victims since a time, in one namespace or in all (`None`).
    pub fn count_since(&self, time: i64, namespace: Option<&str>) -> usize {
        self.since(time, namespace).count()
    }

    /// Returns the time of the earliest victim since a time after which at most `most` are left. `None`: there are not more.
    pub fn last_surplus(&self, time: i64, namespace: Option<&str>, most: usize) -> Option<i64> {
        let surplus = self.count_since(time, namespace).checked_sub(most)?.checked_sub(1)?;
        self.since(time, namespace).nth(surplus).map(|victim| victim.at)
    }

    fn since<'a>(&'a self, time: i64, namespace: Option<&'a str>) -> impl Iterator<Item = &'a CountedEviction> {
        let is_in = move |victim: &&CountedEviction| namespace.is_none_or(|name| victim.namespace == name);
        self.victims.iter().filter(move |victim| victim.at >= time).filter(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> EvictionHistory {
        let mut history = EvictionHistory::default();
        for (at, pod, namespace) in [(1, 1, "a"), (2, 2, "b"), (3, 3, "a")] {
            history.record(at, pod, namespace.to_owned());
        }
        history
    }

    #[test]
    fn victims_count_since_a_time_and_by_namespace() {
        let history = history();
        assert_eq!(history.count_since(1, None), 3);
        assert_eq!(history.count_since(2, None), 2);
        assert_eq!(history.count_since(1, Some("a")), 2);
        assert_eq!(history.count_since(2, Some("c")), 0);
    }

    #[test]
    fn the_victim_with_which_enough_have_passed_is_the_last_surplus() {
        let history = history();
        assert_eq!(history.last_surplus(1, None, 3), None);
        assert_eq!(history.last_surplus(1, None, 2), Some(1));
        assert_eq!(history.last_surplus(1, None, 0), Some(3));
        assert_eq!(history.last_surplus(1, Some("a"), 1), Some(1));
    }

    #[test]
    fn what_was_taken_back_or_is_old_does_not_count() {
        let mut history = history();
        history.take_back(3);
        history.take_back(9);
        assert_eq!(history.count_since(0, None), 2);
        history.forget_before(2);
        assert_eq!(history.count_since(0, None), 1);
    }
}
