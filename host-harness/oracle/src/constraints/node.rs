//! What a pod demands of its node, whatever runs there.

use serde_json::{Value, json};

use super::dump::items;
use super::labels::{label, node_selected};

/// Returns the failed constraints between a pod and a node alone, as messages. Empty: no constraint fails.
pub(super) fn broken(pod: &Value, node: &Value) -> Vec<&'static str> {
    let spec = &pod["spec"];
    let rules = [
        (items(&spec["schedulingGates"]).next().is_some(), "it has scheduling gates"),
        (items(&spec["resourceClaims"]).next().is_some(), "it has resource claims"),
        (!attracted(pod, node), "the node is not selected"),
        (!tolerated(pod, node), "a taint is not tolerated"),
    ];
    rules.into_iter().filter_map(|(is_broken, rule)| is_broken.then_some(rule)).collect()
}

/// Returns whether the node selector and the required node affinity of a pod select a node.
pub(crate) fn attracted(pod: &Value, node: &Value) -> bool {
    let spec = &pod["spec"];
    let labels = spec["nodeSelector"].as_object();
    let required = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    labels.is_none_or(|labels| labels.iter().all(|(key, value)| label(node, key) == value.as_str()))
        && (required.is_null() || node_selected(required, node))
}

/// Returns whether a pod tolerates the taints of a node that keep pods away. A cordoned node counts as tainted.
pub(crate) fn tolerated(pod: &Value, node: &Value) -> bool {
    let cordon = json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
    let cordoned = (node["spec"]["unschedulable"] == true).then_some(&cordon);
    let mut taints =
        items(&node["spec"]["taints"]).filter(|taint| taint["effect"] != "PreferNoSchedule").chain(cordoned);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    taints.all(|taint| {
        items(&pod["spec"]["tolerations"]).any(|toleration| {
            let effect = text(&toleration["effect"]);
            let key = text(&toleration["key"]);
            let exists = toleration["operator"] == "Exists";
            (effect.is_empty() || effect == text(&taint["effect"]))
                && (key.is_empty() && exists || key == text(&taint["key"]))
                && (exists || text(&toleration["value"]) == text(&taint["value"]))
        })
    })
}
