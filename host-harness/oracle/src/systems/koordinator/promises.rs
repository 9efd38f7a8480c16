//! Promises that hold even against more important pods: against pods that could not evict the nominated pod if it ran there already.

use serde_json::{Value, json};

use super::switches::{PluginSettings, priority};
use super::{job, share_gang_group, unplaced_pods};
use crate::world::{ModelCluster, ModelPod};

/// The label in which the priority of a reservation stands.
const RANK: &str = "koordinator.sh/priority";

/// Returns the cluster as a pod finds it: a nominated pod that the pod could not evict counts as just as important, so that its room is kept.
/// None where there is no such pod.
pub(super) fn with_firm_nominations(
    world: &ModelCluster,
    switches: PluginSettings,
    pod: &ModelPod,
) -> Option<ModelCluster> {
    let of_job = unplaced_pods(world, &job(pod));
    let least = of_job.iter().map(|other| priority(other)).min().unwrap_or(priority(pod));
    let triggers = of_job.iter().chain([&pod]).all(|other| switches.triggers(other));
    let may_evict = |other: &ModelPod| match (pod.is_reservation(), other.is_reservation()) {
        (true, true) => triggers,
        (false, false) => triggers && !switches.is_safe(world, other),
        _ => false,
    };
    let lesser = |other: &&ModelPod| other.pending() && other.nominated.is_some() && priority(other) < least;
    let firm = world.pods.values().filter(lesser).filter(|other| job(other) != job(pod) && !may_evict(other));
    with_just_as_important(world, firm.map(|other| other.name.clone()).collect(), priority(pod))
}

/// Returns the cluster as a pod finds it that is to get a node: the pods of its gang group that are promised other nodes than the pod count as just as
/// important (ruling C81), and so do all of its own gang where the pod is promised none (ruling C75). None where there is no such pod.
pub(super) fn with_promises_of_its_group(world: &ModelCluster, pod: &ModelPod) -> Option<ModelCluster> {
    let lesser = |other: &&ModelPod| other.pending() && other.nominated.is_some() && priority(other) < priority(pod);
    let is_beside = |other: &&ModelPod| match &pod.nominated {
        None => job(other) == job(pod),
        node => other.nominated != *node && share_gang_group(world, pod, other),
    };
    let beside = world.pods.values().filter(lesser).filter(is_beside);
    with_just_as_important(world, beside.map(|other| other.name.clone()).collect(), priority(pod))
}

/// Returns the cluster in which these pods have this priority. None where there are none.
fn with_just_as_important(world: &ModelCluster, pods: Vec<String>, priority: i64) -> Option<ModelCluster> {
    let mut after = if pods.is_empty() { return None } else { world.clone() };
    for name in pods {
        let Some(other) = after.pods.get_mut(&name) else { continue };
        other.priority = priority;
        // The priority of a reservation stands in a label; one without it ranks highest and is none of these.
        let labels = other.object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut);
        if let Some(labels) = labels.filter(|labels| labels.contains_key(RANK)) {
            labels.insert(RANK.to_owned(), json!(priority.to_string()));
        }
    }
    Some(after)
}
