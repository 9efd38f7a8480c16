//! Gangs: which job a pod belongs to, and what the job needs.
//!
//! A PodGroup says what its gang needs; where there is none, the annotations of the pods do (upstream
//! coscheduling/core/gang.go). A job is named by label, by its older label, or by annotation, within the pod's namespace.

use std::cmp::Reverse;

use serde_json::Value;

use super::args::Args;
use super::keys;
use super::said::PodMetadata;
use crate::contract::{Finding, ObjectKey};
use crate::model::{Cluster, Gang, JobIx, JobKey, Match, PodIx};
use crate::systems::arguments::duration;
use crate::systems::document::annotation_path;
use crate::systems::{Document, Findings, PodVotes};

/// How many members a gang needs is written so.
const A_NUMBER: &str = "write a whole number of 1 or more";

/// What pods say of their gangs by annotation.
#[derive(Debug, Default)]
pub struct Annotated(PodVotes<Gang>);

impl Annotated {
    /// The job of a pod, made known to the cluster, and what the pod says of it.
    pub fn read_pod(
        &mut self,
        args: &Args,
        cluster: &mut Cluster,
        said: &PodMetadata<'_>,
        findings: &mut Findings,
    ) -> Option<JobIx> {
        let pod = said.pod();
        let named = [said.label(keys::JOB), said.label(keys::JOB_OLD), said.annotation(keys::GANG)];
        let name = named.into_iter().flatten().find(|name| !name.is_empty());
        let job = name.and_then(|name| cluster.job_or_new(&(pod.namespace.clone(), name.to_owned())));
        self.0.keep(PodIx(pod.id), job);
        let job = job?;
        if said.annotation(keys::GANG_MINIMUM).is_none() {
            self.0.forget_pod(PodIx(pod.id));
            return Some(job);
        }
        let object = Document::named("Pod", &pod.namespace, &pod.name);
        match annotated(args, &object, said) {
            Ok(gang) => {
                let minimum = gang.minimum;
                self.0.want(job, pod, gang);
                if let Some(another) = self.0.of(job).find(|other| other.minimum != minimum) {
                    let message = format!(
                        "it says that its gang needs {minimum} pods, another pod says {}; the larger number counts",
                        another.minimum
                    );
                    let remedy = "write the same number on every pod of the gang";
                    findings.push(object.warning(&annotation_path(keys::GANG_MINIMUM), message, remedy));
                }
            }
            Err(finding) => findings.push(finding),
        }
        Some(job)
    }

    /// A pod is gone.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.0.forget_pod(pod);
    }

    /// Brings the jobs up to date: where pods disagree the largest minimum counts, of equal ones what the oldest pod says.
    pub fn sync_queues(&mut self, cluster: &mut Cluster) {
        for ix in self.0.take_changed() {
            let gang = self.0.of(ix).min_by_key(|gang| Reverse(gang.minimum)).cloned();
            if let Some(job) = cluster.job_mut(ix) {
                job.annotated = gang;
            }
        }
    }
}

/// Reads a PodGroup.
pub fn read_pod_group(args: &Args, cluster: &mut Cluster, object: &Document, findings: &mut Findings) {
    match declared(args, object) {
        Ok(gang) => {
            let key = (object.namespace.clone(), object.name.clone());
            if let Some(job) = cluster.job_or_new(&key).and_then(|job| cluster.job_mut(job)) {
                job.declared = Some(gang);
            }
        }
        Err(finding) => findings.push(finding),
    }
}

/// A PodGroup is gone.
pub fn remove_pod_group(cluster: &mut Cluster, key: &ObjectKey) {
    let job = cluster.job_named(&(key.namespace.clone(), key.name.clone()));
    if let Some(job) = job.and_then(|job| cluster.job_mut(job)) {
        job.declared = None;
    }
}

/// What a PodGroup says: `spec.minMember`, `spec.scheduleTimeoutSeconds`, the rest by annotation.
fn declared(args: &Args, object: &Document) -> Result<Gang, Finding> {
    let minimum = count(object, "/spec/minMember", object.at("/spec/minMember"))?;
    let path = "/spec/scheduleTimeoutSeconds";
    let timeout = match object.at(path) {
        Some(seconds) => waiting_time(object, path, seconds)?,
        None => annotated_timeout(args, object, object.annotation(keys::GANG_TIMEOUT))?,
    };
    gang(object, minimum, timeout, |key| object.annotation(key))
}

/// What the annotations of a pod say.
fn annotated(args: &Args, pod: &Document, said: &PodMetadata<'_>) -> Result<Gang, Finding> {
    let text = said.annotation(keys::GANG_MINIMUM).unwrap_or_default();
    let minimum = text.parse::<u32>().ok().filter(|minimum| *minimum > 0).ok_or_else(|| {
        let message = format!("`{text}` is not a number of pods");
        pod.error(&annotation_path(keys::GANG_MINIMUM), message, A_NUMBER)
    })?;
    let timeout = annotated_timeout(args, pod, said.annotation(keys::GANG_TIMEOUT))?;
    gang(pod, minimum, timeout, |key| said.annotation(key))
}

fn count(object: &Document, path: &str, value: Option<&Value>) -> Result<u32, Finding> {
    let count = value.and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    count.ok_or_else(|| {
        let message = match value {
            Some(value) => format!("`{value}` is not a number of pods"),
            None => "it does not say how many pods must be bound together".to_owned(),
        };
        object.error(path, message, A_NUMBER)
    })
}

fn waiting_time(object: &Document, path: &str, value: &Value) -> Result<i64, Finding> {
    duration(value).filter(|time| *time > 0).ok_or_else(|| {
        let message = format!("`{}` is not a time to wait", value.as_str().map_or(value.to_string(), str::to_owned));
        object.error(path, message, "write a duration such as `10m`, or a number of seconds")
    })
}

fn annotated_timeout(args: &Args, object: &Document, text: Option<&str>) -> Result<i64, Finding> {
    let path = annotation_path(keys::GANG_TIMEOUT);
    text.map_or(Ok(args.default_timeout), |text| waiting_time(object, &path, &Value::from(text)))
}

fn gang<'a>(
    object: &Document,
    minimum: u32,
    timeout: i64,
    annotation: impl Fn(&str) -> Option<&'a str>,
) -> Result<Gang, Finding> {
    let wrong = |key: &str, text: &str, remedy: &str| {
        Err(object.error(&annotation_path(key), format!("`{text}` is not known here"), remedy))
    };
    let strict = match annotation(keys::GANG_MODE) {
        None | Some("" | "Strict") => true,
        Some("NonStrict") => false,
        Some(text) => return wrong(keys::GANG_MODE, text, "write `Strict` or `NonStrict`"),
    };
    let matching = match annotation(keys::GANG_MATCH) {
        None | Some("" | "once-satisfied") => Match::OnceSatisfied,
        Some("only-waiting") => Match::OnlyWaiting,
        Some("waiting-and-running") => Match::WaitingAndRunning,
        Some(text) => {
            return wrong(keys::GANG_MATCH, text, "write `once-satisfied`, `only-waiting` or `waiting-and-running`");
        }
    };
    let group = match annotation(keys::GANG_GROUPS) {
        None | Some("") => Vec::new(),
        Some(text) => match groups(text) {
            Some(group) => group,
            None => return wrong(keys::GANG_GROUPS, text, r#"write it as `["namespace/gang-a", "namespace/gang-b"]`"#),
        },
    };
    Ok(Gang { minimum, timeout, fails_together: strict, leaves_together: strict, matching, group })
}

fn groups(text: &str) -> Option<Vec<JobKey>> {
    let names: Vec<String> = serde_json::from_str(text).ok()?;
    names.iter().map(|name| name.split_once('/').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect()
}
