//! Room by resource and node, dense, for scans of all nodes.
//!
//! It repeats what the nodes say ([`Node::allocatable`], [`Node::free`]) in lists that a scan reads from front to back. A node whose room
//! changes is only marked; its numbers are copied before the next scan. A resource costs nothing before a pod that is filtered asks for it.

use std::collections::BTreeMap;

use super::bits::{BitSet, WORD, set_growing};
use super::index::{Table, TableIndex};
use super::{NodeInfo, NodeIx, ResourceIx, ResourceRequest};

/// The capacity of all nodes.
#[derive(Debug, Clone, Default)]
pub struct CapacityColumns {
    columns: BTreeMap<ResourceIx, Column>,
    /// The nodes that exist.
    present: BitSet,
    /// The nodes to which pods are nominated.
    nominated: BitSet,
    /// The nodes that have changed since the last scan, without repetition.
    stale: Vec<NodeIx>,
    is_stale: BitSet,
    /// Whether all nodes were read once.
    is_loaded: bool,
}

/// One resource of all nodes, by node number; zero for a number without a node. The lists end with the last node that has some of the resource: pods
/// may request resources that no node has, and each such name must cost next to nothing.
#[derive(Debug, Clone, Default)]
struct Column {
    allocatable: Vec<i64>,
    /// A lower bound of what each node has.
    least: i64,
    free: Vec<i64>,
}

/// One resource that a pod requests, with the amounts of each node.
#[derive(Debug, Clone, Copy)]
struct RequestColumn<'a> {
    /// The position of the resource in the request, from 1.
    number: u8,
    resource: ResourceIx,
    amount: i64,
    allocatable: &'a [i64],
    /// A lower bound of what each node has of the resource.
    least: i64,
    free: &'a [i64],
}

/// The first resource of a request of which a node has too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insufficient {
    /// There is too little even when the node is empty.
    Allocatable(ResourceIx),
    /// There is too little while other pods use what they use.
    Free(ResourceIx),
}

/// The input of a scan.
#[derive(Debug)]
pub struct CapacityScan<'a> {
    /// The requested resources, in the order of their numbers.
    requested: Vec<RequestColumn<'a>>,
    present: &'a BitSet,
    nominated: &'a BitSet,
}

/// The maximum number of resources of a scanned request: a scan names a lack in one byte.
const MOST_RESOURCES: usize = 127;

impl CapacityScan<'_> {
    /// The number of nodes in a word of a set of nodes.
    pub const WORD: usize = WORD;

    /// Checks whether [`CapacityScan::lacking`] and [`CapacityScan::large_enough`] cover the whole request, not only its first resources.
    pub fn supports(request: &ResourceRequest) -> bool {
        request.iter().count() <= MOST_RESOURCES
    }

    /// Returns what the request lacks on each of so many nodes, as one number a node; 0: nothing. A resource that the empty node lacks comes first.
    ///
    /// Each resource is a pass over all nodes without a branch. Later passes overwrite earlier ones, so they run from the last resource to the first.
    pub fn first_insufficient(&self, nodes: usize) -> Vec<u8> {
        let mut lacking = vec![0; nodes];
        for asked in self.requested.iter().rev() {
            mark(&mut lacking, asked.free, asked.amount, asked.number);
        }
        for asked in self.requested.iter().rev().filter(|asked| asked.least < asked.amount) {
            mark(&mut lacking, asked.allocatable, asked.amount, asked.number | TOO_SMALL_BIT);
        }
        lacking
    }

    /// Returns which of so many nodes have enough when they are empty, one bit a node. A resource of which every node has enough costs nothing.
    pub fn large_enough(&self, nodes: usize) -> Vec<u64> {
        let mut words: Vec<u64> = (0..nodes.div_ceil(WORD)).map(|word| self.present(word)).collect();
        for asked in self.requested.iter().filter(|asked| asked.least < asked.amount) {
            let rooms = asked.allocatable.chunks(WORD).chain(std::iter::repeat(&[][..]));
            for (word, room) in words.iter_mut().zip(rooms) {
                *word &= room.iter().rev().fold(0, |bits, room| bits << 1 | u64::from(*room >= asked.amount));
            }
        }
        words
    }

    /// Returns the resource that such a number names. `None`: nothing is lacking.
    pub fn decode(&self, lacking: u8) -> Option<Insufficient> {
        let asked = self.requested.get(usize::from(lacking & !TOO_SMALL_BIT).checked_sub(1)?)?;
        Some(if lacking & TOO_SMALL_BIT == 0 {
            Insufficient::Free(asked.resource)
        } else {
            Insufficient::Allocatable(asked.resource)
        })
    }

    /// Returns which of 64 nodes exist, one bit a node.
    #[inline]
    pub fn present(&self, word: usize) -> u64 {
        self.present.word(word)
    }

    /// Returns which of 64 nodes have pods that are nominated to them, one bit a node.
    #[inline]
    pub fn nominated(&self, word: usize) -> u64 {
        self.nominated.word(word)
    }
}

/// The bit that marks a lacking resource of which even the empty node has too little.
const TOO_SMALL_BIT: u8 = 0x80;

/// The number of nodes between two branches. Without this, a scan in the sandbox is mostly its checks of the time. The numbers of so many nodes are
/// the bytes of one word.
const STRIDE: usize = 8;

/// Writes a number for each node with less than the requested amount. Nodes beyond the end of the list have none of the resource.
#[inline(never)]
fn mark(lacking: &mut [u8], room: &[i64], amount: i64, number: u8) {
    let (lacking, beyond) = lacking.split_at_mut(lacking.len().min(room.len()));
    beyond.fill(number);
    let Some(room) = room.get(..lacking.len()) else { return };
    let ((some, rest), (rooms, rest_of_room)) = (lacking.as_chunks_mut::<STRIDE>(), room.as_chunks::<STRIDE>());
    for (some, rooms) in some.iter_mut().zip(rooms) {
        // All bits of a node's byte where there is less, or none. Natively this becomes comparisons of several nodes at once.
        let less = u64::from_le_bytes(rooms.map(|room| if room < amount { u8::MAX } else { 0 }));
        *some = (u64::from_le_bytes(*some) & !less | u64::from_le_bytes([number; STRIDE]) & less).to_le_bytes();
    }
    for (lacking, _) in rest.iter_mut().zip(rest_of_room).filter(|(_, room)| **room < amount) {
        *lacking = number;
    }
}

impl CapacityColumns {
    /// Marks a node as changed: its allocatable or free amounts, or the pods nominated to it.
    pub fn mark_stale(&mut self, node: NodeIx) {
        if self.is_loaded && self.is_stale.insert(node.position()) {
            self.stale.push(node);
        }
    }

    /// Forgets all nodes, because the amounts of all of them have changed.
    pub fn mark_all_stale(&mut self) {
        *self = CapacityColumns::default();
    }

    /// Copies the changes of nodes, and the resources of a request that are read for the first time.
    pub fn refresh(&mut self, nodes: &Table<NodeIx, NodeInfo>, request: &ResourceRequest) {
        let stale = std::mem::take(&mut self.stale);
        if !self.is_loaded {
            self.is_loaded = true;
            nodes.iter().for_each(|(ix, node)| self.read(ix, Some(node)));
        }
        for ix in stale {
            self.is_stale.set(ix.position(), false);
            self.read(ix, nodes.get(ix));
        }
        for (resource, _) in request.iter().take(MOST_RESOURCES) {
            self.columns.entry(resource).or_insert_with(|| Column::of(nodes, resource));
        }
    }

    /// Returns the input of a scan for this request. [`CapacityColumns::refresh`] must be called first.
    pub fn scan(&self, request: &ResourceRequest) -> CapacityScan<'_> {
        let asked = (1u8..).zip(request.iter().take(MOST_RESOURCES)).map(|(number, (resource, amount))| {
            let column = self.columns.get(&resource);
            let (allocatable, free) = column.map_or((&[][..], &[][..]), |column| (&column.allocatable, &column.free));
            RequestColumn {
                number,
                resource,
                amount,
                allocatable,
                least: column.map_or(0, |column| column.least),
                free,
            }
        });
        CapacityScan { requested: asked.collect(), present: &self.present, nominated: &self.nominated }
    }

    /// Returns the free amounts of a resource, by node. [`CapacityColumns::refresh`] must be called first, for a request that names the resource.
    pub fn free(&self, resource: ResourceIx) -> &[i64] {
        self.columns.get(&resource).map(|column| column.free.as_slice()).unwrap_or_default()
    }

    /// Returns the allocatable amounts of a resource, by node. [`CapacityColumns::refresh`] must be called first, for a request that names the resource.
    pub fn allocatable(&self, resource: ResourceIx) -> &[i64] {
        self.columns.get(&resource).map(|column| column.allocatable.as_slice()).unwrap_or_default()
    }

    /// Checks whether pods are nominated to a node.
    pub fn has_nominated(&self, node: NodeIx) -> bool {
        self.nominated.has(node.position())
    }

    fn read(&mut self, ix: NodeIx, node: Option<&NodeInfo>) {
        self.present.set(ix.position(), node.is_some());
        self.nominated.set(ix.position(), node.is_some_and(|node| !node.nominated.is_empty()));
        for (resource, column) in &mut self.columns {
            column.read(ix, *resource, node);
        }
    }
}

impl Column {
    fn of(nodes: &Table<NodeIx, NodeInfo>, resource: ResourceIx) -> Column {
        let mut column = Column { least: i64::MAX, ..Column::default() };
        nodes.iter().for_each(|(ix, node)| column.read(ix, resource, Some(node)));
        column
    }

    fn read(&mut self, ix: NodeIx, resource: ResourceIx, node: Option<&NodeInfo>) {
        let (allocatable, free) = node.map_or((0, 0), |node| (node.allocatable.get(resource), node.free.get(resource)));
        if node.is_some() {
            self.least = self.least.min(allocatable);
        }
        for (list, amount) in [(&mut self.allocatable, allocatable), (&mut self.free, free)] {
            if amount != 0 || ix.position() < list.len() {
                set_growing(list, ix.position(), amount);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PolicyHarness;

    #[test]
    fn a_resource_has_no_amounts_beyond_the_last_node_that_has_some() {
        let mut world = PolicyHarness::new();
        (0..70).for_each(|at| world.node(&format!("n{at}"), if at == 1 { "cpu=4 memory=8" } else { "cpu=4" }));
        let (memory, cluster) = (ResourceIx(1), world.engine.cluster_mut());
        let request = ResourceRequest::new(vec![(memory, 8)]);
        cluster.prepare_scan(&request);
        assert_eq!(
            (cluster.capacity_columns().free(memory), cluster.capacity_columns().allocatable(memory)),
            (&[0, 8][..], &[0, 8][..])
        );
        let scan = cluster.scan(&request);
        assert_eq!(scan.large_enough(70), [0b10, 0]);
        let fits =
            scan.first_insufficient(70).into_iter().enumerate().filter(|(_, number)| scan.decode(*number).is_none());
        assert_eq!(fits.map(|(at, _)| at).collect::<Vec<_>>(), [1]);
    }
}
