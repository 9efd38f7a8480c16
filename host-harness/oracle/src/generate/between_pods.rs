//! Constraints between pods: nodes in zones, pods that keep away from each other, follow each other, or are spread.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::CaseGenerator;
use crate::build::put;
use crate::case::SystemKind;
use crate::world::{HOST, SET, ZONE, at, text};

/// The kind of demand to be near others.
const AFFINITY_KIND: i64 = 3;

/// A constraint of a pod towards other pods.
#[derive(Debug, Clone)]
struct GeneratedConstraint {
    set: &'static str,
    /// The set that its term or constraint selects.
    other: &'static str,
    /// The label of nodes.
    key: &'static str,
    kind: i64,
    skew: i64,
    domains: Option<i64>,
}

/// Gives some of the pods constraints towards others, in some of the cases. A label names the set of a pod. Members of a gang have the same
/// constraint, like pods of one template.
///
/// Where victims are created again, no pod gets a required pod affinity. A pod that may be the first of its set would evict a pod of the set,
/// which is there again before it, and so on. kube-scheduler does the same.
pub(super) fn constrain(sketch: &mut CaseGenerator, system: SystemKind, recreate: bool, objects: &mut [Value]) {
    if !sketch.flag("betweenPods", 20) {
        return;
    }
    let zones = sketch.draw("zones", 1, 3);
    for node in objects.iter_mut().filter(|object| text(object, "/kind") == "Node") {
        let name = text(node, "/metadata/name").to_owned();
        put(node, "/metadata/labels", HOST, json!(name));
        if sketch.random.chance(90) {
            let zone = sketch.random.between(1, zones);
            put(node, "/metadata/labels", ZONE, json!(format!("z{zone}")));
        }
    }
    // Soft evictions leave pods that are not being deleted: whether those count for a spread is not modelled.
    let kinds = if system == SystemKind::Koordinator { 4 } else { 6 };
    let (mut crowded, mut of_gangs) = (BTreeSet::new(), BTreeMap::new());
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let gang = text(pod, "/metadata/name").trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
        let own = demand(sketch, kinds).filter(|demand| !(recreate && demand.kind == AFFINITY_KIND));
        // `r` and `p` are running and pending pods of no gang.
        let demand = if gang == "r" || gang == "p" { own } else { of_gangs.entry(gang).or_insert(own).clone() };
        let Some(demand) = demand else { continue };
        let is_first = crowded.insert((text(pod, "/spec/nodeName").to_owned(), demand.set));
        if is_first || !is_placed(pod) {
            write(pod, &demand);
        }
    }
}

/// Draws a demand; none for a pod that is in no set.
fn demand(sketch: &mut CaseGenerator, kinds: i64) -> Option<GeneratedConstraint> {
    let dice = &mut sketch.random;
    let set = dice.pick(&["x", "x", "y"]).copied().unwrap_or("x");
    let demand = GeneratedConstraint {
        set,
        other: if dice.chance(70) { set } else { "y" },
        key: if dice.chance(60) { HOST } else { ZONE },
        kind: dice.between(1, kinds),
        skew: dice.between(1, 2),
        domains: dice.chance(25).then_some(2),
    };
    dice.chance(60).then_some(demand)
}

fn write(pod: &mut Value, demand: &GeneratedConstraint) {
    let GeneratedConstraint { set, other, key, kind, skew, domains } = *demand;
    if at(pod, "/metadata/labels").is_none() {
        put(pod, "/metadata", "labels", json!({}));
    }
    put(pod, "/metadata/labels", SET, json!(set));
    let selector = json!({"matchLabels": {SET: other}});
    let term = json!([{"labelSelector": selector, "topologyKey": key}]);
    let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": term});
    match kind {
        1 | 2 => affinity(pod, "podAntiAffinity", required),
        AFFINITY_KIND => affinity(pod, "podAffinity", required),
        5 | 6 => {
            let rule = "DoNotSchedule";
            let mut spread =
                json!({"labelSelector": selector, "topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": rule});
            domains.into_iter().for_each(|domains| put(&mut spread, "", "minDomains", json!(domains)));
            put(pod, "/spec", "topologySpreadConstraints", json!([spread]));
        }
        _ => {}
    }
}

fn is_placed(pod: &Value) -> bool {
    at(pod, "/spec/nodeName").is_some()
}

/// Adds a required affinity to what the pod has.
fn affinity(pod: &mut Value, kind: &str, required: Value) {
    if at(pod, "/spec/affinity").is_none() {
        put(pod, "/spec", "affinity", json!({}));
    }
    put(pod, "/spec/affinity", kind, required);
}
