//! Runtime quota: splits cluster capacity among the requesting quotas (argument enableRuntimeQuota).
//!
//! Upstream elasticquota/core: group_quota_manager.go, runtime_quota_calculator.go, scale_minquota_when_over_root_res.go.
//!
//! Requests add up from the leaves to the root. A quota requests what its pods and children request, and a child counts up to its max.
//! A quota that does not lend requests at least its min. Capacity is split from the root down, per resource. Each child first gets its
//! request up to its min. The rest is split by weight among the children that request more, up to their request and max, until nothing
//! is left. Where the mins exceed the capacity, they shrink in proportion (enableMinQuotaScale). Shares are whole numbers: the largest
//! remainders are rounded up, ties by name.

use std::collections::BTreeMap;

use crate::model::{Cluster, Max, QueueIx, ResourceBound, ResourceIx};

/// The terms on which a quota shares, besides its bounds.
#[derive(Debug, Clone, Default)]
pub struct SharePolicy {
    /// The weight of the quota; its max where this is absent.
    pub weight: ResourceBound<Max>,
    /// Whether the quota keeps the unused part of its min, instead of lending it.
    pub keeps_min: bool,
}

/// Sets the runtime quota of every quota. `excluded` lists the quotas that do not share (default and system); their usage is subtracted.
pub fn split_capacity(
    cluster: &mut Cluster,
    claims: &BTreeMap<QueueIx, SharePolicy>,
    excluded: &[QueueIx],
    scale_min: bool,
) {
    let mut shares: BTreeMap<QueueIx, Vec<(ResourceIx, i64)>> = BTreeMap::new();
    for resource in (0u32..).take(cluster.resource_count()).map(ResourceIx) {
        let resource_split = CapacitySplit { cluster, share_policies: claims, excluded, scale_min, resource };
        for (queue, share) in resource_split.shares() {
            shares.entry(queue).or_default().push((resource, share));
        }
    }
    for (queue, share) in shares {
        cluster.set_runtime(queue, ResourceBound::new(share));
    }
}

/// The split of one resource.
struct CapacitySplit<'a> {
    cluster: &'a Cluster,
    share_policies: &'a BTreeMap<QueueIx, SharePolicy>,
    excluded: &'a [QueueIx],
    scale_min: bool,
    resource: ResourceIx,
}

/// One quota that takes part in the split.
struct QuotaShare {
    queue: QueueIx,
    min: i64,
    /// The upper bound of its share: its request, at most its max.
    cap: i64,
    weight: i64,
    share: i64,
}

impl CapacitySplit<'_> {
    /// Returns the share of each quota whose max names the resource.
    fn shares(&self) -> BTreeMap<QueueIx, i64> {
        let requests = self.requests();
        let roots: Vec<QueueIx> =
            self.cluster.queues().filter(|(_, queue)| queue.parent.is_none()).map(|(ix, _)| ix).collect();
        let mut totals: BTreeMap<QueueIx, i64> = roots.iter().map(|root| (*root, self.total())).collect();
        let mut shares = BTreeMap::new();
        for (parent, _) in self.cluster.queues() {
            let Some(total) = totals.get(&parent).copied() else { continue };
            for sharer in self.share_among(parent, total, &requests) {
                totals.insert(sharer.queue, sharer.share);
                let bounded = self.cluster.queue(sharer.queue).and_then(|queue| queue.bounds.max.get(self.resource));
                shares.extend(bounded.map(|_| (sharer.queue, sharer.share)));
            }
        }
        shares
    }

    /// Returns the amount to split: the allocatable of all nodes, less what the excluded quotas use.
    fn total(&self) -> i64 {
        let nodes = self.cluster.nodes().map(|(_, node)| node.allocatable.get(self.resource));
        let excluded = self.excluded.iter().filter_map(|queue| self.cluster.queue(*queue));
        let used = excluded
            .flat_map(|queue| queue.used.parts(self.resource))
            .fold(0, |sum: i64, used| sum.saturating_add(used.0));
        nodes.fold(0, i64::saturating_add).saturating_sub(used)
    }

    /// Returns the amount that each quota requests, with its children.
    fn requests(&self) -> BTreeMap<QueueIx, i64> {
        let mut below: BTreeMap<QueueIx, i64> = BTreeMap::new();
        let mut requests = BTreeMap::new();
        let queues: Vec<_> = self.cluster.queues().collect();
        for (ix, queue) in queues.iter().rev() {
            let own = self.own_request(*ix);
            let request = own.saturating_add(below.get(ix).copied().unwrap_or(0));
            let request = if self.keeps_min(*ix) { request.max(self.min(*ix)) } else { request };
            if let Some(parent) = queue.parent {
                let capped = queue.bounds.max.get(self.resource).map_or(request, |max| max.0.min(request));
                let sum = below.entry(parent).or_insert(0);
                *sum = sum.saturating_add(capped);
            }
            requests.insert(*ix, request);
        }
        requests
    }

    /// Returns the amount that the quota's own pods request: its total less the totals of its children.
    fn own_request(&self, ix: QueueIx) -> i64 {
        let of = |queue: &crate::model::Queue| queue.requested.total(self.resource).0;
        let children = self.cluster.queues().filter(|(_, queue)| queue.parent == Some(ix));
        let below = children.map(|(_, queue)| of(queue)).fold(0, i64::saturating_add);
        self.cluster.queue(ix).map_or(0, of).saturating_sub(below)
    }

    fn min(&self, ix: QueueIx) -> i64 {
        self.cluster.queue(ix).and_then(|queue| queue.bounds.guaranteed.get(self.resource)).map_or(0, |min| min.0)
    }

    fn keeps_min(&self, ix: QueueIx) -> bool {
        self.share_policies.get(&ix).is_some_and(|claim| claim.keeps_min)
    }

    /// Splits a total among the children of a quota.
    fn share_among(&self, parent: QueueIx, total: i64, requests: &BTreeMap<QueueIx, i64>) -> Vec<QuotaShare> {
        let children =
            self.cluster.queues().filter(|(ix, queue)| queue.parent == Some(parent) && !self.excluded.contains(ix));
        let mut sharers: Vec<QuotaShare> = children
            .map(|(ix, queue)| {
                let request = requests.get(&ix).copied().unwrap_or(0);
                let max = queue.bounds.max.get(self.resource).map(|max| max.0);
                let weight = self
                    .share_policies
                    .get(&ix)
                    .and_then(|claim| claim.weight.get(self.resource))
                    .map(|weight| weight.0);
                QuotaShare {
                    queue: ix,
                    min: self.min(ix),
                    cap: max.map_or(request, |max| max.min(request)),
                    weight: weight.filter(|weight| *weight > 0).or(max).unwrap_or(request),
                    share: 0,
                }
            })
            .collect();
        if self.scale_min {
            scale(&mut sharers, total);
        }
        for sharer in &mut sharers {
            // A quota that does not lend already requests at least its min.
            sharer.share = sharer.min.min(sharer.cap);
        }
        let floors = sharers.iter().map(|sharer| sharer.share).fold(0, i64::saturating_add);
        share_rest(&mut sharers, total.saturating_sub(floors));
        sharers
    }
}

/// Shrinks the mins in proportion where their sum exceeds the total.
fn scale(sharers: &mut [QuotaShare], total: i64) {
    let sum = sharers.iter().map(|sharer| i128::from(sharer.min)).fold(0, i128::saturating_add);
    if sum <= i128::from(total) {
        return;
    }
    for sharer in sharers {
        let scaled = i128::from(sharer.min).saturating_mul(i128::from(total.max(0))).checked_div(sum);
        sharer.min = scaled.and_then(|scaled| i64::try_from(scaled).ok()).unwrap_or(0);
    }
}

/// Splits the rest among the quotas below their cap, until nothing is left or every quota has its cap.
fn share_rest(sharers: &mut [QuotaShare], mut rest: i64) {
    while rest > 0 {
        let mut unsatisfied: Vec<&mut QuotaShare> =
            sharers.iter_mut().filter(|sharer| sharer.share < sharer.cap && sharer.weight > 0).collect();
        if unsatisfied.is_empty() {
            return;
        }
        let weights: Vec<i64> = unsatisfied.iter().map(|sharer| sharer.weight).collect();
        let mut left = 0i64;
        for (sharer, part) in unsatisfied.iter_mut().zip(split(rest, &weights)) {
            let taken = part.min(sharer.cap.saturating_sub(sharer.share));
            sharer.share = sharer.share.saturating_add(taken);
            left = left.saturating_add(part.saturating_sub(taken));
        }
        rest = left;
    }
}

/// Splits an amount by weight into whole parts. Parts are rounded down; the rest goes in units of 1 to the largest remainders, ties to
/// the first.
fn split(amount: i64, weights: &[i64]) -> Vec<i64> {
    let sum = weights.iter().map(|weight| i128::from(*weight)).fold(0, i128::saturating_add);
    let exact = |weight: &i64| {
        let product = i128::from(amount).saturating_mul(i128::from(*weight));
        (product.checked_div(sum).unwrap_or(0), product.checked_rem(sum).unwrap_or(0))
    };
    let parts: Vec<(i128, i128)> = weights.iter().map(exact).collect();
    let given = parts.iter().map(|(part, _)| *part).fold(0, i128::saturating_add);
    let over = usize::try_from(i128::from(amount).saturating_sub(given)).unwrap_or(0);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(parts.get(*at).map_or(0, |(_, remainder)| *remainder)));
    let rounded_up = order.get(..over.min(order.len())).unwrap_or_default();
    let whole = |(at, (part, _)): (usize, &(i128, i128))| {
        let part = part.saturating_add(i128::from(rounded_up.contains(&at)));
        i64::try_from(part).unwrap_or(i64::MAX)
    };
    parts.iter().enumerate().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharer(weight: i64, request: i64, min: i64) -> QuotaShare {
        QuotaShare { queue: QueueIx(0), min, cap: request, weight, share: min.min(request) }
    }

    #[test]
    fn the_rest_above_the_mins_is_split_by_weight_until_nothing_is_left() {
        // Upstream runtime_quota_calculator_test.go, case1-no-guarantee, in thousandths.
        let mut sharers = [
            sharer(40, 5_000, 10_000),
            sharer(60, 20_000, 15_000),
            sharer(50, 40_000, 20_000),
            sharer(80, 70_000, 15_000),
        ];
        share_rest(&mut sharers, 45_000);
        assert_eq!(sharers.map(|sharer| sharer.share), [5_000, 20_000, 35_385, 39_615]);
    }

    #[test]
    fn a_split_sums_to_the_amount_and_rounds_up_the_largest_remainder() {
        assert_eq!(split(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(split(8, &[50, 30, 20]), [4, 2, 2]);
        assert_eq!(split(7, &[0, 2, 5]), [0, 2, 5]);
    }

    #[test]
    fn mins_above_the_total_shrink_in_proportion() {
        let mut sharers = [sharer(1, 90, 100), sharer(1, 90, 100), sharer(1, 90, 100)];
        scale(&mut sharers, 200);
        assert_eq!(sharers.map(|sharer| sharer.min), [66, 66, 66]);
    }
}
