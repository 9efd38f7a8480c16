//! Filter: which nodes take this pod?

use crate::contract::*;
use crate::laws::room;
use crate::model::{Amounts, Cluster, Node, NodeIx, Overflow, PodIx};

use super::Engine;

/// The code of a number that is no node.
const NO_NODE: room::Verdict = room::Verdict::Ineligible;

impl Engine {
    /// See `decision.filter`.
    pub fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        let firm = self.laws()?.promises_are_firm();
        let shape = self.cluster.pod(PodIx(pod)).ok_or(PolicyError::UnknownPod(pod))?.shape;
        let mut verdicts = Verdicts::default();
        self.notes.resume(PodIx(pod));
        for ix in (0u32..).map(NodeIx).take(self.cluster.node_span()) {
            let verdict = match self.cluster.node(ix) {
                Some(node) if self.cluster.eligible(shape, ix) => {
                    room(&self.cluster, (ix, node), PodIx(pod), firm).map_err(|over| self.overflow(over))?
                }
                _ => NO_NODE,
            };
            if self.notes.are_on() {
                self.tell(ix, PodIx(pod), firm, verdict).map_err(|over| self.overflow(over))?;
            }
            verdicts.push(verdict);
        }
        let obstacles = verdicts.seen.iter().map(|verdict| verdict.obstacle(&self.cluster)).collect();
        Ok(NodeVerdicts { codes: verdicts.codes, obstacles })
    }

    /// Notes why a node does not take a pod, with both sides' numbers. Where the pod may not run, the host knows why.
    fn tell(&mut self, ix: NodeIx, asker: PodIx, firm: bool, verdict: room::Verdict) -> Result<(), Overflow> {
        let Some((node, pod)) = self.cluster.node(ix).zip(self.cluster.pod(asker)) else { return Ok(()) };
        let sentence = match verdict {
            room::Verdict::Fits | room::Verdict::Ineligible => return Ok(()),
            room::Verdict::Kept => None,
            room::Verdict::TooSmall(_) => Some((room::Lack::of(&node.allocatable, &pod.request), " on the empty node")),
            room::Verdict::Full(_) => Some((room::Lack::of(&node.free, &pod.request), "")),
            room::Verdict::Promised(_) => {
                let left = left(&self.cluster, node, asker, firm)?;
                Some((room::Lack::of(&left, &pod.request), " beside what is promised to others"))
            }
        };
        let reason = verdict.obstacle(&self.cluster).reason;
        let sentence = sentence.and_then(|(lack, beside)| Some((lack?.sentence(&self.cluster), beside)));
        let message = || sentence.map_or(reason.message, |(sentence, beside)| format!("{sentence}{beside}"));
        self.notes.say(Subject::Node(ix.0), Outcome::Barred, &reason.law, message);
        Ok(())
    }
}

/// Whether a node has room for a pod, what is promised to others kept.
fn room(cluster: &Cluster, (node_ix, node): (NodeIx, &Node), ix: PodIx, firm: bool) -> Result<room::Verdict, Overflow> {
    let Some(pod) = cluster.pod(ix) else { return Ok(NO_NODE) };
    if let Some(resource) = node.allocatable.lacks(&pod.request) {
        return Ok(room::Verdict::TooSmall(resource));
    }
    if let Some(resource) = node.free.lacks(&pod.request) {
        return Ok(room::Verdict::Full(resource));
    }
    if firm && cluster.is_kept(node_ix, node, ix) {
        return Ok(room::Verdict::Kept);
    }
    if node.nominated.is_empty() {
        return Ok(room::Verdict::Fits);
    }
    let left = left(cluster, node, ix, firm)?;
    Ok(left.lacks(&pod.request).map_or(room::Verdict::Fits, room::Verdict::Promised))
}

/// What is free on a node beside what is promised to others than a pod.
fn left(cluster: &Cluster, node: &Node, ix: PodIx, firm: bool) -> Result<Amounts, Overflow> {
    let mut left: Amounts = node.free.clone();
    let promised: Vec<PodIx> = match firm {
        true => cluster.reserved(node, ix).map(|(other, _)| other).collect(),
        false => cluster.promised(node, ix).map(|(other, _)| other).collect(),
    };
    for other in promised.into_iter().filter_map(|other| cluster.pod(other)) {
        left.subtract(&other.request)?;
    }
    Ok(left)
}

/// The verdicts so far, as one code each, and what the codes mean.
#[derive(Default)]
struct Verdicts {
    codes: Vec<u8>,
    seen: Vec<room::Verdict>,
}

impl Verdicts {
    fn push(&mut self, verdict: room::Verdict) {
        if verdict == room::Verdict::Fits {
            return self.codes.push(0);
        }
        let at = self.seen.iter().position(|seen| *seen == verdict).unwrap_or_else(|| {
            self.seen.push(verdict);
            self.seen.len().saturating_sub(1)
        });
        // More kinds of obstacles than codes: the last code stands for the rest. Still no node that fits.
        self.codes.push(u8::try_from(at.saturating_add(1)).unwrap_or(u8::MAX));
    }
}
