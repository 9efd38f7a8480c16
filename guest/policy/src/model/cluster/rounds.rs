//! Rounds: which members of a gang were tried in turn, and whether the gang can still be complete.
//!
//! A host tries pods one by one, kube-scheduler without any cycle. So a round ends with the attempt that tries a member for the second time,
//! as the schedule cycle of upstream Koordinator does (coscheduling/core/gang.go).

use super::*;

impl Cluster {
    /// Notes an attempt for a pod of a gang. The second attempt for a pod begins a new round of its gang group.
    pub fn begin_attempt(&mut self, pod: PodIx) {
        let Some(ix) = self.pod(pod).and_then(|pod| pod.attributes.job) else { return };
        let Some(job) = self.job(ix).filter(|job| job.gang().is_some()) else { return };
        if job.round.tried.contains(&pod) {
            self.begin_round(ix);
        }
        if let Some(job) = self.job_mut(ix) {
            job.round.tried.insert(pod);
        }
    }

    /// Begins a new round of a gang group.
    pub(super) fn begin_round(&mut self, job: JobIx) {
        for ix in self.gang_group(job) {
            if let Some(job) = self.job_mut(ix) {
                job.round = Round::default();
            }
        }
    }

    /// Notes that a pod of a gang found neither a node nor a plan. Returns whether its gang group can still start in this round; if it
    /// cannot, the round is over.
    pub fn fail_attempt(&mut self, pod: PodIx) -> bool {
        let Some(ix) = self.pod(pod).and_then(|pod| pod.attributes.job) else { return false };
        if let Some(job) = self.job_mut(ix) {
            job.round.failed.insert(pod);
        }
        let group = self.gang_group(ix);
        if group.iter().all(|job| self.lacking_in_round(*job).is_none()) {
            return true;
        }
        for ix in group {
            if let Some(job) = self.job_mut(ix) {
                job.round.is_over = true;
            }
        }
        false
    }

    /// Returns how many members a gang can have in this round and how many it needs; `None` where it can be complete. Members count that
    /// count by the match policy, that have a plan under way, or that have not been tried.
    pub fn lacking_in_round(&self, job: JobIx) -> Option<(usize, u32)> {
        let job_of = self.job(job)?;
        let (have, minimum) = (self.assembled(job)?, job_of.gang()?.minimum);
        let Round { tried, failed, .. } = &job_of.round;
        let may_follow = |ix: &&PodIx| {
            let waits = self.pod(**ix).filter(|pod| pod.is_schedulable());
            waits.is_some_and(|pod| !failed.contains(*ix) && (pod.nominated.is_some() || !tried.contains(*ix)))
        };
        let can_have = have.saturating_add(job_of.members.iter().filter(may_follow).count());
        (can_have < usize::try_from(minimum).unwrap_or(usize::MAX)).then_some((can_have, minimum))
    }

    /// Returns when the first pod of a gang group entered and when it was created, in nanoseconds since 1970, and the name of its gang;
    /// `None` where the job is no gang. Of gangs with equal times the first by name counts.
    pub fn first_of_gang_group(&self, job: JobIx) -> Option<(i64, i64, &JobKey)> {
        self.job(job)?.gang()?;
        let gangs = self.gang_group(job).into_iter().filter_map(|ix| self.job(ix));
        gangs.filter_map(|job| Some((job.first_entered?, job.first_created?, &job.key))).min()
    }

    /// Returns the pods of a gang group that are nominated and wait for a node, in the order of their numbers.
    pub fn nominated_of_group(&self, job: JobIx) -> Vec<PodIx> {
        let group = self.gang_group(job);
        let is_ours = |pod: &Pod| pod.attributes.job.is_some_and(|job| group.contains(&job));
        self.nominated().filter(|(_, pod)| is_ours(pod)).map(|(ix, _)| ix).collect()
    }
}
