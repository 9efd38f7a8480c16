//! Makes pictures of clusters.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::quantity::readable;
use lictor_contract::{Amount, NodeId, Phase, Pod as Told};
use lictor_decide::jobs::{Memberships, members};
use lictor_host::cluster::Mirror;

use super::{DrawnJob, DrawnNode, DrawnPod, NodeUsage, Picture, PodOnNode};

#[cfg(test)]
mod tests;

/// Draws a picture of a cluster, of which the policy says where its pods belong: a pod of no queue is shown by its namespace.
pub fn picture(mirror: &Mirror, memberships: &Memberships) -> Picture {
    let numbers = resources(mirror);
    let queues = PodQueues::of(memberships);
    let pods: Vec<(&Told, &str, String)> = mirror
        .pods()
        .filter(|pod| has_not_ended(pod))
        .filter_map(|pod| Some((pod, mirror.pod_name(pod.id)?, queues.of_pod(pod))))
        .collect();
    let names: BTreeSet<&String> = pods.iter().map(|(_, _, queue)| queue).collect();
    let numbered: BTreeMap<&String, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let index = |queue: &String| numbered.get(queue).copied().unwrap_or(0);
    let mut held: BTreeMap<NodeId, BTreeMap<(usize, i32), NodeUsage>> = BTreeMap::new();
    for (pod, _, queue) in &pods {
        let Some(node) = pod.node else { continue };
        let (queue, priority) = (index(queue), pod.template.priority.unwrap_or(0));
        let new = || NodeUsage { queue, priority, pods: 0, amounts: vec![0; numbers.len()] };
        let held = held.entry(node).or_default().entry((queue, priority)).or_insert_with(new);
        held.pods = held.pods.saturating_add(1);
        for (sum, (number, _)) in held.amounts.iter_mut().zip(&numbers) {
            *sum = sum.saturating_add(amount(&pod.template.requests, *number));
        }
    }
    let node = |node: &lictor_contract::Node| DrawnNode {
        name: node.name.clone(),
        allocatable: numbers.iter().map(|(number, _)| amount(&node.allocatable, *number)).collect(),
        held: held.remove(&node.id).unwrap_or_default().into_values().collect(),
    };
    let mut nodes: Vec<DrawnNode> = mirror.nodes().map(node).collect();
    nodes.sort_by(|one, other| one.name.cmp(&other.name));
    let pods: BTreeMap<&str, (&Told, usize)> =
        pods.iter().map(|(pod, name, queue)| (*name, (*pod, index(queue)))).collect();
    Picture {
        resources: numbers.iter().map(|(_, name)| name.clone()).collect(),
        queues: names.into_iter().cloned().collect(),
        nodes,
        jobs: jobs(mirror, memberships, &pods),
    }
}

/// Returns the pods of a node, the highest priority first. Empty for an unknown node.
pub fn pods_on(mirror: &Mirror, node: &str) -> Vec<PodOnNode> {
    let numbers = resources(mirror);
    let Some(node) = mirror.nodes().find(|known| known.name == node) else { return Vec::new() };
    let placed = |pod: &Told| {
        Some(PodOnNode {
            name: mirror.pod_name(pod.id)?.to_owned(),
            priority: pod.template.priority.unwrap_or(0),
            amounts: numbers
                .iter()
                .map(|(number, name)| readable(name, amount(&pod.template.requests, *number)))
                .collect(),
        })
    };
    let here = mirror.pods().filter(|pod| pod.node == Some(node.id) && has_not_ended(pod));
    let mut pods: Vec<PodOnNode> = here.filter_map(placed).collect();
    pods.sort_by(|one, other| other.priority.cmp(&one.priority).then(one.name.cmp(&other.name)));
    pods
}

/// Returns whether a pod has not ended.
fn has_not_ended(pod: &Told) -> bool {
    !matches!(pod.phase, Phase::Succeeded | Phase::Failed)
}

fn amount(amounts: &[Amount], resource: u32) -> i64 {
    amounts.iter().find(|amount| amount.resource == resource).map_or(0, |amount| amount.value)
}

/// Returns the resources that are drawn, with their numbers: cpu, memory, and the extended ones that pods hold.
fn resources(mirror: &Mirror) -> Vec<(u32, String)> {
    let placed = mirror.pods().filter(|pod| has_not_ended(pod) && pod.node.is_some());
    let held: BTreeSet<u32> =
        placed.flat_map(|pod| &pod.template.requests).filter(|it| it.value > 0).map(|it| it.resource).collect();
    let is_drawn = |number: u32, name: &str| {
        let is_extended = name.contains('/') && !lictor_contract::is_of_host(name);
        matches!(name, "cpu" | "memory") || is_extended && held.contains(&number)
    };
    let named = (0u32..).zip(mirror.resources()).map(|(number, resource)| (number, resource.name.clone()));
    let mut drawn: Vec<(u32, String)> = named.filter(|(number, name)| is_drawn(*number, name)).collect();
    drawn.sort_by(|(_, one), (_, other)| one.contains('/').cmp(&other.contains('/')).then(one.cmp(other)));
    drawn
}

/// The queues of pods.
struct PodQueues<'a> {
    memberships: &'a Memberships,
    names: BTreeSet<&'a str>,
}

impl<'a> PodQueues<'a> {
    fn of(memberships: &'a Memberships) -> PodQueues<'a> {
        let names = memberships.values().filter_map(|it| it.queue.as_deref()).collect();
        PodQueues { memberships, names }
    }

    /// Returns the queue of a pod. A pod without a queue has its namespace, marked where a queue has the same name.
    fn of_pod(&self, pod: &Told) -> String {
        let namespace = pod.template.namespace.as_str();
        match self.memberships.get(&pod.id).and_then(|it| it.queue.as_ref()) {
            Some(queue) => queue.clone(),
            None if self.names.contains(namespace) => format!("namespace {namespace}"),
            None => namespace.to_owned(),
        }
    }
}

/// Returns the jobs, and the pods of no job as jobs of their own.
fn jobs(mirror: &Mirror, memberships: &Memberships, pods: &BTreeMap<&str, (&Told, usize)>) -> Vec<DrawnJob> {
    let mut jobs = members(mirror, memberships);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    // A pod may be named by its controller and by its gang: it is shown once, in the larger.
    let mut by_size: Vec<(String, BTreeSet<String>)> = std::mem::take(&mut jobs).into_iter().collect();
    by_size.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then(one.0.cmp(&other.0)));
    for (name, members) in by_size {
        let members: BTreeSet<String> = members.into_iter().filter(|pod| seen.insert(pod.clone())).collect();
        jobs.insert(name, members);
    }
    for pod in pods.keys().filter(|pod| !seen.contains(**pod)) {
        jobs.entry((*pod).to_owned()).or_default().insert((*pod).to_owned());
    }
    let job = |(name, members): (String, BTreeSet<String>)| {
        let there: Vec<(&str, &(&Told, usize))> =
            members.iter().filter_map(|pod| pods.get_key_value(pod.as_str())).map(|(name, pod)| (*name, pod)).collect();
        let (_, (_, queue)) = there.first()?;
        let priority = there.iter().filter_map(|(_, (pod, _))| pod.template.priority).max().unwrap_or(0);
        let pod = |(name, (pod, _)): &(&str, &(&Told, usize))| DrawnPod {
            name: (*name).to_owned(),
            placed: pod.node.is_some(),
        };
        Some(DrawnJob { name, queue: *queue, priority, pods: there.iter().map(pod).collect() })
    };
    jobs.into_iter().filter_map(job).collect()
}
