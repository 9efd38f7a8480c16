//! Events at random: few names, so that they meet.

use proptest::prelude::*;

use crate::contract::{Event, InterPod, Phase, PodAffinity, Topology, TopologySpread, TopologyTerm};
use crate::testing::{INSIDE, PodBuilder, PolicyHarness, ROOT, key, pod, quota, reservation};

/// An event in the cluster.
#[derive(Debug, Clone)]
pub enum Happening {
    Node(usize, [i64; 2]),
    NodeGone(usize),
    Pod(Pod),
    PodGone(usize),
    Reserve(usize, usize),
    Unreserve(usize),
    Quota(usize, Option<usize>),
    QuotaGone(usize),
    Topology(Topology),
    InterPod(InterPod),
}

/// A pod, or one of the two reservations.
#[derive(Debug, Clone)]
pub struct Pod {
    slot: usize,
    asks: [i64; 2],
    node: Option<usize>,
    nominated: Option<usize>,
    quota: Option<usize>,
    preemptible: bool,
    job: Option<usize>,
    inside: Option<usize>,
    ended: bool,
    terminating: bool,
    inter_pod: Option<u32>,
}

const NODES: usize = 3;
const PODS: usize = 8;
/// The slots from here on are reservations.
const RESERVATIONS: usize = 6;
const QUOTAS: usize = 4;

pub fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    proptest::collection::vec(happening(), 1..40)
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (0..NODES, 0..9i64, some_or_none()).prop_map(|(node, cpu, memory)| Happening::Node(node, [cpu, memory])),
        1 => (0..NODES).prop_map(Happening::NodeGone),
        12 => a_pod().prop_map(Happening::Pod),
        2 => (0..PODS).prop_map(Happening::PodGone),
        4 => (0..PODS, 0..NODES).prop_map(|(pod, node)| Happening::Reserve(pod, node)),
        2 => (0..PODS).prop_map(Happening::Unreserve),
        3 => (0..QUOTAS, proptest::option::of(0..QUOTAS)).prop_map(|(quota, parent)| Happening::Quota(quota, parent)),
        1 => (0..QUOTAS).prop_map(Happening::QuotaGone),
        2 => a_topology().prop_map(Happening::Topology),
        4 => an_inter_pod().prop_map(Happening::InterPod),
    ]
}

/// Returns an amount of a resource that every second node lacks.
fn some_or_none() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), 0..9i64]
}

/// Returns one of two topologies. A third one is never announced.
fn a_topology() -> impl Strategy<Value = Topology> {
    let domains = proptest::collection::vec(0..3u32, 0..=NODES);
    (0..2u32, domains).prop_map(|(id, domains)| Topology { id, key: format!("zone{id}"), domains })
}

/// Returns one of three inter-pod constraints. A fourth one is never announced.
fn an_inter_pod() -> impl Strategy<Value = InterPod> {
    let terms = || (0..3u32, prop_oneof![9 => 0..2u32, 1 => Just(2u32)]);
    let term = || terms().prop_map(|(selector, topology)| TopologyTerm { selector, topology });
    let affinity = (0..3u32, proptest::collection::vec(0..2u32, 1..3))
        .prop_map(|(selector, topologies)| PodAffinity { selector, topologies });
    let spread =
        (terms(), 1..3u32, 1..3u32, 0..16u64).prop_map(|((selector, topology), max_skew, min_domains, nodes)| {
            TopologySpread { selector, topology, max_skew, min_domains, nodes: vec![nodes] }
        });
    let selected_by = proptest::collection::vec(0..3u32, 0..3);
    let affinity = proptest::option::weighted(0.4, affinity);
    let rest = (proptest::collection::vec(term(), 0..2), proptest::collection::vec(spread, 0..2));
    (0..3u32, selected_by, affinity, rest).prop_map(|(id, selected_by, affinity, (anti_affinity, spread))| InterPod {
        id,
        selected_by,
        affinity,
        anti_affinity,
        spread,
    })
}

fn a_pod() -> impl Strategy<Value = Pod> {
    let one_of = |span| proptest::option::of(0..span);
    let places = (one_of(NODES), proptest::option::weighted(0.3, 0..NODES), proptest::option::weighted(0.3, 0..2usize));
    let flags = (any::<bool>(), proptest::bool::weighted(0.1), proptest::bool::weighted(0.1));
    let flags = (flags, proptest::option::of(0..4u32));
    (0..PODS, [0..5i64, 0..5], places, one_of(QUOTAS), one_of(2), flags).prop_map(
        |(slot, asks, (node, nominated, inside), quota, job, ((preemptible, ended, terminating), inter_pod))| Pod {
            slot,
            asks,
            node,
            nominated,
            quota,
            preemptible,
            job,
            inside,
            ended,
            terminating,
            inter_pod,
        },
    )
}

fn slot_name(slot: usize) -> String {
    match slot.checked_sub(RESERVATIONS) {
        Some(number) => format!("Reservation/r{number}"),
        None => format!("default/p{slot}"),
    }
}

fn amounts([cpu, memory]: [i64; 2]) -> String {
    format!("cpu={cpu} memory={memory}")
}

impl Pod {
    fn draft(&self) -> PodBuilder {
        let draft = match self.slot.checked_sub(RESERVATIONS) {
            Some(number) => reservation(&format!("r{number}")),
            None => pod(&format!("p{}", self.slot)),
        };
        let mut draft = draft.requests(&amounts(self.asks)).preemptible(self.preemptible);
        if let Some(node) = self.node {
            draft = draft.on(&format!("n{node}"));
        }
        if let Some(node) = self.nominated {
            draft = draft.nominated(&format!("n{node}"));
        }
        if let Some(quota) = self.quota {
            draft = draft.quota(&format!("q{quota}"));
        }
        if let Some(job) = self.job {
            draft = draft.job(&format!("j{job}"));
        }
        if let Some(inside) = self.inside.filter(|_| self.slot < RESERVATIONS) {
            draft = draft.annotation(INSIDE, &format!(r#"{{"name": "r{inside}"}}"#));
        }
        draft.with(|pod| {
            pod.terminating = self.terminating;
            pod.inter_pod = self.inter_pod;
            if self.ended {
                pod.phase = Phase::Failed;
            }
        })
    }
}

/// Applies an event to the world.
pub fn apply_event(world: &mut PolicyHarness, happening: &Happening) {
    match happening {
        Happening::Node(node, has) => world.node(&format!("n{node}"), &amounts(*has)),
        Happening::NodeGone(node) => {
            if let Some(id) = world.numbers.nodes.get(&format!("n{node}")).copied() {
                world.apply(vec![Event::NodeRemoved(id)]);
            }
        }
        Happening::Pod(pod) => world.pod(pod.draft()),
        Happening::PodGone(slot) => {
            if let Some(id) = known(world, *slot) {
                world.apply(vec![Event::PodRemoved(id)]);
            }
        }
        // Whether the pod may be reserved is the host's decision; the books must be right either way.
        Happening::Reserve(slot, node) => {
            let node = world.numbers.nodes.get(&format!("n{node}")).copied();
            if let Some((pod, node)) = known(world, *slot).zip(node) {
                let _ = world.engine.reserve(pod, node);
            }
        }
        Happening::Unreserve(slot) => {
            if let Some(pod) = known(world, *slot) {
                let _ = world.engine.unreserve(pod, crate::contract::ReleaseCause::Timeout);
            }
        }
        Happening::Quota(name, parent) => {
            let parent = parent.map_or(ROOT.to_owned(), |parent| format!("q{parent}"));
            world.object(quota(&format!("q{name}"), &parent, "", "cpu=9"));
        }
        Happening::Topology(topology) => world.apply(vec![Event::Topology(topology.clone())]),
        Happening::InterPod(inter_pod) => world.apply(vec![Event::InterPod(inter_pod.clone())]),
        Happening::QuotaGone(name) => {
            let gone = key(&quota(&format!("q{name}"), "", "", ""));
            world.apply(vec![Event::ObjectRemoved(gone)]);
        }
    }
}

/// Returns the number of a pod that was announced before. `None`: it never was.
pub fn known(world: &PolicyHarness, slot: usize) -> Option<u32> {
    world.numbers.pods.get(&slot_name(slot)).copied()
}
