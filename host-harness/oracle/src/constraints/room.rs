//! Room: resources and host ports.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::dump::{NodeByPod, ObjectIndex, items, key};

/// Amounts in thousandths.
type WideAmounts = BTreeMap<String, i128>;

/// Returns the failed constraints of resources and ports on a node, as messages: a requested resource is used beyond its allocatable amount, or
/// another pod has a port of this pod. Empty: no constraint fails.
pub(super) fn broken(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value) -> Vec<String> {
    let here = key(node);
    let there = || dump.placed_pods(places).filter(|(_, _, on)| key(on) == here).map(|(_, pod, _)| pod);
    let allocatable = amounts(&node["status"]["allocatable"]);
    let mut used = WideAmounts::new();
    there().for_each(|pod| add(&mut used, &requests(pod)));
    let over = requests(pod).into_iter().filter(|(resource, asked)| {
        *asked > 0
            && used.get(resource).copied().unwrap_or_default() > allocatable.get(resource).copied().unwrap_or_default()
    });
    let over = over.map(|(resource, _)| format!("too little {resource}"));
    let mine = ports(pod);
    let others = there().filter(|other| key(other) != key(pod));
    let taken = others.flat_map(ports).filter(|port| mine.contains(port));
    over.chain(taken.map(|(port, _)| format!("port {port} is taken"))).collect()
}

/// Returns the requests of a pod. The node may have resized the pod, so the largest of three sums counts. The first is what the spec requests,
/// unless the node has refused that for good. The others are what the node has allocated, and what the containers run with.
fn requests(pod: &Value) -> WideAmounts {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let is_there = spec["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let pending = items(&status["conditions"]).find(|condition| condition["type"] == "PodResizePending");
    let refused = is_there && pending.is_some_and(|condition| condition["reason"] == "Infeasible");
    let asked = |container: &Value| amounts(&container["resources"]["requests"]);
    let said = |container: &Value, fields: &[&str]| {
        let lists = items(&status["containerStatuses"]).chain(items(&status["initContainerStatuses"]));
        let own = lists.filter(|other| other["name"] == container["name"]).take(1);
        let found = own.flat_map(|own| fields.iter().filter_map(|field| own.pointer(field))).find(|it| it.is_object());
        found.map_or_else(|| if refused { WideAmounts::new() } else { asked(container) }, amounts)
    };
    let (set_aside, runs_with) = ("/allocatedResources", "/resources/requests");
    let mut all = if refused { WideAmounts::new() } else { pod_requests(spec, &asked) };
    let whole = [status.pointer(set_aside), status.pointer(runs_with)];
    if let [Some(set_aside), Some(runs_with)] = whole.map(|amounts| amounts.filter(|_| is_there)) {
        raise(&mut all, &amounts(set_aside));
        raise(&mut all, &amounts(runs_with));
    } else if is_there {
        raise(&mut all, &pod_requests(spec, &|container| said(container, &[set_aside])));
        raise(&mut all, &pod_requests(spec, &|container| said(container, &[runs_with, set_aside])));
    }
    let mut of_pod = amounts(&spec["resources"]["requests"]);
    if is_there && !of_pod.is_empty() && status["resources"].is_object() {
        if refused {
            of_pod.clear();
        }
        whole.iter().flatten().for_each(|said| raise(&mut of_pod, &amounts(said)));
    }
    of_pod.retain(|resource, _| resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-"));
    all.extend(of_pod);
    add(&mut all, &amounts(&spec["overhead"]));
    add(&mut all, &WideAmounts::from([("pods".to_owned(), 1000)]));
    all
}

/// Adds up the containers and the sidecars. For each resource, a larger step of the init containers, with the sidecars before it, counts instead.
fn pod_requests(spec: &Value, of: &dyn Fn(&Value) -> WideAmounts) -> WideAmounts {
    let (mut sidecars, mut steps) = (WideAmounts::new(), WideAmounts::new());
    for container in items(&spec["initContainers"]) {
        let mut step = sidecars.clone();
        add(&mut step, &of(container));
        if container["restartPolicy"] == "Always" {
            sidecars = step.clone();
        }
        raise(&mut steps, &step);
    }
    let mut all = sidecars;
    items(&spec["containers"]).for_each(|container| add(&mut all, &of(container)));
    raise(&mut all, &steps);
    all
}

fn ports(pod: &Value) -> BTreeSet<(i64, String)> {
    let containers = items(&pod["spec"]["containers"]);
    let ports = containers.flat_map(|container| items(&container["ports"]));
    let host = |port: &Value| {
        let protocol = port["protocol"].as_str().unwrap_or("TCP").to_owned();
        port["hostPort"].as_i64().filter(|port| *port > 0).map(|port| (port, protocol))
    };
    ports.filter_map(host).collect()
}

fn add(sum: &mut WideAmounts, more: &WideAmounts) {
    for (resource, amount) in more {
        *sum.entry(resource.clone()).or_default() += amount;
    }
}

fn raise(largest: &mut WideAmounts, other: &WideAmounts) {
    for (resource, amount) in other {
        let entry = largest.entry(resource.clone()).or_default();
        *entry = (*entry).max(*amount);
    }
}

fn amounts(written: &Value) -> WideAmounts {
    let entries = written.as_object().into_iter().flatten();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    entries.map(|(resource, value)| (resource.clone(), thousandths(&text(value)))).collect()
}

/// Reads a number with a suffix, in thousandths. Parts of a thousandth count as nothing. A text that is no quantity counts as 0.
fn thousandths(text: &str) -> i128 {
    let at = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(at);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    let number = format!("{whole}{digits}").parse::<i128>().unwrap_or_default();
    match suffix {
        "" => number,
        "m" => number / 1000,
        "k" => number * 1000,
        "M" => number * 1_000_000,
        "G" => number * 1_000_000_000,
        "Ki" => number << 10,
        "Mi" => number << 20,
        "Gi" => number << 30,
        "Ti" => number << 40,
        _ => 0,
    }
}
