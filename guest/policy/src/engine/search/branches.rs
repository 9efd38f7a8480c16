//! Branch and bound over sets of victims: seeks the plan that costs least.
//!
//! A search without choice, such as the reprieve in one order, finds a plan that needs each of its victims, but another plan may cost less.
//! The cost of a plan never falls when a victim is added. So a plan that costs less leaves out some victim of each plan that is known: the
//! branches of a plan spare one of its victims each, and evict from the start those that the branches before have spared. The plan that
//! costs least is looked into first.

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::NodeCost;
use crate::model::PodIx;

/// The demands of a branch on its plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branch {
    /// The candidates that are evicted from the start. The reprieve takes back those that are not needed.
    pub evicted: BTreeSet<PodIx>,
    /// The candidates that are not evicted.
    pub spared: BTreeSet<PodIx>,
}

/// A search among whose plans the cheapest is sought.
pub trait Branching {
    /// The plan that the search finds.
    type Plan: Clone;

    /// Searches for the plan of a branch. `None`: the branch has none.
    fn find(&mut self, branch: &Branch) -> Option<Self::Plan>;

    /// Returns the cost of a plan.
    fn cost(&self, plan: &Self::Plan) -> NodeCost;

    /// Returns the victims of a plan in sets, the costliest first. A set is spared or evicted as a whole: a part of it costs as much.
    fn sets(&self, plan: &Self::Plan) -> Vec<BTreeSet<PodIx>>;

    /// Returns a lower bound of the cost of any plan with these victims.
    fn lower_bound(&self, victims: &BTreeSet<PodIx>) -> NodeCost;
}

/// Returns the cheapest plan that is found within so many tries, and its branch. `first` is a plan that is known already. Of plans with equal cost,
/// the first one found is returned.
pub fn cheapest<S: Branching>(search: &mut S, first: (Branch, S::Plan), mut tries: usize) -> (Branch, S::Plan) {
    let (mut best, mut number) = ((search.cost(&first.1), first), 0usize);
    let mut open = BTreeMap::from([((best.0, number), best.1.clone())]);
    while let Some((_, (branch, plan))) = open.pop_first() {
        let mut evicted = branch.evicted.clone();
        for set in search.sets(&plan) {
            if set.is_subset(&evicted) {
                continue;
            }
            if search.lower_bound(&evicted) >= best.0 {
                break;
            }
            let Some(left) = tries.checked_sub(1) else { return best.1 };
            (tries, number) = (left, number.saturating_add(1));
            let spared = branch.spared.union(&set).copied().collect();
            let further = Branch { evicted: evicted.clone(), spared };
            if let Some(found) = search.find(&further) {
                let cost = search.cost(&found);
                if cost < best.0 {
                    best = (cost, (further.clone(), found.clone()));
                }
                open.insert((cost, number), (further, found));
            }
            evicted.extend(set);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::LEAST;

    /// The sizes of pods, and the amount that must be evicted. Pods are evicted largest first, as far as no branch spares them.
    struct Cover(Vec<i64>, i64);

    impl Cover {
        fn size(&self, pods: &BTreeSet<PodIx>) -> i64 {
            pods.iter().map(|ix| self.0[ix.0 as usize]).sum()
        }
    }

    impl Branching for Cover {
        type Plan = BTreeSet<PodIx>;

        fn find(&mut self, branch: &Branch) -> Option<Self::Plan> {
            let may_go = |ix: &PodIx| !branch.spared.contains(ix);
            let mut left: BTreeSet<PodIx> = (0..).map(PodIx).take(self.0.len()).filter(may_go).collect();
            let mut order: Vec<PodIx> = left.iter().copied().collect();
            order.sort_by_key(|ix| (branch.evicted.contains(ix), std::cmp::Reverse(self.0[ix.0 as usize])));
            for ix in order {
                if self.size(&left).saturating_sub(self.0[ix.0 as usize]) >= self.1 {
                    left.remove(&ix);
                }
            }
            (self.size(&left) >= self.1).then_some(left)
        }

        fn cost(&self, plan: &Self::Plan) -> NodeCost {
            [self.size(plan), 0, 0, 0, 0, 0, 0]
        }

        fn sets(&self, plan: &Self::Plan) -> Vec<BTreeSet<PodIx>> {
            plan.iter().map(|ix| BTreeSet::from([*ix])).collect()
        }

        fn lower_bound(&self, victims: &BTreeSet<PodIx>) -> NodeCost {
            if victims.is_empty() { LEAST } else { self.cost(victims) }
        }
    }

    #[test]
    fn the_cheapest_cover_is_found_where_the_first_is_not() {
        for (sizes, need, least) in [(vec![3, 2, 2], 3, 3), (vec![5, 3, 3], 5, 5), (vec![5, 4, 4, 2], 5, 5)] {
            let mut cover = Cover(sizes, need);
            let first = cover.find(&Branch::default()).expect("all of them are enough");
            assert!(cover.size(&first) > least, "the first is not the cheapest");
            let (_, best) = cheapest(&mut cover, (Branch::default(), first), 64);
            assert_eq!(cover.size(&best), least);
        }
    }
}
