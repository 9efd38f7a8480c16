//! The hard constraints of Kubernetes, read from the objects as they are written: what a pod demands of its node, room, volumes, and
//! other pods.
//!
//! The rules are those of kube-scheduler's Filter plugins: NodeUnschedulable, TaintToleration, NodeAffinity, NodeResourcesFit, NodePorts,
//! VolumeZone, VolumeBinding, NodeVolumeLimits, VolumeRestrictions, InterPodAffinity, PodTopologySpread. Every rule is asked again for
//! every pod and node, without any index: this is slow, and easy to compare with the documentation.

#![expect(clippy::indexing_slicing, reason = "a JSON value reads as null where a field is not there")]

mod attached;
mod disks;
mod dump;
pub(crate) mod inter_pod;
mod labels;
pub(crate) mod node;
mod room;
mod volumes;

pub use dump::{NodeByPod, ObjectIndex};
pub(crate) use labels::selects;

/// Returns the failed constraints of these pods, which get their nodes now, as `pod on node: rule`. `places` holds the nodes of all pods. Empty: no
/// constraint fails.
pub fn broken<'p>(
    dump: &ObjectIndex<'_>,
    places: &NodeByPod,
    new: impl IntoIterator<Item = &'p String>,
) -> Vec<String> {
    let mut broken = Vec::new();
    for key in new {
        let on = places.get(key).map(String::as_str).unwrap_or_default();
        let Some((pod, there)) = dump.find("Pod", key).zip(dump.find("Node", on)) else {
            broken.push(format!("{key} on {on}: there is no such pod or node"));
            continue;
        };
        let mut rules: Vec<String> = node::broken(pod, there).into_iter().map(str::to_owned).collect();
        rules.extend(room::broken(dump, places, pod, there));
        rules.extend(volumes::broken(dump, places, pod, there));
        rules.extend(inter_pod::broken(dump, places, pod, there));
        broken.extend(rules.into_iter().map(|rule| format!("{key} on {on}: {rule}")));
    }
    broken
}
