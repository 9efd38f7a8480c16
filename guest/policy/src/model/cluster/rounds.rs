//! Rounds: which members of a gang were tried in turn, and whether the gang can still be complete.
//!
//! A host tries pods one by one, kube-scheduler without any cycle. So a round ends with the attempt that tries a member for the second time,
//! as the schedule cycle of upstream Koordinator does (coscheduling/core/gang.go).
//!
//! A round that has failed is not repeated while nothing has changed: the members would take turns at Permit forever, since what one of
//! them gives up has the others tried again. What the gang itself took and gave up is no change, and neither is what others took and gave up
//! in the meantime.

use super::*;

/// The time for which a failed round keeps the next one from beginning, in nanoseconds, where the policy sees no change. A host may know constraints
/// that the policy does not know, such as volumes. Upstream: kube-scheduler `DefaultPodMaxInUnschedulablePodsDuration`.
const FAILED_ROUND_DELAY: i64 = 5 * 60 * 1_000_000_000;

impl Cluster {
    /// Notes an attempt for a pod of a gang. The second attempt for a pod begins a new round of its gang group, unless the round has failed
    /// and would fail again. A pod that has to wait for the other gangs of its group is not tried at all.
    pub fn begin_attempt(&mut self, pod: PodIx) {
        let Some(ix) = self.pod(pod).and_then(|pod| pod.attributes.job) else { return };
        let Some(job) = self.job(ix).filter(|job| job.gang().is_some() && self.served_before(ix).is_none()) else {
            return;
        };
        let is_early = job.round.failure.as_ref().is_some_and(|failure| self.now < failure.until);
        let would_fail = is_early && self.is_stuck(ix);
        if job.round.tried.contains(&pod) && !would_fail {
            self.begin_round(ix);
        }
        if let Some(job) = self.job_mut(ix) {
            job.round.tried.insert(pod);
        }
    }

    /// Begins a new round of a gang group. This runs for each new pod of a job, and most jobs are in no group.
    pub fn begin_round(&mut self, job: JobIx) {
        let has_group = |job: &Job| job.gang().is_some_and(|gang| !gang.group.is_empty());
        let group = if self.job(job).is_some_and(has_group) { self.gang_group(job) } else { Vec::new() };
        for ix in group.into_iter().chain([job]) {
            if let Some(job) = self.job_mut(ix) {
                job.round = GangRound::default();
            }
            self.jobs.stuck_gangs.remove(&ix);
        }
    }

    /// Records that there is a plan for a gang: its round has not failed after all.
    pub fn recover(&mut self, ix: JobIx) {
        if let Some(job) = self.job_mut(ix) {
            job.round.failure = None;
        }
        self.jobs.stuck_gangs.remove(&ix);
    }

    /// Returns whether the last round of a gang has failed and nothing has changed since.
    pub fn is_stuck(&self, job: JobIx) -> bool {
        self.jobs.stuck_gangs.contains(&job)
    }

    /// Sets the round of a gang, as a checkpoint has it.
    pub fn set_round(&mut self, ix: JobIx, round: GangRound, is_stuck: bool) {
        if let Some(job) = self.job_mut(ix) {
            job.round = round;
        }
        if is_stuck {
            self.jobs.stuck_gangs.insert(ix);
        }
    }

    /// Notes that the cluster has changed: each gang whose round has failed may begin another one.
    pub fn record_change(&mut self) {
        self.jobs.stuck_gangs.clear();
    }

    /// Notes a pod that is new or has changed. Where a pod waits and nothing is promised to it, its coming helps no gang but its own. The
    /// nominations of a gang's own pods are no change for the gang.
    pub(super) fn record_upsert(&mut self, old: Option<&PodInfo>, pod: &PodInfo) {
        if self.jobs.stuck_gangs.is_empty()
            || old.is_none() && pod.state.location == PodLocation::Pending && pod.state.nominated.is_none()
        {
            return;
        }
        let waits = |pod: &PodInfo| matches!(pod.state.location, PodLocation::Pending | PodLocation::Reserved(_));
        let is_same = |old: &PodInfo| {
            let (before, after) = (&old.requirements, &pod.requirements);
            waits(old)
                && waits(pod)
                && (before.shape, before.inter_pod) == (after.shape, after.inter_pod)
                && before.request == after.request
                && old.attributes == pod.attributes
        };
        let own = pod.attributes.job.filter(|_| old.is_some_and(is_same)).map(|job| self.gang_group(job));
        self.jobs.stuck_gangs.retain(|job| own.as_ref().is_some_and(|own| own.contains(job)));
    }

    /// Notes that a pod gives up the node that it holds at Permit. Gangs that failed while the pod held the node may begin another round.
    pub(super) fn record_release(&mut self, pod: PodIx) {
        let jobs = &self.jobs.table;
        let failure = |job: &JobIx| jobs.get(*job).and_then(|job| job.round.failure.as_ref());
        self.jobs.stuck_gangs.retain(|job| failure(job).is_none_or(|failure| !failure.held_by_others.contains(&pod)));
    }

    /// Notes that a pod found neither a node nor a plan. Returns its gang if no plan means that the gang group cannot start in this round: a
    /// strict gang of the group has failed, and a gang of the group cannot reach its minimum. A NonStrict gang does not fail together, and
    /// after the end of a round its pods end nothing more.
    pub fn record_failure(&mut self, pod: PodIx) -> Option<JobIx> {
        let ix = self.pod(pod)?.attributes.job?;
        let is_strict = self.is_strict(ix);
        if let Some(job) = self.job_mut(ix).filter(|_| is_strict) {
            job.round.has_failures = true;
        }
        let group = self.gang_group(ix);
        let rounds = || group.iter().filter_map(|job| self.job(*job)).map(|job| &job.round);
        let has_failed = || rounds().any(|round| round.has_failures) && rounds().all(|round| round.failure.is_none());
        let is_short = || group.iter().any(|job| self.lacking_in_round(*job, Some(pod)).is_some());
        ((is_strict || has_failed()) && is_short()).then_some(ix)
    }

    /// Returns whether the pods of a gang fail together.
    pub fn is_strict(&self, job: JobIx) -> bool {
        self.job(job).and_then(Job::gang).is_some_and(|gang| gang.releases_on_failure)
    }

    /// Ends the round of a gang group: no further pod of it is tried before the next round. `retry_at` is the moment from which time alone may help.
    /// A round that has ended is unchanged. Pods that hold nodes at Permit were tried, if in an earlier round. So the first pod of the group that is
    /// tried after a change begins the next round.
    pub fn end_round(&mut self, job: JobIx, retry_at: Option<i64>) {
        let group = self.gang_group(job);
        // A pod that needs no other one never waits at Permit, so it takes no turns.
        let minimum = self.job(job).and_then(Job::gang).map_or(0, |gang| gang.minimum);
        if group.len() < 2 && minimum < 2 {
            return;
        }
        let is_own = |(_, pod): &(PodIx, &PodInfo)| pod.attributes.job.is_some_and(|job| group.contains(&job));
        let held = self.pods().filter(|(_, pod)| matches!(pod.state.location, PodLocation::Reserved(_)));
        let (own, others): (Vec<_>, Vec<_>) = held.partition(is_own);
        let numbers = |held: Vec<(PodIx, &PodInfo)>| held.into_iter().map(|(ix, _)| ix).collect();
        let (own, held_by_others): (BTreeSet<PodIx>, BTreeSet<PodIx>) = (numbers(own), numbers(others));
        let latest = self.now.saturating_add(FAILED_ROUND_DELAY);
        let until = retry_at.filter(|at| *at > self.now).map_or(latest, |at| at.min(latest));
        for ix in group {
            let Some(job) = self.job_mut(ix).filter(|job| job.round.failure.is_none()) else { continue };
            job.round.tried.extend(job.members.iter().filter(|ix| own.contains(ix)));
            job.round.failure = Some(RoundFailure { held_by_others: held_by_others.clone(), until });
            self.jobs.stuck_gangs.insert(ix);
        }
    }

    /// Returns whether a gang group cannot start in this round: a pod of the group has failed, and without it a gang misses its minimum; or a
    /// gang misses it in every round.
    pub fn cannot_start_in_round(&self, job: JobIx) -> bool {
        let group = self.gang_group(job);
        let has_failures = |ix: &JobIx| self.job(*ix).is_some_and(|job| job.round.has_failures);
        group.iter().any(has_failures) && self.first_incomplete_in_round(job).is_some()
            || group.iter().any(|job| self.misses_minimum(*job))
    }

    /// Returns whether a gang that is not complete has fewer pods than its minimum, counting pods that use a node or may be tried. Neither a round
    /// nor time helps then: a pod must be created, lose its scheduling gates or start. Bound pods count by every match policy: where only waiting
    /// pods make a gang complete, the gang waits for its timeout, as in upstream Koordinator (coscheduling/core/core.go Permit).
    fn misses_minimum(&self, ix: JobIx) -> bool {
        let Some(job) = self.job(ix).filter(|_| self.counted_members(ix).is_some()) else { return false };
        let minimum = job.gang().map_or(0, |gang| gang.minimum);
        self.startable(job) < usize::try_from(minimum).unwrap_or(usize::MAX)
    }

    /// Returns the first gang of a gang group that cannot be complete in this round, how many members it can have, and how many it needs.
    pub fn first_incomplete_in_round(&self, job: JobIx) -> Option<(JobIx, usize, u32)> {
        let short = |job| self.lacking_in_round(job, None).map(|(have, need)| (job, have, need));
        self.gang_group(job).into_iter().find_map(short)
    }

    /// Returns how many members a gang can have in this round and how many it needs. `None`: it can be complete. Members count if the match policy
    /// counts them, if they are nominated, or if they have not been tried; `without` does not count.
    fn lacking_in_round(&self, job: JobIx, without: Option<PodIx>) -> Option<(usize, u32)> {
        let (have, minimum) = (self.counted_members(job)?, self.job(job)?.gang()?.minimum);
        let members = self.job(job)?.members.iter().copied();
        let promised =
            members.filter(|ix| self.pod(*ix).is_some_and(|pod| pod.is_schedulable() && pod.state.nominated.is_some()));
        let may_follow: BTreeSet<PodIx> = self.untried(job).chain(promised).filter(|ix| Some(*ix) != without).collect();
        let can_have = have.saturating_add(may_follow.len());
        (can_have < usize::try_from(minimum).unwrap_or(usize::MAX)).then_some((can_have, minimum))
    }

    /// Returns the pods of a gang group that have not been tried in this round and need not wait for other gangs of the group.
    pub fn untried_of_group(&self, job: JobIx) -> Vec<PodIx> {
        let group = self.gang_group(job).into_iter();
        group.filter(|job| self.served_before(*job).is_none()).flat_map(|job| self.untried(job)).collect()
    }

    /// Returns the members of a gang that may be tried and have not been tried in this round.
    fn untried(&self, job: JobIx) -> impl Iterator<Item = PodIx> {
        let job = self.job(job);
        let members = job.into_iter().flat_map(|job| job.members.iter().filter(|ix| !job.round.tried.contains(*ix)));
        members.copied().filter(|ix| self.pod(*ix).is_some_and(PodInfo::is_schedulable))
    }

    /// Returns when the first pod of a gang group entered and when it was created, in nanoseconds since 1970, and the name of its gang. Of gangs with
    /// equal times, the first by name is returned. `None`: the job is no gang.
    pub fn first_of_gang_group(&self, job: JobIx) -> Option<(i64, i64, &JobKey)> {
        self.job(job)?.gang()?;
        let gangs = self.gang_group(job).into_iter().filter_map(|ix| self.job(ix));
        gangs.filter_map(|job| Some((job.first_entered?, job.first_created?, &job.key))).min()
    }

    /// Returns the pods of a gang group that are nominated and wait for a node, in the order of their numbers.
    pub fn nominated_of_group(&self, job: JobIx) -> Vec<PodIx> {
        let group = self.gang_group(job);
        let is_ours = |pod: &PodInfo| pod.attributes.job.is_some_and(|job| group.contains(&job));
        self.nominated().filter(|(_, pod)| is_ours(pod)).map(|(ix, _)| ix).collect()
    }
}
