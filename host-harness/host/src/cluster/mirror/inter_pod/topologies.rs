//! The numbers of topologies, and the domain of every node in each.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, Topology, TopologyId};

use crate::cluster::eligibility::NodeProperties;

/// The key of the topology in which all nodes are of one domain.
pub(crate) const ALL_NODES: &str = "";

/// The key of the topology in which every node is a domain. No label has such a key.
pub(super) const EACH_NODE: &str = ".metadata.name";

/// All topologies. A topology is never removed: topologies are as few as label keys, and another pod may need the topology again.
#[derive(Debug, Default)]
pub(super) struct Topologies {
    ids: BTreeMap<String, TopologyId>,
    all: Vec<NodeDomains>,
    changed: BTreeSet<TopologyId>,
}

/// A division of the nodes.
#[derive(Debug, Default)]
struct NodeDomains {
    key: String,
    /// The numbers of the domains that have nodes, from 1, by value.
    values: BTreeMap<String, u32>,
    /// The value of each domain and its number of nodes, from domain 1 on. A domain without nodes has a free number.
    sizes: Vec<(String, u32)>,
    free: BTreeSet<u32>,
    /// The domain of each node, by number; 0: none.
    domains: Vec<u32>,
}

impl NodeDomains {
    fn place(&mut self, id: NodeId, node: Option<&NodeProperties>) -> bool {
        let domain = node.map_or(0, |node| self.domain_of(node));
        let (index, before) = (id as usize, self.domain(id));
        if domain != 0 && self.domains.len() <= index {
            self.domains.resize(index.saturating_add(1), 0);
        }
        if let Some(slot) = self.domains.get_mut(index) {
            *slot = domain;
        }
        if domain != before {
            self.enter(domain);
            self.leave(before);
        }
        domain != before
    }

    /// Counts a node into a domain.
    fn enter(&mut self, domain: u32) {
        if let Some((_, nodes)) = self.size_mut(domain) {
            *nodes = nodes.saturating_add(1);
        }
    }

    /// Counts a node out of a domain. The number of a domain without nodes is reused. Node names are values as well, and nodes are added and removed
    /// often.
    fn leave(&mut self, domain: u32) {
        let Some((value, nodes)) = self.size_mut(domain) else { return };
        *nodes = nodes.saturating_sub(1);
        if *nodes == 0 {
            let value = std::mem::take(value);
            self.values.remove(&value);
            self.free.insert(domain);
        }
    }

    fn size_mut(&mut self, domain: u32) -> Option<&mut (String, u32)> {
        self.sizes.get_mut(usize::try_from(domain).ok()?.checked_sub(1)?)
    }

    fn domain_of(&mut self, node: &NodeProperties) -> u32 {
        if self.key == ALL_NODES {
            return 1;
        }
        let value = if self.key == EACH_NODE { Some(&node.name) } else { node.labels.get(&self.key) };
        let Some(value) = value else { return 0 };
        if let Some(domain) = self.values.get(value) {
            return *domain;
        }
        let next = u32::try_from(self.sizes.len()).unwrap_or(u32::MAX).saturating_add(1);
        let domain = self.free.pop_first().unwrap_or(next);
        match self.size_mut(domain) {
            Some(free) => *free = (value.clone(), 0),
            None => self.sizes.push((value.clone(), 0)),
        }
        self.values.insert(value.clone(), domain);
        domain
    }

    fn domain(&self, id: NodeId) -> u32 {
        self.domains.get(id as usize).copied().unwrap_or(0)
    }
}

impl Topologies {
    /// Returns the number of the topology with this key. A new topology divides these nodes.
    pub(super) fn intern<'n>(
        &mut self,
        key: &str,
        nodes: impl Iterator<Item = (NodeId, &'n NodeProperties)>,
    ) -> TopologyId {
        if let Some(id) = self.ids.get(key) {
            return *id;
        }
        let id = TopologyId::try_from(self.all.len()).unwrap_or(TopologyId::MAX);
        let mut division = NodeDomains { key: key.to_owned(), ..NodeDomains::default() };
        for (node, terrain) in nodes {
            division.place(node, Some(terrain));
        }
        self.all.push(division);
        self.ids.insert(key.to_owned(), id);
        self.changed.insert(id);
        id
    }

    /// Updates a node that is new or has changed, or removes one (`None`).
    pub(super) fn place(&mut self, node: NodeId, terrain: Option<&NodeProperties>) {
        for (id, division) in (0..).zip(&mut self.all) {
            if division.place(node, terrain) {
                self.changed.insert(id);
            }
        }
    }

    /// Returns the domain of a node; 0 where the node is in no domain.
    pub(super) fn domain(&self, topology: TopologyId, node: NodeId) -> u32 {
        self.all.get(topology as usize).map_or(0, |division| division.domain(node))
    }

    /// Returns the key of a topology.
    pub(super) fn key(&self, topology: TopologyId) -> &str {
        self.all.get(topology as usize).map_or(ALL_NODES, |division| &division.key)
    }

    /// Returns the topologies that are new or have changed since the last call.
    pub(super) fn drain(&mut self) -> Vec<Topology> {
        std::mem::take(&mut self.changed).into_iter().filter_map(|id| self.to_event(id)).collect()
    }

    /// Returns the topologies from this number on.
    pub(super) fn from(&self, first: TopologyId) -> impl Iterator<Item = Topology> {
        (first..u32::MAX).map_while(|id| self.to_event(id))
    }

    fn to_event(&self, id: TopologyId) -> Option<Topology> {
        let NodeDomains { key, domains, .. } = self.all.get(id as usize)?;
        let end = domains.iter().rposition(|domain| *domain != 0).map_or(0, |last| last.saturating_add(1));
        Some(Topology { id, key: key.clone(), domains: domains.iter().take(end).copied().collect() })
    }
}
