//! Room that is coming: the policy keeps it for gangs that fit without evictions once leaving pods have left. What these gangs request counts
//! as used by their queue, like upstream's pipelined tasks, but the outcome does not report them.

use super::plan::is_nominated;
use super::{Judge, used};
use crate::amounts::Amounts;
use crate::placement::PlacementProblem;
use crate::world::Pod;

impl Judge<'_> {
    /// Returns what a queue, with those below it, may be left with after the plan. The first entry counts bound and nominated pods. Each further entry
    /// adds gangs that may wait for room that is coming.
    pub(super) fn left(&self, queue: &str) -> Vec<Amounts> {
        let holds = |pod: &Pod| pod.node.is_some() && !pod.leaving || is_nominated(pod);
        let left = used(&self.after, &self.jobs, queue, |_, pod| holds(pod));
        let with = |pods: Vec<&Pod>| {
            let mut left = left.clone();
            pods.into_iter().for_each(|pod| left.add(&pod.request));
            left
        };
        self.awaiting(queue).into_iter().map(with).collect()
    }

    /// Returns the sets of pods of a queue that may wait for room that is coming; the first set is empty. The pods of a set fit without the
    /// evictions of the plan, and with these evictions they leave room for the plan.
    fn awaiting(&self, queue: &str) -> Vec<Vec<&Pod>> {
        let planned: Vec<&Pod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let problem = self.problem(&planned, |pod| self.outcome.victims.contains(&pod.name));
        let fits = |pods: &[&Pod]| {
            let alone = PlacementProblem { incoming: self.incoming(pods), ..problem.clone() };
            let with_plan = PlacementProblem { incoming: self.incoming(&[pods, &planned].concat()), ..problem.clone() };
            alone.fits_without(0) && with_plan.fits_without(with_plan.all())
        };
        let mut sets: Vec<Vec<&Pod>> = vec![Vec::new()];
        let ours = self.jobs.iter().filter(|job| job.queue == queue || job.parent.as_deref() == Some(queue));
        for job in ours.filter(|job| self.nominated(job).is_empty()) {
            let (waiting, missing) = (self.waiting(job), self.missing(job).len());
            if missing == 0 {
                continue;
            }
            // A gang waits for all that it lacks. A running job may wait for more.
            let parts = (missing..=waiting.len()).filter_map(|length| waiting.get(..length));
            let parts: Vec<&[&Pod]> = parts.filter(|part| self.queue_takes(job, part, true) && fits(part)).collect();
            let more = sets.iter().flat_map(|set| parts.iter().map(|part| [set.as_slice(), part].concat()));
            let more: Vec<Vec<&Pod>> = more.filter(|set| fits(set)).collect();
            sets.extend(more);
        }
        sets
    }
}
