//! The nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_contract::{Amount, Node, NodeId};

use super::ledger::Ledger;
use crate::cluster::eligibility::Terrain;

/// The nodes. A number belongs to a name for good: a node that comes back has the one it had.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ids: BTreeMap<Arc<str>, NodeId>,
    entries: Vec<Option<NodeEntry>>,
    pub(super) ledger: Ledger<NodeId>,
}

/// A node.
#[derive(Debug)]
pub(super) struct NodeEntry {
    pub(super) record: Node,
    /// What the node itself says that it has.
    pub(super) own: Vec<Amount>,
    pub(super) terrain: Terrain,
}

impl Nodes {
    /// The number of a name, a new one where it has none.
    pub(super) fn number(&mut self, name: &str) -> NodeId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NodeId::try_from(self.entries.len()).unwrap_or(NodeId::MAX);
        self.entries.push(None);
        self.ids.insert(Arc::from(name), id);
        id
    }

    /// The nodes from this number on.
    pub(super) fn from(&self, first: NodeId) -> impl Iterator<Item = &NodeEntry> {
        self.entries.get(first as usize..).unwrap_or_default().iter().flatten()
    }

    /// Sets a node under its number, or takes it away; gives what was there.
    pub(super) fn set(&mut self, id: NodeId, entry: Option<NodeEntry>) -> Option<NodeEntry> {
        let slot = self.entries.get_mut(id as usize)?;
        std::mem::replace(slot, entry)
    }

    /// Says what a node has.
    pub(super) fn give(&mut self, id: NodeId, allocatable: Vec<Amount>) {
        let entry = self.entries.get_mut(id as usize).and_then(Option::as_mut);
        if let Some(entry) = entry.filter(|entry| entry.record.allocatable != allocatable) {
            entry.record.allocatable = allocatable;
            self.ledger.changed(id);
        }
    }

    /// How many numbers were given, also those of nodes that are gone.
    pub(super) fn numbers(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&NodeEntry> {
        self.entries.get(id as usize)?.as_ref()
    }

    /// The number of the node of this name, where there is one.
    pub(super) fn id(&self, name: &str) -> Option<NodeId> {
        self.ids.get(name).copied().filter(|id| self.get(*id).is_some())
    }

    /// The node of this name.
    pub(super) fn find(&self, name: &str) -> Option<(NodeId, &Terrain)> {
        let id = self.id(name)?;
        self.get(id).map(|entry| (id, &entry.terrain))
    }

    /// All nodes, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = &NodeEntry> {
        self.entries.iter().flatten()
    }
}
