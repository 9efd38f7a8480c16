//! What others do in the cluster: users and controllers.

use lictor_host::verify::testing::node;
use serde_json::{Value, json};

use super::nodes::{kubelets, schedule};
use super::server::{ApiServerState, name_of, pods};
use super::strike::groups;
use super::system::SystemFixture;
use crate::names::{ASSIGNED_NODE, EVICTED_FOR, EXTERNAL_SCHEDULER, SCHEDULING_GATE};
use crate::view::{annotation, gates, text};
use crate::watch::GroupKind;

/// The cores of a node.
pub(super) const CORES: u64 = 8;
/// The most pods of a cluster, so that decisions stay small.
const MOST_PODS: usize = 24;
const BUDGETS: usize = 2;

/// Returns the cores that a pod requests.
pub(super) fn cores(pod: &Value) -> u64 {
    text(pod, "/spec/containers/0/resources/requests/cpu").parse().unwrap()
}

pub(super) fn has_ended(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Creates what is there from the beginning.
pub(super) fn begin(state: &mut ApiServerState, system: &SystemFixture, nodes: usize) {
    state.groups = groups(system);
    state.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}));
    for object in (system.objects)() {
        state.create(object);
    }
    for number in 0..nodes {
        state.create(node(&format!("n{number}"), u32::try_from(CORES).unwrap()));
    }
}

/// Creates a pod of these cores; `others`: of another scheduler, and without our gate.
pub(super) fn pod(
    state: &mut ApiServerState,
    system: &SystemFixture,
    name: &str,
    gang: Option<&str>,
    (cpu, important, others): (usize, bool, bool),
) {
    let (grace, priority) = ([0, 1, 5, 30][state.random.below(4)], if important { 100 } else { 0 });
    let budget = format!("b{}", state.random.below(2 * BUDGETS));
    let scheduler = if others { EXTERNAL_SCHEDULER } else { "default-scheduler" };
    let container = json!({"name": "c", "resources": {"requests": {"cpu": cpu.to_string()}}});
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"budget": budget}, "annotations": {}},
        "spec": {"schedulerName": scheduler, "priority": priority, "terminationGracePeriodSeconds": grace,
                 "containers": [container]},
        "status": {"phase": "Pending"},
    });
    if others {
        pod["metadata"]["annotations"]["model/other"] = json!("true");
    } else {
        pod["spec"]["schedulingGates"] = json!([{"name": SCHEDULING_GATE}]);
        (system.dress)(&mut pod, gang, important);
    }
    state.create(pod);
}

/// Creates a gang with its group, or more members of one.
fn gang(state: &mut ApiServerState, system: &SystemFixture) {
    let (important, number) = (state.random.percent(60), state.random.below(6));
    let name = format!("g{number}{}", if important { "h" } else { "l" });
    let size = 2 + number % 3;
    let cpu = 2 + number % 4;
    if state.random.percent(95) {
        state.create((system.group)(&name, size, important));
    }
    for member in 0..size {
        if state.random.percent(95) {
            pod(state, system, &format!("{name}-{member}"), Some(&name), (cpu, important, false));
        }
    }
}

/// Picks an object of a kind that suits.
fn pick(state: &mut ApiServerState, kind: &GroupKind, suits: impl Fn(&Value) -> bool) -> Option<String> {
    let names: Vec<String> = state.all(kind).filter(|object| suits(object)).map(name_of).collect();
    let place = state.random.below(names.len());
    names.get(place).cloned()
}

/// Makes a random change, as users and controllers do.
pub(super) fn act(state: &mut ApiServerState, system: &SystemFixture, soft: bool) {
    let count = state.all(&pods()).count();
    match state.random.below(100) {
        0..=11 if count < MOST_PODS => gang(state, system),
        12..=23 if count < MOST_PODS => {
            let (number, cpu) = (state.random.below(12), 1 + state.random.below(7));
            let important = state.random.percent(30);
            pod(state, system, &format!("p{number}"), None, (cpu, important, false));
        }
        24..=25 if count < MOST_PODS => {
            let (number, cpu) = (state.random.below(4), 1 + state.random.below(4));
            pod(state, system, &format!("o{number}"), None, (cpu, false, true));
        }
        26..=31 => {
            if let Some(name) = pick(state, &pods(), |_| true) {
                state.stop(&name, "DeletionByUser");
            }
        }
        32..=33 => {
            let name = format!("g{}", state.random.below(6));
            let members: Vec<String> =
                state.all(&pods()).filter(|pod| text(pod, "/metadata/name").starts_with(&name)).map(name_of).collect();
            members.iter().for_each(|member| state.stop(member, "DeletionByUser"));
        }
        34..=36 => remove_group(state, system),
        37 => {
            if let Some(name) = pick(state, &GroupKind::new("", "Node"), |_| true) {
                remove_node(state, &name);
            }
        }
        38..=40 => {
            let name = format!("n{}", state.random.below(4));
            state.create(node(&name, u32::try_from(CORES).unwrap()));
        }
        41..=42 => budget(state),
        43..=46 => {
            if let Some(name) = pick(state, &pods(), |_| true) {
                let version = state.version.to_string();
                state.change(&pods(), &name, |pod| pod["metadata"]["annotations"]["touched"] = version.into());
            }
        }
        47..=49 => {
            if let Some(name) = pick(state, &pods(), |pod| text(pod, "/status/phase") == "Running") {
                state.change(&pods(), &name, |pod| pod["status"]["phase"] = json!("Succeeded"));
            }
        }
        50..=70 => schedule(state),
        71..=92 => kubelets(state),
        _ if soft => delete_marked(state),
        _ => {}
    }
}

/// Removes the group of a gang, whose pods stay.
fn remove_group(state: &mut ApiServerState, system: &SystemFixture) {
    let kind = groups(system);
    if let Some(name) = pick(state, &kind, |object| text(object, "/metadata/name").starts_with('g')) {
        state.remove(&kind, &name);
    }
}

/// Removes a node. Its pods go with it.
pub(super) fn remove_node(state: &mut ApiServerState, name: &str) {
    state.remove(&GroupKind::new("", "Node"), name);
    let there: Vec<String> =
        state.all(&pods()).filter(|pod| text(pod, "/spec/nodeName") == name).map(name_of).collect();
    there.iter().for_each(|pod| state.remove(&pods(), pod));
}

/// Creates or deletes a budget.
fn budget(state: &mut ApiServerState) {
    let (number, least) = (state.random.below(BUDGETS), state.random.below(4));
    let kind = GroupKind::new("policy", "PodDisruptionBudget");
    let name = format!("default/b{number}");
    if state.objects.contains_key(&(kind.clone(), name.clone())) {
        return state.remove(&kind, &name);
    }
    let label = format!("b{number}");
    state.create(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": label, "namespace": "default"},
        "spec": {"minAvailable": least, "selector": {"matchLabels": {"budget": label}}},
        "status": {"disruptionsAllowed": 1, "currentHealthy": least + 1, "desiredHealthy": least, "expectedPods": least + 1}}));
}

/// Deletes the budgets: nothing forbids evictions any more.
pub(super) fn no_budgets(state: &mut ApiServerState) {
    let kind = GroupKind::new("policy", "PodDisruptionBudget");
    let names: Vec<String> = state.all(&kind).map(name_of).collect();
    names.iter().for_each(|name| state.remove(&kind, name));
}

/// Deletes the marked pods, as another controller does.
pub(super) fn delete_marked(state: &mut ApiServerState) {
    let marked: Vec<String> =
        state.all(&pods()).filter(|pod| !annotation(pod, EVICTED_FOR).is_empty()).map(name_of).collect();
    marked.iter().for_each(|name| state.stop(name, "DeletionByDescheduler"));
}

/// Returns a pod in a line.
pub(super) fn in_short(pod: &Value) -> String {
    let gated = if gates(pod).next().is_some() { "gated" } else { "" };
    let leaves = text(pod, "/metadata/deletionTimestamp");
    format!(
        "{} {} {} cores, priority {}, {}, {gated} node `{}`, let go for `{}`, nominated `{}`, {} {leaves}",
        text(pod, "/metadata/name"),
        text(pod, "/metadata/uid"),
        cores(pod),
        pod["spec"]["priority"],
        text(pod, "/status/phase"),
        text(pod, "/spec/nodeName"),
        annotation(pod, ASSIGNED_NODE),
        text(pod, "/status/nominatedNodeName"),
        annotation(pod, EVICTED_FOR),
    )
}
