//! Jobs: which of their pods hold a node, and which pods they lack.

use std::cmp::Reverse;

use super::*;

/// The pods that a job lacks to be complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingMembers {
    /// The number of pods lacking of certain roles.
    roles: BTreeMap<NameId, usize>,
    /// The number of pods lacking of any role.
    others: usize,
}

impl MissingMembers {
    /// Checks that no pod is lacking.
    pub fn is_empty(&self) -> bool {
        self.others == 0 && self.has_all_roles()
    }

    /// Checks that no pod of a certain role is lacking.
    pub fn has_all_roles(&self) -> bool {
        self.roles.values().all(|lacking| *lacking == 0)
    }

    /// Returns the number of pods that are lacking.
    pub fn count(&self) -> usize {
        self.roles.values().fold(self.others, |sum, lacking| sum.saturating_add(*lacking))
    }

    /// Subtracts a pod from the shortage. Returns whether the pod was lacking.
    pub fn take(&mut self, pod: &PodInfo) -> bool {
        let role = pod.attributes.task.role.and_then(|role| self.roles.get_mut(&role));
        let lacking = match role {
            Some(lacking) if *lacking > 0 => lacking,
            _ => &mut self.others,
        };
        let useful = *lacking > 0;
        *lacking = lacking.saturating_sub(1);
        useful
    }
}

impl Cluster {
    /// Removes unused jobs, once there may be as many of them as of others: jobs without pods, without an object, and without remembered state. A
    /// later job of the same name is another job.
    pub fn sweep_jobs(&mut self) {
        if !self.jobs.sweep.is_due(self.jobs.table.len()) {
            return;
        }
        let is_described = |ix| {
            self.scheduling_group(ix).is_some() || self.pod_group(ix).is_some() || !self.min_resources(ix).is_empty()
        };
        let is_gone = |(ix, job): (JobIx, &Job)| (job.is_pristine() && !is_described(ix)).then_some(ix);
        let gone: Vec<JobIx> = self.jobs.table.iter().filter_map(is_gone).collect();
        for ix in gone {
            if let Some(job) = self.jobs.table.remove(ix) {
                self.jobs.names.remove(&job.key);
            }
            self.jobs.stuck_gangs.remove(&ix);
            self.ext.remove_job(ix);
        }
        self.jobs.sweep.done(self.jobs.table.len());
    }

    /// Returns the gangs that must be complete together with this one, itself included.
    pub fn gang_group(&self, job: JobIx) -> Vec<JobIx> {
        let group = self.job(job).and_then(|job| job.gang()).map(|gang| gang.group.as_slice()).unwrap_or_default();
        let mut jobs: Vec<JobIx> = group.iter().filter_map(|key| self.job_named(key)).chain([job]).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// Returns the members of the job of a pod, the pod included. A pod without a job is its only member.
    pub fn members(&self, pod: PodIx) -> impl Iterator<Item = (PodIx, &PodInfo)> {
        let job = self.pod(pod).and_then(|p| p.attributes.job).and_then(|job| self.job(job));
        let alone = job.is_none().then_some(pod);
        let members = job.map(|job| job.members.as_slice()).unwrap_or_default();
        members.iter().copied().chain(alone).filter_map(|ix| Some((ix, self.pod(ix)?)))
    }

    /// Returns the members of the job of a pod that use a node and are not leaving. A pod without a job is its only member.
    pub fn placed_members(&self, pod: PodIx) -> impl Iterator<Item = (PodIx, &PodInfo)> {
        self.members(pod).filter(|(_, pod)| pod.node().is_some() && !pod.is_leaving())
    }

    /// Records that the elastic jobs of these pods grow or shrink now. A pod within the minimum of its job changes no size: the job starts, or ends.
    pub fn record_scaling(&mut self, pods: &[PodIx]) {
        let now = self.now();
        for ix in pods {
            let job = self.pod(*ix).filter(|pod| pod.is_preemptible()).and_then(|pod| pod.attributes.job);
            if let Some(job) = job.filter(|job| self.elastic(*job).is_some()) {
                self.set_scaled_at(job, now);
            }
        }
    }

    /// Checks whether a gang that has to be complete only once was complete: a member is bound, or was.
    pub fn is_once_satisfied(&self, job: &Job) -> bool {
        let mut members = job.members.iter().filter_map(|ix| self.pod(*ix));
        job.gang().is_some_and(|gang| gang.match_policy == MatchPolicy::OnceSatisfied)
            && (job.was_complete || members.any(|pod| matches!(pod.state.location, PodLocation::Bound(_))))
    }

    /// Returns how many members count for a gang by its match policy. `None`: the gang needs no member any more, or the job is no gang.
    pub fn counted_members(&self, job: JobIx) -> Option<usize> {
        let job = self.job(job)?;
        let matching = job.gang()?.match_policy;
        let count =
            |counts: fn(&PodInfo) -> bool| job.members.iter().filter(|ix| self.pod(**ix).is_some_and(counts)).count();
        let held = || count(|pod| matches!(pod.state.location, PodLocation::Reserved(_)));
        match matching {
            MatchPolicy::OnceSatisfied if self.is_once_satisfied(job) => None,
            MatchPolicy::OnceSatisfied | MatchPolicy::OnlyWaiting => Some(held()),
            MatchPolicy::WaitingAndRunning => Some(held().saturating_add(count(|pod| {
                matches!(pod.state.location, PodLocation::Bound(_)) && !pod.state.terminating
            }))),
        }
    }

    /// Returns the number of pods of a job that its gang may start with. Leaving pods and pods that failed do not count, and pods with scheduling
    /// gates only where the system counts them.
    pub fn existing_members(&self, job: &Job) -> usize {
        let counts_gated = job.gang().is_none_or(|gang| gang.counts_gated);
        let is_there = |pod: &&PodInfo| {
            let is_there = pod.state.location != PodLocation::Finished || pod.attributes.task.succeeded;
            is_there && !pod.state.terminating && (counts_gated || !pod.state.gated)
        };
        job.members.iter().filter_map(|ix| self.pod(*ix)).filter(is_there).count()
    }

    /// Returns how many pods of a job use a node and are not being deleted, or may be tried.
    pub fn startable(&self, job: &Job) -> usize {
        let counts = |pod: &&PodInfo| pod.is_schedulable() || pod.node().is_some() && !pod.state.terminating;
        job.members.iter().filter_map(|ix| self.pod(*ix)).filter(counts).count()
    }

    /// Checks whether a gang has as many counting members as it needs.
    pub fn is_complete(&self, job: JobIx) -> bool {
        let minimum = self.job(job).and_then(|job| job.gang()).map_or(0, |gang| gang.minimum);
        self.counted_members(job).is_none_or(|have| have >= usize::try_from(minimum).unwrap_or(usize::MAX))
    }

    /// Returns the gang of the same group that is served before the pods of a gang that has its minimum: the first one that is not complete, how many
    /// pods it has, and how many it needs. `None`: no gang is served before.
    pub fn served_before(&self, job: JobIx) -> Option<(JobIx, usize, u32)> {
        let is_beyond = self.counted_members(job).is_some() && self.is_complete(job);
        let incomplete = |other: &JobIx| *other != job && !self.is_complete(*other);
        let group = if is_beyond { self.gang_group(job) } else { Vec::new() };
        let counted = |other| Some((other, self.counted_members(other)?, self.job(other)?.gang()?.minimum));
        group.into_iter().filter(incomplete).find_map(counted)
    }

    /// Returns how many pods the job of a pod needs. A pod without a job is a job of one pod.
    pub fn minimum(&self, pod: PodIx) -> usize {
        let Some(job) = self.pod(pod).and_then(|pod| pod.attributes.job) else { return 1 };
        let minimum = self.job(job).and_then(|job| job.gang()).map_or(u32::MAX, |gang| gang.minimum);
        usize::try_from(minimum).unwrap_or(usize::MAX)
    }

    /// Returns the pods that the job of a pod lacks. Pods that use a node and are not leaving count as there, and so do pods that ended well.
    pub fn shortage(&self, pod: PodIx) -> MissingMembers {
        let counts = |pod: &PodInfo| pod.attributes.task.succeeded || pod.node().is_some();
        self.shortage_without(pod, counts)
    }

    /// Returns the pods that the job of a pod needs, regardless of the pods it has.
    pub fn required_members(&self, pod: PodIx) -> MissingMembers {
        self.shortage_without(pod, |_| false)
    }

    /// Returns the pods that the job of a pod would lack if every pod it has were placed.
    pub fn missing_if_all_placed(&self, pod: PodIx) -> MissingMembers {
        self.shortage_without(pod, |pod| pod.attributes.task.succeeded || pod.state.location != PodLocation::Finished)
    }

    /// Returns the first of some waiting pods of a job that make it complete.
    pub fn members_to_complete(&self, pods: &[PodIx]) -> Vec<PodIx> {
        let mut shortage = pods.first().map(|lead| self.shortage(*lead)).unwrap_or_default();
        pods.iter().copied().filter(|ix| self.pod(*ix).is_some_and(|pod| shortage.take(pod))).collect()
    }

    /// Returns these pods by their requests, resource by resource, the largest first.
    pub fn largest_first(&self, pods: &[PodIx]) -> Vec<PodIx> {
        let mut pods = pods.to_vec();
        pods.sort_by_cached_key(|ix| Reverse(self.amounts(*ix)));
        pods
    }

    /// Returns these pods by their requests, resource by resource, the smallest first.
    pub fn smallest_first(&self, pods: &[PodIx]) -> Vec<PodIx> {
        let mut pods = pods.to_vec();
        pods.sort_by_cached_key(|ix| self.amounts(*ix));
        pods
    }

    /// Returns the amounts that a pod requests, by resource. `None`: there is no such pod.
    fn amounts(&self, ix: PodIx) -> Option<Vec<i64>> {
        self.pod(ix).map(|pod| pod.request().iter().map(|(_, amount)| amount).collect())
    }

    /// Returns the roles of which the job of a pod needs a number of pods.
    pub fn roles(&self, pod: PodIx) -> &[(NameId, u32)] {
        let group = self.pod(pod).and_then(|pod| pod.attributes.job).and_then(|job| self.pod_group(job));
        group.map(|group| group.roles.as_slice()).unwrap_or_default()
    }

    fn shortage_without(&self, pod: PodIx, counts: impl Fn(&PodInfo) -> bool) -> MissingMembers {
        let counted = || self.members(pod).map(|(_, pod)| pod).filter(|pod| !pod.is_leaving() && counts(pod));
        let roles = self.roles(pod).iter().map(|(role, need)| {
            let have = counted().filter(|pod| pod.attributes.task.role == Some(*role)).count();
            (*role, usize::try_from(*need).unwrap_or(usize::MAX).saturating_sub(have))
        });
        let roles: BTreeMap<NameId, usize> = roles.collect();
        let in_roles = roles.values().fold(0, |sum: usize, lacking| sum.saturating_add(*lacking));
        let lacking = self.minimum(pod).saturating_sub(counted().count());
        MissingMembers { roles, others: lacking.saturating_sub(in_roles) }
    }
}
