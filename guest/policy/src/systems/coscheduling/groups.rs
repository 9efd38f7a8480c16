//! Groups: which group a pod belongs to, which group was tried last, and whether it failed.

use serde::Deserialize;
use serde_json::{Value, json};

use super::pod_groups;
use crate::contract::{self, Effects, PodId};
use crate::model::{Cluster, JobIx, JobKey, PodIx, PodLocation};
use crate::systems::document::label_path;
use crate::systems::{Findings, ParsedObject, PodVotes};

/// Pod label: the group.
const NAME: &str = "pod-group/name";
/// Pod label: the number of pods of the group that are bound together.
const MINIMUM: &str = "pod-group/min-available";

/// The state of the groups.
#[derive(Debug)]
pub struct CoschedulingGroups {
    /// The time for which a pod waits at Permit, in nanoseconds.
    timeout: i64,
    /// The group of the last grouped pod that was tried. `None`: that group is bound.
    last_tried: Option<JobIx>,
    /// The minimum that each pod requests.
    minimums: PodVotes<u32>,
}

impl CoschedulingGroups {
    /// Creates the state before any pod is read. `timeout` is in nanoseconds.
    pub fn new(timeout: i64) -> CoschedulingGroups {
        CoschedulingGroups { timeout, last_tried: None, minimums: PodVotes::default() }
    }

    /// Returns the group that was tried last, for a checkpoint.
    pub fn checkpoint(&self, cluster: &Cluster) -> Value {
        let last = self.last_tried.and_then(|last| cluster.job(last));
        last.map_or(Value::Null, |last| json!([last.key.0, last.key.1]))
    }

    /// Restores the state from a checkpoint.
    pub fn restore(&mut self, cluster: &Cluster, memory: &Value) -> Result<(), serde_json::Error> {
        let last: Option<JobKey> = Deserialize::deserialize(memory)?;
        self.last_tried = last.and_then(|last| cluster.job_named(&last));
        Ok(())
    }

    /// Returns the default time for which a pod waits at Permit, in nanoseconds.
    pub fn timeout(&self) -> i64 {
        self.timeout
    }

    /// Returns the group of a pod: its PodGroup, else the group of the proposal's labels. With these labels, a pod without a valid minimum belongs to
    /// no group. Where members disagree, the minimum of the oldest one is used.
    pub fn group_of(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> Option<JobIx> {
        self.minimums.forget_pod(PodIx(pod.id));
        let label = |key: &str| {
            let pairs = pod.template.labels.iter().filter_map(|label| label.value.split_once('='));
            pairs.into_iter().find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        if let Some(name) = label(pod_groups::LABEL).filter(|name| !name.is_empty()) {
            return cluster.job_or_new(&(pod.template.namespace.clone(), name.to_owned()));
        }
        let name = label(NAME).filter(|name| !name.is_empty())?;
        let object = || ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
        let text = label(MINIMUM).unwrap_or_default();
        let Some(minimum) = text.parse::<u32>().ok().filter(|minimum| *minimum > 0) else {
            let message = format!("`{text}` is not a number of pods; the pod is scheduled without a group");
            findings.push(object().warning(&label_path(MINIMUM), message, "write a whole number of 1 or more"));
            return None;
        };
        let ix = cluster.job_or_new(&(pod.template.namespace.clone(), name.to_owned()))?;
        let another = self.minimums.of(ix).copied().find(|other| *other != minimum);
        self.minimums.set(ix, pod, minimum);
        let used = self.update_minimum(cluster, ix).unwrap_or(minimum);
        if let Some(another) = another {
            let message =
                format!("the pod requests {minimum} pods of group `{name}`, another pod {another}; {used} is used");
            let remedy = "write the same number on every pod of the group";
            findings.push(object().warning(&label_path(MINIMUM), message, remedy));
        }
        Some(ix)
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.minimums.forget_pod(pod);
    }

    /// Updates the minimum of each group whose pods have changed.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        for job in self.minimums.take_changed() {
            self.update_minimum(cluster, job);
        }
    }

    /// Sets the minimum of a group to that of its oldest pod and returns it. `None`: the group has no pod.
    fn update_minimum(&self, cluster: &mut Cluster, job: JobIx) -> Option<u32> {
        let minimum = self.minimums.of(job).next().copied()?;
        cluster.job_mut(job)?.annotated = Some(pod_groups::gang(minimum, self.timeout));
        Some(minimum)
    }

    /// Returns the effects of an attempt for a pod on other pods. If its group is not the last one tried, the last group has failed, unless it was
    /// bound meanwhile or a plan for it is in flight. The pods of an incomplete failed group that wait at Permit are released.
    pub fn on_pod_tried(&mut self, cluster: &mut Cluster, pod: PodIx) -> Effects {
        let Some(job) = cluster.pod(pod).and_then(|pod| pod.attributes.job) else { return Effects::default() };
        let last = self.last_tried.replace(job).filter(|last| *last != job);
        let Some(last) = last.filter(|last| !cluster.has_plan_in_flight(*last)) else { return Effects::default() };
        let releases = waiting_members(cluster, last);
        let now = cluster.now();
        // A group without pods has no history: a later group of the same name starts new.
        if let Some(last) = cluster.job_mut(last).filter(|last| !last.members.is_empty()) {
            last.failed_at = Some(now);
        }
        Effects { releases, reorder: true, ..Effects::default() }
    }

    /// Returns the group whose turn it is: it was tried last, holds nodes at Permit, is not complete, and has pods that were not tried yet. `None`:
    /// no group has its turn.
    pub fn gang_in_turn(&self, cluster: &Cluster) -> Option<JobIx> {
        self.last_tried.filter(|last| {
            let Some(job) = cluster.job(*last).filter(|job| job.gang().is_some()) else { return false };
            let members = || job.members.iter().filter_map(|ix| Some((ix, cluster.pod(*ix)?)));
            members().any(|(_, pod)| matches!(pod.state.location, PodLocation::Reserved(_)))
                && members().any(|(ix, pod)| pod.is_schedulable() && !job.round.tried.contains(ix))
                && !cluster.is_complete(*last)
        })
    }

    /// Clears the failure of the group of a pod, because the group is bound.
    pub fn on_group_bound(&mut self, cluster: &mut Cluster, pod: PodIx) {
        let job = cluster.pod(pod).and_then(|pod| pod.attributes.job);
        if let Some(job) = job.and_then(|job| cluster.job_mut(job)) {
            job.failed_at = None;
        }
        self.last_tried = self.last_tried.filter(|last| Some(*last) != job);
    }

    /// Records that a pod timed out at Permit, so that its group has failed. Returns whether the pod has a group.
    pub fn on_group_timed_out(&mut self, cluster: &mut Cluster, pod: PodIx) -> bool {
        let now = cluster.now();
        let job = cluster.pod(pod).and_then(|pod| pod.attributes.job).and_then(|job| cluster.job_mut(job));
        job.map(|job| job.failed_at = Some(now)).is_some()
    }
}

/// Returns the JSON pointer to the label in which a pod names its PodGroup. A group of the proposal's labels needs no PodGroup.
pub fn group_label_path() -> String {
    label_path(pod_groups::LABEL)
}

/// Returns the pods of an incomplete group that wait at Permit, by name. Empty where the group has its minimum.
fn waiting_members(cluster: &Cluster, job: JobIx) -> Vec<PodId> {
    let Some((job, gang)) = cluster.job(job).and_then(|job| Some((job, job.gang()?))) else { return Vec::new() };
    let members = || job.members.iter().filter_map(|ix| Some((ix.0, cluster.pod(*ix)?)));
    let allocated = members().filter(|(_, pod)| pod.node().is_some() && !pod.state.terminating).count();
    if allocated >= usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
        return Vec::new();
    }
    let mut waiting: Vec<_> = members()
        .filter(|(_, pod)| matches!(pod.state.location, PodLocation::Reserved(_)))
        .map(|(id, pod)| (pod.rank, id))
        .collect();
    waiting.sort_unstable();
    waiting.into_iter().map(|(_, id)| id).collect()
}
