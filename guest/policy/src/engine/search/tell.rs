//! What a search notes of nodes and of those who could have made way; nothing of it is worked out unless notes are kept.

use super::PreemptionContext;
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::engine::room::Lack;
use crate::laws::{Denial, Rule};
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
pub fn full(cluster: &Cluster, notes: &mut Notes, rule: &Rule, full: &Full<'_>, barred: Barred) {
    let lacks = Lack::of(full.room, full.request).map(|lack| lack.sentence(cluster));
    let message = || match (lacks, full.candidates.len()) {
        (None, _) => "nobody there may make way".to_owned(),
        (Some(lacks), 0) => format!("{lacks}; nobody there may make way"),
        (Some(lacks), 1) => format!("{lacks}, even with the 1 pod gone that may make way"),
        (Some(lacks), all) => format!("{lacks}, even with the {all} pods gone that may make way"),
    };
    notes.note(Subject::Node(full.node.0), Outcome::Barred, rule, message);
    for ix in full.candidates {
        notes.unneeded(*ix, rule, "it would not be enough on its node");
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
    let together = match missed.len() {
        1 => "it".to_owned(),
        2 => "it and the other one that this is said of".to_owned(),
        all => format!("it and the {} others that this is said of", all.saturating_sub(1)),
    };
    for (ix, rule, denial) in missed {
        let message = || format!("its node would have room if {together} made way; {}", denial.sentence(cluster));
        notes.note(Subject::Pod(ix.0), Outcome::Enough, &rule, message);
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
        full(cluster, self.notes, &self.laws.node_choice.rule, node, barred.collect())
    }

    /// Notes of those who may make way, and do not, why they do not have to.
    pub fn tell_unneeded(&mut self, candidates: &[PodIx], why: &str) {
        let rule = self.laws.node_choice.rule;
        for ix in candidates {
            self.notes.unneeded(*ix, &rule, why);
        }
    }

    /// Notes a node that would have done, and what it would have cost.
    pub fn tell_enough(&mut self, cluster: &Cluster, node: NodeIx, victims: &[PodIx]) {
        let rule = self.laws.node_choice.rule;
        let message = || make_way(cluster, victims, "would make way");
        self.notes.note(Subject::Node(node.0), Outcome::Enough, &rule, message);
    }
}

impl Notes {
    /// Notes that a pod is left alone, unless it is known whether it could be put back.
    pub fn unneeded(&mut self, ix: PodIx, rule: &Rule, why: &str) {
        let subject = Subject::Pod(ix.0);
        if !self.are_on() || self.tell_of(&subject, Outcome::PutBack) || self.tell_of(&subject, Outcome::Needed) {
            return;
        }
        self.note(subject, Outcome::Unneeded, rule, || why.to_owned());
    }

    /// Notes the nodes of a plan, and what it costs there; the victims come with the nodes they are on.
    pub fn planned(
        &mut self,
        cluster: &Cluster,
        rule: &Rule,
        nominations: &[(PodIx, NodeIx)],
        victims: &[(PodIx, NodeIx)],
    ) {
        if !self.are_on() {
            return;
        }
        for (_, node) in nominations {
            let taken = nominations.iter().filter(|(_, other)| other == node).count();
            let here: Vec<PodIx> = victims.iter().filter(|(_, at)| at == node).map(|(ix, _)| *ix).collect();
            let takes = if taken == 1 { "1 pod is".to_owned() } else { format!("{taken} pods are") };
            let message = || format!("{takes} planned onto it: {}", make_way(cluster, &here, "make way"));
            self.note(Subject::Node(node.0), Outcome::Chosen, rule, message);
        }
    }
}

/// How many pods make way, and how important they are.
pub fn make_way(cluster: &Cluster, victims: &[PodIx], verb: &str) -> String {
    let highest = victims.iter().filter_map(|ix| cluster.pod(*ix)).map(Pod::priority).max();
    match (victims, highest, verb) {
        ([_], Some(highest), "make way") => format!("1 pod makes way, of priority {highest}"),
        ([_], Some(highest), _) => format!("1 pod {verb}, of priority {highest}"),
        (all, Some(highest), _) => format!("{} pods {verb}, of priority up to {highest}", all.len()),
        (_, None, _) => "nobody has to make way".to_owned(),
    }
}
