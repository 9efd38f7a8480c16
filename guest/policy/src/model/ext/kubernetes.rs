//! Kubernetes: the spec of a PodGroup of `scheduling.k8s.io`, except the minimum of its gang.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::model::{Cluster, JobIx, PagedTable, PodInfo, PodIx, PodKind, ResourceRequest};

/// The spec of a PodGroup of Kubernetes, besides the minimum of its gang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubernetesPodGroup {
    /// The priority of all its pods, as preemptors and as victims.
    pub priority: i32,
    /// Whether its pods are evicted together, or none of them (disruptionMode `all`).
    pub is_evicted_whole: bool,
}

/// The tables of Kubernetes.
#[derive(Debug, Clone, Default)]
pub struct KubernetesTables {
    groups: PagedTable<JobIx, KubernetesPodGroup>,
    /// Whether some group is evicted whole.
    has_groups_evicted_whole: bool,
}

impl Cluster {
    /// Returns the spec of the PodGroup of a job. `None`: the job has no PodGroup of Kubernetes.
    pub fn scheduling_group(&self, job: JobIx) -> Option<&KubernetesPodGroup> {
        self.ext.kubernetes.groups.get(job)
    }

    /// Sets the spec of the PodGroup of a job.
    pub fn set_scheduling_group(&mut self, job: JobIx, group: Option<KubernetesPodGroup>) {
        let tables = &mut self.ext.kubernetes;
        match group {
            Some(group) => drop(tables.groups.insert(job, group)),
            None => drop(tables.groups.remove(job)),
        }
        tables.has_groups_evicted_whole = tables.groups.iter().any(|(_, group)| group.is_evicted_whole);
    }

    /// Returns the pods that are evicted together with this one, itself included, by name. A member that leaves anyway is not included. `None`: the
    /// pod is evicted alone.
    pub fn disruption_group(&self, ix: PodIx) -> Option<Vec<PodIx>> {
        self.disruption_group_of(self.pod(ix)?)
    }

    /// Returns the pods that are evicted together with this one, like [`Cluster::disruption_group`], from the pod instead of its number.
    pub fn disruption_group_of(&self, pod: &PodInfo) -> Option<Vec<PodIx>> {
        let job = self.job_evicted_whole(pod)?;
        let members = self.job(job)?.members.iter().filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        let holders = members.filter(|(_, pod)| pod.node().is_some() && !pod.is_leaving());
        let mut holders: Vec<(u64, PodIx)> = holders.map(|(ix, pod)| (pod.rank, ix)).collect();
        holders.sort_unstable();
        Some(holders.into_iter().map(|(_, ix)| ix).collect())
    }

    /// Checks whether some group is evicted whole.
    pub fn has_disruption_groups(&self) -> bool {
        self.ext.kubernetes.has_groups_evicted_whole
    }

    /// Returns one pod for each group that is evicted whole, and every pod that is evicted alone, out of some pods of one node.
    pub fn one_per_disruption_group<'p>(&self, pods: &'p [PodIx]) -> Cow<'p, [PodIx]> {
        if !self.has_disruption_groups() {
            return Cow::Borrowed(pods);
        }
        let mut seen = BTreeSet::new();
        let is_first = |ix: &PodIx| {
            let job = self.pod(*ix).and_then(|pod| self.job_evicted_whole(pod));
            job.is_none_or(|job| seen.insert(job))
        };
        pods.iter().copied().filter(is_first).collect()
    }

    /// Returns these victims, and the pods that are evicted together with them.
    pub fn expand_disruption_groups<'p>(&self, victims: &'p [PodIx]) -> Cow<'p, [PodIx]> {
        if !self.has_disruption_groups() {
            return Cow::Borrowed(victims);
        }
        let mut seen = BTreeSet::new();
        let sets = victims.iter().flat_map(|ix| self.disruption_group(*ix).unwrap_or_else(|| vec![*ix]));
        sets.filter(|ix| seen.insert(*ix)).collect()
    }

    /// Returns the amounts that the pods evicted together with this one use on its node. `None`: the pod is evicted alone.
    pub(in crate::model) fn freed_by_disruption_group(&self, ix: PodIx) -> Option<ResourceRequest> {
        let node = self.pod(ix)?.node();
        let here = self
            .disruption_group(ix)?
            .into_iter()
            .filter(|other| self.pod(*other).is_some_and(|pod| pod.node() == node));
        Some(ResourceRequest::new(here.flat_map(|ix| self.marginal_request(ix).iter().collect::<Vec<_>>()).collect()))
    }

    /// Returns the job of a pod, if the pods of the job are evicted together. `None`: the pod is evicted alone.
    pub fn job_evicted_whole(&self, pod: &PodInfo) -> Option<JobIx> {
        if !self.ext.kubernetes.has_groups_evicted_whole || pod.name.kind != PodKind::Pod || pod.is_leaving() {
            return None;
        }
        pod.attributes.job.filter(|job| self.scheduling_group(*job).is_some_and(|group| group.is_evicted_whole))
    }
}
