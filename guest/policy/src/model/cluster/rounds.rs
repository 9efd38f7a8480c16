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
    pub fn begin_round(&mut self, job: JobIx) {
        for ix in self.gang_group(job) {
            if let Some(job) = self.job_mut(ix) {
                job.round = Round::default();
            }
        }
    }

    /// Ends the round of the gang group of a pod if the group cannot start in it: the pod found neither a node nor a plan. Returns whether
    /// the round is over. Another member may still plan for the whole gang where this pod may not preempt and that one may.
    pub fn fail_attempt(&mut self, pod: PodIx) -> bool {
        let Some(ix) = self.pod(pod).and_then(|pod| pod.attributes.job) else { return false };
        if let Some(job) = self.job_mut(ix) {
            job.round.has_failures = true;
        }
        let group = self.gang_group(ix);
        let is_short = group.iter().any(|job| self.lacking_in_round(*job, Some(pod)).is_some());
        let may_preempt = |pod: PodIx| self.pod(pod).is_some_and(|pod| pod.attributes.may_preempt);
        let is_over =
            is_short && (may_preempt(pod) || !group.iter().flat_map(|job| self.untried(*job)).any(may_preempt));
        if is_over {
            self.end_round(ix);
        }
        is_over
    }

    /// Ends the round of a gang group: no further pod of it is tried before the next round.
    pub fn end_round(&mut self, job: JobIx) {
        for ix in self.gang_group(job) {
            if let Some(job) = self.job_mut(ix) {
                job.round.is_over = true;
            }
        }
    }

    /// Returns whether a pod of a gang group has failed in this round, and without it the group cannot start.
    pub fn waits_in_vain(&self, job: JobIx) -> bool {
        let has_failures = |ix: &JobIx| self.job(*ix).is_some_and(|job| job.round.has_failures);
        self.gang_group(job).iter().any(has_failures) && self.short_in_round(job).is_some()
    }

    /// Returns the first gang of a gang group that cannot be complete in this round, how many members it can have, and how many it needs.
    pub fn short_in_round(&self, job: JobIx) -> Option<(JobIx, usize, u32)> {
        let short = |job| self.lacking_in_round(job, None).map(|(have, need)| (job, have, need));
        self.gang_group(job).into_iter().find_map(short)
    }

    /// Returns how many members a gang can have in this round and how many it needs; `None` where it can be complete. Members count that
    /// count by the match policy, that are nominated, or that have not been tried; `without` does not.
    fn lacking_in_round(&self, job: JobIx, without: Option<PodIx>) -> Option<(usize, u32)> {
        let (have, minimum) = (self.assembled(job)?, self.job(job)?.gang()?.minimum);
        let members = self.job(job)?.members.iter().copied();
        let promised =
            members.filter(|ix| self.pod(*ix).is_some_and(|pod| pod.is_schedulable() && pod.nominated.is_some()));
        let may_follow: BTreeSet<PodIx> = self.untried(job).chain(promised).filter(|ix| Some(*ix) != without).collect();
        let can_have = have.saturating_add(may_follow.len());
        (can_have < usize::try_from(minimum).unwrap_or(usize::MAX)).then_some((can_have, minimum))
    }

    /// The members of a gang that may be tried and have not been tried in this round.
    fn untried(&self, job: JobIx) -> impl Iterator<Item = PodIx> {
        let job = self.job(job);
        let members = job.into_iter().flat_map(|job| job.members.iter().filter(|ix| !job.round.tried.contains(*ix)));
        members.copied().filter(|ix| self.pod(*ix).is_some_and(Pod::is_schedulable))
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
