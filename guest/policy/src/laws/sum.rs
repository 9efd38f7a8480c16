//! Sums in laws: the amounts of one resource, each under the name of its fact. What a law compares and what it reports is one thing.

use super::denial::{FactAmount, FactAmounts};
use crate::model::{BoundAmount, Summand};

/// A sum of amounts of one resource.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    total: i128,
    parts: [FactAmount; 5],
    count: usize,
}

impl Sum {
    /// Creates a sum with its first term.
    pub fn of(name: &'static str, term: impl Summand) -> Sum {
        Sum::default().plus(name, term)
    }

    /// Adds a term.
    pub fn plus(self, name: &'static str, term: impl Summand) -> Sum {
        let total = self.total.saturating_add(i128::from(term.amount()));
        Sum { total, ..self.with_fact(name, term.amount()) }
    }

    /// Subtracts a term.
    pub fn minus(self, name: &'static str, term: impl Summand) -> Sum {
        let total = self.total.saturating_sub(i128::from(term.amount()));
        Sum { total, ..self.with_fact(name, term.amount()) }
    }

    /// Checks whether the sum is at most this limit. The error has all amounts.
    pub fn at_most(self, name: &'static str, limit: impl BoundAmount) -> Result<(), FactAmounts> {
        self.check(self.total <= i128::from(limit.amount()), name, limit)
    }

    /// Checks whether the sum is at least this limit. The error has all amounts.
    pub fn at_least(self, name: &'static str, limit: impl BoundAmount) -> Result<(), FactAmounts> {
        self.check(self.total >= i128::from(limit.amount()), name, limit)
    }

    /// Checks whether the sum is less than this limit. The error has all amounts.
    pub fn less_than(self, name: &'static str, limit: impl BoundAmount) -> Result<(), FactAmounts> {
        self.check(self.total < i128::from(limit.amount()), name, limit)
    }

    /// Checks whether the sum is more than this limit. The error has all amounts.
    pub fn more_than(self, name: &'static str, limit: impl BoundAmount) -> Result<(), FactAmounts> {
        self.check(self.total > i128::from(limit.amount()), name, limit)
    }

    fn check(self, holds: bool, name: &'static str, limit: impl BoundAmount) -> Result<(), FactAmounts> {
        if holds { Ok(()) } else { Err(FactAmounts::of(self.with_fact(name, limit.amount()).parts)) }
    }

    fn with_fact(mut self, name: &'static str, amount: i64) -> Sum {
        if let Some(place) = self.parts.get_mut(self.count) {
            *place = (name, amount);
        }
        self.count = self.count.saturating_add(1);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Freed, Max, Used};

    #[test]
    fn a_sum_is_compared_exactly_beyond_64_bits() {
        let two = |a: i64, b: i64| Sum::of("a", Used(a)).plus("b", Used(b));
        assert_eq!(two(3, 5).at_most("max", Max(8)), Ok(()));
        let parts = FactAmounts::from([("a", 3), ("b", 6), ("max", 8)]);
        assert_eq!(two(3, 6).at_most("max", Max(8)), Err(parts));
        assert!(two(i64::MAX, i64::MAX).at_most("max", Max(i64::MAX)).is_err());
        assert_eq!(two(i64::MAX, i64::MAX).minus("c", Freed(i64::MAX)).at_most("max", Max(i64::MAX)), Ok(()));
    }

    #[test]
    fn a_sum_at_the_limit_is_at_most_and_at_least_but_not_beyond_it() {
        let sum = Sum::of("used", Used(4)).minus("victims", Freed(1));
        let limit = Max(3);
        assert!(sum.at_most("max", limit).is_ok() && sum.at_least("max", limit).is_ok());
        let parts = FactAmounts::from([("used", 4), ("victims", 1), ("max", 3)]);
        assert_eq!((sum.less_than("max", limit), sum.more_than("max", limit)), (Err(parts), Err(parts)));
    }
}
