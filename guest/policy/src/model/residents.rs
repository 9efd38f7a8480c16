//! The pods on each node, dense, for searches that look at every one of them.
//!
//! It repeats what pods say, in one list a node. A node whose pods change is only marked; its list is made anew before the next search.
//! Pods that no guard can tell apart are of one class, so that a search asks the guards once a class, not once a pod.

mod likeness;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::bits::BitSet;
use super::index::{Table, TableIndex};
use super::{NodeInfo, NodeIx, PagedTable, PodInfo, PodIx, VictimClassIx};
use likeness::VictimClassKey;

/// A pod on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePod {
    /// The pod.
    pub pod: PodIx,
    /// Its class.
    pub class: VictimClassIx,
    /// The priority; the highest is the most important.
    pub priority: i32,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// The time when it started, in nanoseconds since 1970. `None`: it has not started.
    pub started: Option<i64>,
}

/// The pods of all nodes.
#[derive(Debug, Clone, Default)]
pub struct NodePods {
    nodes: Table<NodeIx, Vec<NodePod>>,
    classes: BTreeMap<VictimClassKey, VictimClassIx>,
    /// The nodes that have changed since the last search, without repetition.
    stale: Vec<NodeIx>,
    is_stale: BitSet,
    /// Whether all nodes were read once.
    is_loaded: bool,
}

/// The number of classes up to which they are not renumbered. With more classes than this, and than pods, most classes have no pods any more.
const FEW_CLASSES: usize = 1024;

impl NodePods {
    /// Marks a node as changed: its pods have changed, or an attribute of one of them.
    pub fn mark_stale(&mut self, node: NodeIx) {
        if self.is_loaded && self.is_stale.insert(node.position()) {
            self.stale.push(node);
        }
    }

    /// Forgets all nodes, because an attribute of many pods has changed.
    pub fn mark_all_stale(&mut self) {
        *self = NodePods::default();
    }

    /// Reads the nodes that have changed.
    pub fn refresh(&mut self, nodes: &Table<NodeIx, NodeInfo>, pods: &PagedTable<PodIx, PodInfo>) {
        if self.classes.len() > FEW_CLASSES.max(pods.len()) {
            self.mark_all_stale();
        }
        let stale = std::mem::take(&mut self.stale);
        if !self.is_loaded {
            self.is_loaded = true;
            nodes.iter().for_each(|(ix, node)| self.read(ix, Some(node), pods));
        }
        for ix in stale {
            self.is_stale.set(ix.position(), false);
            self.read(ix, nodes.get(ix), pods);
        }
    }

    /// Returns the pods of a node, the least important first; of equal ones, the youngest first. [`NodePods::refresh`] must be called first.
    pub fn on(&self, node: NodeIx) -> &[NodePod] {
        self.nodes.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number of classes.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    fn read(&mut self, ix: NodeIx, node: Option<&NodeInfo>, pods: &PagedTable<PodIx, PodInfo>) {
        let mut list = self.nodes.remove(ix).unwrap_or_default();
        list.clear();
        for (pod_ix, pod) in node.iter().flat_map(|node| &node.pods).filter_map(|ix| Some((*ix, pods.get(*ix)?))) {
            let next = VictimClassIx::from_position(self.classes.len()).unwrap_or(VictimClassIx(u32::MAX));
            let class = *self.classes.entry(VictimClassKey::of(pod)).or_insert(next);
            list.push(NodePod {
                pod: pod_ix,
                class,
                priority: pod.priority(),
                created: pod.times.created,
                started: pod.times.started,
            });
        }
        list.sort_unstable_by_key(|resident| (resident.priority, Reverse(resident.created), resident.pod));
        self.nodes.insert(ix, list);
    }
}
