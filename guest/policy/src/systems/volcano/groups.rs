//! PodGroups, Jobs and priority classes: what a job needs, where it belongs, and how it grows.
//!
//! The controller copies the annotations of a Job to its PodGroup; where the PodGroup says nothing of elasticity, the Job itself is
//! asked. Which Job that is, the owner of the PodGroup tells, or its pods do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::keys;
use super::pods::truth;
use super::told::Told;
use crate::contract;
use crate::model::{Cluster, Elastic, Gang, JobIx, JobKey, Match, PodGroupSpec, PodIx, Sizes};
use crate::systems::arguments::duration;
use crate::systems::document::{annotation_path, escape, label_path};
use crate::systems::{Document, Findings, PodVotes};

/// A PodGroup as its object describes it.
#[derive(Debug, Clone, PartialEq)]
struct PodMetadata {
    queue: String,
    minimum: u32,
    roles: BTreeMap<String, u32>,
    class: String,
    created: i64,
    job: Option<String>,
    elastic: Option<Option<Elastic>>,
    opted_out: bool,
}

/// What a Job adds.
#[derive(Debug, Clone, PartialEq)]
struct Parent {
    replicas: Option<u32>,
    elastic: Option<Option<Elastic>>,
}

/// The groups read so far.
#[derive(Debug, Default)]
pub struct Groups {
    said: BTreeMap<JobKey, PodMetadata>,
    jobs: BTreeMap<JobKey, Parent>,
    /// The Job that each pod of a group names; the oldest pod counts.
    named: PodVotes<String>,
    classes: BTreeMap<String, i32>,
    /// The groups to be told to the cluster.
    changed: BTreeSet<JobKey>,
}

impl Groups {
    /// Reads a PodGroup.
    pub fn read_group(&mut self, object: &Document, told: &mut Told, findings: &mut Findings) {
        let key = (object.namespace.clone(), object.name.clone());
        let said = read_group(object, told, findings);
        if self.said.get(&key) != Some(&said) {
            self.said.insert(key.clone(), said);
            self.changed.insert(key);
        }
    }

    /// Reads a Job.
    pub fn read_job(&mut self, object: &Document, told: &mut Told, findings: &mut Findings) {
        let tasks = object.at("/spec/tasks").and_then(Value::as_array);
        let replicas = tasks.map(|tasks| {
            let counts = tasks.iter().enumerate().map(|(at, task)| match task.get("replicas") {
                None => 1,
                Some(count) => count.as_u64().unwrap_or_else(|| {
                    let message = format!("`{count}` is not a number of pods, and counts as none");
                    told.warn(object, &format!("/spec/tasks/{at}/replicas"), message, WHOLE, findings);
                    0
                }),
            });
            u32::try_from(counts.fold(0u64, u64::saturating_add)).unwrap_or(u32::MAX)
        });
        let path = "/spec/minAvailable";
        let minimum = object.at(path).and_then(Value::as_u64);
        if let (Some(value), None) = (object.at(path), minimum) {
            let message = format!("`{value}` is not a number of pods; the PodGroup says what the job needs");
            told.warn(object, path, message, WHOLE, findings);
        }
        if let (Some(minimum), Some(replicas)) = (minimum, replicas)
            && minimum > u64::from(replicas)
        {
            let message = format!("the job needs {minimum} pods and has {replicas}: it never starts");
            told.warn(object, path, message, "write no more than the replicas of all tasks", findings);
        }
        let parent = Parent { replicas, elastic: read_elastic(object, told, findings) };
        let key = (object.namespace.clone(), object.name.clone());
        if self.jobs.get(&key) != Some(&parent) {
            self.jobs.insert(key, parent);
            self.everything_changed();
        }
    }

    /// Reads a priority class.
    pub fn read_class(&mut self, object: &Document, told: &mut Told, findings: &mut Findings) {
        let said = object.at("/value");
        let value = said.and_then(Value::as_i64).and_then(|value| i32::try_from(value).ok());
        if let (Some(said), None) = (said, value) {
            let message = format!("`{said}` is not a priority, and counts as 0");
            told.warn(object, "/value", message, "write a whole number of 32 bits", findings);
        }
        let value = value.unwrap_or(0);
        if self.classes.insert(object.name.clone(), value) != Some(value) {
            self.everything_changed();
        }
    }

    /// An object is gone.
    pub fn remove(&mut self, kind: &str, namespace: &str, name: &str) {
        let key = (namespace.to_owned(), name.to_owned());
        match kind {
            "PodGroup" if self.said.remove(&key).is_some() => {
                self.changed.insert(key);
            }
            "Job" if self.jobs.remove(&key).is_some() => self.everything_changed(),
            "PriorityClass" if self.classes.remove(name).is_some() => self.everything_changed(),
            _ => {}
        }
    }

    /// A pod of this group, or of none, names this Job, or none.
    pub fn read_pod(&mut self, group: Option<JobIx>, pod: &contract::Pod, job: Option<&str>) {
        match group.zip(job) {
            Some((group, job)) => self.named.want(group, pod, job.to_owned()),
            None => self.named.forget_pod(PodIx(pod.id)),
        }
    }

    /// A pod is gone.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.named.forget_pod(pod);
    }

    /// Tells the cluster what has changed; the groups it is about are returned.
    pub fn sync_queues(&mut self, cluster: &mut Cluster) -> Vec<JobKey> {
        let mut changed = std::mem::take(&mut self.changed);
        let named = self.named.take_changed();
        changed.extend(named.into_iter().filter_map(|job| cluster.job(job)).map(|job| job.key.clone()));
        for key in &changed {
            let told = self.said.get(key).map(|said| (gang(said), self.pod_group(cluster, key, said)));
            let (gang, pod_group) = told.unzip();
            if let Some(job) = cluster.job_or_new(key).and_then(|job| cluster.job_mut(job)) {
                job.scaled_at = job.scaled_at.filter(|_| pod_group.is_some());
                (job.declared, job.pod_group) = (gang, pod_group);
            }
        }
        changed.into_iter().collect()
    }

    fn everything_changed(&mut self) {
        self.changed.extend(self.said.keys().cloned());
    }

    fn pod_group(&self, cluster: &mut Cluster, key: &JobKey, said: &PodMetadata) -> PodGroupSpec {
        let named = cluster.job_named(key).and_then(|job| self.named.of(job).next());
        let job = said.job.as_ref().or(named);
        let parent = job.and_then(|job| self.jobs.get(&(key.0.clone(), job.clone())));
        let elastic = said.elastic.clone().or_else(|| parent.and_then(|parent| parent.elastic.clone())).flatten();
        let sum = said.roles.values().fold(0u32, |sum, need| sum.saturating_add(*need));
        let roles = said.roles.iter().filter(|_| said.minimum >= sum);
        PodGroupSpec {
            queue: Some(cluster.intern(&said.queue)),
            priority: self.priority(&said.class),
            created: said.created,
            roles: roles.map(|(role, need)| (cluster.intern(role), *need)).collect(),
            elastic: elastic.map(|elastic| Elastic { most: parent.and_then(|parent| parent.replicas), ..elastic }),
            opted_out: said.opted_out,
        }
    }

    fn priority(&self, class: &str) -> i32 {
        let built_in = match class {
            "system-cluster-critical" => 2_000_000_000,
            "system-node-critical" => 2_000_001_000,
            _ => 0,
        };
        self.classes.get(class).copied().unwrap_or(built_in)
    }
}

fn gang(said: &PodMetadata) -> Gang {
    Gang {
        minimum: said.minimum,
        timeout: super::PERMIT_TIMEOUT,
        fails_together: false,
        leaves_together: false,
        matching: Match::WaitingAndRunning,
        group: Vec::new(),
    }
}

fn read_group(object: &Document, told: &mut Told, findings: &mut Findings) -> PodMetadata {
    let text = |path: &str| object.at(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let count = |value: &Value| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let path = "/spec/minMember";
    let minimum = object.at(path).map_or(Some(0), count).unwrap_or_else(|| {
        let message = "it is not a number of pods; no pod waits for another".to_owned();
        told.warn(object, path, message, WHOLE, findings);
        0
    });
    let mut roles = BTreeMap::new();
    for (role, need) in object.at("/spec/minTaskMember").and_then(Value::as_object).into_iter().flatten() {
        match count(need) {
            Some(need) => drop(roles.insert(role.clone(), need)),
            None => {
                let message = format!("`{need}` is not a number of pods, and counts as none");
                told.warn(object, &format!("/spec/minTaskMember/{}", escape(role)), message, WHOLE, findings);
            }
        }
    }
    let owners = object.at("/metadata/ownerReferences").and_then(Value::as_array).into_iter().flatten();
    let mut owners = owners.filter(|owner| owner.get("kind").and_then(Value::as_str) == Some("Job"));
    let job = owners.find_map(|owner| owner.get("name")?.as_str()).map(str::to_owned);
    let queue = Some(text("/spec/queue")).filter(|queue| !queue.is_empty());
    PodMetadata {
        queue: queue.unwrap_or_else(|| keys::DEFAULT_QUEUE.to_owned()),
        minimum,
        roles,
        class: text("/spec/priorityClassName"),
        created: super::created(object),
        job,
        elastic: read_elastic(object, told, findings),
        opted_out: opted_out(object, told, findings),
    }
}

/// Whether a group said that none of its pods is to be evicted; one that says nothing leaves it to them.
fn opted_out(object: &Document, told: &mut Told, findings: &mut Findings) -> bool {
    let by_annotation = object.annotation(keys::PREEMPTABLE);
    let Some(text) = by_annotation.or_else(|| object.label(keys::PREEMPTABLE)) else { return false };
    let truth = truth(text);
    if truth.is_none() {
        let path = if by_annotation.is_some() { annotation_path } else { label_path };
        let message = format!("`{text}` is neither true nor false; its pods are not evicted");
        told.warn(object, &path(keys::PREEMPTABLE), message, REMEDY, findings);
    }
    truth != Some(true)
}

/// What an object says of elasticity; none where it says nothing.
fn read_elastic(object: &Document, told: &mut Told, findings: &mut Findings) -> Option<Option<Elastic>> {
    let wanted = match object.annotation(keys::ELASTIC)? {
        "true" => true,
        "false" => false,
        _ => {
            told.annotation(object, keys::ELASTIC, "is not `true`: the job is a plain one", REMEDY, findings);
            false
        }
    };
    let powers = match object.annotation(keys::POWER_OF_TWO) {
        Some("true") => true,
        None | Some("false") => false,
        Some(_) => {
            let read_as = "is neither `true` nor `false`, and counts as not set";
            told.annotation(object, keys::POWER_OF_TWO, read_as, REMEDY, findings);
            false
        }
    };
    let factor = object.annotation(keys::FACTOR).map_or(1, |text| {
        text.trim().parse().ok().filter(|factor| *factor > 0).unwrap_or_else(|| {
            let read_as = "is not a factor, and counts as 1";
            told.annotation(object, keys::FACTOR, read_as, "write a whole number of 1 or more", findings);
            1
        })
    });
    let interval = object.annotation(keys::INTERVAL).map_or(0, |text| {
        duration(&Value::from(text)).unwrap_or_else(|| {
            let read_as = "is not a duration, and counts as none";
            told.annotation(object, keys::INTERVAL, read_as, "write a duration such as `10m`", findings);
            0
        })
    });
    let sizes = if powers { Sizes::PowersOfTwo } else { Sizes::Multiples(factor) };
    Some(wanted.then_some(Elastic { sizes, interval, most: None }))
}

const WHOLE: &str = "write a whole number of 0 or more";
const REMEDY: &str = "write `\"true\"` or `\"false\"`";
