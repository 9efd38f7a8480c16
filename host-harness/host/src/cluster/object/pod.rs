//! Reads pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodCondition, PodSpec, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use lictor_contract::{Owner, Phase};
use serde_json::Value;

use super::inter_pod::DemandingPod;
use super::priority_class::never_preempts;
use super::quantities::{self, ResourceAmounts};
use super::subject::ObjectContext;
use super::{RawJson, constraints, disks, inter_pod, ports, requests, storage};
use crate::cluster::InputError;
use crate::cluster::eligibility::Constraints;
use crate::cluster::inter_pod::PodDemands;
use crate::cluster::volumes::PodVolumes;

/// The properties of a pod, or of an object that is placed like one. Nodes, classes and resources are referenced by name.
#[derive(Debug, Clone)]
pub(crate) struct PodFacts {
    /// The number of the placed kind. `None`: the object is a pod.
    pub(crate) kind: Option<u32>,
    pub(crate) metadata: MetadataFacts,
    pub(crate) scheduling: SchedulingFacts,
    pub(crate) node: Option<String>,
    pub(crate) status: StatusFacts,
    /// The requests, including ports of the node and disks.
    pub(crate) requests: ResourceAmounts,
    pub(crate) constraints: Constraints,
    /// The demands on other pods. `None`: the pod has no demands.
    pub(crate) demands: Option<Arc<PodDemands>>,
    pub(crate) volumes: PodVolumes,
    /// The whole object as JSON, for the fields that a policy reads. Empty for an object that is not a pod.
    pub(crate) json: RawJson,
}

/// The facts that the metadata of a pod has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MetadataFacts {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) terminating: bool,
    pub(crate) created: Option<i64>,
    pub(crate) owner: Option<Owner>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
}

impl MetadataFacts {
    /// Reads the metadata of an object that has a namespace.
    fn read(metadata: ObjectMeta) -> MetadataFacts {
        let owners = metadata.owner_references.into_iter().flatten();
        let controller = owners.into_iter().find(|owner| owner.controller == Some(true));
        MetadataFacts {
            namespace: or(metadata.namespace, "default"),
            name: metadata.name.unwrap_or_default(),
            uid: metadata.uid.unwrap_or_default(),
            terminating: metadata.deletion_timestamp.is_some(),
            created: metadata.creation_timestamp.as_ref().map(nanoseconds),
            owner: controller.map(|owner| Owner { kind: owner.kind, name: owner.name, uid: owner.uid }),
            labels: metadata.labels.unwrap_or_default(),
            annotations: metadata.annotations.unwrap_or_default(),
        }
    }
}

/// The facts of a pod for its scheduling: its priority, its scheduler and its gates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchedulingFacts {
    pub(crate) priority: Option<i32>,
    pub(crate) priority_class: String,
    pub(crate) never_preempts: Option<bool>,
    pub(crate) scheduler: String,
    /// The names of the scheduling gates.
    pub(crate) gates: Vec<String>,
}

/// The facts that the status of a pod has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusFacts {
    pub(crate) phase: Phase,
    pub(crate) nominated: Option<String>,
    pub(crate) preempted: bool,
    /// Whether the pod is ready (condition `Ready`).
    pub(crate) ready: bool,
    pub(crate) started: Option<i64>,
    pub(crate) scheduled: Option<i64>,
}

impl StatusFacts {
    /// Returns the facts of a status that has nothing but this phase.
    pub(super) fn of_phase(phase: Phase) -> StatusFacts {
        StatusFacts { phase, nominated: None, preempted: false, ready: false, started: None, scheduled: None }
    }
}

impl PodFacts {
    /// Reads a pod.
    pub(super) fn read(mut value: Value, subject: &ObjectContext<'_>) -> Result<PodFacts, InputError> {
        quantities::as_texts(&mut value);
        let json = value.to_string();
        PodFacts::from_pod(subject.typed_from(&value, &json, "")?, RawJson::Own(json.into()), subject)
    }

    /// Reads a pod from JSON without spaces, whose quantities are texts. `None`: the pod has a mistake.
    pub(super) fn from_text(json: &str, written: RawJson, subject: &ObjectContext<'_>) -> Option<PodFacts> {
        let pod = serde_json::from_str(json).ok()?;
        PodFacts::from_pod(pod, written, subject).ok()
    }

    fn from_pod(pod: Pod, json: RawJson, subject: &ObjectContext<'_>) -> Result<PodFacts, InputError> {
        let Pod { metadata, spec, status } = pod;
        let facts = PodFacts::from_spec(metadata, spec.unwrap_or_default(), status.as_ref(), "/spec", subject)?;
        let facts = PodFacts { json, ..facts };
        match status {
            Some(status) => facts.with_status(status, subject),
            None => Ok(facts),
        }
    }

    /// Reads the metadata and spec of a pod. `pointer` is the JSON pointer of the spec.
    pub(super) fn from_spec(
        metadata: ObjectMeta,
        spec: PodSpec,
        status: Option<&PodStatus>,
        pointer: &str,
        subject: &ObjectContext<'_>,
    ) -> Result<PodFacts, InputError> {
        if spec.containers.is_empty() {
            return Err(subject.mistake(&format!("{pointer}/containers"), "is missing", "add at least one container"));
        }
        let mut requests = requests::of_pod(&spec, status, pointer, subject)?;
        requests.extend(ports::of_pod(&spec, pointer, subject)?);
        requests.extend(disks::of_pod(&spec));
        let constraints = constraints::read(&spec, pointer, subject)?;
        let metadata = MetadataFacts::read(metadata);
        let MetadataFacts { namespace, name, labels, .. } = &metadata;
        let author = DemandingPod { namespace, labels, constraints: &constraints };
        let demands = inter_pod::read(&spec, &author, pointer, subject)?.map(Arc::new);
        let volumes = storage::volumes_of_pod(&spec, name);
        let at = format!("{pointer}/preemptionPolicy");
        let scheduling = SchedulingFacts {
            priority: spec.priority,
            never_preempts: never_preempts(spec.preemption_policy.as_deref(), &at, subject)?,
            priority_class: spec.priority_class_name.unwrap_or_default(),
            scheduler: or(spec.scheduler_name, "default-scheduler"),
            gates: spec.scheduling_gates.into_iter().flatten().map(|gate| gate.name).collect(),
        };
        let node = spec.node_name.filter(|name| !name.is_empty());
        Ok(PodFacts {
            kind: None,
            metadata,
            scheduling,
            status: StatusFacts::of_phase(if node.is_some() { Phase::Running } else { Phase::Pending }),
            node,
            requests,
            constraints,
            demands,
            volumes,
            json: RawJson::default(),
        })
    }

    fn with_status(mut self, status: PodStatus, subject: &ObjectContext<'_>) -> Result<PodFacts, InputError> {
        let phase = match status.phase.as_deref().unwrap_or_default() {
            "" => self.status.phase,
            "Pending" => Phase::Pending,
            "Running" => Phase::Running,
            "Succeeded" => Phase::Succeeded,
            "Failed" => Phase::Failed,
            "Unknown" => Phase::Unknown,
            other => {
                let what = format_args!("`{other}` is not a phase").to_string();
                let remedy = "write Pending, Running, Succeeded, Failed or Unknown";
                return Err(subject.mistake("/status/phase", what, remedy));
            }
        };
        let conditions = status.conditions.unwrap_or_default();
        let scheduled = conditions.iter().find(|condition| holds(condition, "PodScheduled"));
        self.status = StatusFacts {
            phase,
            nominated: status.nominated_node_name.filter(|name| !name.is_empty()),
            preempted: preempted(&conditions),
            ready: conditions.iter().any(|condition| holds(condition, "Ready")),
            started: status.start_time.as_ref().map(nanoseconds),
            scheduled: scheduled.and_then(|condition| condition.last_transition_time.as_ref()).map(nanoseconds),
        };
        Ok(self)
    }
}

/// Returns whether a scheduler preempted the pod.
pub(super) fn preempted(conditions: &[PodCondition]) -> bool {
    conditions.iter().any(|condition| {
        holds(condition, "DisruptionTarget") && condition.reason.as_deref() == Some("PreemptionByScheduler")
    })
}

/// Returns whether a condition has this type and is true.
pub(super) fn holds(condition: &PodCondition, kind: &str) -> bool {
    condition.type_ == kind && condition.status == "True"
}

/// Returns the text, or the default where the text is absent or empty.
fn or(text: Option<String>, default: &str) -> String {
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_owned())
}

/// Returns a point in time in nanoseconds since 1970. Times beyond 64 bits become the nearest possible value.
pub(super) fn nanoseconds(time: &Time) -> i64 {
    let count = time.0.as_nanosecond();
    i64::try_from(count).unwrap_or(if count < 0 { i64::MIN } else { i64::MAX })
}
