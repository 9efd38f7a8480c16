//! PodGroups: the conditions that upstream writes.
//!
//! - `scheduling.k8s.io`: `PodGroupInitiallyScheduled` is false with reason `Unschedulable` while the group is held; kube-scheduler writes it
//!   as true when the pods are placed, and true stays (`pkg/scheduler/schedule_one_podgroup.go`).
//! - `scheduling.volcano.sh`: `Unschedulable` with reason `NotEnoughResources`, and `Scheduled`
//!   (`pkg/scheduler/plugins/gang/gang.go`); phase and counts of pods (`getPodGroupPhase` and `jobStatus` in
//!   `pkg/scheduler/framework/session.go`), where the phase becomes `Inqueue` at once.
//! - `scheduling.x-k8s.io` of scheduler-plugins, `scheduling.sigs.k8s.io` of Koordinator: a controller writes the status, the scheduler writes nothing.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::SECOND;
use super::object::{ApiWrite, MemberCounts, ObjectLookup, QualifiedName, ReportedObject, WriteOperation, put, time};
use super::refusal::ReportedState;

const KUBERNETES: &str = "scheduling.k8s.io";
const VOLCANO: &str = "scheduling.volcano.sh";
const PLUGINS: &str = "scheduling.x-k8s.io";
const KOORDINATOR: &str = "scheduling.sigs.k8s.io";

/// The least time between two writes of a group's condition of the same type.
const REPEAT: i64 = 10 * SECOND;

/// The reason that Volcano gives for a gang that has its nodes.
const READY: &str = "tasks in gang are ready to be scheduled";

/// Returns the PodGroup that a pod, as JSON, names. `None`: the pod names none.
pub fn group_of(pod: &Value) -> Option<QualifiedName> {
    let text = |pointer: &str| pod.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let known = [
        (KUBERNETES, "/spec/schedulingGroup/podGroupName"),
        (PLUGINS, "/metadata/labels/scheduling.x-k8s.io~1pod-group"),
        (KOORDINATOR, "/metadata/labels/pod-group.scheduling.sigs.k8s.io"),
        (VOLCANO, "/metadata/annotations/scheduling.volcano.sh~1group-name"),
        (VOLCANO, "/metadata/annotations/scheduling.k8s.io~1group-name"),
    ];
    let (group, name) = known.iter().find_map(|(group, pointer)| Some((*group, text(pointer)?)))?;
    let namespace = text("/metadata/namespace").unwrap_or("default");
    let [group, kind, namespace, name] = [group, "PodGroup", namespace, name].map(str::to_owned);
    Some(QualifiedName { group, kind, namespace, name })
}

/// The conditions that were written last, by group.
#[derive(Debug, Default)]
pub(super) struct GroupConditions {
    written: BTreeMap<QualifiedName, WrittenCondition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct WrittenCondition {
    /// The uid of the group that has the condition: another group of its name has none.
    uid: String,
    kind: &'static str,
    message: String,
    at: i64,
}

impl GroupConditions {
    /// Takes the state of a pod of a group. Returns the condition of the group to write. `None`: there is nothing new to write.
    pub(super) fn member(
        &mut self,
        group: &ReportedObject,
        told: &ReportedState,
        members: MemberCounts,
        now: i64,
    ) -> Option<ApiWrite> {
        // A gang that has its minimum is scheduled, whether or not others of its pods wait.
        let is_ready = group.name.group == VOLCANO && members.scheduled() >= group.minimum.max(1);
        let told = if is_ready { &ReportedState::Placed } else { told };
        let (kind, reason, message) = match (group.name.group.as_str(), told) {
            (KUBERNETES, ReportedState::Placed) => return None,
            (KUBERNETES, ReportedState::Refused(said) | ReportedState::Nominated(_, said)) => {
                ("PodGroupInitiallyScheduled", "Unschedulable", said.message.clone())
            }
            (VOLCANO, ReportedState::Refused(said) | ReportedState::Nominated(_, said)) => {
                ("Unschedulable", "NotEnoughResources", said.message.clone())
            }
            (VOLCANO, ReportedState::Placed) => ("Scheduled", READY, String::new()),
            _ => return None,
        };
        let is_known = self.of(group).is_some_and(|shown| {
            shown.kind == kind && (shown.message == message || now < shown.at.saturating_add(REPEAT))
        });
        let stays = group.name.group == KUBERNETES && has(group, kind, "True");
        if is_known || stays {
            return None;
        }
        let shown = WrittenCondition { uid: group.uid.clone(), kind, message: message.clone(), at: now };
        self.written.insert(group.name.clone(), shown);
        Some(match group.name.group.as_str() {
            KUBERNETES => kubernetes(group, kind, reason, &message, now),
            _ => volcano(group, kind, reason, &message, now),
        })
    }

    fn of(&self, group: &ReportedObject) -> Option<&WrittenCondition> {
        self.written.get(&group.name).filter(|shown| shown.uid == group.uid)
    }

    /// Forgets a group that is gone.
    pub(super) fn forget(&mut self, group: &QualifiedName) {
        self.written.remove(group);
    }

    /// Returns how many groups are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.written.len()
    }
}

impl GroupConditions {
    /// Returns the changed phases of Volcano's groups, and the changed numbers of their pods that run and have ended. Empty for other systems.
    pub(super) fn phases(
        &self,
        system: &str,
        objects: &dyn ObjectLookup,
    ) -> Vec<(ReportedObject, Vec<WriteOperation>)> {
        if system != "volcano" {
            return Vec::new();
        }
        let changed = |group: ReportedObject| {
            let members = objects.members(&group.name);
            let old = |field: &str| group.status.get(field).and_then(Value::as_u64).unwrap_or_default();
            let mut status = Map::new();
            for (field, count) in
                [("running", members.running), ("succeeded", members.succeeded), ("failed", members.failed)]
            {
                if u64::try_from(count).ok() != Some(old(field)) {
                    status.insert(field.to_owned(), count.into());
                }
            }
            let waits = self.of(&group).is_some_and(|shown| shown.kind == "Unschedulable");
            status.extend(phase(&group, members, waits).map(|phase| ("phase".to_owned(), phase.into())));
            let change = WriteOperation::Status(json!({"metadata": {"uid": group.uid}, "status": status}));
            (!status.is_empty()).then_some((group, vec![change]))
        };
        objects.all(VOLCANO, "PodGroup").into_iter().filter_map(changed).collect()
    }
}

/// Returns the phase of a group of Volcano. `None`: the phase has not changed.
fn phase(group: &ReportedObject, members: MemberCounts, waits: bool) -> Option<&'static str> {
    let old = group.status.get("phase").and_then(Value::as_str).unwrap_or_default();
    let ended = u64::try_from(members.succeeded.saturating_add(members.failed)).unwrap_or(u64::MAX);
    let phase = match members.scheduled() {
        scheduled if scheduled >= group.minimum.max(1) && scheduled == ended => "Completed",
        scheduled if scheduled >= group.minimum.max(1) => "Running",
        _ if members.running > 0 && waits => "Unknown",
        // The group is not in the queue yet: that is written when the group is first seen.
        _ if matches!(old, "" | "Inqueue") => return None,
        _ => "Pending",
    };
    (phase != old).then_some(phase)
}

fn conditions(group: &ReportedObject) -> Vec<Value> {
    group.status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn is_of(condition: &Value, kind: &str) -> bool {
    condition.get("type").and_then(Value::as_str) == Some(kind)
}

fn has(group: &ReportedObject, kind: &str, status: &str) -> bool {
    let said = |condition: &Value| condition.get("status").and_then(Value::as_str) == Some(status);
    conditions(group).iter().any(|condition| is_of(condition, kind) && said(condition))
}

fn kubernetes(group: &ReportedObject, kind: &str, reason: &str, message: &str, now: i64) -> ApiWrite {
    let mut condition = json!({
        "type": kind,
        "status": "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": time(now),
    });
    if let (Some(generation), Some(fields)) = (group.generation, condition.as_object_mut()) {
        fields.insert("observedGeneration".to_owned(), json!(generation));
    }
    group.write(WriteOperation::StrategicStatus(
        json!({"metadata": {"uid": group.uid}, "status": {"conditions": [condition]}}),
    ))
}

/// Returns the write of a condition of a group of Volcano. The list of conditions is replaced: the others are kept as they were read.
fn volcano(group: &ReportedObject, kind: &str, reason: &str, message: &str, now: i64) -> ApiWrite {
    let mut conditions = conditions(group);
    conditions.retain(|condition| !is_of(condition, kind));
    let mut condition = json!({
        "type": kind,
        "status": "True",
        "reason": reason,
        "lastTransitionTime": time(now),
        "transitionID": format!("{:x}", now),
    });
    if !message.is_empty() {
        put(&mut condition, "message", message.into());
    }
    conditions.push(condition);
    group.write(WriteOperation::Status(json!({"metadata": {"uid": group.uid}, "status": {"conditions": conditions}})))
}

/// Returns the write that sets the phase `Inqueue`: then Volcano's controller makes the pods of the job. Upstream the action `enqueue` writes it;
/// this controller has no such stage. `None`: the group is no group of Volcano, or is in the queue already.
pub(super) fn enqueue(group: &ReportedObject) -> Option<ApiWrite> {
    let phase = group.status.get("phase").and_then(Value::as_str).unwrap_or_default();
    let waits = group.name.group == VOLCANO && group.name.kind == "PodGroup" && matches!(phase, "" | "Pending");
    waits.then(|| {
        group.write(WriteOperation::Status(json!({"metadata": {"uid": group.uid}, "status": {"phase": "Inqueue"}})))
    })
}
