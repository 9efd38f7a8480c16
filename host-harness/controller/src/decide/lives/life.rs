//! One plan that is under way.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Phase, Pod};
use lictor_host::session::{Command, ObjectRef, Session};

use super::super::stopping::{ObjectDeletion, ObjectDeletions};
use super::super::{is_victim, pod_of};
use super::{GivenUpReason, PlanTimeouts};
use crate::report::SECOND;

/// A plan that is under way.
#[derive(Debug, Default)]
pub(super) struct PlanLifecycle {
    /// The pods that the plan makes room for, and that wait for it.
    pub(super) pods: BTreeSet<ObjectRef>,
    /// Its victims, with the command that evicts each.
    pub(super) victims: BTreeMap<ObjectRef, Option<Command>>,
    /// Whether it had victims when it was made.
    pub(super) evicts: bool,
    /// Whether the plan was counted as given up: some of its pods have lost their nominations.
    pub(super) is_counted: bool,
    /// The state of its pods and victims at the last look.
    pub(super) last_states: Vec<(bool, bool)>,
    pub(super) since: i64,
    /// When other pods were last seen leaving its nodes: the room of its pods is not complete yet.
    pub(super) others_leaving_at: i64,
    /// When the graces of its victims have ended, and those of other pods that it waits for.
    pub(super) grace_ends: i64,
    /// Other pods that were leaving its nodes at the last look.
    pub(super) others: Vec<ObjectRef>,
    /// The reason for its job at the last attempt. `None`: the attempt was not refused.
    pub(super) refused: Option<String>,
    /// The eviction that failed last, and why, as a sentence.
    pub(super) failed_eviction: Option<String>,
    /// The last result for each of its pods, by `namespace/name`.
    pub(super) last_results: BTreeMap<String, String>,
}

impl PlanLifecycle {
    /// Looks where its pods and victims stand. Returns the pods that have lost their nominations without a node: the policy has taken them back, the
    /// node is gone, or the pods could not be let go.
    pub(super) fn check_pods(
        &mut self,
        session: &Session,
        stopping: &ObjectDeletions,
        now: i64,
        patience: PlanTimeouts,
    ) -> BTreeSet<ObjectRef> {
        let lost = self
            .pods
            .extract_if(.., |pod| beneficiary_state(session, pod) == BeneficiaryState::NominationLost)
            .collect();
        self.pods.retain(|pod| beneficiary_state(session, pod) != BeneficiaryState::Finished);
        self.victims.retain(|victim, _| is_being_deleted(session, victim).is_some());
        let pods = self.pods.iter().map(|_| (true, false));
        let victims = self.victims.keys().filter_map(|victim| is_being_deleted(session, victim));
        let picture: Vec<(bool, bool)> = pods.chain(victims.map(|leaves| (false, leaves))).collect();
        if self.last_states != picture {
            // The first picture is none that has changed.
            let moved = !self.last_states.is_empty();
            self.since = if moved { now } else { self.since };
            self.last_states = picture;
        }
        let graces = self.victims.keys().filter_map(|victim| stopping.of(victim));
        self.grace_ends = graces.map(ObjectDeletion::ends).fold(self.grace_ends, i64::max);
        // All pods are looked through only when the time is up.
        if self.victims.is_empty() && now >= self.gives_up_at(patience) {
            self.wait_for_others(session, stopping, now, patience);
        }
        lost
    }

    /// Returns the message that pods have lost their nominations, and why.
    pub(super) fn lost_nominations_message(&self, lost: &BTreeSet<ObjectRef>) -> String {
        let said = lost.iter().find_map(|pod| self.last_results.get(&pod.pod_name()).filter(|said| !said.is_empty()));
        let why = self.failed_eviction.as_ref().or(said).map(|why| format!(": {why}")).unwrap_or_default();
        format!("its nominations were taken back, and the room is for others{why}")
    }

    /// Returns when the plan is given up, unless something moves.
    pub(super) fn gives_up_at(&self, patience: PlanTimeouts) -> i64 {
        let still = self.since.max(self.grace_ends).saturating_add(patience.no_progress);
        self.refused_until(patience).map_or(still, |refused| refused.min(still))
    }

    /// Returns until when its job may be refused. `None`: its victims have not left, or the job is not refused.
    fn refused_until(&self, patience: PlanTimeouts) -> Option<i64> {
        let is_refused = self.victims.is_empty() && self.refused.is_some();
        is_refused.then(|| self.since.max(self.others_leaving_at).saturating_add(patience.refused))
    }

    /// Gives the plan more time where pods that are no victims of it are leaving the nodes that its pods are nominated to: a user has deleted
    /// them, or they are victims of another plan, which may still run. Those that are being deleted have their grace, as victims have. A grace
    /// that began when nothing had moved for too long does not count: where pods come and leave all the time, the plan would never end.
    fn wait_for_others(&mut self, session: &Session, stopping: &ObjectDeletions, now: i64, patience: PlanTimeouts) {
        let nodes: BTreeSet<u32> = self.pods.iter().filter_map(|pod| pod_of(session, pod)?.nominated).collect();
        let there = |pod: &&Pod| pod.node.is_some_and(|node| nodes.contains(&node));
        let runs = |pod: &&Pod| !matches!(pod.phase, Phase::Succeeded | Phase::Failed);
        let leaves = |pod: &&Pod| pod.terminating || is_victim(session, pod);
        let others = session.mirror().pods().filter(there).filter(runs).filter(leaves);
        self.others = others.filter_map(|pod| session.object_ref(pod.id)).collect();
        if self.others.is_empty() {
            return;
        }
        self.others_leaving_at = now;
        let latest = self.since.saturating_add(patience.no_progress);
        let graces = self.others.iter().filter_map(|other| stopping.of(other)).filter(|stop| stop.began <= latest);
        self.grace_ends = graces.map(ObjectDeletion::ends).fold(self.grace_ends, i64::max);
    }

    /// Returns why the plan is given up now. `None`: the plan stays in force.
    pub(super) fn end_reason(&self, now: i64, patience: PlanTimeouts) -> Option<(GivenUpReason, String)> {
        if now < self.gives_up_at(patience) {
            return None;
        }
        let is_over = self.refused_until(patience).is_some_and(|until| now >= until);
        let refused = self.refused.as_deref().filter(|_| is_over);
        Some(match refused {
            Some(refused) => {
                let seconds = patience.refused.checked_div(SECOND).unwrap_or_default();
                (
                    GivenUpReason::NotAdmitted,
                    format!("its victims have left, and its job is refused for {seconds} s: {refused}"),
                )
            }
            None => {
                let names = |pods: &mut dyn Iterator<Item = &ObjectRef>| {
                    pods.map(ObjectRef::pod_name).collect::<Vec<_>>().join(", ")
                };
                let left = match (self.victims.is_empty(), self.others.is_empty()) {
                    (false, _) => format!(": {} still run", names(&mut self.victims.keys())),
                    (true, false) => format!(": {} still on its nodes", names(&mut self.others.iter())),
                    (true, true) => String::new(),
                };
                let seconds = patience.no_progress.checked_div(SECOND).unwrap_or_default();
                (GivenUpReason::NoProgress, format!("nothing has moved for {seconds} s{left}"))
            }
        })
    }
}

/// The relation of a pod to the plan that makes room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BeneficiaryState {
    /// It waits for the node that it is nominated to.
    Nominated,
    /// It is being let go for a node, which may fail.
    BeingBound,
    /// It waits, and has no nomination any more.
    NominationLost,
    /// It has a node, or is gone.
    Finished,
}

/// Returns the relation of a pod to the plan that makes room for it.
pub(super) fn beneficiary_state(session: &Session, meant: &ObjectRef) -> BeneficiaryState {
    match pod_of(session, meant).filter(|pod| !pod.terminating) {
        Some(pod) if pod.node.is_some() && session.is_being_bound(pod.id) => BeneficiaryState::BeingBound,
        Some(pod) if pod.node.is_some() || pod.phase != Phase::Pending => BeneficiaryState::Finished,
        Some(pod) if pod.nominated.is_some() => BeneficiaryState::Nominated,
        Some(_) => BeneficiaryState::NominationLost,
        None => BeneficiaryState::Finished,
    }
}

/// Returns whether a victim is being deleted. `None`: the victim is gone, or has no node.
fn is_being_deleted(session: &Session, meant: &ObjectRef) -> Option<bool> {
    pod_of(session, meant).filter(|pod| pod.node.is_some()).map(|pod| pod.terminating)
}
