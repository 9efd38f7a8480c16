//! Volumes: where they are, and who else uses them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dump::{Dump, Places, items, key, namespace};
use super::labels::{label, node_selected};

const ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// What is broken where a pod is on a node.
pub(super) fn broken(dump: &Dump<'_>, places: &Places, pod: &Value, node: &Value) -> Vec<String> {
    claims(pod).into_iter().filter_map(|claim| broken_claim(dump, places, pod, node, &claim)).collect()
}

/// The claims of a pod, by `namespace/name`.
fn claims(pod: &Value) -> BTreeSet<String> {
    let volumes = items(&pod["spec"]["volumes"]);
    let named = volumes.filter_map(|volume| {
        let ephemeral = volume["ephemeral"].is_object();
        let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = || format!("{}-{}", part(&pod["metadata"]["name"]), part(&volume["name"]));
        if ephemeral { Some(name()) } else { Some(volume["persistentVolumeClaim"]["claimName"].as_str()?.to_owned()) }
    });
    named.map(|name| format!("{}/{name}", namespace(pod))).collect()
}

fn broken_claim(dump: &Dump<'_>, places: &Places, pod: &Value, node: &Value, name: &str) -> Option<String> {
    let Some(claim) = dump.find("PersistentVolumeClaim", name) else {
        return Some(format!("there is no claim {name}"));
    };
    if items(&claim["spec"]["accessModes"]).any(|mode| mode == "ReadWriteOncePod") {
        let mut others = dump.placed(places).filter(|(other, ..)| **other != key(pod));
        if others.any(|(_, other, _)| claims(other).contains(name)) {
            return Some(format!("claim {name} is used by another pod"));
        }
    }
    let there = match claim["spec"]["volumeName"].as_str() {
        Some(volume) => dump.find("PersistentVolume", volume).is_some_and(|volume| volume_is_there(volume, node)),
        None => can_be_made(dump, claim, node),
    };
    (!there).then(|| format!("the volume of claim {name} is not there"))
}

fn volume_is_there(volume: &Value, node: &Value) -> bool {
    let required = &volume["spec"]["nodeAffinity"]["required"];
    let zones = ZONES.iter().filter_map(|key| Some((key, label(volume, key)?)));
    let has_zones = ZONES.iter().any(|key| label(node, key).is_some());
    (required.is_null() || node_selected(required, node))
        && (!has_zones || zones.into_iter().all(|(key, value)| label(node, key) == Some(value)))
}

/// Whether a volume can be made for a node. Claims that take volumes which are free are not judged: they are broken.
fn can_be_made(dump: &Dump<'_>, claim: &Value, node: &Value) -> bool {
    let class = claim["spec"]["storageClassName"].as_str().unwrap_or_default();
    let Some(class) = dump.find("StorageClass", class) else { return false };
    let mut terms = items(&class["allowedTopologies"]).peekable();
    let within = |term: &Value| {
        items(&term["matchLabelExpressions"]).all(|expression| {
            let value = label(node, expression["key"].as_str().unwrap_or_default());
            items(&expression["values"]).any(|listed| listed.as_str() == value)
        })
    };
    class["volumeBindingMode"] == "WaitForFirstConsumer"
        && class["provisioner"] != "kubernetes.io/no-provisioner"
        && (terms.peek().is_none() || terms.any(within))
}
