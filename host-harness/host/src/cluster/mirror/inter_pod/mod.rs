//! What stands between pods: the selectors, topologies and demands of all pods, by number.
//!
//! Pods of one template share all of it. What no pod has any more is kept for the next pods until there may be as much of it as of the rest; then it is
//! forgotten, and its numbers are given to others.

mod contents;
mod selectors;
mod topologies;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::{Event, InterPodId, NodeId, PodAffinity, PodId, SelectorId, TopologyId, TopologyTerm};

use super::Mirror;
use super::nodes::NodeTable;
use super::pods::PodEntry;
use crate::cluster::eligibility::NodeProperties;
use crate::cluster::inter_pod::{Namespaces, PodDemands, PodSelector, PodSet, SelectablePod};
use crate::cluster::volumes::ClaimKey;
use crate::sweep::SweepThreshold;
use contents::InterPodTable;
use selectors::Selectors;
use topologies::{EACH_NODE, Topologies};

pub(crate) use contents::{InterPodTerms, SpreadTerm};
pub(crate) use topologies::ALL_NODES;

/// The claims of a pod that restrict its place relative to other pods.
struct ClaimConstraints<'a> {
    /// The claims that only one pod may use at a time.
    exclusive: Vec<&'a String>,
    /// The claim whose pods must all run on one node. The claim still waits for its first pod.
    colocated: Option<ClaimKey>,
}

/// The constraints between all pods: selectors, topologies and contents, each by number.
#[derive(Debug, Default)]
pub(super) struct InterPodIndex {
    selectors: Selectors,
    topologies: Topologies,
    contents: InterPodTable,
    pub(super) namespaces: Namespaces,
    /// Pods whose content must be computed again.
    pub(super) stale_pods: BTreeSet<PodId>,
    sweep: SweepThreshold,
}

impl InterPodIndex {
    /// Updates a node that is new or has changed, or removes one (`None`).
    pub(super) fn update_node(&mut self, node: NodeId, terrain: Option<&NodeProperties>) {
        self.topologies.place(node, terrain);
        self.contents.update_node(node, terrain);
    }

    /// Returns the topologies and contents that are new or have changed since the last call. The topologies come first, because contents name them.
    pub(super) fn drain(&mut self) -> Vec<Event> {
        let topologies = self.topologies.drain().into_iter().map(Event::Topology);
        topologies.chain(self.contents.drain().into_iter().map(Event::InterPod)).collect()
    }

    /// Returns all topologies and contents from these numbers on, in the order of `drain`.
    pub(super) fn from(&self, topology: TopologyId, inter_pod: InterPodId) -> impl Iterator<Item = Event> {
        let topologies = self.topologies.from(topology).map(Event::Topology);
        topologies.chain(self.contents.from(inter_pod).map(Event::InterPod))
    }

    /// Forgets the contents and selectors that no pod has, once there may be as many unused as used ones, and frees their numbers. `used` returns the
    /// numbers of the contents of all pods. Returns the numbers of the freed selectors.
    fn sweep(&mut self, used: impl FnOnce() -> BTreeSet<InterPodId>) -> BTreeSet<SelectorId> {
        if !self.sweep.is_due(self.len()) {
            return BTreeSet::new();
        }
        self.contents.retain(&used());
        let freed = self.selectors.retain(&self.contents.demanded());
        self.sweep.done(self.len());
        freed
    }

    /// Returns the number of contents and selectors.
    fn len(&self) -> usize {
        self.contents.len().saturating_add(self.selectors.len())
    }

    /// Returns the number of the content of a pod: its constraints relative to other pods. `None`: the pod has no such constraints.
    fn number(
        &mut self,
        pod: &SelectablePod<'_>,
        demands: Option<&PodDemands>,
        claims: &ClaimConstraints<'_>,
        nodes: &NodeTable,
    ) -> Option<InterPodId> {
        let mut between = demands.map(|demands| self.terms_of(demands, nodes)).unwrap_or_default();
        if let Some((namespace, claim)) = claims.colocated.clone() {
            let selector = self.selectors.intern(PodSelector::Users(namespace, claim));
            between.affinity = Some(PodAffinity { selector, topologies: vec![self.topology(EACH_NODE, nodes)] });
        }
        for claim in &claims.exclusive {
            let selector = self.selectors.intern(PodSelector::Users(pod.namespace.to_owned(), (*claim).clone()));
            let topology = self.topology(ALL_NODES, nodes);
            between.anti_affinity.insert(TopologyTerm { selector, topology });
        }
        between.selected_by = self.selectors.of(pod, &self.namespaces);
        self.contents.intern(between)
    }

    /// Returns the demands of a pod on other pods, with selectors and topologies by number.
    fn terms_of(&mut self, demands: &PodDemands, nodes: &NodeTable) -> InterPodTerms {
        let mut between = InterPodTerms::default();
        if !demands.affinity.is_empty() {
            let pods = demands.affinity.iter().map(|term| term.pods.clone()).collect();
            let keys: BTreeSet<&String> = demands.affinity.iter().map(|term| &term.topology).collect();
            between.affinity = Some(PodAffinity {
                selector: self.selectors.intern(PodSelector::All(pods)),
                topologies: keys.into_iter().map(|key| self.topology(key, nodes)).collect(),
            });
        }
        for term in &demands.anti_affinity {
            let selector = self.selector(&term.pods);
            let topology = self.topology(&term.topology, nodes);
            between.anti_affinity.insert(TopologyTerm { selector, topology });
        }
        for spread in &demands.spread {
            between.spread.push(SpreadTerm {
                selector: self.selector(&spread.pods),
                topology: self.topology(&spread.topology, nodes),
                max_skew: spread.max_skew,
                min_domains: spread.min_domains,
                nodes: self.contents.count(&spread.nodes, node_properties(nodes)),
            });
        }
        between
    }

    fn selector(&mut self, pods: &PodSet) -> SelectorId {
        self.selectors.intern(PodSelector::All(BTreeSet::from([pods.clone()])))
    }

    fn topology(&mut self, key: &str, nodes: &NodeTable) -> TopologyId {
        self.topologies.intern(key, node_properties(nodes))
    }
}

fn node_properties(nodes: &NodeTable) -> impl Iterator<Item = (NodeId, &NodeProperties)> {
    nodes.all().map(|entry| (entry.record.id, &entry.terrain))
}

impl PodEntry {
    fn selected(&self) -> SelectablePod<'_> {
        let (namespace, claims) = (self.record.template.namespace.as_str(), self.declared.volumes.claims.as_slice());
        SelectablePod { namespace, labels: &self.declared.labels, claims }
    }

    /// Returns whether labels, demands and volumes are those of `before`, so that the content of the pod is the same as well.
    fn has_same_terms(&self, before: &PodEntry) -> bool {
        let (new, old) = (&self.declared, &before.declared);
        (Arc::ptr_eq(&new.labels, &old.labels) || new.labels == old.labels)
            && new.demands == old.demands
            && new.volumes == old.volumes
    }
}

impl Mirror {
    /// Sets a pod and computes its content, unless the content cannot have changed.
    pub(super) fn set_pod(&mut self, pod: PodId, mut entry: PodEntry) {
        let before = self.pods.get(pod).filter(|before| entry.has_same_terms(before));
        entry.record.inter_pod = match before.map(|before| before.record.inter_pod) {
            Some(same) => same,
            None => self.inter_pod_of(&entry),
        };
        if let Some(before) = self.pods.get(pod).filter(|before| before.declared.requests == entry.declared.requests) {
            // The requests that stand for volumes are computed when the changes are drained. Until then the pod keeps its former requests.
            let requests = &before.record.template.requests;
            if entry.declared.volumes == before.declared.volumes && entry.record.template.requests != *requests {
                entry.record.template_mut().requests.clone_from(requests);
            }
        }
        self.pods.replace(pod, entry);
    }

    fn inter_pod_of(&mut self, entry: &PodEntry) -> Option<InterPodId> {
        let (pod, volumes) = (entry.selected(), &self.volumes.known);
        let alone: Vec<&String> =
            pod.claims.iter().filter(|claim| volumes.is_for_one_pod(pod.namespace, claim)).collect();
        let claims = ClaimConstraints { exclusive: alone, colocated: self.colocated_claim(entry) };
        self.inter_pods.number(&pod, entry.declared.demands.as_deref(), &claims, &self.nodes)
    }

    /// Updates the contents of all pods. A new selector may choose pods that existed before the selector did.
    pub(super) fn resolve_inter_pods(&mut self) {
        let unsettled = std::mem::take(&mut self.inter_pods.stale_pods);
        self.recompute(unsettled);
        let new = self.inter_pods.selectors.take_new();
        if !new.is_empty() {
            let namespaces = &self.inter_pods.namespaces;
            let chosen = self.pods.all().filter(|entry| !new.of(&entry.selected(), namespaces).is_empty());
            let chosen = chosen.map(|entry| entry.record.id).collect();
            self.recompute(chosen);
        }
    }

    /// Forgets the contents and selectors that no pod has, once there may be as many unused as used ones. Call it after all changes were drained:
    /// only then does the policy know that no pod has them. Changes of the sweep are drained by the next call.
    pub(super) fn sweep_inter_pods(&mut self) {
        let pods = &self.pods;
        let freed = self.inter_pods.sweep(|| pods.from(0).filter_map(|entry| entry.record.inter_pod).collect());
        if freed.is_empty() {
            return;
        }
        let is_chosen =
            |pod: &PodId| self.inter_pod_terms(*pod).is_some_and(|between| !between.selected_by.is_disjoint(&freed));
        let chosen = self.pods.from(0).map(|entry| entry.record.id).filter(is_chosen).collect();
        self.recompute(chosen);
    }

    fn recompute(&mut self, pods: BTreeSet<PodId>) {
        for pod in pods {
            let Some(entry) = self.pods.get(pod).cloned() else { continue };
            let inter_pod = self.inter_pod_of(&entry);
            if inter_pod != entry.record.inter_pod {
                self.pods.change(pod, |entry| entry.record.inter_pod = inter_pod);
            }
        }
    }

    /// Creates or replaces a namespace, or removes it (`None`). Returns whether its labels have changed; `false` where the removed namespace did not
    /// exist.
    pub(super) fn set_namespace(&mut self, name: &str, labels: Option<BTreeMap<String, String>>) -> bool {
        let changed = self.inter_pods.namespaces.set(name, labels);
        if changed && self.inter_pods.selectors.reads_namespace_labels() {
            let of_it = self.pods.all().filter(|entry| entry.record.template.namespace == name);
            self.inter_pods.stale_pods.extend(of_it.map(|entry| entry.record.id));
        }
        changed
    }

    /// Returns the constraints between a pod and other pods. `None`: there are none, or the pod does not exist.
    pub(crate) fn inter_pod_terms(&self, pod: PodId) -> Option<&InterPodTerms> {
        self.inter_pods.contents.get(self.pod(pod)?.inter_pod?)
    }

    /// Returns the domain of a node in a topology. `None`: the node is in no domain.
    pub(crate) fn domain(&self, topology: TopologyId, node: NodeId) -> Option<u32> {
        Some(self.inter_pods.topologies.domain(topology, node)).filter(|domain| *domain != 0)
    }

    /// Returns the key of a topology: a label of nodes, or `ALL_NODES`.
    pub(crate) fn topology_key(&self, topology: TopologyId) -> &str {
        self.inter_pods.topologies.key(topology)
    }

    /// Returns whether a node counts under the rule of this number (see `SpreadTerm`).
    pub(crate) fn counts(&self, nodes: usize, node: NodeId) -> bool {
        self.inter_pods.contents.counts(nodes, node)
    }
}
