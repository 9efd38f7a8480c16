//! Room by resource and node, dense, for scans of all nodes.
//!
//! It repeats what the nodes say ([`Node::allocatable`], [`Node::free`]) in lists that a scan reads from front to back. A node whose room
//! changes is only marked; its numbers are copied before the next scan. A resource costs nothing before a pod that is filtered asks for it.

use std::collections::BTreeMap;

use super::bits::{Bits, WORD, put};
use super::index::{Index, Table};
use super::{Node, NodeIx, Request, ResourceIx};

/// The room of all nodes.
#[derive(Debug, Clone, Default)]
pub struct Rooms {
    columns: BTreeMap<ResourceIx, Column>,
    /// The nodes that are there.
    present: Bits,
    /// Those with pods that are nominated to them.
    nominated: Bits,
    /// The nodes that have changed since the last scan, each once.
    stale: Vec<NodeIx>,
    is_stale: Bits,
    /// Whether all nodes were read once.
    is_read: bool,
}

/// One resource of all nodes, by number; nothing for a node that is not there.
#[derive(Debug, Clone, Default)]
struct Column {
    allocatable: Vec<i64>,
    /// No node has less; some may have more.
    least: i64,
    free: Vec<i64>,
}

/// One resource that a pod asks for, beside what each node has of it.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// Its place in the request, from 1 on.
    number: u8,
    resource: ResourceIx,
    amount: i64,
    allocatable: &'a [i64],
    /// The least of it.
    least: i64,
    free: &'a [i64],
}

/// The first resource of a request of which a node has too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacks {
    /// Also when the node is empty.
    AtAll(ResourceIx),
    /// While others hold what they hold.
    Now(ResourceIx),
}

/// What a scan reads.
#[derive(Debug)]
pub struct Scan<'a> {
    /// By number of the resource.
    asked: Vec<Asked<'a>>,
    present: &'a Bits,
    nominated: &'a Bits,
}

/// A scan tells what a node lacks in one byte: so many resources a request may name.
const MOST_RESOURCES: usize = 127;

impl Scan<'_> {
    /// How many nodes a word of a set of nodes stands for.
    pub const WORD: usize = WORD;

    /// Whether [`Scan::lacking`] and [`Scan::large_enough`] answer for the whole of a request, not only for its first resources.
    pub fn takes(request: &Request) -> bool {
        request.iter().count() <= MOST_RESOURCES
    }

    /// What the request lacks on each of so many nodes, as a number each: 0 where it lacks nothing. First comes what a node never has.
    ///
    /// One list after the other, without a branch a node: what is written later comes first.
    pub fn lacking(&self, nodes: usize) -> Vec<u8> {
        let mut lacking = vec![0; nodes];
        for asked in self.asked.iter().rev() {
            mark(&mut lacking, asked.free, asked.amount, asked.number);
        }
        for asked in self.asked.iter().rev().filter(|asked| asked.least < asked.amount) {
            mark(&mut lacking, asked.allocatable, asked.amount, asked.number | NEVER);
        }
        lacking
    }

    /// Which of so many nodes have enough when they are empty, one bit a node. A resource of which every node has enough costs nothing.
    pub fn large_enough(&self, nodes: usize) -> Vec<u64> {
        let mut words: Vec<u64> = (0..nodes.div_ceil(WORD)).map(|word| self.present(word)).collect();
        for asked in self.asked.iter().filter(|asked| asked.least < asked.amount) {
            for (word, room) in words.iter_mut().zip(asked.allocatable.chunks(WORD)) {
                *word &= room.iter().rev().fold(0, |bits, room| bits << 1 | u64::from(*room >= asked.amount));
            }
        }
        words
    }

    /// What such a number means; none where nothing is lacking.
    pub fn meant(&self, lacking: u8) -> Option<Lacks> {
        let asked = self.asked.get(usize::from(lacking & !NEVER).checked_sub(1)?)?;
        Some(if lacking & NEVER == 0 { Lacks::Now(asked.resource) } else { Lacks::AtAll(asked.resource) })
    }

    /// Which of 64 nodes are there, one bit a node.
    #[inline]
    pub fn present(&self, word: usize) -> u64 {
        self.present.word(word)
    }

    /// Which of 64 nodes have pods that are nominated to them, one bit a node.
    #[inline]
    pub fn nominated(&self, word: usize) -> u64 {
        self.nominated.word(word)
    }
}

/// The bit of what a node lacks even when it is empty.
const NEVER: u8 = 0x80;

/// So many nodes are looked at between two branches: without them a scan in the sandbox is mostly its checks of the time. Their numbers
/// are the bytes of one word.
const STRIDE: usize = 8;

/// Writes a number where there is less than what is asked for.
#[inline(never)]
fn mark(lacking: &mut [u8], room: &[i64], amount: i64, number: u8) {
    let nodes = lacking.len().min(room.len());
    let (Some(lacking), Some(room)) = (lacking.get_mut(..nodes), room.get(..nodes)) else { return };
    let ((some, rest), (rooms, rest_of_room)) = (lacking.as_chunks_mut::<STRIDE>(), room.as_chunks::<STRIDE>());
    for (some, rooms) in some.iter_mut().zip(rooms) {
        // A byte for each node, 1 where there is less.
        let less = rooms.iter().rev().fold(0, |less, room| less << u8::BITS | u64::from(*room < amount));
        let others = u64::from_le_bytes(*some) & !less.wrapping_mul(u64::from(u8::MAX));
        *some = (others | less.wrapping_mul(u64::from(number))).to_le_bytes();
    }
    for (lacking, _) in rest.iter_mut().zip(rest_of_room).filter(|(_, room)| **room < amount) {
        *lacking = number;
    }
}

impl Rooms {
    /// What a node has, or has left, or the pods nominated to it have changed.
    pub fn outdate(&mut self, node: NodeIx) {
        if self.is_read && self.is_stale.insert(node.at()) {
            self.stale.push(node);
        }
    }

    /// What all nodes have has changed.
    pub fn outdate_all(&mut self) {
        *self = Rooms::default();
    }

    /// Copies what has changed, and the resources of a request that nobody has asked for so far.
    pub fn refresh(&mut self, nodes: &Table<NodeIx, Node>, request: &Request) {
        let stale = std::mem::take(&mut self.stale);
        if !self.is_read {
            self.is_read = true;
            nodes.iter().for_each(|(ix, node)| self.read(ix, Some(node)));
        }
        for ix in stale {
            self.is_stale.set(ix.at(), false);
            self.read(ix, nodes.get(ix));
        }
        for (resource, _) in request.iter().take(MOST_RESOURCES) {
            self.columns.entry(resource).or_insert_with(|| Column::of(nodes, resource));
        }
    }

    /// What a scan for this request reads. [`Rooms::refresh`] comes first.
    pub fn scan(&self, request: &Request) -> Scan<'_> {
        let asked = (1u8..).zip(request.iter().take(MOST_RESOURCES)).map(|(number, (resource, amount))| {
            let column = self.columns.get(&resource);
            let (allocatable, free) = column.map_or((&[][..], &[][..]), |column| (&column.allocatable, &column.free));
            Asked { number, resource, amount, allocatable, least: column.map_or(0, |column| column.least), free }
        });
        Scan { asked: asked.collect(), present: &self.present, nominated: &self.nominated }
    }

    /// What is free of a resource, by node. [`Rooms::refresh`] comes first, for a request that names it.
    pub fn free(&self, resource: ResourceIx) -> &[i64] {
        self.columns.get(&resource).map(|column| column.free.as_slice()).unwrap_or_default()
    }

    /// What there is of a resource, by node. [`Rooms::refresh`] comes first, for a request that names it.
    pub fn allocatable(&self, resource: ResourceIx) -> &[i64] {
        self.columns.get(&resource).map(|column| column.allocatable.as_slice()).unwrap_or_default()
    }

    /// Whether pods are nominated to a node.
    pub fn has_nominated(&self, node: NodeIx) -> bool {
        self.nominated.has(node.at())
    }

    fn read(&mut self, ix: NodeIx, node: Option<&Node>) {
        self.present.set(ix.at(), node.is_some());
        self.nominated.set(ix.at(), node.is_some_and(|node| !node.nominated.is_empty()));
        for (resource, column) in &mut self.columns {
            column.read(ix, *resource, node);
        }
    }
}

impl Column {
    fn of(nodes: &Table<NodeIx, Node>, resource: ResourceIx) -> Column {
        let mut column = Column { least: i64::MAX, ..Column::default() };
        nodes.iter().for_each(|(ix, node)| column.read(ix, resource, Some(node)));
        column
    }

    fn read(&mut self, ix: NodeIx, resource: ResourceIx, node: Option<&Node>) {
        let (allocatable, free) = node.map_or((0, 0), |node| (node.allocatable.get(resource), node.free.get(resource)));
        if node.is_some() {
            self.least = self.least.min(allocatable);
        }
        put(&mut self.allocatable, ix.at(), allocatable);
        put(&mut self.free, ix.at(), free);
    }
}
