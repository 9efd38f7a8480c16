//! Fewer victims from the same elastic jobs.
//!
//! An attempt takes pods of the first job first. If it takes one pod more than a legal step, the job gives the whole next step, although
//! another job, which has victims anyway, could have given that pod alone. Then the attempt is repeated with at most the smaller step of the first
//! job.

use std::collections::BTreeMap;

use super::choose::{BundleChooser, Selection};
use super::fit::{Excess, Fit};
use crate::model::Trial;

/// The maximum number of victims of some elastic jobs, by the index of the bundle among the available ones of the lowest level.
pub type Caps = BTreeMap<usize, usize>;

/// The maximum number of attempts with smaller steps.
const TRIES: usize = 32;

impl BundleChooser<'_> {
    /// Returns how a selection fits with the fewest pods of elastic jobs that smaller steps lead to, and the steps. Neither more
    /// jobs nor other normal pods are evicted for fewer elastic pods. `fit` is the outcome without caps. The trial is unchanged.
    pub(super) fn with_fewest_elastic(&self, trial: &mut Trial<'_>, selection: &Selection, fit: Fit) -> (Fit, Caps) {
        let (mut best, mut caps, mut tries) = (fit, Caps::new(), TRIES);
        // Each turn of the loop lowers the number of victims.
        loop {
            let mut less: Option<(Fit, Caps)> = None;
            for Excess { index: place, step, .. } in &best.excess {
                let Some(left) = tries.checked_sub(1) else { break };
                tries = left;
                let mut capped = caps.clone();
                capped.insert(*place, *step);
                let fit = self.dry_run(trial, selection, &capped).ok().filter(|fit| fit.is_less_than(&best));
                if let Some(fit) = fit {
                    less = Some((fit, capped));
                    break;
                }
            }
            match less {
                Some(less) => (best, caps) = less,
                None => return (best, caps),
            }
        }
    }
}

impl Fit {
    /// Returns the number of elastic victims if every job in excess gives no more than its smaller step.
    pub(super) fn expected_elastic_victims(&self) -> usize {
        let saved = self.excess.iter().map(|excess| excess.victims.saturating_sub(excess.step));
        let elastic = self.victims.first().map_or(0, Vec::len);
        elastic.saturating_sub(saved.fold(0, usize::saturating_add))
    }

    /// Checks whether fewer elastic pods are evicted, of no more jobs, with the same other victims.
    fn is_less_than(&self, other: &Fit) -> bool {
        let count = |of: &[Vec<usize>]| of.first().map_or(0, Vec::len);
        let elastic = |fit: &Fit| fit.victims.first().map_or(0, Vec::len);
        elastic(self) < elastic(other)
            && count(&self.used) <= count(&other.used)
            && self.victims.iter().skip(1).eq(other.victims.iter().skip(1))
    }
}
