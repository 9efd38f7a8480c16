//! The books of a cluster, made anew from its pods by the plainest means.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Cluster, Insufficient, NodeInfo, NodeIx, PodInfo, PodIx, PodKind, PodLocation, Preemptibility, QueueIx, ResourceIx,
    ResourceRequest,
};

pub const RESOURCES: [ResourceIx; 3] = [ResourceIx(0), ResourceIx(1), ResourceIx(2)];

/// The parts of a cluster that a trial must not change.
#[derive(Debug, PartialEq)]
pub struct Snapshot {
    pods: Vec<(PodIx, PodInfo)>,
    queues: Vec<(QueueIx, crate::model::Queue)>,
    nodes: Vec<(NodeIx, [i64; 3], [BTreeSet<PodIx>; 2])>,
    members: Vec<BTreeSet<PodIx>>,
    version: u64,
}

pub fn snapshot(cluster: &Cluster) -> Snapshot {
    let set = |pods: &[PodIx]| pods.iter().copied().collect();
    let node = |(ix, node): (NodeIx, &crate::model::NodeInfo)| {
        (ix, RESOURCES.map(|resource| node.free.get(resource)), [set(&node.pods), set(&node.nominated)])
    };
    Snapshot {
        pods: cluster.pods().map(|(ix, pod)| (ix, pod.clone())).collect(),
        queues: cluster.queues().map(|(ix, queue)| (ix, queue.clone())).collect(),
        nodes: cluster.nodes().map(node).collect(),
        members: cluster.jobs().map(|(_, job)| set(&job.members)).collect(),
        version: cluster.version(),
    }
}

/// Checks that the free amounts of every node are its allocatable amounts less what its pods use.
pub fn nodes_add_up(cluster: &Cluster) {
    for (ix, node) in cluster.nodes() {
        for resource in RESOURCES {
            let held = held(cluster, ix, resource);
            let left = node.allocatable.get(resource) - held;
            assert_eq!(node.free.get(resource), left, "{} {resource:?}: {held} is held", node.name);
        }
    }
}

/// Checks that every job counts its pods by their priorities.
pub fn jobs_count_their_pods(cluster: &Cluster) {
    for (_, job) in cluster.jobs() {
        let mut counts = BTreeMap::new();
        for pod in job.members.iter().filter_map(|ix| cluster.pod(*ix)) {
            *counts.entry(pod.priority()).or_insert(0_usize) += 1;
        }
        assert_eq!(job.priorities, counts, "{:?}", job.key);
    }
}

/// Checks that a scan agrees with every node, for requests that a node just fulfils, and for requests that are larger by one.
pub fn scans_read_the_nodes(cluster: &mut Cluster, resources: &[ResourceIx]) {
    let what = |of: fn(&NodeInfo) -> &crate::model::Amounts| {
        let amounts = |node| resources.iter().map(move |resource| (*resource, of(node).get(*resource)));
        cluster.nodes().map(|(_, node)| amounts(node).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let exact = [what(|node| &node.allocatable), what(|node| &node.free)].concat();
    let more = exact.iter().map(|amounts| amounts.iter().map(|(resource, amount)| (*resource, amount + 1)).collect());
    let requests: Vec<Vec<_>> = exact.iter().cloned().chain(more).collect();
    for request in requests.into_iter().map(ResourceRequest::new) {
        cluster.prepare_scan(&request);
        let scan = cluster.scan(&request);
        let (lacking, large) = (scan.first_insufficient(cluster.node_span()), scan.large_enough(cluster.node_span()));
        for at in 0..cluster.node_span() {
            let node = cluster.node(NodeIx(u32::try_from(at).unwrap()));
            assert_eq!(scan.present(at / 64) >> (at % 64) & 1 == 1, node.is_some(), "node {at}");
            let is_large = large.get(at / 64).unwrap() >> (at % 64) & 1 == 1;
            assert_eq!(is_large, node.is_some_and(|node| node.allocatable.lacks(&request).is_none()), "node {at}");
            let Some(node) = node else { continue };
            let now = || node.free.lacks(&request).map(Insufficient::Free);
            let lacks = node.allocatable.lacks(&request).map(Insufficient::Allocatable).or_else(now);
            assert_eq!(scan.decode(*lacking.get(at).unwrap()), lacks, "node {at}");
            assert_eq!(scan.nominated(at / 64) >> (at % 64) & 1 == 1, !node.nominated.is_empty(), "node {at}");
        }
    }
}

/// Checks that the order of nodes is that of their names.
pub fn nodes_are_in_order(cluster: &mut Cluster) {
    cluster.prepare_search([]);
    let mut named: Vec<(&str, NodeIx)> = cluster.nodes().map(|(ix, node)| (node.name.as_str(), ix)).collect();
    named.sort_unstable();
    assert_eq!(cluster.nodes_in_order(), named.into_iter().map(|(_, ix)| ix).collect::<Vec<_>>());
}

/// Returns the amount that is used on a node. A reservation and the pods inside it use together the larger of their requests.
fn held(cluster: &Cluster, node: NodeIx, resource: ResourceIx) -> i64 {
    let mut alone = 0;
    let mut reservation_groups: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    for (_, pod) in cluster.pods().filter(|(_, pod)| pod.node() == Some(node)) {
        let asked = pod.request().get(resource);
        match (pod.name.kind, pod.attributes.reservation) {
            (PodKind::Reservation, _) => {
                let [nominated_on, _] = reservation_groups.entry(pod.name.name.to_string()).or_default();
                *nominated_on += asked;
            }
            (PodKind::Pod, Some(inside)) => {
                let name = ["r0", "r1"].into_iter().find(|name| cluster.name_id(name) == Some(inside));
                let [_, used] = reservation_groups.entry(name.unwrap_or("?").to_owned()).or_default();
                *used += asked;
            }
            (PodKind::Pod, None) => alone += asked,
        }
    }
    alone + reservation_groups.values().map(|[nominated_on, used]| nominated_on.max(used)).sum::<i64>()
}

/// Checks that the used and requested amounts of a queue are the sums over its pods and those below it.
pub fn queues_add_up(cluster: &Cluster) {
    for (ix, queue) in cluster.queues() {
        for preemptibility in [Preemptibility::Preemptible, Preemptibility::NonPreemptible] {
            let below = || cluster.pods().map(|(_, pod)| pod).filter(|pod| is_below(cluster, pod.queue, ix));
            let of_class = || below().filter(|pod| pod.attributes.preemptibility == preemptibility);
            for resource in RESOURCES {
                let sum =
                    |pods: &mut dyn Iterator<Item = &PodInfo>| pods.map(|pod| pod.request().get(resource)).sum::<i64>();
                let used = sum(&mut of_class().filter(|pod| pod.node().is_some()));
                let requested = sum(&mut of_class().filter(|pod| pod.state.location != PodLocation::Finished));
                let said = format!("{} {preemptibility:?} {resource:?}", queue.name);
                assert_eq!(queue.used.of(preemptibility, resource).0, used, "used by {said}");
                assert_eq!(queue.requested.of(preemptibility, resource).0, requested, "requested from {said}");
            }
        }
    }
}

fn is_below(cluster: &Cluster, mut at: Option<QueueIx>, queue: QueueIx) -> bool {
    while let Some(ix) = at {
        if ix == queue {
            return true;
        }
        at = cluster.queue(ix).and_then(|queue| queue.parent);
    }
    false
}

/// Checks that nodes and jobs list exactly the pods that name them, and that ranks are in the order of the names.
pub fn lists_are_right(cluster: &Cluster) {
    let naming = |of: &dyn Fn(&PodInfo) -> bool| -> Vec<PodIx> {
        cluster.pods().filter(|(_, pod)| of(pod)).map(|(ix, _)| ix).collect()
    };
    let sorted = |pods: &[PodIx]| -> Vec<PodIx> {
        let mut pods = pods.to_vec();
        pods.sort_unstable();
        pods
    };
    for (ix, node) in cluster.nodes() {
        assert_eq!(sorted(&node.pods), naming(&|pod| pod.node() == Some(ix)), "on {}", node.name);
        assert_eq!(
            sorted(&node.nominated),
            naming(&|pod| pod.state.nominated == Some(ix)),
            "nominated to {}",
            node.name
        );
    }
    for (ix, job) in cluster.jobs() {
        assert_eq!(sorted(&job.members), naming(&|pod| pod.attributes.job == Some(ix)), "members of {:?}", job.key);
    }
    let waiting = naming(&|pod| pod.state.nominated.is_some() && pod.is_pending());
    assert_eq!(cluster.nominated().map(|(ix, _)| ix).collect::<Vec<_>>(), waiting);
    let mut names: Vec<_> = cluster.pods().map(|(_, pod)| (&pod.name, pod.rank)).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a.1 < b.1), "{names:?}");
    let mut names: Vec<_> = cluster.nodes().map(|(_, node)| (&node.name, node.rank)).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a.1 < b.1), "{names:?}");
}
