//! Whether a pod may run on a node: its selector, its required affinity to nodes, and the taints.

use serde_json::Value;

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns why a pod may not run on a node. `None`: it may.
pub fn misplaced(pod: &Value, node: &Value) -> Option<String> {
    let labels = &node["metadata"]["labels"];
    let selector = pod.pointer("/spec/nodeSelector").and_then(Value::as_object);
    for (key, value) in selector.into_iter().flatten() {
        if labels.get(key) != Some(value) {
            return Some(format!("its node selector asks for {key}={value}"));
        }
    }
    const REQUIRED: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";
    if let Some(required) = pod.pointer(REQUIRED)
        && !list(required, "/nodeSelectorTerms").any(|term| fits(term, node))
    {
        return Some(format!("no term of its node affinity fits: {required}"));
    }
    let cordoned = serde_json::json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
    let is_cordoned = node["spec"]["unschedulable"] == true;
    let taints = list(node, "/spec/taints").chain(is_cordoned.then_some(&cordoned));
    let mut hard = taints.filter(|taint| matches!(text(taint, "effect"), "NoSchedule" | "NoExecute"));
    let tolerated = |taint: &Value| list(pod, "/spec/tolerations").any(|toleration| tolerates(toleration, taint));
    hard.find(|taint| !tolerated(taint)).map(|taint| format!("it does not tolerate {taint}"))
}

/// Returns whether all requirements of a term hold. A term without any fits no node.
fn fits(term: &Value, node: &Value) -> bool {
    let labels = &node["metadata"]["labels"];
    let name = serde_json::json!({"metadata.name": node["metadata"]["name"]});
    let mut all = list(term, "/matchExpressions").map(|requirement| (requirement, labels));
    let mut fields = list(term, "/matchFields").map(|requirement| (requirement, &name));
    let is_empty = list(term, "/matchExpressions").next().is_none() && list(term, "/matchFields").next().is_none();
    let holds = |(requirement, values): (&Value, &Value)| {
        holds(requirement, values.get(text(requirement, "key")).and_then(Value::as_str))
    };
    !is_empty && all.all(holds) && fields.all(holds)
}

/// Returns whether a requirement holds for the value under its key.
fn holds(requirement: &Value, there: Option<&str>) -> bool {
    let listed = || list(requirement, "/values").any(|value| value.as_str() == there && there.is_some());
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<i64>().ok());
    let bound = number(list(requirement, "/values").next().and_then(Value::as_str));
    match text(requirement, "operator") {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => there.is_some(),
        "DoesNotExist" => there.is_none(),
        "Gt" => number(there).zip(bound).is_some_and(|(there, bound)| there > bound),
        "Lt" => number(there).zip(bound).is_some_and(|(there, bound)| there < bound),
        _ => false,
    }
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let (key, effect) = (text(toleration, "key"), text(toleration, "effect"));
    let same_value = text(toleration, "operator") == "Exists" || text(toleration, "value") == text(taint, "value");
    (effect.is_empty() || effect == text(taint, "effect"))
        && (key == text(taint, "key") || key.is_empty() && text(toleration, "operator") == "Exists")
        && same_value
}

#[test]
fn where_a_pod_may_run() {
    let node = serde_json::json!({"metadata": {"name": "a", "labels": {"zone": "x", "size": "8"}}});
    let tainted = serde_json::json!({"spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}});
    let cordoned = serde_json::json!({"spec": {"unschedulable": true}});
    let affinity = |terms: Value| {
        let required =
            serde_json::json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
        serde_json::json!({"spec": {"affinity": {"nodeAffinity": required}}})
    };
    let one = |key: &str, operator: &str, values: &[&str]| {
        affinity(serde_json::json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]))
    };
    let named = |name| {
        affinity(serde_json::json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}]))
    };
    let tolerations = |toleration: Value| serde_json::json!({"spec": {"tolerations": [toleration]}});
    let any = tolerations(serde_json::json!({"operator": "Exists"}));
    for (pod, node, may) in [
        (serde_json::json!({}), &node, true),
        (serde_json::json!({"spec": {"nodeSelector": {"zone": "x"}}}), &node, true),
        (serde_json::json!({"spec": {"nodeSelector": {"zone": "y"}}}), &node, false),
        (one("zone", "In", &["x", "y"]), &node, true),
        (one("zone", "NotIn", &["x"]), &node, false),
        (one("rack", "NotIn", &["x"]), &node, true),
        (one("rack", "Exists", &[]), &node, false),
        (one("rack", "DoesNotExist", &[]), &node, true),
        (one("size", "Gt", &["7"]), &node, true),
        (one("size", "Lt", &["8"]), &node, false),
        (named("a"), &node, true),
        (named("b"), &node, false),
        (affinity(serde_json::json!([{}])), &node, false),
        (serde_json::json!({}), &tainted, false),
        (tolerations(serde_json::json!({"key": "gpu", "value": "yes"})), &tainted, true),
        (tolerations(serde_json::json!({"key": "gpu", "value": "no"})), &tainted, false),
        (tolerations(serde_json::json!({"key": "gpu", "operator": "Exists", "effect": "NoExecute"})), &tainted, false),
        (any.clone(), &tainted, true),
        (serde_json::json!({}), &cordoned, false),
        (any, &cordoned, true),
    ] {
        assert_eq!(misplaced(&pod, node).is_none(), may, "{pod} on {node}");
    }
}
