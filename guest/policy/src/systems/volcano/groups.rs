//! PodGroups, Jobs and priority classes: the minimum, the queue and the sizes of a job.
//!
//! The controller copies the annotations of a Job to its PodGroup. Where the PodGroup has no elastic annotation, that of the Job is
//! used. The owner reference of the PodGroup names the Job; without one, the pods do.

mod annotations;
mod of_kubernetes;
mod topology;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::keys;
use super::pods::truth;
use super::reported::ReportedFindings;
use crate::contract;
use crate::model::{Cluster, ElasticSettings, Gang, JobIx, JobKey, MatchPolicy, PodIx, VolcanoPodGroup};
use crate::systems::document::{annotation_path, escape, label_path};
use crate::systems::{Findings, ParsedObject, PodVotes, pod_group};
use annotations::{read_cooldown, read_elastic};

/// A group of pods as the PodGroup object specifies it.
#[derive(Debug, Clone, Default, PartialEq)]
struct GroupSpec {
    queue: String,
    minimum: u32,
    roles: BTreeMap<String, u32>,
    class: String,
    /// The priority in the PodGroup itself, which its class does not change.
    priority: Option<i32>,
    created: i64,
    job: Option<String>,
    elastic: Option<Option<ElasticSettings>>,
    opted_out: bool,
    cooldown: Option<i64>,
    /// A field with a demand that no law judges, as a JSON pointer.
    unsupported_field: Option<&'static str>,
}

/// A job as the Job object specifies it.
#[derive(Debug, Clone, PartialEq)]
struct JobSpec {
    replicas: Option<u32>,
    elastic: Option<Option<ElasticSettings>>,
    cooldown: Option<i64>,
}

/// The PodGroups, Jobs and priority classes read so far.
#[derive(Debug, Default)]
pub struct VolcanoGroups {
    groups: BTreeMap<JobKey, GroupSpec>,
    jobs: BTreeMap<JobKey, JobSpec>,
    /// The Job that each pod of a group names; the name on the oldest pod counts.
    job_names: PodVotes<String>,
    classes: BTreeMap<String, i32>,
    /// The groups whose state in the cluster is out of date.
    changed: BTreeSet<JobKey>,
}

impl VolcanoGroups {
    /// Reads a PodGroup.
    pub fn read_group(&mut self, object: &ParsedObject, reported: &mut ReportedFindings, findings: &mut Findings) {
        let key = (object.namespace.clone(), object.name.clone());
        let spec = read_group(object, reported, findings);
        if self.groups.get(&key) != Some(&spec) {
            self.groups.insert(key.clone(), spec);
            self.changed.insert(key);
        }
    }

    /// Reads a Job.
    pub fn read_job(&mut self, object: &ParsedObject, reported: &mut ReportedFindings, findings: &mut Findings) {
        let tasks = object.at("/spec/tasks").and_then(Value::as_array);
        let replicas = tasks.map(|tasks| {
            let counts = tasks.iter().enumerate().map(|(at, task)| match task.get("replicas") {
                None => 1,
                Some(count) => count.as_u64().unwrap_or_else(|| {
                    let message = format!("`{count}` is not a number of pods; 0 is used");
                    reported.warn(object, &format!("/spec/tasks/{at}/replicas"), message, WRITE_A_COUNT, findings);
                    0
                }),
            });
            u32::try_from(counts.fold(0u64, u64::saturating_add)).unwrap_or(u32::MAX)
        });
        let path = "/spec/minAvailable";
        let minimum = object.at(path).and_then(Value::as_u64);
        if let (Some(value), None) = (object.at(path), minimum) {
            let message = format!("`{value}` is not a number of pods; the minimum of the PodGroup is used");
            reported.warn(object, path, message, WRITE_A_COUNT, findings);
        }
        if let (Some(minimum), Some(replicas)) = (minimum, replicas)
            && minimum > u64::from(replicas)
        {
            let message = format!("the job needs {minimum} pods and its tasks have {replicas}: it never starts");
            reported.warn(object, path, message, "write at most the sum of the replicas of all tasks", findings);
        }
        let (elastic, cooldown) = (read_elastic(object, reported, findings), read_cooldown(object, reported, findings));
        let spec = JobSpec { replicas, elastic, cooldown };
        let key = (object.namespace.clone(), object.name.clone());
        if self.jobs.get(&key) != Some(&spec) {
            self.jobs.insert(key, spec);
            self.mark_all_changed();
        }
    }

    /// Reads a priority class.
    pub fn read_class(&mut self, object: &ParsedObject, reported: &mut ReportedFindings, findings: &mut Findings) {
        let given = object.at("/value");
        let value = given.and_then(Value::as_i64).and_then(|value| i32::try_from(value).ok());
        if let (Some(given), None) = (given, value) {
            let message = format!("`{given}` is not a priority; 0 is used");
            reported.warn(object, "/value", message, "write a whole number of at most 32 bits", findings);
        }
        let value = value.unwrap_or(0);
        if self.classes.insert(object.name.clone(), value) != Some(value) {
            self.mark_all_changed();
        }
    }

    /// Removes an object.
    pub fn remove(&mut self, kind: &str, namespace: &str, name: &str) {
        let key = (namespace.to_owned(), name.to_owned());
        match kind {
            "PodGroup" if self.groups.remove(&key).is_some() => {
                self.changed.insert(key);
            }
            "Job" if self.jobs.remove(&key).is_some() => self.mark_all_changed(),
            "PriorityClass" if self.classes.remove(name).is_some() => self.mark_all_changed(),
            _ => {}
        }
    }

    /// Sets the Job that a pod names for its group. Without a group or a Job, any earlier name is removed.
    pub fn read_pod(&mut self, group: Option<JobIx>, pod: &contract::Pod, job: Option<&str>) {
        match group.zip(job) {
            Some((group, job)) => self.job_names.set(group, pod, job.to_owned()),
            None => self.job_names.forget_pod(PodIx(pod.id)),
        }
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.job_names.forget_pod(pod);
    }

    /// Updates the cluster, and returns the groups that have changed.
    pub fn sync(&mut self, cluster: &mut Cluster) -> Vec<JobKey> {
        let mut changed = std::mem::take(&mut self.changed);
        let named = self.job_names.take_changed();
        changed.extend(named.into_iter().filter_map(|job| cluster.job(job)).map(|job| job.key.clone()));
        for key in &changed {
            let found = self.groups.get(key).map(|spec| (gang(spec), self.pod_group(cluster, key, spec)));
            let (gang, pod_group) = found.unzip();
            let Some(ix) = cluster.job_or_new(key) else { continue };
            cluster.set_pod_group(ix, pod_group);
            if let Some(job) = cluster.job_mut(ix) {
                job.declared = gang;
            }
        }
        changed.into_iter().collect()
    }

    fn mark_all_changed(&mut self) {
        self.changed.extend(self.groups.keys().cloned());
    }

    fn pod_group(&self, cluster: &mut Cluster, key: &JobKey, spec: &GroupSpec) -> VolcanoPodGroup {
        let named = cluster.job_named(key).and_then(|job| self.job_names.of(job).next());
        let job = spec.job.as_ref().or(named);
        let parent = job.and_then(|job| self.jobs.get(&(key.0.clone(), job.clone())));
        let elastic = spec.elastic.clone().or_else(|| parent.and_then(|parent| parent.elastic.clone())).flatten();
        let sum = spec.roles.values().fold(0u32, |sum, need| sum.saturating_add(*need));
        let roles = spec.roles.iter().filter(|_| spec.minimum >= sum);
        VolcanoPodGroup {
            queue: Some(cluster.intern(&spec.queue)),
            priority: spec.priority.unwrap_or_else(|| self.priority(&spec.class)),
            created: spec.created,
            roles: roles.map(|(role, need)| (cluster.intern(role), *need)).collect(),
            elastic: elastic
                .map(|elastic| ElasticSettings { most: parent.and_then(|parent| parent.replicas), ..elastic }),
            opted_out: spec.opted_out,
            cooldown: spec.cooldown.or_else(|| parent.and_then(|parent| parent.cooldown)),
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

fn gang(spec: &GroupSpec) -> Gang {
    Gang {
        minimum: spec.minimum,
        timeout: super::PERMIT_TIMEOUT,
        releases_on_failure: false,
        releases_on_unreserve: false,
        match_policy: MatchPolicy::WaitingAndRunning,
        counts_gated: true,
        group: Vec::new(),
        unsupported_field: spec.unsupported_field,
    }
}

fn read_group(object: &ParsedObject, reported: &mut ReportedFindings, findings: &mut Findings) -> GroupSpec {
    let text = |path: &str| object.at(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let count = |value: &Value| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let path = "/spec/minMember";
    let minimum = object.at(path).map_or(Some(0), count).unwrap_or_else(|| {
        let message = "the value is not a number of pods; 0 is used, so pods are placed one by one".to_owned();
        reported.warn(object, path, message, WRITE_A_COUNT, findings);
        0
    });
    let mut roles = BTreeMap::new();
    for (role, need) in object.at("/spec/minTaskMember").and_then(Value::as_object).into_iter().flatten() {
        match count(need) {
            Some(need) => drop(roles.insert(role.clone(), need)),
            None => {
                let message = format!("`{need}` is not a number of pods; the role is ignored");
                reported.warn(
                    object,
                    &format!("/spec/minTaskMember/{}", escape(role)),
                    message,
                    WRITE_A_COUNT,
                    findings,
                );
            }
        }
    }
    let owners = object.at("/metadata/ownerReferences").and_then(Value::as_array).into_iter().flatten();
    let mut owners = owners.filter(|owner| owner.get("kind").and_then(Value::as_str) == Some("Job"));
    let job = owners.find_map(|owner| owner.get("name")?.as_str()).map(str::to_owned);
    let queue = Some(text("/spec/queue")).filter(|queue| !queue.is_empty());
    GroupSpec {
        queue: queue.unwrap_or_else(|| keys::DEFAULT_QUEUE.to_owned()),
        minimum,
        roles,
        class: text("/spec/priorityClassName"),
        priority: None,
        created: pod_group::created(object).unwrap_or(0),
        job,
        elastic: read_elastic(object, reported, findings),
        opted_out: opted_out(object, reported, findings),
        cooldown: read_cooldown(object, reported, findings),
        unsupported_field: topology::unsupported_topology(object, reported, findings),
    }
}

/// Reads whether a group opts its pods out of preemption. Without the setting, each pod decides for itself.
fn opted_out(object: &ParsedObject, reported: &mut ReportedFindings, findings: &mut Findings) -> bool {
    let by_annotation = object.annotation(keys::PREEMPTABLE);
    let Some(text) = by_annotation.or_else(|| object.label(keys::PREEMPTABLE)) else { return false };
    let truth = truth(text);
    if truth.is_none() {
        let path = if by_annotation.is_some() { annotation_path } else { label_path };
        let message = format!("`{text}` is neither true nor false; the pods of the group are not evicted");
        reported.warn(object, &path(keys::PREEMPTABLE), message, WRITE_A_FLAG, findings);
    }
    truth != Some(true)
}

const WRITE_A_COUNT: &str = "write a whole number of 0 or more";
const WRITE_A_FLAG: &str = "write `\"true\"` or `\"false\"`";
