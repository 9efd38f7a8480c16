//! What stands between pods, judged anew by counting pods one by one, as the contract words it.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{InterPod, Topology, TopologySpread};
use crate::model::{Cluster, DomainCountOverlay, NodeIx, PodInfo, PodIx};

/// The topologies and constraints that the host announced.
#[derive(Debug, Default)]
pub struct Told {
    pub topologies: BTreeMap<u32, Topology>,
    pub inter_pods: BTreeMap<u32, InterPod>,
}

/// Checks the verdict on every pod and node against a plain count. The same verdict must follow from the cluster before a trial and a [`DomainCountOverlay`] of
/// the changes of the trial.
pub fn judged_right(cluster: &Cluster, before: &Cluster, told: &Told) {
    for (ix, pod) in cluster.pods() {
        let mut without = DomainCountOverlay::default();
        pod.node().into_iter().for_each(|node| without.remove(cluster, ix, node));
        let mut moved = DomainCountOverlay::default();
        for (ix, pod) in cluster.pods() {
            let old = before.pod(ix).and_then(|pod| pod.node());
            old.into_iter().for_each(|node| moved.remove(before, ix, node));
            pod.node().into_iter().for_each(|node| moved.place(before, ix, node));
        }
        pod.node().into_iter().for_each(|node| moved.remove(before, ix, node));
        for node in (0..4).map(NodeIx) {
            let expected = told.allows(cluster, (ix, pod), node);
            let said = cluster.inter_pod_allows(ix, node, &without);
            assert_eq!(said.is_ok(), expected, "{} on {node:?}: {said:?}, {told:#?}", pod.name);
            assert_eq!(before.inter_pod_allows(ix, node, &moved), said, "{} on {node:?}, {told:#?}", pod.name);
        }
    }
}

impl Told {
    fn of(&self, pod: &PodInfo) -> Option<&InterPod> {
        self.inter_pods.get(&pod.requirements.inter_pod?.0)
    }

    fn is_selected(&self, pod: &PodInfo, selector: u32) -> bool {
        self.of(pod).is_some_and(|told| told.selected_by.contains(&selector))
    }

    fn domain(&self, cluster: &Cluster, topology: u32, node: NodeIx) -> Option<u32> {
        cluster.node(node)?;
        let domains = &self.topologies.get(&topology)?.domains;
        domains.get(node.0 as usize).copied().filter(|domain| *domain != 0)
    }

    fn allows(&self, cluster: &Cluster, (ix, pod): (PodIx, &PodInfo), node: NodeIx) -> bool {
        if pod.requirements.inter_pod.is_none() {
            return true;
        }
        let Some(own) = self.of(pod) else { return false };
        let topologies = own.anti_affinity.iter().map(|term| term.topology);
        let topologies = topologies.chain(own.spread.iter().map(|spread| spread.topology));
        if topologies
            .chain(own.affinity.iter().flat_map(|affinity| affinity.topologies.clone()))
            .any(|topology| !self.topologies.contains_key(&topology))
        {
            return false;
        }
        let others = || cluster.pods().filter(|(other, _)| *other != ix).map(|(_, pod)| pod);
        // The other pods whose node is in the same domain as this node.
        let near = |topology: u32| {
            let here = self.domain(cluster, topology, node);
            others().filter(move |other| {
                here.is_some() && other.node().and_then(|node| self.domain(cluster, topology, node)) == here
            })
        };
        let forbids = own
            .anti_affinity
            .iter()
            .any(|term| near(term.topology).any(|other| self.is_selected(other, term.selector)));
        let is_forbidden = self.topologies.keys().any(|topology| {
            near(*topology)
                .filter_map(|other| self.of(other))
                .flat_map(|other| &other.anti_affinity)
                .any(|term| term.topology == *topology && self.is_selected(pod, term.selector))
        });
        let accompanied = own.affinity.as_ref().is_none_or(|affinity| {
            let selected = |other: &&PodInfo| self.is_selected(other, affinity.selector);
            let is_of_all = affinity.topologies.iter().all(|topology| self.domain(cluster, *topology, node).is_some());
            let has_all = affinity.topologies.iter().all(|topology| near(*topology).any(|other| selected(&other)));
            let is_first = !affinity.topologies.iter().any(|topology| {
                others()
                    .filter(selected)
                    .filter_map(|other| other.node())
                    .any(|node| self.domain(cluster, *topology, node).is_some())
            });
            is_of_all && (has_all || is_first && self.is_selected(pod, affinity.selector))
        });
        let others: Vec<&PodInfo> = others().collect();
        !forbids
            && !is_forbidden
            && accompanied
            && own.spread.iter().all(|spread| self.spreads(cluster, (pod, &others), spread, node))
    }

    fn spreads(
        &self,
        cluster: &Cluster,
        (pod, others): (&PodInfo, &[&PodInfo]),
        spread: &TopologySpread,
        node: NodeIx,
    ) -> bool {
        let counts = |node: NodeIx| spread.nodes.first().is_some_and(|bits| bits >> node.0 & 1 == 1);
        let domain = |node: NodeIx| self.domain(cluster, spread.topology, node);
        let Some(own) = domain(node) else { return false };
        let domains: BTreeSet<u32> = (0..64).map(NodeIx).filter(|node| counts(*node)).filter_map(domain).collect();
        let pods_in = |wanted: u32| {
            let there =
                others.iter().filter(|other| !other.state.terminating && self.is_selected(other, spread.selector));
            there.filter_map(|other| other.node()).filter(|node| counts(*node) && domain(*node) == Some(wanted)).count()
        };
        let enough = domains.len() >= spread.min_domains as usize;
        let fewest = domains.iter().map(|domain| pods_in(*domain)).min().filter(|_| enough).unwrap_or(0);
        let with = pods_in(own) + usize::from(self.is_selected(pod, spread.selector));
        with as i64 - fewest as i64 <= i64::from(spread.max_skew)
    }
}
