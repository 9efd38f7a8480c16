//! The choice of bundles: on each level the fewest jobs, then among normal pods the least work that is lost, then the fewest pods. Of jobs that
//! leave whole, those with the smallest loss.
//!
//! The highest needed level is settled first, with all bundles of the lower levels available; then the one below, without more victims
//! on the higher one. A small number of jobs is tried in every combination. Otherwise jobs are left out one after the other, as long as
//! the rest is enough.

use super::bundle::JobLoss;
use super::feasibility::FeasibilityBound;
use super::fit::{self, AvailableBundles, Fit, FitFailure, OpenNodes};
use super::thrift::Caps;
use super::{BUNDLE_LEVELS, BundleSearchInput, VictimBundle, WHOLE_GANG_LEVEL};
use crate::model::{Cluster, Trial};

/// The maximum number of combinations that are tried on one level.
pub(super) const TRIES: usize = 2000;

/// The maximum number of jobs for which leaving out each single one is tried.
const MAX_SINGLE_OMISSIONS: usize = 64;

/// The available bundles of each level, by index.
pub type Selection = Vec<Vec<usize>>;

/// The state while a level is settled.
pub(super) struct LevelState<'a> {
    /// The available bundles, all of the level itself.
    pub(super) chosen: &'a Selection,
    /// The maximum number of victims of each level.
    pub(super) settled: &'a [usize],
    /// The level.
    pub(super) level: usize,
}

/// The search for the bundles to evict.
pub struct BundleChooser<'a> {
    /// The input of the search.
    pub victim_search: &'a BundleSearchInput<'a>,
    /// Nodes with idle capacity.
    pub open_nodes: &'a OpenNodes,
    /// A necessary condition that a selection of bundles is enough.
    pub bound: &'a FeasibilityBound,
    /// The bundles, by level.
    pub levels: Vec<Vec<VictimBundle>>,
}

impl BundleChooser<'_> {
    /// Checks whether the gang fits with these bundles available, some of which give at most a number of victims. If so, the trial keeps the
    /// placements.
    pub fn fit(&self, trial: &mut Trial<'_>, selection: &Selection, caps: &Caps) -> Result<Fit, FitFailure> {
        let of = |level: usize| {
            let numbers = selection.get(level).map(Vec::as_slice).unwrap_or_default();
            let bundles = self.levels.get(level).map(Vec::as_slice).unwrap_or_default();
            numbers.iter().filter_map(|at| bundles.get(*at)).collect()
        };
        let at_hand = AvailableBundles { bundles: [of(0), of(1), of(2)], caps: caps.clone() };
        fit::fit(trial, self.victim_search, self.open_nodes, &at_hand)
    }

    /// Returns the bundles to make available, and how many victims some of them give at most. `None`: no selection is enough.
    ///
    /// A larger selection is enough if a smaller one is, except if evicted normal pods prevent the eviction of elastic pods of their queue: then a
    /// part of a level may be enough although all of it is not.
    pub fn choose(&self, trial: &mut Trial<'_>) -> Option<(Selection, Caps)> {
        let mut at_hand: Selection = vec![Vec::new(); BUNDLE_LEVELS];
        for (level, bundles) in self.levels.iter().enumerate() {
            if let Some(slot) = at_hand.get_mut(level) {
                *slot = (0..bundles.len()).collect();
            }
            if bundles.is_empty() {
                continue;
            }
            let all = self.dry_run(trial, &at_hand, &Caps::new());
            if !matches!(all, Err(FitFailure { has_order_conflict: false }))
                && let Some(chosen) = self.minimize_levels(trial, at_hand.clone(), level)
            {
                return Some(chosen);
            }
        }
        None
    }

    /// Returns the fewest bundles that are enough, settling the highest level first. `None`: no part of that level is enough.
    fn minimize_levels(&self, trial: &mut Trial<'_>, mut chosen: Selection, top: usize) -> Option<(Selection, Caps)> {
        let (mut settled, mut caps) = (vec![usize::MAX; BUNDLE_LEVELS], Caps::new());
        for level in (0..=top).rev() {
            let state = LevelState { chosen: &chosen, settled: &settled, level };
            let fewest = if level == WHOLE_GANG_LEVEL {
                self.least_loss(trial, &state)
            } else {
                self.fewest_bundles(trial, &state)
            };
            if let Some(slot) = chosen.get_mut(level) {
                *slot = fewest;
            }
            let Ok(mut fit) = self.dry_run(trial, &chosen, &caps) else { return None };
            if level == 0 {
                (fit, caps) = self.with_fewest_elastic(trial, &chosen, fit);
            }
            if let Some(slot) = settled.get_mut(level) {
                *slot = fit.victims.get(level).map_or(0, Vec::len);
            }
        }
        Some((chosen, caps))
    }

    /// Returns the outcome of a selection. The trial is unchanged.
    pub(super) fn dry_run(&self, trial: &mut Trial<'_>, selection: &Selection, caps: &Caps) -> Result<Fit, FitFailure> {
        let levels = selection.iter().zip(&self.levels);
        let at_hand = levels.flat_map(|(numbers, level)| numbers.iter().filter_map(|at| level.get(*at)));
        if !self.bound.may_suffice(trial.cluster(), at_hand) {
            return Err(FitFailure::default());
        }
        let before = trial.savepoint();
        let fit = self.fit(trial, selection, caps);
        trial.rewind(before);
        fit
    }

    /// Returns the fewest bundles of a level that are enough together with the selection of the other levels.
    fn fewest_bundles(&self, trial: &mut Trial<'_>, state: &LevelState<'_>) -> Vec<usize> {
        let enough = self.enough_bundles(trial, state);
        let all = state.chosen.get(state.level).map_or(0, Vec::len);
        let mut sizes = tried_sizes(all).take_while(|size| *size <= enough.len());
        sizes.find_map(|size| self.best_of(trial, state, size)).unwrap_or(enough)
    }

    /// Returns the combination of this size with the smallest loss. Of equal ones, the first is returned. `None`: no combination is enough.
    fn best_of(&self, trial: &mut Trial<'_>, state: &LevelState<'_>, size: usize) -> Option<Vec<usize>> {
        let all = state.chosen.get(state.level).map_or(0, Vec::len);
        let mut best: Option<(JobLoss, Vec<usize>)> = None;
        for combination in combinations_of(all, size) {
            let may_cost_less =
                |fit: &Fit| best.as_ref().is_none_or(|(least, _)| fit.expected_elastic_victims() < least.pods);
            let fit = self.fit_of(trial, state, &combination).map(|(selection, fit)| match state.level {
                0 if may_cost_less(&fit) => self.with_fewest_elastic(trial, &selection, fit).0,
                _ => fit,
            });
            let loss = fit.map(|fit| self.loss(trial.cluster(), (state.level, &combination), &fit));
            if let Some(loss) = loss.filter(|loss| best.as_ref().is_none_or(|(least, _)| loss < least)) {
                best = Some((loss, combination));
            }
        }
        best.map(|(_, combination)| combination)
    }

    /// Returns the loss with the victims of a level, of which these bundles are available. Of elastic pods only their number counts.
    pub(super) fn loss(&self, cluster: &Cluster, (level, bundles): (usize, &[usize]), fit: &Fit) -> JobLoss {
        let victims = fit.victims.get(level).map(Vec::as_slice).unwrap_or_default();
        if level == 0 {
            return JobLoss { pods: victims.len(), ..JobLoss::default() };
        }
        let used = with_victims(fit, level, bundles);
        let gangs = used.filter_map(|at| Some(self.levels.get(level)?.get(at)?.loss.gangs));
        JobLoss::of(cluster, victims, gangs.fold(0, usize::saturating_add))
    }

    /// Returns the selection with these bundles of the level, and its outcome. `None` if these are not enough, or if a settled level would have
    /// more victims.
    pub(super) fn fit_of(
        &self,
        trial: &mut Trial<'_>,
        state: &LevelState<'_>,
        bundles: &[usize],
    ) -> Option<(Selection, Fit)> {
        let mut selection = state.chosen.clone();
        if let Some(slot) = selection.get_mut(state.level) {
            *slot = bundles.to_vec();
        }
        let fit = self.dry_run(trial, &selection, &Caps::new());
        let kept = |fit: &Fit| fit.victims.iter().zip(state.settled).all(|(victims, most)| victims.len() <= *most);
        Some((selection, fit.ok().filter(kept)?))
    }

    /// Returns those of these bundles that have victims. `None` as for [`Search::fit_of`].
    fn used_bundles(&self, trial: &mut Trial<'_>, state: &LevelState<'_>, bundles: &[usize]) -> Option<Vec<usize>> {
        let (_, fit) = self.fit_of(trial, state, bundles)?;
        Some(with_victims(&fit, state.level, bundles).collect())
    }

    /// Returns chosen bundles of the level that are enough; the largest ones are kept. If there are at most [`MAX_SINGLE_OMISSIONS`], none of them can be left out.
    pub(super) fn enough_bundles(&self, trial: &mut Trial<'_>, state: &LevelState<'_>) -> Vec<usize> {
        let mut rest = state.chosen.get(state.level).cloned().unwrap_or_default();
        let gives =
            |at: &usize| self.levels.get(state.level).and_then(|all| all.get(*at)).map_or(0, VictimBundle::max_victims);
        rest.sort_by_key(|at| (std::cmp::Reverse(gives(at)), *at));
        // Only some of the available bundles have victims. Usually these are enough.
        while let Some(used) = self.used_bundles(trial, state, &rest) {
            if used.len() >= rest.len() || self.used_bundles(trial, state, &used).is_none() {
                break;
            }
            rest = used;
        }
        let single = if rest.len() <= MAX_SINGLE_OMISSIONS { rest.clone() } else { Vec::new() };
        for at in single.into_iter().rev() {
            let without: Vec<usize> = rest.iter().copied().filter(|other| *other != at).collect();
            if without.len() < rest.len()
                && let Some(used) = self.used_bundles(trial, state, &without)
            {
                let alone = self.used_bundles(trial, state, &used);
                rest = if alone.is_some() { used } else { without };
            }
        }
        rest.sort_unstable();
        rest
    }
}

/// Returns those of the available bundles of a level that have victims.
pub(super) fn with_victims(fit: &Fit, level: usize, bundles: &[usize]) -> impl Iterator<Item = usize> {
    fit.used.get(level).into_iter().flatten().filter_map(|place| bundles.get(*place)).copied()
}

/// Returns the sizes of combinations of bundles that are all tried, the smallest first.
pub(super) fn tried_sizes(all: usize) -> impl Iterator<Item = usize> {
    (0..=all).scan(TRIES, move |tries, size| {
        *tries = tries.checked_sub(combinations(all, size))?;
        Some(size)
    })
}

/// Returns the number of combinations, saturating.
fn combinations(of: usize, size: usize) -> usize {
    let factor = |count: usize, at: usize| count.checked_mul(of.checked_sub(at)?)?.checked_div(at.checked_add(1)?);
    (0..size).try_fold(1usize, factor).unwrap_or(usize::MAX)
}

/// Returns the ascending combinations of `size` numbers below `all`, in order.
pub(super) fn combinations_of(all: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    std::iter::successors(Some((0..size).collect::<Vec<usize>>()), move |last| successor(last.clone(), all))
}

/// Returns the next ascending combination of numbers below `all`. `None`: this was the last one.
fn successor(mut combination: Vec<usize>, all: usize) -> Option<Vec<usize>> {
    let size = combination.len();
    let movable = |(at, number): &(usize, &usize)| number.saturating_add(size).saturating_sub(*at) < all;
    let (at, from) = combination.iter().enumerate().rev().find(movable).map(|(at, number)| (at, *number))?;
    for (offset, number) in combination.iter_mut().skip(at).enumerate() {
        *number = from.saturating_add(offset).saturating_add(1);
    }
    Some(combination)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_and_in_order() {
        let all = |of: usize, size: usize| combinations_of(of, size).collect::<Vec<_>>();
        assert_eq!(all(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(all(3, 0), [Vec::<usize>::new()]);
        assert_eq!(all(3, 3), [[0, 1, 2]]);
        for (of, size) in [(4, 2), (6, 3), (5, 1), (5, 0), (5, 5)] {
            assert_eq!(all(of, size).len(), combinations(of, size), "{size} of {of}");
        }
        assert_eq!(combinations(100_000, 50), usize::MAX);
    }
}
