//! Totals: what keeps every sum that is formed of the cluster's amounts within 64 bits.

use super::ResourceIx;

/// The upper bound of the sum of the requests of all pods, and of the allocatable amounts of all nodes, for each resource. A sum in a trial counts a
/// node or a pod at most twice, once as it is and once as promised. So four times this bound fits into 64 bits.
pub const MAX_TOTAL: i64 = i64::MAX >> 2;

/// The error that a sum would be larger than can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sum of resource {resource:?} is larger than can be counted")]
pub struct SumOverflow {
    /// The resource.
    pub resource: ResourceIx,
}

/// The sums over all objects of a kind, by resource.
#[derive(Debug, Clone, Default)]
pub struct ResourceTotals(Vec<i128>);

impl ResourceTotals {
    /// Checks whether an object may have these amounts instead of the old ones. The error names a resource whose sum would overflow.
    pub fn check_sum_fits(
        &self,
        old: impl Fn(ResourceIx) -> i64,
        new: impl Iterator<Item = (ResourceIx, i64)>,
    ) -> Result<(), SumOverflow> {
        for (resource, amount) in new {
            let sum = self.get(resource).saturating_sub(size(old(resource))).saturating_add(size(amount));
            if sum > i128::from(MAX_TOTAL) {
                return Err(SumOverflow { resource });
            }
        }
        Ok(())
    }

    /// Adds amounts.
    pub fn add(&mut self, amounts: impl Iterator<Item = (ResourceIx, i64)>) {
        self.change(amounts, i128::saturating_add);
    }

    /// Subtracts amounts.
    pub fn subtract(&mut self, amounts: impl Iterator<Item = (ResourceIx, i64)>) {
        self.change(amounts, i128::saturating_sub);
    }

    /// Returns what all objects have together of a resource.
    pub fn get(&self, resource: ResourceIx) -> i128 {
        usize::try_from(resource.0).ok().and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }

    fn change(&mut self, amounts: impl Iterator<Item = (ResourceIx, i64)>, by: fn(i128, i128) -> i128) {
        for (resource, amount) in amounts {
            let Ok(at) = usize::try_from(resource.0) else { continue };
            if at >= self.0.len() {
                self.0.resize(at.saturating_add(1), 0);
            }
            if let Some(sum) = self.0.get_mut(at) {
                *sum = by(*sum, size(amount));
            }
        }
    }
}

/// Returns the absolute value of an amount.
fn size(amount: i64) -> i128 {
    i128::from(amount).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: ResourceIx = ResourceIx(0);
    const MEMORY: ResourceIx = ResourceIx(1);

    #[test]
    fn a_total_past_the_ceiling_is_refused_and_one_that_replaces_another_counts_once() {
        let mut totals = ResourceTotals::default();
        totals.add([(CPU, 1), (MEMORY, MAX_TOTAL)].into_iter());
        let admit = |old: i64, new: i64| totals.check_sum_fits(|_| old, [(CPU, 1), (MEMORY, new)].into_iter());
        assert_eq!(admit(0, 0), Ok(()));
        assert_eq!(admit(0, 1), Err(SumOverflow { resource: MEMORY }));
        assert_eq!(admit(1, 1), Ok(()));
        assert_eq!(admit(1, -2), Err(SumOverflow { resource: MEMORY }), "what is less than nothing counts as well");
        totals.subtract([(MEMORY, 2)].into_iter());
        assert_eq!(totals.check_sum_fits(|_| 0, [(MEMORY, 2)].into_iter()), Ok(()));
    }

    #[test]
    fn four_times_the_ceiling_fits_64_bits() {
        assert_eq!(MAX_TOTAL.checked_mul(4), Some(i64::MAX - 3));
    }
}
