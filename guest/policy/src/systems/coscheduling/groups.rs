//! Groups: which one a pod belongs to, which was tried last, and what became of it.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::{self, Effects, PodId};
use crate::model::{Cluster, Gang, JobIx, JobKey, Match, Place, PodIx};
use crate::systems::document::label_path;
use crate::systems::{Document, Findings, PodVotes};

/// Pod label: the group.
const NAME: &str = "pod-group/name";
/// Pod label: how many pods of the group are bound together.
const MINIMUM: &str = "pod-group/min-available";

/// What is remembered of the groups.
#[derive(Debug)]
pub struct Groups {
    /// How long a pod is held at permit, nanoseconds.
    timeout: i64,
    /// The group of the last pod of any group that was tried; none once that group is bound.
    last: Option<JobIx>,
    /// The minimum that pods want.
    minimums: PodVotes<u32>,
}

impl Groups {
    /// Nothing is remembered yet.
    pub fn new(timeout: i64) -> Groups {
        Groups { timeout, last: None, minimums: PodVotes::default() }
    }

    /// The group of the last pod that was tried, for a checkpoint.
    pub fn remember(&self, cluster: &Cluster) -> Value {
        let last = self.last.and_then(|last| cluster.job(last));
        last.map_or(Value::Null, |last| json!([last.key.0, last.key.1]))
    }

    /// Knows again what it remembered.
    pub fn recall(&mut self, cluster: &Cluster, memory: &Value) -> Result<(), serde_json::Error> {
        let last: Option<JobKey> = Deserialize::deserialize(memory)?;
        self.last = last.and_then(|last| cluster.job_named(&last));
        Ok(())
    }

    /// The group of a pod. Without a sensible minimum it is a pod of no group; where members disagree, the oldest one counts, whoever
    /// was told of first.
    pub fn group_of(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> Option<JobIx> {
        self.minimums.forget_pod(PodIx(pod.id));
        let label = |key: &str| {
            let pairs = pod.labels.iter().filter_map(|label| label.value.split_once('='));
            pairs.into_iter().find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        let name = label(NAME).filter(|name| !name.is_empty())?;
        let object = || Document::named("Pod", &pod.namespace, &pod.name);
        let text = label(MINIMUM).unwrap_or_default();
        let Some(minimum) = text.parse::<u32>().ok().filter(|minimum| *minimum > 0) else {
            let message = format!("`{text}` is not a number of pods; the pod counts as one of no group");
            findings.push(object().warning(&label_path(MINIMUM), message, "write a whole number of 1 or more"));
            return None;
        };
        let ix = cluster.job_or_new(&(pod.namespace.clone(), name.to_owned()))?;
        let another = self.minimums.of(ix).copied().find(|other| *other != minimum);
        self.minimums.want(ix, pod, minimum);
        let counts = self.count(cluster, ix).unwrap_or(minimum);
        if let Some(another) = another {
            let message =
                format!("it wants {minimum} of group `{name}` together, another pod {another}; {counts} counts");
            let remedy = "write the same number on every pod of the group";
            findings.push(object().warning(&label_path(MINIMUM), message, remedy));
        }
        Some(ix)
    }

    /// A pod is gone.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.minimums.forget_pod(pod);
    }

    /// Counts anew the minimum of the groups whose pods have changed.
    pub fn sync_queues(&mut self, cluster: &mut Cluster) {
        for job in self.minimums.take_changed() {
            self.count(cluster, job);
        }
    }

    /// Lets the minimum of a group be that of its oldest pod, and returns it; none where there is no pod.
    fn count(&self, cluster: &mut Cluster, job: JobIx) -> Option<u32> {
        let minimum = self.minimums.of(job).next().copied()?;
        cluster.job_mut(job)?.annotated = Some(Gang {
            minimum,
            timeout: self.timeout,
            fails_together: false,
            leaves_together: true,
            matching: Match::WaitingAndRunning,
            group: Vec::new(),
        });
        Some(minimum)
    }

    /// A pod is tried. If it begins the turn of another group, that of the last one has ended: unless it succeeded meanwhile, the
    /// last group has failed, and if it is not whole its waiting pods give their room up.
    pub fn begin(&mut self, cluster: &mut Cluster, pod: PodIx) -> Effects {
        let Some(job) = cluster.pod(pod).and_then(|pod| pod.attributes.job) else { return Effects::default() };
        let last = self.last.replace(job).filter(|last| *last != job);
        let Some(last) = last else { return Effects::default() };
        let releases = left_behind(cluster, last);
        let now = cluster.now();
        // One whose pods are all gone is forgotten; another of its name would start anew.
        if let Some(last) = cluster.job_mut(last).filter(|last| !last.members.is_empty()) {
            last.failed_at = Some(now);
        }
        Effects { releases, reorder: true, ..Effects::default() }
    }

    /// The group of a pod is bound: its failures are forgotten.
    pub fn succeeded(&mut self, cluster: &mut Cluster, pod: PodIx) {
        let job = cluster.pod(pod).and_then(|pod| pod.attributes.job);
        if let Some(job) = job.and_then(|job| cluster.job_mut(job)) {
            job.failed_at = None;
        }
        self.last = self.last.filter(|last| Some(*last) != job);
    }

    /// A pod waited in vain: its group has failed. Whether it has one.
    pub fn failed(&mut self, cluster: &mut Cluster, pod: PodIx) -> bool {
        let now = cluster.now();
        let job = cluster.pod(pod).and_then(|pod| pod.attributes.job).and_then(|job| cluster.job_mut(job));
        job.map(|job| job.failed_at = Some(now)).is_some()
    }
}

/// The pods of a group that wait at permit for members that have not come; none where the group is whole.
fn left_behind(cluster: &Cluster, job: JobIx) -> Vec<PodId> {
    let Some((job, gang)) = cluster.job(job).and_then(|job| Some((job, job.gang()?))) else { return Vec::new() };
    let members = || job.members.iter().filter_map(|ix| Some((ix.0, cluster.pod(*ix)?)));
    let allocated = members().filter(|(_, pod)| pod.place.node().is_some() && !pod.terminating).count();
    if allocated >= usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
        return Vec::new();
    }
    let mut waiting: Vec<_> =
        members().filter(|(_, pod)| matches!(pod.place, Place::Reserved(_))).map(|(id, pod)| (pod.rank, id)).collect();
    waiting.sort_unstable();
    waiting.into_iter().map(|(_, id)| id).collect()
}
