//! What a search notes of nodes and of those who could have made way; nothing of it is worked out unless notes are kept.

use super::PreemptionContext;
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::engine::reasons::{ENOUGH_WITH, NODE_CHOSEN, NODE_LACKS_ROOM, NODE_SUFFICES, NOT_NEEDED};
use crate::engine::room::Lack;
use crate::laws::{Denial, Detail, Rule};
use crate::model::{Amounts, Cluster, NodeIx, Pod, PodIx, Request};

/// A node on which nothing could be planned.
pub struct Full<'a> {
    /// The node.
    pub node: NodeIx,
    /// Who may make way there.
    pub candidates: &'a [PodIx],
    /// What there would be for the asker with all of them gone.
    pub room: &'a Amounts,
    /// What is asked for.
    pub request: &'a Request,
}

/// Those on a node whom a law spares: the law and what it says, the most important first.
pub type Barred = Vec<(PodIx, Rule, Denial)>;

/// Notes what a node lacks even with everybody gone who may make way, and which of the others would have been enough.
pub fn full(cluster: &Cluster, notes: &mut Notes, full: &Full<'_>, barred: Barred) {
    let detail = || match Lack::of(full.room, full.request) {
        None => Detail::case("nobody"),
        Some(lack) => lack.detail(cluster).count("candidates", full.candidates.len()),
    };
    notes.note(Subject::Node(full.node.0), Outcome::Barred, &NODE_LACKS_ROOM, detail);
    for ix in full.candidates {
        notes.unneeded(*ix, "not-enough");
    }
    let mut room = full.room.clone();
    for (ix, ..) in &barred {
        room.add(&cluster.frees(*ix));
    }
    if room.lacks(full.request).is_some() {
        return;
    }
    let mut missed = Vec::new();
    for (ix, rule, denial) in barred {
        let frees = cluster.frees(ix);
        room.subtract(&frees);
        if room.lacks(full.request).is_some() {
            room.add(&frees);
            missed.push((ix, rule, denial));
        }
    }
    let others = missed.len().saturating_sub(1);
    for (ix, rule, denial) in missed {
        let detail = || {
            let detail = denial.detail(cluster).within(&ENOUGH_WITH);
            if others == 0 { detail } else { detail.count("others", others) }
        };
        notes.note(Subject::Pod(ix.0), Outcome::Enough, &rule, detail);
    }
}

impl PreemptionContext<'_> {
    /// See [`full`].
    pub fn tell_full(&mut self, cluster: &Cluster, node: &Full<'_>) {
        let is_other = |pod: &Pod| pod.attributes.job.is_none() || pod.attributes.job != self.preemptor.job;
        let there = cluster.node(node.node).map(|node| node.pods.as_slice()).unwrap_or_default();
        let stays = |ix: &PodIx| !node.candidates.contains(ix) && !self.is_leaving(cluster, *ix);
        let mut there: Vec<(PodIx, &Pod)> =
            there.iter().filter(|ix| stays(ix)).filter_map(|ix| Some((*ix, cluster.pod(*ix)?))).collect();
        there.retain(|(_, pod)| is_other(pod));
        there.sort_unstable_by(|(_, a), (_, b)| (self.laws.put_back.compare)(cluster, a, b));
        let barred = there.into_iter().filter_map(|(ix, _)| self.barring(cluster, ix).map(|(rule, b)| (ix, rule, b)));
        full(cluster, self.notes, node, barred.collect())
    }

    /// Notes of those who may make way, and do not, why they do not have to.
    pub fn tell_unneeded(&mut self, candidates: &[PodIx], why: &'static str) {
        for ix in candidates {
            self.notes.unneeded(*ix, why);
        }
    }

    /// Notes a node that would have done, and what it would have cost.
    pub fn tell_enough(&mut self, cluster: &Cluster, node: NodeIx, victims: &[PodIx]) {
        self.notes.note(Subject::Node(node.0), Outcome::Enough, &NODE_SUFFICES, || cost(cluster, victims, ""));
    }
}

impl Notes {
    /// Notes that a pod is left alone, unless it is known whether it could be put back.
    pub fn unneeded(&mut self, ix: PodIx, why: &'static str) {
        let subject = Subject::Pod(ix.0);
        if !self.are_on() || self.tell_of(&subject, Outcome::PutBack) || self.tell_of(&subject, Outcome::Needed) {
            return;
        }
        self.note(subject, Outcome::Unneeded, &NOT_NEEDED, || Detail::case(why));
    }

    /// Notes the nodes of a plan, and what it costs there; the victims come with the nodes they are on.
    pub fn planned(&mut self, cluster: &Cluster, nominations: &[(PodIx, NodeIx)], victims: &[(PodIx, NodeIx)]) {
        if !self.are_on() {
            return;
        }
        for (_, node) in nominations {
            let taken = nominations.iter().filter(|(_, other)| other == node).count();
            let here: Vec<PodIx> = victims.iter().filter(|(_, at)| at == node).map(|(ix, _)| *ix).collect();
            let detail = || cost(cluster, &here, "").count("pods", taken);
            self.note(Subject::Node(node.0), Outcome::Chosen, &NODE_CHOSEN, detail);
        }
    }
}

/// How many pods are evicted, and how important they are: in this case, or in the case `none`.
pub fn cost(cluster: &Cluster, victims: &[PodIx], case: &'static str) -> Detail {
    let highest = victims.iter().filter_map(|ix| cluster.pod(*ix)).map(Pod::priority).max();
    match highest {
        Some(highest) => Detail::case(case).count("victims", victims.len()).count("priority", highest),
        None => Detail::case("none"),
    }
}
