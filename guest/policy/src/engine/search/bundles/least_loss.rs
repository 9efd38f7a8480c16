//! The jobs that leave whole: those with which the least is lost.
//!
//! Upstream names no order among normal pods (ruling 3.3h of Volcano). A gang that leaves is worse than jobs of one pod, so more jobs may leave than
//! are enough. Few jobs are tried in every combination. Of more, one after the other of those that leave is spared, as long as less is lost with
//! others.

use super::bundle::JobLoss;
use super::choose::{BundleChooser, LevelState, TRIES, combinations_of, tried_sizes, with_victims};
use crate::model::Trial;

/// The maximum number of jobs that are spared on trial.
const MAX_SPARED_JOBS: usize = 64;

/// The bundles of a level that have victims, and what the evictions lose.
type ChosenBundles = (JobLoss, Vec<usize>);

impl BundleChooser<'_> {
    /// Returns the bundles of a level with the smallest loss that are enough together with the selection of the other levels: of those that are
    /// tried.
    pub(super) fn least_loss(&self, trial: &mut Trial<'_>, state: &LevelState<'_>) -> Vec<usize> {
        let enough = self.enough_bundles(trial, state);
        let Some(mut best) = self.tried_loss(trial, state, &enough) else { return enough };
        let all = state.chosen.get(state.level).map(Vec::as_slice).unwrap_or_default();
        for combination in tried_sizes(all.len()).flat_map(|size| combinations_of(all.len(), size)) {
            if self.loss_of_all(state.level, &combination) < best.0
                && let Some(found) = self.tried_loss(trial, state, &combination).filter(|found| found.0 < best.0)
            {
                best = found;
            }
        }
        let mut tries = TRIES.checked_div(all.len()).unwrap_or(0).min(MAX_SPARED_JOBS);
        // Each exchange lowers the loss, so this ends.
        while let Some(better) = best.1.iter().find_map(|spared| {
            tries = tries.checked_sub(1)?;
            let others: Vec<usize> = all.iter().copied().filter(|other| other != spared).collect();
            self.tried_loss(trial, state, &others).filter(|found| found.0 < best.0)
        }) {
            best = better;
        }
        best.1
    }

    /// Returns those of these bundles that have victims, and the loss with them. `None`: the bundles are not enough.
    fn tried_loss(&self, trial: &mut Trial<'_>, state: &LevelState<'_>, bundles: &[usize]) -> Option<ChosenBundles> {
        let (_, fit) = self.fit_of(trial, state, bundles)?;
        let loss = self.loss(trial.cluster(), (state.level, bundles), &fit);
        Some((loss, with_victims(&fit, state.level, bundles).collect()))
    }

    /// Returns the loss if all pods of these bundles are evicted.
    fn loss_of_all(&self, level: usize, bundles: &[usize]) -> JobLoss {
        let bundles = bundles.iter().filter_map(|at| self.levels.get(level)?.get(*at));
        bundles.fold(JobLoss::default(), |sum, bundle| sum.plus(bundle.loss))
    }
}
