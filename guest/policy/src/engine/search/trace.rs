//! The trace of a search: explanations of nodes and candidates. Nothing is computed unless explanations are recorded.

use std::collections::BTreeSet;

use super::PreemptionContext;
use super::node_dry_run::{NodeDryRun, PodToPlace};
use super::reprieve::not_reprieved;
use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::engine::reasons::{
    ALL_EVICTED, ENOUGH_WITH, INTER_POD, NEEDED, NODE_CHOSEN, NODE_LACKS_ROOM, NODE_SUFFICES, NOT_NEEDED, POD_BACK,
    REPRIEVED,
};
use crate::engine::room::{InsufficientResources, inter_pod_facts};
use crate::laws::{ActiveLaw, Denial, ReasonFacts};
use crate::model::{Amounts, Cluster, InterPodViolation, NodeIx, PodInfo, PodIx, ResourceIx};

/// The reason why a pod cannot be reprieved.
#[derive(Debug, Clone)]
pub enum ReprieveObstacle {
    /// The planned pods would lack capacity.
    Insufficient(InsufficientResources),
    /// The other pods would not allow a planned pod.
    InterPod(InterPodViolation),
    /// A law would be broken.
    Law(ActiveLaw, Denial),
}

/// The protected pods of a node, each with the law and its denial.
pub type ProtectedPods = Vec<(PodIx, (ActiveLaw, Denial))>;

/// Explains what a node lacks even after evicting every candidate, and which protected pods would have been enough.
pub fn explain_insufficient_node(
    cluster: &Cluster,
    notes: &mut DecisionTrace,
    (dry_run, ask): (&NodeDryRun, &PodToPlace<'_>),
    barred: ProtectedPods,
) {
    let (candidates, mut room) = (dry_run.pods(), dry_run.capacity_after_all_evictions.clone());
    let (subject, request) = (Subject::Node(dry_run.node.0), ask.request);
    match (InsufficientResources::of(&room, request), dry_run.violation_after(cluster, ask, &candidates)) {
        (None, Some(lack)) => {
            notes.record(subject, Outcome::Barred, &INTER_POD, || inter_pod_facts(lack).with_context(&ALL_EVICTED));
            return candidates.iter().for_each(|ix| notes.explain_unneeded(*ix, "not-enough"));
        }
        (None, None) => match ask.plan_invariants.and_then(|limits| limits.first_failed(cluster, &candidates)) {
            Some((rule, denial)) => {
                notes.record(subject, Outcome::Barred, &rule, || denial.detail(cluster).with_context(&ALL_EVICTED));
                return candidates.iter().for_each(|ix| notes.explain_unneeded(*ix, "not-enough"));
            }
            None => notes.record(subject, Outcome::Barred, &NODE_LACKS_ROOM, || ReasonFacts::case("nobody")),
        },
        (Some(lack), _) => {
            let detail = || lack.detail(cluster).count("candidates", candidates.len());
            notes.record(subject, Outcome::Barred, &NODE_LACKS_ROOM, detail);
        }
    }
    for ix in &candidates {
        notes.explain_unneeded(*ix, "not-enough");
    }
    for (ix, _) in &barred {
        room.add(&cluster.freed_by_eviction(*ix));
    }
    if room.lacks(request).is_some() {
        return;
    }
    let missed = not_reprieved(barred, |(ix, _)| {
        let frees = cluster.freed_by_eviction(*ix);
        room.subtract(&frees);
        let stays = room.lacks(request).is_none();
        if !stays {
            room.add(&frees);
        }
        stays
    });
    let others = missed.len().saturating_sub(1);
    for (ix, (rule, denial)) in missed {
        let detail = || {
            let detail = denial.detail(cluster).with_context(&ENOUGH_WITH);
            if others == 0 { detail } else { detail.count("others", others) }
        };
        notes.record(Subject::Pod(ix.0), Outcome::Enough, &rule, detail);
    }
}

/// Returns what the planned pods on a node lack in a trial, once what is promised to others is subtracted. `None`: nothing is lacking.
pub fn overcommit(cluster: &Cluster, at: NodeIx, here: &[PodIx], promised: &Amounts) -> Option<InsufficientResources> {
    let node = cluster.node(at)?;
    let pods = || here.iter().filter_map(|ix| cluster.pod(*ix)).filter(|pod| pod.node() == Some(at));
    let resources: BTreeSet<ResourceIx> =
        pods().flat_map(|pod| pod.request().iter().map(|(resource, _)| resource)).collect();
    InsufficientResources::among(resources.into_iter().map(|resource| {
        let asked = pods().fold(0, |sum: i64, pod| sum.saturating_add(pod.request().get(resource)));
        let free = node.free.get(resource).saturating_add(asked).saturating_sub(promised.get(resource));
        (resource, asked, free)
    }))
}

impl PreemptionContext<'_> {
    /// Explains that a node does not fit even after evicting every candidate.
    pub fn explain_full_node(&mut self, cluster: &Cluster, dry_run: &NodeDryRun, ask: &PodToPlace<'_>) {
        if !self.notes.is_recording() {
            return;
        }
        let candidates = dry_run.pods();
        let is_other = |pod: &PodInfo| pod.attributes.job.is_none() || pod.attributes.job != self.preemptor.job;
        let there = cluster.node(dry_run.node).map(|node| node.pods.as_slice()).unwrap_or_default();
        let stays = |ix: &PodIx| !candidates.contains(ix) && !self.is_leaving(cluster, *ix);
        let there = there.iter().copied().filter(|ix| stays(ix) && cluster.pod(*ix).is_some_and(is_other)).collect();
        let barred = self.in_reprieve_order(cluster, there).into_iter();
        let barred = barred.filter_map(|ix| Some((ix, self.first_denial(cluster, ix)?))).collect();
        explain_insufficient_node(cluster, self.notes, (dry_run, ask), barred);
    }

    /// Explains why candidates are not evicted.
    pub fn explain_unneeded_candidates(&mut self, candidates: &[PodIx], why: &'static str) {
        for ix in candidates {
            self.notes.explain_unneeded(*ix, why);
        }
    }

    /// Explains that a node fits, and the cost.
    pub fn explain_sufficient_node(&mut self, cluster: &Cluster, node: NodeIx, victims: &[PodIx], case: &'static str) {
        self.notes
            .record(Subject::Node(node.0), Outcome::Enough, &NODE_SUFFICES, || cost_facts(cluster, victims, case));
    }
}

impl DecisionTrace {
    /// Explains that a pod is reprieved.
    pub fn explain_reprieved(&mut self, ix: PodIx) {
        self.record(Subject::Pod(ix.0), Outcome::Reprieved, &REPRIEVED, ReasonFacts::default);
    }

    /// Explains why a pod is not reprieved.
    pub fn explain_needed(&mut self, cluster: &Cluster, ix: PodIx, why: &ReprieveObstacle) {
        let subject = Subject::Pod(ix.0);
        match why {
            ReprieveObstacle::Insufficient(lack) => {
                self.record(subject, Outcome::Needed, &NEEDED, || lack.detail(cluster))
            }
            ReprieveObstacle::InterPod(lack) => {
                self.record(subject, Outcome::Needed, &INTER_POD, || inter_pod_facts(*lack).with_context(&POD_BACK));
            }
            ReprieveObstacle::Law(rule, denial) => {
                self.record(subject, Outcome::Needed, rule, || denial.detail(cluster).with_context(&POD_BACK));
            }
        }
    }

    /// Explains why a candidate is not evicted, unless its reprieve was considered.
    pub fn explain_unneeded(&mut self, ix: PodIx, why: &'static str) {
        let subject = Subject::Pod(ix.0);
        if !self.is_recording()
            || self.has_entry(&subject, Outcome::Reprieved)
            || self.has_entry(&subject, Outcome::Needed)
        {
            return;
        }
        self.record(subject, Outcome::Unneeded, &NOT_NEEDED, || ReasonFacts::case(why));
    }

    /// Explains the nodes of a plan and their cost. The victims are given with their nodes.
    pub fn explain_plan(&mut self, cluster: &Cluster, nominations: &[(PodIx, NodeIx)], victims: &[(PodIx, NodeIx)]) {
        if !self.is_recording() {
            return;
        }
        for (_, node) in nominations {
            let taken = nominations.iter().filter(|(_, other)| other == node).count();
            let here: Vec<PodIx> = victims.iter().filter(|(_, at)| at == node).map(|(ix, _)| *ix).collect();
            let detail = || cost_facts(cluster, &here, "").count("pods", taken);
            self.record(Subject::Node(node.0), Outcome::Chosen, &NODE_CHOSEN, detail);
        }
    }
}

/// Returns the number and the highest priority of the victims as facts. The case is `none` without victims.
pub fn cost_facts(cluster: &Cluster, victims: &[PodIx], case: &'static str) -> ReasonFacts {
    let highest = victims.iter().filter_map(|ix| cluster.pod(*ix)).map(PodInfo::priority).max();
    match highest {
        Some(highest) => ReasonFacts::case(case).count("victims", victims.len()).count("priority", highest),
        None => ReasonFacts::case("none"),
    }
}
