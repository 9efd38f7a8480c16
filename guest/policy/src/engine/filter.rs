//! Filter: which nodes take this pod?

use crate::contract::*;
use crate::model::{Amounts, Cluster, Node, NodeIx, Nominated, PodIx, Request, WhatIf};

use super::{Engine, room, search};

/// The code of a number that is no node.
const NO_NODE: room::Verdict = room::Verdict::Ineligible;

/// A pod as one node sees it.
struct Ask<'a> {
    pod: PodIx,
    /// Room that is promised to anybody is kept.
    firm: bool,
    request: &'a Request,
    /// What it takes of the node: its request, or what a reservation there leaves of it.
    takes: &'a Request,
}

impl Engine {
    /// See `placement.filter`.
    pub fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        let (firm, ix) = (search::of(self.laws()?).promises_are_firm(), PodIx(pod));
        let pod = self.cluster.pod(ix).ok_or(PolicyError::UnknownPod(pod))?;
        let (shape, request) = (pod.shape, pod.request.clone());
        let may_use_reservation = self.cluster.may_use_reservation(ix);
        let nominated = self.cluster.nominated_between(ix, |node| promised(&self.cluster, node, ix, firm));
        let others = self.cluster.is_between(ix).then_some(&nominated);
        let mut verdicts = Verdicts::default();
        let mut inside = Vec::new();
        for at in (0u32..).map(NodeIx).take(self.cluster.node_span()) {
            let reservation_allocation =
                if may_use_reservation { self.cluster.reservation_allocation(ix, at) } else { None };
            let takes = reservation_allocation
                .as_ref()
                .map_or(&request, |reservation_allocation| &reservation_allocation.beside);
            let ask = Ask { pod: ix, firm, request: &request, takes };
            let verdict = match self.cluster.node(at) {
                Some(node) if self.cluster.eligible(shape, at) => room(&self.cluster, (at, node), &ask),
                _ => NO_NODE,
            };
            let verdict = others.map_or(verdict, |others| beside(&self.cluster, (ix, at), others, verdict));
            if reservation_allocation.is_some() && verdict == room::Verdict::Fits {
                inside.push(verdicts.codes.len());
            }
            verdicts.push(verdict);
        }
        if !inside.is_empty() {
            verdicts.send_inside(&inside);
        }
        if self.notes.are_on() {
            self.notes.resume(ix);
            self.tell_all(ix, firm, &request, &verdicts);
        }
        let obstacles = verdicts.seen.iter().map(|verdict| verdict.obstacle(&self.cluster)).collect();
        Ok(NodeVerdicts { codes: verdicts.codes, obstacles })
    }

    /// Notes of every node why it does not take a pod.
    fn tell_all(&mut self, pod: PodIx, firm: bool, request: &Request, verdicts: &Verdicts) {
        for (at, code) in (0u32..).map(NodeIx).zip(&verdicts.codes) {
            let Some(verdict) = verdicts.meant(*code) else { continue };
            let reservation_allocation = self.cluster.reservation_allocation(pod, at);
            let takes = reservation_allocation
                .as_ref()
                .map_or(request, |reservation_allocation| &reservation_allocation.beside);
            self.tell(at, &Ask { pod, firm, request, takes }, verdict);
        }
    }

    /// Notes why a node does not take a pod, with both sides' numbers. Where the pod may not run, the host knows why.
    fn tell(&mut self, ix: NodeIx, ask: &Ask<'_>, verdict: room::Verdict) {
        let Some(node) = self.cluster.node(ix) else { return };
        let lack = match verdict {
            room::Verdict::Fits | room::Verdict::Ineligible => return,
            room::Verdict::Kept | room::Verdict::InterPod(_) | room::Verdict::Elsewhere => None,
            room::Verdict::TooSmall(_) => room::Lack::of(&node.allocatable, ask.request),
            room::Verdict::Full(_) => room::Lack::of(&node.free, ask.takes),
            room::Verdict::Promised(_) => {
                let promised = promised(&self.cluster, node, ask.pod, ask.firm);
                room::Lack::of(&left(&self.cluster, node, &promised), ask.takes)
            }
        };
        let reason = verdict.obstacle(&self.cluster).reason;
        let reason = match lack {
            Some(lack) => lack.detail(&self.cluster).reason(&reason.code),
            None => reason,
        };
        self.notes.add(Subject::Node(ix.0), Outcome::Barred, || reason);
    }
}

/// Whether a node has room for a pod, what is promised to others kept.
#[inline]
fn room(cluster: &Cluster, (ix, node): (NodeIx, &Node), ask: &Ask<'_>) -> room::Verdict {
    if let Some(resource) = node.allocatable.lacks(ask.request) {
        return room::Verdict::TooSmall(resource);
    }
    if let Some(resource) = node.free.lacks(ask.takes) {
        return room::Verdict::Full(resource);
    }
    if ask.firm && cluster.is_reserved_for_another(ix, node, ask.pod) {
        return room::Verdict::Kept;
    }
    if node.nominated.is_empty() { room::Verdict::Fits } else { beside_promised(cluster, node, ask) }
}

/// Whether a node has room for a pod beside what is promised to others. Out of the way of the scan: few nodes have nominated pods.
#[cold]
fn beside_promised(cluster: &Cluster, node: &Node, ask: &Ask<'_>) -> room::Verdict {
    let left = left(cluster, node, &promised(cluster, node, ask.pod, ask.firm));
    left.lacks(ask.takes).map_or(room::Verdict::Fits, room::Verdict::Promised)
}

/// Whether the other pods allow a pod on a node that is large enough and free, beside the pods that are nominated.
#[cold]
fn beside(
    cluster: &Cluster,
    (pod, node): (PodIx, NodeIx),
    nominated: &Nominated,
    verdict: room::Verdict,
) -> room::Verdict {
    match verdict {
        room::Verdict::Fits | room::Verdict::Promised(_) => {
            let allowed = cluster.inter_pod_allows_beside(pod, node, &WhatIf::default(), nominated);
            allowed.map_or_else(room::Verdict::InterPod, |()| verdict)
        }
        _ => verdict,
    }
}

/// The pods for which room is kept on a node before a pod may have it.
fn promised(cluster: &Cluster, node: &Node, pod: PodIx, firm: bool) -> Vec<PodIx> {
    match firm {
        true => cluster.nominated_on(node, pod).map(|(other, _)| other).collect(),
        false => cluster.promised(node, pod).map(|(other, _)| other).collect(),
    }
}

/// What is free on a node beside what is promised to these pods.
fn left(cluster: &Cluster, node: &Node, promised: &[PodIx]) -> Amounts {
    let mut left: Amounts = node.free.clone();
    for other in promised.iter().filter_map(|other| cluster.pod(*other)) {
        left.subtract(&other.request);
    }
    left
}

/// The verdicts so far, as one code each, and what the codes mean.
#[derive(Default)]
struct Verdicts {
    codes: Vec<u8>,
    seen: Vec<room::Verdict>,
}

/// The code of an obstacle by its position. More kinds of obstacles than codes: the last code stands for the rest, still no node that
/// fits.
fn code(at: usize) -> u8 {
    u8::try_from(at.saturating_add(1)).unwrap_or(u8::MAX)
}

impl Verdicts {
    #[inline]
    fn push(&mut self, verdict: room::Verdict) {
        let code = match verdict {
            room::Verdict::Fits => 0,
            verdict => self.seen.iter().position(|seen| *seen == verdict).map_or_else(|| self.see(verdict), code),
        };
        self.codes.push(code);
    }

    /// The code of an obstacle that was not seen before.
    #[cold]
    fn see(&mut self, verdict: room::Verdict) -> u8 {
        self.seen.push(verdict);
        code(self.seen.len().saturating_sub(1))
    }

    /// Room was reserved for the pod on these nodes, which take it: it is not to take other room and leave that idle.
    fn send_inside(&mut self, inside: &[usize]) {
        let codes = std::mem::take(&mut self.codes);
        for (at, code) in codes.into_iter().enumerate() {
            match code == 0 && inside.binary_search(&at).is_err() {
                true => self.push(room::Verdict::Elsewhere),
                false => self.codes.push(code),
            }
        }
    }

    /// What a code means; none where the node takes the pod.
    fn meant(&self, code: u8) -> Option<room::Verdict> {
        self.seen.get(usize::from(code).checked_sub(1)?).copied()
    }
}
