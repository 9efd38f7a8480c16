//! Gangs: which job a pod belongs to, and what the job needs.
//!
//! The PodGroup of a gang specifies what it needs; without one, the annotations of its pods do (upstream
//! coscheduling/core/gang.go). A pod names its job by label, by an older label, or by annotation, within its namespace.

use std::cmp::Reverse;

use serde_json::Value;

use super::args::KoordinatorArgs;
use super::keys;
use super::metadata::KoordinatorPodMetadata;
use crate::contract::Finding;
use crate::model::{Cluster, Gang, JobIx, JobKey, MatchPolicy, PodIx};
use crate::systems::document::{annotation_path, label_path};
use crate::systems::pod_group::{WRITE_A_COUNT, count, timeout};
use crate::systems::{Findings, ParsedObject, PodVotes};

/// The gangs that pods describe by annotation.
#[derive(Debug, Default)]
pub struct AnnotatedGangs(PodVotes<Gang>);

impl AnnotatedGangs {
    /// Reads the job of a pod and the pod's annotations about it. Adds the job to the cluster where it is new.
    pub fn read_pod(
        &mut self,
        args: &KoordinatorArgs,
        cluster: &mut Cluster,
        metadata: &KoordinatorPodMetadata<'_>,
        findings: &mut Findings,
    ) -> Option<JobIx> {
        let pod = metadata.pod();
        let name = named(metadata).map(|(_, name)| name);
        let job = name.and_then(|name| cluster.job_or_new(&(pod.template.namespace.clone(), name.to_owned())));
        self.0.retain_for(PodIx(pod.id), job);
        let job = job?;
        if metadata.annotation(keys::GANG_MINIMUM).is_none() {
            self.0.forget_pod(PodIx(pod.id));
            return Some(job);
        }
        let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
        match annotated(args, &object, metadata) {
            Ok(gang) => {
                findings.extend(topology_finding(&object, metadata.annotation(keys::GANG_TOPOLOGY)));
                let minimum = gang.minimum;
                self.0.set(job, pod, gang);
                if let Some(another) = self.0.of(job).find(|other| other.minimum != minimum) {
                    let message = format!(
                        "the pod requests {minimum} pods for its gang, another pod {}; the larger number is used",
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

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.0.forget_pod(pod);
    }

    /// Updates the jobs. Where pods disagree, the largest minimum is used, and among equal ones the annotations of the oldest pod.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        for ix in self.0.take_changed() {
            let gang = self.0.of(ix).min_by_key(|gang| Reverse(gang.minimum)).cloned();
            if let Some(job) = cluster.job_mut(ix) {
                job.annotated = gang;
            }
        }
    }
}

/// Returns the key by which a pod names its gang, and the name.
fn named<'a>(metadata: &KoordinatorPodMetadata<'a>) -> Option<(&'static str, &'a str)> {
    let label = |key| Some((key, metadata.label(key)?));
    let annotation = |key| Some((key, metadata.annotation(key)?));
    let named = [label(keys::POD_GROUP), label(keys::POD_GROUP_LEGACY), annotation(keys::GANG)];
    named.into_iter().flatten().find(|(_, name)| !name.is_empty())
}

/// Returns the JSON pointer to the field in which a pod names its gang.
pub fn field(metadata: &KoordinatorPodMetadata<'_>) -> String {
    match named(metadata) {
        Some((keys::GANG, _)) => annotation_path(keys::GANG),
        Some((key, _)) => label_path(key),
        None => String::new(),
    }
}

/// Reads a PodGroup.
pub fn read_pod_group(args: &KoordinatorArgs, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
    match declared(args, object) {
        Ok(gang) => {
            findings.extend(topology_finding(object, object.annotation(keys::GANG_TOPOLOGY)));
            let key = (object.namespace.clone(), object.name.clone());
            if let Some(job) = cluster.job_or_new(&key).and_then(|job| cluster.job_mut(job)) {
                job.declared = Some(gang);
            }
        }
        Err(finding) => findings.push(finding),
    }
}

/// Reads the gang of a PodGroup: `spec.minMember`, `spec.scheduleTimeoutSeconds`, and annotations for the rest.
fn declared(args: &KoordinatorArgs, object: &ParsedObject) -> Result<Gang, Finding> {
    let minimum = count(object, "/spec/minMember", object.at("/spec/minMember"))?;
    let path = "/spec/scheduleTimeoutSeconds";
    let timeout = match object.at(path) {
        Some(seconds) => timeout(object, path, seconds)?,
        None => annotated_timeout(args, object, object.annotation(keys::GANG_TIMEOUT))?,
    };
    gang(object, minimum, timeout, |key| object.annotation(key))
}

/// Reads the gang that the annotations of a pod describe.
fn annotated(
    args: &KoordinatorArgs,
    pod: &ParsedObject,
    metadata: &KoordinatorPodMetadata<'_>,
) -> Result<Gang, Finding> {
    let text = metadata.annotation(keys::GANG_MINIMUM).unwrap_or_default();
    let minimum = text.parse::<u32>().ok().filter(|minimum| *minimum > 0).ok_or_else(|| {
        let message = format!("`{text}` is not a number of pods");
        pod.error(&annotation_path(keys::GANG_MINIMUM), message, WRITE_A_COUNT)
    })?;
    let timeout = annotated_timeout(args, pod, metadata.annotation(keys::GANG_TIMEOUT))?;
    gang(pod, minimum, timeout, |key| metadata.annotation(key))
}

fn annotated_timeout(args: &KoordinatorArgs, object: &ParsedObject, text: Option<&str>) -> Result<i64, Finding> {
    let path = annotation_path(keys::GANG_TIMEOUT);
    text.map_or(Ok(args.default_timeout), |text| timeout(object, &path, &Value::from(text)))
}

fn gang<'a>(
    object: &ParsedObject,
    minimum: u32,
    timeout: i64,
    annotation: impl Fn(&str) -> Option<&'a str>,
) -> Result<Gang, Finding> {
    let wrong = |key: &str, text: &str, remedy: &str| {
        Err(object.error(&annotation_path(key), format!("`{text}` is not a known value"), remedy))
    };
    let strict = match annotation(keys::GANG_MODE) {
        None | Some("" | "Strict") => true,
        Some("NonStrict") => false,
        Some(text) => return wrong(keys::GANG_MODE, text, "write `Strict` or `NonStrict`"),
    };
    let matching = match annotation(keys::GANG_MATCH) {
        None | Some("" | "once-satisfied") => MatchPolicy::OnceSatisfied,
        Some("only-waiting") => MatchPolicy::OnlyWaiting,
        Some("waiting-and-running") => MatchPolicy::WaitingAndRunning,
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
    let unjudged = annotation(keys::GANG_TOPOLOGY).filter(|text| must_gather(text)).map(|_| TOPOLOGY_PATH);
    let (fails_together, leaves_together) = (strict, strict);
    Ok(Gang {
        minimum,
        timeout,
        releases_on_failure: fails_together,
        releases_on_unreserve: leaves_together,
        match_policy: matching,
        counts_gated: true,
        group,
        unsupported_field: unjudged,
    })
}

/// The JSON pointer to the annotation about the network.
const TOPOLOGY_PATH: &str = "/metadata/annotations/gang.scheduling.koordinator.sh~1network-topology-spec";

/// Returns whether the members must be near each other in the network: some layer has the strategy `MustGather`, or the text cannot be read
/// (upstream apis/extension NetworkTopologySpec).
fn must_gather(text: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let layers = value.as_ref().and_then(|value| value.get("gatherStrategy")?.as_array());
    let strategy = |layer: &Value| layer.get("strategy").and_then(Value::as_str) == Some("MustGather");
    !text.is_empty() && (value.is_none() || layers.is_some_and(|layers| layers.iter().any(strategy)))
}

/// Returns a finding for the author of a gang with a demand on the network: no law judges it. `None`: the gang has no such demand.
fn topology_finding(object: &ParsedObject, text: Option<&str>) -> Option<Finding> {
    let text = text.filter(|text| !text.is_empty())?;
    let (message, remedy) = match must_gather(text) {
        true => (
            "no law judges this constraint, so no pod of the gang is tried",
            "write strategy `PreferGather`, remove the annotation, or leave the gang to another scheduler",
        ),
        false => (
            "no law judges the network: the pods are placed as if the annotation were not there",
            "remove the annotation",
        ),
    };
    Some(object.warning(TOPOLOGY_PATH, message, remedy))
}

fn groups(text: &str) -> Option<Vec<JobKey>> {
    let names: Vec<String> = serde_json::from_str(text).ok()?;
    names.iter().map(|name| name.split_once('/').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect()
}
