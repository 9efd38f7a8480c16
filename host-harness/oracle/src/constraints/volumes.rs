//! Volumes: where they are, which other pods use them, and how many a node takes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::dump::{NodeByPod, ObjectIndex, items, key, namespace};
use super::labels::{label, node_selected, selects};
use super::{attached, disks};

const ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/// Returns the failed constraints of the volumes of a pod on a node, as messages. Empty: no constraint fails.
pub(super) fn broken(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value) -> Vec<String> {
    let mut broken: Vec<String> =
        claims(pod).into_iter().filter_map(|claim| broken_claim(dump, places, pod, node, &claim)).collect();
    broken.extend(unassignable_claims(dump, places, pod));
    broken.extend(attached::broken(dump, places, pod, node));
    broken.extend(disks::broken(dump, places, pod, node));
    broken
}

/// Returns the claims of a pod, by `namespace/name`.
pub(super) fn claims(pod: &Value) -> BTreeSet<String> {
    let volumes = items(&pod["spec"]["volumes"]);
    let named = volumes.filter_map(|volume| {
        let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = || format!("{}-{}", part(&pod["metadata"]["name"]), part(&volume["name"]));
        if is_ephemeral(volume) {
            Some(name())
        } else {
            Some(volume["persistentVolumeClaim"]["claimName"].as_str()?.to_owned())
        }
    });
    named.map(|name| format!("{}/{name}", namespace(pod))).collect()
}

fn is_ephemeral(volume: &Value) -> bool {
    volume["ephemeral"].is_object()
}

fn broken_claim(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value, name: &str) -> Option<String> {
    let Some(claim) = dump.find("PersistentVolumeClaim", name) else {
        return Some(format!("there is no claim {name}"));
    };
    let others: Vec<(&Value, &Value)> = dump
        .placed_pods(places)
        .filter(|(other, one, _)| **other != key(pod) && claims(one).contains(name))
        .map(|(_, one, on)| (one, on))
        .collect();
    if items(&claim["spec"]["accessModes"]).any(|mode| mode == "ReadWriteOncePod") && !others.is_empty() {
        return Some(format!("claim {name} is used by another pod"));
    }
    if made_by_another(pod, claim) {
        return Some(format!("claim {name} was made for another pod"));
    }
    if waits_for_consumer(dump, claim) && others.iter().any(|(_, on)| key(on) != key(node)) {
        return Some(format!("the volume of claim {name} is made for another node"));
    }
    let there = match bound_to(claim) {
        Some(volume) => dump
            .find("PersistentVolume", volume)
            .is_some_and(|volume| !is_of_another(volume, claim) && volume_is_there(volume, node)),
        None => {
            waits_for_consumer(dump, claim)
                && (can_be_made(dump, claim, node) || !candidates(dump, claim, node).is_empty())
        }
    };
    (!there).then(|| format!("the volume of claim {name} is not there"))
}

/// Returns whether the claim belongs to an ephemeral volume, and another pod of that name made the claim.
fn made_by_another(pod: &Value, claim: &Value) -> bool {
    let own = format!("{}-", pod["metadata"]["name"].as_str().unwrap_or_default());
    let name = claim["metadata"]["name"].as_str().unwrap_or_default();
    let volume = name.strip_prefix(&own);
    let mut volumes = items(&pod["spec"]["volumes"]).filter(|volume| is_ephemeral(volume));
    volumes.any(|own| own["name"].as_str() == volume)
        && !items(&claim["metadata"]["ownerReferences"]).any(|owner| {
            owner["controller"] == true && owner["kind"] == "Pod" && owner["uid"] == pod["metadata"]["uid"]
        })
}

/// Returns the name of the volume that a claim is bound to. `None`: the claim names no volume, or its phase says that it is pending and no
/// annotation says that the binding is complete.
pub(super) fn bound_to(claim: &Value) -> Option<&str> {
    let is_done = !claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"].is_null();
    claim["spec"]["volumeName"].as_str().filter(|_| is_done || claim["status"]["phase"] != "Pending")
}

/// Returns whether a volume is bound to another claim, or to a former one of the same name.
fn is_of_another(volume: &Value, claim: &Value) -> bool {
    let kept = &volume["spec"]["claimRef"];
    let differs = |value: &Value, own: &Value| !value.is_null() && !own.is_null() && value != own;
    differs(&kept["name"], &claim["metadata"]["name"]) || differs(&kept["uid"], &claim["metadata"]["uid"])
}

fn volume_is_there(volume: &Value, node: &Value) -> bool {
    let zones = ZONES.iter().filter_map(|key| Some((key, label(volume, key)?)));
    let has_zones = ZONES.iter().any(|key| label(node, key).is_some());
    is_reached(volume, node) && (!has_zones || zones.into_iter().all(|(key, value)| label(node, key) == Some(value)))
}

fn is_reached(volume: &Value, node: &Value) -> bool {
    let required = &volume["spec"]["nodeAffinity"]["required"];
    required.is_null() || node_selected(required, node)
}

/// Returns the StorageClass of a claim. `None`: the cluster has no such class.
pub(super) fn class<'v>(dump: &ObjectIndex<'v>, claim: &Value) -> Option<&'v Value> {
    dump.find("StorageClass", claim["spec"]["storageClassName"].as_str().unwrap_or_default())
}

/// Returns whether a claim is bound only when its first pod has a node.
fn waits_for_consumer(dump: &ObjectIndex<'_>, claim: &Value) -> bool {
    bound_to(claim).is_none()
        && claim["spec"]["volumeName"].is_null()
        && class(dump, claim).is_some_and(|class| class["volumeBindingMode"] == "WaitForFirstConsumer")
}

/// Returns whether a volume can be made for a claim on a node: within the topologies of the class, and where the driver has enough storage left.
fn can_be_made(dump: &ObjectIndex<'_>, claim: &Value, node: &Value) -> bool {
    let Some(class) = class(dump, claim) else { return false };
    let mut terms = items(&class["allowedTopologies"]).peekable();
    let within = |term: &Value| {
        items(&term["matchLabelExpressions"]).all(|expression| {
            let value = label(node, expression["key"].as_str().unwrap_or_default());
            items(&expression["values"]).any(|listed| listed.as_str() == value)
        })
    };
    class["provisioner"] != "kubernetes.io/no-provisioner"
        && (terms.peek().is_none() || terms.any(within))
        && has_storage(dump, class, claim, node)
}

fn has_storage(dump: &ObjectIndex<'_>, class: &Value, claim: &Value, node: &Value) -> bool {
    let driver = class["provisioner"].as_str().unwrap_or_default();
    if !dump.find("CSIDriver", driver).is_some_and(|driver| driver["spec"]["storageCapacity"] == true) {
        return true;
    }
    dump.all("CSIStorageCapacity").any(|(_, reported)| {
        let most = &reported["maximumVolumeSize"];
        let most = if most.is_null() { &reported["capacity"] } else { most };
        reported["storageClassName"] == class["metadata"]["name"]
            && selects(&reported["nodeTopology"], node)
            && bytes(most).is_some_and(|most| most >= requested_bytes(claim))
    })
}

/// Returns the names of the free volumes that serve a waiting claim on a node.
fn candidates(dump: &ObjectIndex<'_>, claim: &Value, node: &Value) -> Vec<String> {
    let serves = |volume: &Value| {
        let (spec, kept) = (&volume["spec"], &volume["spec"]["claimRef"]);
        let phase = volume["status"]["phase"].as_str().unwrap_or("Available");
        let is_kept = kept["name"] == claim["metadata"]["name"]
            && kept["namespace"] == claim["metadata"]["namespace"]
            && (kept["uid"].is_null() || kept["uid"] == claim["metadata"]["uid"]);
        let is_free =
            if kept.is_null() { phase == "Available" } else { is_kept && !["Released", "Failed"].contains(&phase) };
        is_free
            && volume["metadata"]["deletionTimestamp"].is_null()
            && spec["storageClassName"] == claim["spec"]["storageClassName"]
            && spec["volumeAttributesClassName"] == claim["spec"]["volumeAttributesClassName"]
            && bytes(&spec["capacity"]["storage"]).unwrap_or(0) >= requested_bytes(claim)
            && items(&claim["spec"]["accessModes"]).all(|mode| items(&spec["accessModes"]).any(|has| has == mode))
            && (claim["spec"]["selector"].is_null() || selects(&claim["spec"]["selector"], volume))
            && is_reached(volume, node)
    };
    let all = dump.all("PersistentVolume").filter(|(_, volume)| serves(volume));
    all.map(|(name, _)| name.clone()).collect()
}

/// Returns the bytes that a claim requests; 0 if it names none.
fn requested_bytes(claim: &Value) -> i64 {
    bytes(&claim["spec"]["resources"]["requests"]["storage"]).unwrap_or(0)
}

/// Reads a quantity of bytes, in whole numbers of Ki, Mi, Gi or Ti. `None`: the value is no such quantity.
fn bytes(quantity: &Value) -> Option<i64> {
    let text = quantity.as_str()?;
    let units: [(&str, i64); 4] = [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("Ti", 1 << 40)];
    let unit = units.iter().find_map(|(unit, factor)| Some(text.strip_suffix(unit)?.parse::<i64>().ok()? * factor));
    unit.or_else(|| text.parse().ok())
}

/// Returns a message if the waiting claims of all pods on nodes cannot have a volume each, where the class makes no volumes. Augmenting paths find
/// no assignment of volumes to claims. `None`: an assignment exists, or the pod has no such claim.
fn unassignable_claims(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value) -> Option<String> {
    let is_static = |claim: &Value| {
        waits_for_consumer(dump, claim)
            && class(dump, claim).is_some_and(|class| class["provisioner"] == "kubernetes.io/no-provisioner")
    };
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, one, on) in dump.placed_pods(places) {
        for name in claims(one) {
            if let Some(claim) = dump.find("PersistentVolumeClaim", &name).filter(|claim| is_static(claim)) {
                wanted.insert(name, candidates(dump, claim, on));
            }
        }
    }
    let mine = claims(pod);
    if !wanted.keys().any(|claim| mine.contains(claim)) {
        return None;
    }
    let mut given: BTreeMap<&String, &String> = BTreeMap::new();
    let mut all = wanted.keys();
    let lost = all.find(|claim| !augment(claim, &wanted, &mut given, &mut BTreeSet::new()))?;
    Some(format!("there is no volume left for claim {lost}"))
}

/// Gives a claim a volume; others may have to take another one.
fn augment<'a>(
    claim: &'a String,
    wanted: &'a BTreeMap<String, Vec<String>>,
    given: &mut BTreeMap<&'a String, &'a String>,
    seen: &mut BTreeSet<&'a String>,
) -> bool {
    wanted.get(claim).into_iter().flatten().any(|volume| {
        if !seen.insert(volume) {
            return false;
        }
        let holder = given.get(volume).copied();
        let is_free = holder.is_none_or(|holder| augment(holder, wanted, given, seen));
        if is_free {
            given.insert(volume, claim);
        }
        is_free
    })
}
