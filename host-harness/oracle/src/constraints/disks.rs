//! Disks in the specs of pods that two pods of a node do not share.

use serde_json::Value;

use super::dump::{NodeByPod, ObjectIndex, items, key};

/// Returns the failed constraints of the disks on a node, as messages: another pod there uses a disk of this pod, and one of the two writes it.
/// Empty: no constraint fails.
pub(super) fn broken(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value) -> Vec<String> {
    let here = key(node);
    let others = dump.placed_pods(places).filter(|(other, _, on)| key(on) == here && **other != key(pod));
    let own = || items(&pod["spec"]["volumes"]);
    let clash = |other: &Value| items(&other["spec"]["volumes"]).any(|theirs| own().any(|mine| exclude(mine, theirs)));
    others.filter(|(_, other, _)| clash(other)).map(|(other, ..)| format!("{other} uses a disk of the pod")).collect()
}

/// Returns whether two volumes are one disk that one of the two pods writes.
fn exclude(one: &Value, other: &Value) -> bool {
    let same = |kind: &str, field: &str| !one[kind][field].is_null() && one[kind][field] == other[kind][field];
    let written = |kind: &str| one[kind]["readOnly"] != true || other[kind]["readOnly"] != true;
    let monitor =
        || items(&one["rbd"]["monitors"]).any(|monitor| items(&other["rbd"]["monitors"]).any(|their| their == monitor));
    same("awsElasticBlockStore", "volumeID")
        || same("gcePersistentDisk", "pdName") && written("gcePersistentDisk")
        || same("iscsi", "iqn") && written("iscsi")
        || same("rbd", "image") && one["rbd"]["pool"] == other["rbd"]["pool"] && monitor() && written("rbd")
}
