//! Pods that demand a placement which the sums of the nodes do not decide: a NUMA node of their own, or a gang that another component would
//! have to gather. To place such a pod would be a guess. So the policy must refuse these pods, and nothing may happen for them.

use serde_json::{Value, json};

use crate::build::put;
use crate::case::SystemKind;
use crate::object::{at, tag, text};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::random::RandomSource;
use crate::systems::are_decidable;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// A resource that pods take of devices, whatever devices nodes have.
const UNCOUNTED: &str = "nvidia.com/gpumem";

/// Returns the annotations that make such a pod of one of the system; empty for a system whose single pods have none.
fn annotations(system: SystemKind) -> &'static [(&'static str, &'static str)] {
    match system {
        SystemKind::Koordinator => {
            &[("scheduling.koordinator.sh/numa-topology-spec", r#"{"numaTopologyPolicy":"SingleNUMANode"}"#)]
        }
        SystemKind::Yunikorn => &[
            ("yunikorn.apache.org/task-groups", r#"[{"name":"w","minMember":9}]"#),
            ("yunikorn.apache.org/schedulingPolicyParameters", "gangSchedulingStyle=Hard"),
        ],
        SystemKind::Kubernetes | SystemKind::Coscheduling | SystemKind::Volcano => &[],
    }
}

/// Gives some of the pending pods that belong to no DaemonSet such a demand; members of gangs in Koordinator only, where the others may start
/// without them (ruling C61).
pub(crate) fn add_demands(dice: &mut RandomSource, system: SystemKind, objects: &mut [Value]) {
    let waits = |object: &&mut Value| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_none();
    let may_demand = |object: &&mut Value| {
        (system == SystemKind::Koordinator || tag(object, "labels", "pod-group.scheduling.sigs.k8s.io").is_none())
            && tag(object, "annotations", "gang.scheduling.koordinator.sh/name").is_none()
            && at(object, "/metadata/ownerReferences").is_none()
            && at(object, "/spec/schedulingGroup").is_none()
    };
    for pod in objects.iter_mut().filter(waits).filter(may_demand) {
        if dice.chance(40) {
            let old = at(pod, "/metadata/annotations").and_then(Value::as_object).cloned().unwrap_or_default();
            let new = annotations(system).iter().map(|(key, value)| ((*key).to_owned(), json!(value)));
            put(pod, "/metadata", "annotations", Value::Object(old.into_iter().chain(new).collect()));
        }
    }
}

/// Returns whether a pod has such a demand.
pub(crate) fn is_unjudged(system: SystemKind, pod: &ModelPod) -> bool {
    annotations(system).first().is_some_and(|(key, _)| pod.annotation(key).is_some())
}

/// Returns whether a pod is refused for its demand whatever gang it is of. Koordinator judges what it means for its gang.
pub(crate) fn is_refused(system: SystemKind, world: &ModelCluster, pod: &str) -> bool {
    let demands = |pod: &ModelPod| match system {
        SystemKind::Koordinator => false,
        SystemKind::Yunikorn => {
            is_unjudged(system, pod) || pod.request.get(UNCOUNTED) > 0 || !are_decidable(world, &[pod])
        }
        SystemKind::Kubernetes | SystemKind::Coscheduling | SystemKind::Volcano => is_unjudged(system, pod),
    };
    world.pods.get(pod).is_some_and(demands)
}

/// Checks that the attempt for such a pod refuses it, without a node and without evictions.
pub(crate) fn refused(pod: &str, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    let nothing = outcome.victims.is_empty() && outcome.nominated.is_empty() && !outcome.bound.contains_key(pod);
    if outcome.ended != Some(AttemptStatus::Rejected) || !nothing {
        verdict.breach("unjudged-demands-are-refused", format!("`{pod}` demands what nobody judges: {outcome:?}"));
    }
}
