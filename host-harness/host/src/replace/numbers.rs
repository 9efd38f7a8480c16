//! The numbers of plans: every instance of a policy counts its own, and a session has one count, in which no number names two plans.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The translation between the plan numbers of one instance and those of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlanNumberMap {
    /// Offsets: after session number `.0` (exclusive), session number = instance number + `.1`.
    spans: Vec<(u64, u64)>,
    /// Plans of another instance that this instance has proposed as well: session number to instance number.
    matched: BTreeMap<u64, u64>,
    /// The highest number that the instance has used.
    last: u64,
}

impl Default for PlanNumberMap {
    /// Returns the identity: the instance counts like the session.
    fn default() -> PlanNumberMap {
        PlanNumberMap { spans: vec![(0, 0)], matched: BTreeMap::new(), last: 0 }
    }
}

impl PlanNumberMap {
    /// Returns the numbers of an instance without any session number: its plans are not plans of the session.
    pub(crate) fn detached() -> PlanNumberMap {
        PlanNumberMap { spans: Vec::new(), ..PlanNumberMap::default() }
    }

    /// Returns the numbers of a new instance whose first plan follows the session's last one.
    pub(crate) fn starting_after(last_plan: u64) -> PlanNumberMap {
        let mut numbers = PlanNumberMap::detached();
        numbers.rebase(last_plan);
        numbers
    }

    /// Returns whether the translation is the identity.
    pub(crate) fn is_identity(&self) -> bool {
        self.spans == [(0, 0)] && self.matched.is_empty()
    }

    /// Returns the session number of a plan that the instance has numbered.
    pub(crate) fn session_number(&mut self, own: u64) -> u64 {
        self.record_used(own);
        own.saturating_add(self.spans.last().map_or(0, |(_, ahead)| *ahead))
    }

    /// Records that the instance has used this number.
    pub(crate) fn record_used(&mut self, own: u64) {
        self.last = self.last.max(own);
    }

    /// Records that the instance has proposed the plan that another instance proposed under a session number.
    pub(crate) fn record_match(&mut self, plan: u64, own: u64) {
        self.matched.insert(plan, own);
    }

    /// Returns the instance number of a plan that another instance proposed as well. `None`: this instance did not propose the plan.
    pub(crate) fn matched(&self, plan: u64) -> Option<u64> {
        self.matched.get(&plan).copied()
    }

    /// Returns the instance number of a session number. `None`: the instance does not know the plan.
    pub(crate) fn to_instance(&self, plan: u64) -> Option<u64> {
        let span = || self.spans.iter().rev().find(|(from, _)| *from < plan);
        self.matched(plan).or_else(|| plan.checked_sub(span()?.1))
    }

    /// Makes the next plans of this instance plans of the session. They follow the session's last number.
    pub(crate) fn rebase(&mut self, last_plan: u64) {
        let ahead = last_plan.saturating_sub(self.last);
        if self.spans.last().is_none_or(|(_, before)| *before != ahead) {
            self.spans.push((last_plan, ahead));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_counts_as_the_session_does_is_left_alone() {
        let mut numbers = PlanNumberMap::default();
        assert_eq!((numbers.session_number(1), numbers.session_number(2)), (1, 2));
        numbers.rebase(2);
        assert!(numbers.is_identity());
        assert_eq!(numbers.to_instance(2), Some(2));
    }

    #[test]
    fn one_that_begins_anew_goes_on_where_the_session_is() {
        let mut numbers = PlanNumberMap::starting_after(10);
        assert_eq!(numbers.session_number(1), 11);
        assert_eq!((numbers.to_instance(11), numbers.to_instance(10), numbers.to_instance(3)), (Some(1), None, None));
    }

    #[test]
    fn what_both_have_proposed_keeps_its_two_numbers_when_the_other_takes_over() {
        let mut numbers = PlanNumberMap::detached();
        numbers.record_used(3);
        numbers.record_match(9, 3);
        // This instance proposed a fourth plan that the other did not. The other proposed two more plans.
        numbers.record_used(4);
        numbers.rebase(11);
        assert_eq!((numbers.to_instance(9), numbers.to_instance(10), numbers.to_instance(11)), (Some(3), None, None));
        assert_eq!(numbers.session_number(5), 12);
        assert_eq!(numbers.to_instance(12), Some(5));
    }

    #[test]
    fn numbers_before_and_after_a_second_change_are_kept_apart() {
        let mut numbers = PlanNumberMap::default();
        numbers.session_number(4);
        // The session counted up to 7 with another instance, and then returned to this one.
        numbers.rebase(7);
        assert_eq!(numbers.session_number(5), 8);
        assert_eq!((numbers.to_instance(4), numbers.to_instance(8)), (Some(4), Some(5)));
    }
}
