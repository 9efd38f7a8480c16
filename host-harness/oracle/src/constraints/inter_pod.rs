//! Constraints between pods.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::dump::{NodeByPod, ObjectIndex, items, key, namespace};
use super::labels::{label, selects};
use super::node;

/// Returns the failed constraints between pods if a pod is on a node, as messages, where `places` holds the nodes of all pods. The pod itself is
/// among them. Empty: no constraint fails.
pub(crate) fn broken(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value) -> Vec<String> {
    let is_other = |other: &(&String, &Value, &Value)| *other.0 != key(pod);
    let others = || dump.placed_pods(places).filter(is_other).map(|(_, other, on)| (other, on));
    let mut broken = Vec::new();
    for term in terms(pod, "podAntiAffinity") {
        let near = |(other, on): &(&Value, &Value)| same_domain(term, node, on) && selects_pod(dump, term, pod, other);
        broken.extend(others().filter(near).map(|(other, _)| format!("anti-affinity to {}", key(other))));
    }
    for (other, on) in others() {
        let refuses = |term: &&Value| same_domain(term, node, on) && selects_pod(dump, term, other, pod);
        broken
            .extend(terms(other, "podAntiAffinity").find(refuses).map(|_| format!("anti-affinity of {}", key(other))));
    }
    let wanted: Vec<&Value> = terms(pod, "podAffinity").collect();
    let all = |other: &Value| wanted.iter().all(|term| selects_pod(dump, term, pod, other));
    let alone =
        all(pod) && !others().any(|(other, on)| all(other) && wanted.iter().any(|term| domain(term, on).is_some()));
    for term in &wanted {
        let near = others().any(|(other, on)| all(other) && same_domain(term, node, on));
        if domain(term, node).is_none() || !near && !alone {
            broken.push("affinity to nobody there".to_owned());
        }
    }
    broken.extend(forbidding(pod).filter_map(|spread| broken_spread(dump, places, (pod, node), spread)));
    broken
}

fn terms<'v>(pod: &'v Value, kind: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    items(&pod["spec"]["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"])
}

fn domain<'v>(term: &Value, node: &'v Value) -> Option<&'v str> {
    label(node, term["topologyKey"].as_str().unwrap_or_default())
}

fn same_domain(term: &Value, one: &Value, other: &Value) -> bool {
    domain(term, one).is_some_and(|here| domain(term, other) == Some(here))
}

/// Returns whether an affinity term of a pod selects another pod, by its namespace and labels.
fn selects_pod(dump: &ObjectIndex<'_>, term: &Value, pod: &Value, other: &Value) -> bool {
    let selector = &term["namespaceSelector"];
    let there = dump.find("Namespace", namespace(other));
    let listed = items(&term["namespaces"]).any(|name| name == namespace(other));
    let own = items(&term["namespaces"]).next().is_none() && selector.is_null() && namespace(pod) == namespace(other);
    let all = selector.as_object().is_some_and(Map::is_empty);
    let chosen = all || there.is_some_and(|there| selects(selector, there));
    let keys = |list: &str, same: bool| {
        let mut keys = items(&term[list]).filter_map(Value::as_str).filter(|key| label(pod, key).is_some());
        keys.all(|key| (label(pod, key) == label(other, key)) == same)
    };
    (listed || own || chosen)
        && selects(&term["labelSelector"], other)
        && keys("matchLabelKeys", true)
        && keys("mismatchLabelKeys", false)
}

fn forbidding(pod: &Value) -> impl Iterator<Item = &Value> {
    items(&pod["spec"]["topologySpreadConstraints"]).filter(|spread| spread["whenUnsatisfiable"] != "ScheduleAnyway")
}

fn broken_spread(
    dump: &ObjectIndex<'_>,
    places: &NodeByPod,
    (pod, node): (&Value, &Value),
    spread: &Value,
) -> Option<String> {
    let Some(here) = domain(spread, node) else { return Some("spread: the node has no such label".to_owned()) };
    let counts = |on: &Value| {
        forbidding(pod).all(|spread| domain(spread, on).is_some())
            && (spread["nodeAffinityPolicy"] == "Ignore" || node::attracted(pod, on))
            && (spread["nodeTaintsPolicy"] != "Honor" || node::tolerated(pod, on))
    };
    let is_counted = |other: &Value| {
        let mut keys = items(&spread["matchLabelKeys"]).filter_map(Value::as_str);
        namespace(other) == namespace(pod)
            && other["metadata"]["deletionTimestamp"].is_null()
            && selects(&spread["labelSelector"], other)
            && keys.all(|key| label(pod, key).is_none() || label(pod, key) == label(other, key))
    };
    let nodes: Vec<&Value> = dump.all("Node").map(|(_, node)| node).filter(|node| counts(node)).collect();
    let mut pods: BTreeMap<&str, i64> = nodes.iter().filter_map(|node| Some((domain(spread, node)?, 0))).collect();
    for (_, _, on) in dump.placed_pods(places).filter(|(_, other, on)| counts(on) && is_counted(other)) {
        if let Some(count) = domain(spread, on).and_then(|domain| pods.get_mut(domain)) {
            *count += 1;
        }
    }
    let enough = i64::try_from(pods.len()).unwrap_or(0) >= spread["minDomains"].as_i64().unwrap_or(1);
    let least = if enough { pods.values().copied().min().unwrap_or_default() } else { 0 };
    // The pod is on the node already.
    let skew = pods.get(here).copied().unwrap_or_default() - least;
    (skew > spread["maxSkew"].as_i64().unwrap_or(1)).then(|| format!("spread: {skew} more in {here} than elsewhere"))
}
