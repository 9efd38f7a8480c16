//! kube-scheduler and the kubelets.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::server::{ApiServerState, merge_conditions, name_of, pods};
use super::world::{CORES, cores, has_ended};
use crate::view::{gates, pinned_to, text};
use crate::watch::GroupKind;

/// Binds, as kube-scheduler does, the pods that no gate holds, where there is room. A pod without room becomes unschedulable.
pub(super) fn schedule(state: &mut ApiServerState) {
    let mut free: BTreeMap<String, u64> =
        state.all(&GroupKind::new("", "Node")).map(|node| (text(node, "/metadata/name").to_owned(), CORES)).collect();
    for pod in state.all(&pods()).filter(|pod| !has_ended(pod)) {
        if let Some(free) = free.get_mut(text(pod, "/spec/nodeName")) {
            *free = free.checked_sub(cores(pod)).expect("kube-scheduler gives no room twice");
        }
    }
    // The room of nominated pods is not given to others.
    let mut promised: BTreeMap<String, u64> = BTreeMap::new();
    for pod in state.all(&pods()).filter(|pod| text(pod, "/spec/nodeName").is_empty()) {
        let node = pinned_to(pod).unwrap_or(text(pod, "/status/nominatedNodeName")).to_owned();
        *promised.entry(node).or_default() += cores(pod);
    }
    let is_open =
        |pod: &&Value| text(pod, "/spec/nodeName").is_empty() && gates(pod).next().is_none() && !has_ended(pod);
    let waiting: Vec<(String, u64, Option<String>, String)> = state
        .all(&pods())
        .filter(is_open)
        .map(|pod| {
            let nominated = text(pod, "/status/nominatedNodeName").to_owned();
            (name_of(pod), cores(pod), pinned_to(pod).map(str::to_owned), nominated)
        })
        .collect();
    for (name, cpu, pin, nominated) in waiting {
        // A pod's own nomination does not block it. The pod is tried on its own node first.
        promised.entry(nominated.clone()).and_modify(|promised| *promised = promised.saturating_sub(cpu));
        // kube-scheduler ignores a nomination that it has not seen yet, and gives the room away.
        let respects = pin.is_none() && state.random.percent(80);
        let fits = |(node, free): &(&String, &mut u64)| {
            let promised = promised.get(*node).copied().filter(|_| respects).unwrap_or_default();
            **free >= cpu + promised && pin.as_ref().is_none_or(|pin| pin == *node)
        };
        let own = free.iter_mut().find(|(node, _)| **node == nominated).filter(fits);
        let chosen = own.map(|(node, _)| node.clone());
        let chosen = chosen.or_else(|| free.iter_mut().find(fits).map(|(node, _)| node.clone()));
        match chosen {
            Some(node) => {
                free.entry(node.clone()).and_modify(|free| *free -= cpu);
                state.change(&pods(), &name, |pod| bind(pod, &node));
            }
            None => {
                *promised.entry(nominated).or_default() += cpu;
                let no = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                 "message": "0 nodes are available"}]);
                state.change(&pods(), &name, |pod| merge_conditions(pod, &no));
            }
        }
    }
}

fn bind(pod: &mut Value, node: &str) {
    pod["spec"]["nodeName"] = node.into();
    pod["status"].as_object_mut().unwrap().remove("nominatedNodeName");
    merge_conditions(pod, &json!([{"type": "PodScheduled", "status": "True", "reason": "Scheduled", "message": ""}]));
}

/// Starts the bound pods, as the kubelets do, and ends those that are being deleted.
pub(super) fn kubelets(state: &mut ApiServerState) {
    let now = state.time(state.now());
    let bound: Vec<(String, bool)> = state
        .all(&pods())
        .filter(|pod| !text(pod, "/spec/nodeName").is_empty())
        .map(|pod| (name_of(pod), !text(pod, "/metadata/deletionTimestamp").is_empty()))
        .collect();
    for (name, leaves) in bound {
        if !leaves {
            state.change(&pods(), &name, |pod| {
                if text(pod, "/status/phase") == "Pending" {
                    pod["status"]["phase"] = json!("Running");
                    pod["status"]["startTime"] = now.clone();
                }
            });
        } else if state.random.percent(40) {
            state.remove(&pods(), &name);
        }
    }
}
