//! The nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_contract::{Amount, Node, NodeId};

use super::ledger::ChangeSet;
use crate::cluster::eligibility::NodeProperties;

/// The nodes. A number belongs to a name for good: a node that is created again has its former number.
#[derive(Debug, Default)]
pub(super) struct NodeTable {
    ids: BTreeMap<Arc<str>, NodeId>,
    entries: Vec<Option<NodeEntry>>,
    pub(super) ledger: ChangeSet<NodeId>,
}

/// A node.
#[derive(Debug)]
pub(super) struct NodeEntry {
    pub(super) record: Node,
    /// The allocatable amounts that the Node object itself states.
    pub(super) declared_allocatable: Vec<Amount>,
    pub(super) terrain: NodeProperties,
}

impl NodeTable {
    /// Returns the number of a node name; a new name gets a new number.
    pub(super) fn number(&mut self, name: &str) -> NodeId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NodeId::try_from(self.entries.len()).unwrap_or(NodeId::MAX);
        self.entries.push(None);
        self.ids.insert(Arc::from(name), id);
        id
    }

    /// Returns the nodes from this number on.
    pub(super) fn from(&self, first: NodeId) -> impl Iterator<Item = &NodeEntry> {
        self.entries.get(first as usize..).unwrap_or_default().iter().flatten()
    }

    /// Sets a node under its number, or removes it (`None`). Returns the former node.
    pub(super) fn set(&mut self, id: NodeId, entry: Option<NodeEntry>) -> Option<NodeEntry> {
        let slot = self.entries.get_mut(id as usize)?;
        std::mem::replace(slot, entry)
    }

    /// Sets the allocatable amounts of a node.
    pub(super) fn set_allocatable(&mut self, id: NodeId, allocatable: Vec<Amount>) {
        let entry = self.entries.get_mut(id as usize).and_then(Option::as_mut);
        if let Some(entry) = entry.filter(|entry| entry.record.allocatable != allocatable) {
            entry.record.allocatable = allocatable;
            self.ledger.record_changed(id);
        }
    }

    /// Returns how many numbers were given, including those of deleted nodes.
    pub(super) fn numbers(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&NodeEntry> {
        self.entries.get(id as usize)?.as_ref()
    }

    /// Returns the number of the node of this name. `None`: the node does not exist.
    pub(super) fn id(&self, name: &str) -> Option<NodeId> {
        self.ids.get(name).copied().filter(|id| self.get(*id).is_some())
    }

    /// Returns the number and the terrain of the node of this name. `None`: the node does not exist.
    pub(super) fn find(&self, name: &str) -> Option<(NodeId, &NodeProperties)> {
        let id = self.id(name)?;
        self.get(id).map(|entry| (id, &entry.terrain))
    }

    /// Returns all nodes, ordered by number.
    pub(super) fn all(&self) -> impl Iterator<Item = &NodeEntry> {
        self.entries.iter().flatten()
    }
}
