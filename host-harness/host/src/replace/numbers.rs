//! The numbers of plans: every instance of a policy counts its own, and a session has one count, in which no number names two plans.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How the numbers of one instance stand to those of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// From which number of the session on, that one not included, its numbers are how much higher than those of the instance.
    spans: Vec<(u64, u64)>,
    /// Plans of another instance that this one has proposed as well: the number of the session, and its own.
    matched: BTreeMap<u64, u64>,
    /// The highest number that the instance has used.
    last: u64,
}

impl Default for Numbers {
    /// Both count alike.
    fn default() -> Numbers {
        Numbers { spans: vec![(0, 0)], matched: BTreeMap::new(), last: 0 }
    }
}

impl Numbers {
    /// Those of an instance that knows none of the session's plans and whose own have no number of the session.
    pub(crate) fn apart() -> Numbers {
        Numbers { spans: Vec::new(), ..Numbers::default() }
    }

    /// Those of an instance that begins to count where the session has come to.
    pub(crate) fn behind(last_plan: u64) -> Numbers {
        let mut numbers = Numbers::apart();
        numbers.go_on_from(last_plan);
        numbers
    }

    /// Both count alike, whatever came before.
    pub(crate) fn is_plain(&self) -> bool {
        self.spans == [(0, 0)] && self.matched.is_empty()
    }

    /// The instance has numbered a plan; the session's number of it.
    pub(crate) fn outward(&mut self, own: u64) -> u64 {
        self.note(own);
        own.saturating_add(self.spans.last().map_or(0, |(_, ahead)| *ahead))
    }

    /// The instance has used this number.
    pub(crate) fn note(&mut self, own: u64) {
        self.last = self.last.max(own);
    }

    /// The instance has proposed what another one has proposed under a number of the session.
    pub(crate) fn pair(&mut self, plan: u64, own: u64) {
        self.matched.insert(plan, own);
    }

    /// The instance's own number of a plan that another one may have proposed; none where it does not know the plan.
    pub(crate) fn matched(&self, plan: u64) -> Option<u64> {
        self.matched.get(&plan).copied()
    }

    /// The instance's own number of a plan; none where it does not know the plan.
    pub(crate) fn inward(&self, plan: u64) -> Option<u64> {
        let span = || self.spans.iter().rev().find(|(from, _)| *from < plan);
        self.matched(plan).or_else(|| plan.checked_sub(span()?.1))
    }

    /// From here on the plans of this instance are the session's, which has come to this number.
    pub(crate) fn go_on_from(&mut self, last_plan: u64) {
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
        let mut numbers = Numbers::default();
        assert_eq!((numbers.outward(1), numbers.outward(2)), (1, 2));
        numbers.go_on_from(2);
        assert!(numbers.is_plain());
        assert_eq!(numbers.inward(2), Some(2));
    }

    #[test]
    fn one_that_begins_anew_goes_on_where_the_session_is() {
        let mut numbers = Numbers::behind(10);
        assert_eq!(numbers.outward(1), 11);
        assert_eq!((numbers.inward(11), numbers.inward(10), numbers.inward(3)), (Some(1), None, None));
    }

    #[test]
    fn what_both_have_proposed_keeps_its_two_numbers_when_the_other_takes_over() {
        let mut numbers = Numbers::apart();
        numbers.note(3);
        numbers.pair(9, 3);
        // It proposed a fourth plan that the other did not, and the other two more that it did not.
        numbers.note(4);
        numbers.go_on_from(11);
        assert_eq!((numbers.inward(9), numbers.inward(10), numbers.inward(11)), (Some(3), None, None));
        assert_eq!(numbers.outward(5), 12);
        assert_eq!(numbers.inward(12), Some(5));
    }

    #[test]
    fn numbers_before_and_after_a_second_change_are_kept_apart() {
        let mut numbers = Numbers::default();
        numbers.outward(4);
        // The session has come to 7 by another instance, and back.
        numbers.go_on_from(7);
        assert_eq!(numbers.outward(5), 8);
        assert_eq!((numbers.inward(4), numbers.inward(8)), (Some(4), Some(5)));
    }
}
