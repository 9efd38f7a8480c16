//! Standing: which running pods may be evicted, and which law protects the others (seed 003, Story 3).
//!
//! No rule is written here a second time. The laws in force are asked about preemptors that are not in the cluster: the most important pod
//! that there may be, of the queue of the running pod, of another queue, or of a DaemonSet; or the most important reservation. A law that is
//! about the preemptor is not asked ([`ImaginedPreemptors`]): a safe pod stays safe whatever preemptor comes. As in a search, pods that leave already
//! hold nothing any more.

mod bundles;
mod preemptors;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::{PodId, PolicyError, Threat, by};
use crate::laws::{
    ActiveLaw, Denial, ExcessContext, ImaginedPreemptors, LawCheck, LawContext, Laws, MaxEnforcementLaws, Preemptor,
    SearchKind, UsageByQueue, VictimFilter,
};
use crate::model::{Amounts, Cluster, PlansInFlight, PodIx, PodKind, PodLocation, QueueIx, Trial};

use super::Engine;
use bundles::{GangStandings, PreemptionMode};
use preemptors::PossiblePreemptors;

/// The law that spares a pod, and what it found. `None`: the pod may be evicted.
type ProtectingLaw = Option<(ActiveLaw, Denial)>;

impl Engine {
    /// Implements `standing.standings`: returns for each of these pods which kinds of preemptors may evict it, and which law protects it from the
    /// others.
    pub fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, PolicyError> {
        self.recompute();
        let laws = Arc::clone(self.laws()?);
        if let Some(unknown) = pods.iter().find(|id| self.cluster.pod(PodIx(**id)).is_none()) {
            return Err(PolicyError::UnknownPod(*unknown));
        }
        let preemptors = PossiblePreemptors::new(&self.cluster, &laws);
        let leaving = self.plans_in_flight.leaving(&self.cluster);
        let gone: BTreeSet<PodIx> = leaving.into_iter().flat_map(|ix| self.cluster.eviction_set(ix)).collect();
        let mut trial = Trial::new(&mut self.cluster);
        // Node by node, pods that leave other nodes still count against their queues.
        if !matches!(laws.search, SearchKind::NodeByNode(_)) {
            gone.iter().for_each(|ix| trial.evict(*ix));
        }
        let (ledger, ways) = (&self.plans_in_flight, PreemptionMode::all(&laws));
        let mut asking =
            ThreatEvaluation { trial, ledger, laws: &laws, preemptors, modes: ways, gangs: GangStandings::default() };
        let threats = |id: &PodId| if gone.contains(&PodIx(*id)) { Vec::new() } else { asking.threats(PodIx(*id)) };
        Ok(pods.iter().map(threats).collect())
    }
}

/// The laws, applied to imagined preemptors that are not in the cluster.
struct ThreatEvaluation<'a> {
    /// The cluster without the leaving pods.
    trial: Trial<'a>,
    ledger: &'a PlansInFlight,
    laws: &'a Laws,
    preemptors: PossiblePreemptors,
    /// The ways to preempt: one, or one across queues and one within a queue.
    modes: Vec<PreemptionMode<'a>>,
    /// The standings of gangs that are known already.
    gangs: GangStandings,
}

impl ThreatEvaluation<'_> {
    fn cluster(&self) -> &Cluster {
        self.trial.cluster()
    }

    /// Returns the threats to a pod; none for a pod that does not run or leaves already, and where the system is configured without a way to
    /// evict pods.
    fn threats(&mut self, ix: PodIx) -> Vec<Threat> {
        let running = self.cluster().pod(ix).filter(|pod| matches!(pod.state.location, PodLocation::Bound(_)));
        let Some(pod) = running.filter(|_| !self.modes.is_empty()) else { return Vec::new() };
        if pod.name.kind == PodKind::Reservation {
            return self.threat_by_reservations(ix).into_iter().collect();
        }
        let (queue, node, is_foreign) = (pod.queue, pod.node(), pod.state.foreign);
        let inside = pod.attributes.reservation.and_then(|_| self.cluster().reservation_of(ix));
        let has_queues = self.preemptors.has_queues();
        let mut threats = Vec::new();
        if let Some(own) = self.preemptor(ix, queue) {
            let mut daemon = own.clone();
            (daemon.required_node_reservation, daemon.part.queue) = (node, None);
            threats.push(self.threat(if has_queues { by::SAME_QUEUE } else { by::POD }, ix, own));
            threats.extend(self.threat_by_other_queues(ix, queue));
            if self.exempts(&daemon) {
                threats.push(self.threat(by::DAEMON_SET, ix, daemon));
            }
        }
        // A pod leaves with its reservation.
        threats.extend(inside.and_then(|reservation| self.threat_by_reservations(reservation)));
        let enforcement = self.laws.enforcement.as_ref().filter(|_| !is_foreign);
        threats.extend(enforcement.and_then(|laws| self.threat_by_own_queue(laws, ix)));
        threats
    }

    /// Returns what reservations may do to a reservation. It has no queue.
    fn threat_by_reservations(&mut self, reservation: PodIx) -> Option<Threat> {
        let preemptor = self.preemptor(reservation, None)?;
        Some(self.threat(by::RESERVATION, reservation, preemptor))
    }

    /// Returns what pods of other queues may do to a pod: the answer for the first queue whose pods may evict it. If there is none, the answer for
    /// the first queue.
    fn threat_by_other_queues(&mut self, ix: PodIx, own: Option<QueueIx>) -> Option<Threat> {
        let mut first = None;
        for queue in self.preemptors.other_leaf_queues(own) {
            let preemptor = self.preemptor(ix, Some(queue))?;
            match self.protecting_law(ix, &preemptor) {
                None => return Some(self.threat(by::OTHER_QUEUE, ix, preemptor)),
                Some(spared) => drop(first.get_or_insert(spared)),
            }
        }
        first.map(|(rule, denial)| Threat {
            by: by::OTHER_QUEUE.to_owned(),
            priority: None,
            spared: Some(rule.reason(denial.detail(self.cluster()))),
        })
    }

    /// Returns the most important preemptor of a queue that is of the same kind as a pod.
    fn preemptor(&self, ix: PodIx, queue: Option<QueueIx>) -> Option<Preemptor> {
        let pod = self.cluster().pod(ix)?;
        Some(Preemptor::imagined(self.laws, pod, queue, self.preemptors.highest(pod.name.kind)))
    }

    /// Checks that some law does not apply to a preemptor that would apply to others.
    fn exempts(&self, preemptor: &Preemptor) -> bool {
        let case = preemptor.context_for_plan(self.cluster(), self.ledger);
        let mut guards = self.modes.iter().flat_map(|way| way.victim_filters.iter());
        guards.any(|guard| guard.rule.exemption.is_some_and(|exemption| (exemption.applies)(&case)))
    }

    /// Returns what a preemptor of this kind may do to a pod, and from which priority on.
    fn threat(&mut self, by: &str, ix: PodIx, mut preemptor: Preemptor) -> Threat {
        let highest = preemptor.priority;
        let mut spared = |priority| {
            preemptor.priority = priority;
            self.protecting_law(ix, &preemptor)
        };
        let threat = Threat { by: by.to_owned(), priority: None, spared: None };
        if let Some((rule, denial)) = spared(highest) {
            return Threat { spared: Some(rule.reason(denial.detail(self.cluster()))), ..threat };
        }
        if spared(i32::MIN).is_none() {
            return threat;
        }
        // The laws compare priorities: a preemptor that may evict at some priority may do so at every higher one.
        let (mut too_low, mut enough) = (i32::MIN, highest);
        while enough.wrapping_sub(too_low) != 1 {
            let middle = i32::midpoint(too_low, enough);
            match spared(middle) {
                Some(_) => too_low = middle,
                None => enough = middle,
            }
        }
        Threat { priority: Some(enough), ..threat }
    }

    /// Returns the law that spares a pod from a preemptor, whatever the preemptor requests. The result is that for the first request. `None`: some
    /// request makes the pod a victim.
    fn protecting_law(&mut self, ix: PodIx, preemptor: &Preemptor) -> ProtectingLaw {
        let mut first = None;
        for unplaced in self.preemptors.requests(&preemptor.part.pending_request) {
            let mut preemptor = preemptor.clone();
            preemptor.part.pending_request = unplaced;
            let found = self.protecting_law_by_mode(ix, &preemptor)?;
            first.get_or_insert(found);
        }
        first
    }

    /// Returns the law that spares a pod from a preemptor: every way to preempt has such a law. For a preemptor of the same queue, the result is that
    /// of the last way, which is preemption within a queue. `None`: some way evicts the pod.
    fn protecting_law_by_mode(&mut self, ix: PodIx, preemptor: &Preemptor) -> ProtectingLaw {
        let cluster = self.trial.cluster();
        let is_own = cluster.pod(ix).is_some_and(|pod| pod.queue == preemptor.part.queue);
        let asked = |rule: &ActiveLaw| match rule.about.checked_for {
            ImaginedPreemptors::None => false,
            ImaginedPreemptors::OfTheSameQueue => is_own,
            ImaginedPreemptors::All => true,
        };
        let group = [ix];
        let case = LawContext { victims: &group, ..preemptor.context_for_plan(cluster, self.ledger) };
        let gates = |laws: &[LawCheck]| {
            let asked: Vec<LawCheck> = laws.iter().filter(|law| asked(&law.rule)).copied().collect();
            case.first_failed_check(&asked)
        };
        if let Some(spared) = gates(&self.laws.preconditions.preemption).or_else(|| gates(&self.laws.plan_invariants)) {
            return Some(spared);
        }
        // A larger group of victims breaks a broken floor even more.
        let floors = match &self.laws.search {
            SearchKind::SmallestGroupOnNode(group) => gates(&group.anti_monotone_invariants),
            SearchKind::RemoveAllThenReprieve | SearchKind::NodeByNode(_) | SearchKind::JobBundles => None,
        };
        let mut spared = None;
        for (at, way) in self.modes.iter().enumerate() {
            let guards: Vec<VictimFilter> = way.victim_filters.iter().filter(|law| asked(&law.rule)).copied().collect();
            let asks = bundles::ModeCheck { ledger: self.ledger, preemptor, victim_filters: &guards, mode: (at, way) };
            // A way without a denial is enough.
            let denied = asks.protecting_law(&mut self.trial, &mut self.gangs, ix).or_else(|| floors.clone())?;
            if is_own || spared.is_none() {
                spared = Some(denied);
            }
        }
        spared
    }

    /// Returns the threat by a queue of the pod that uses more than its maximum: whether it may evict the pod. `None`: no queue of the pod is over
    /// its maximum.
    fn threat_by_own_queue(&self, laws: &MaxEnforcementLaws, ix: PodIx) -> Option<Threat> {
        let cluster = self.cluster();
        let pod = cluster.pod(ix)?;
        let leaf = pod.queue?;
        let (nobody, mut alone) = (UsageByQueue::default(), UsageByQueue::default());
        alone.apply(cluster, pod, Amounts::add);
        let mut threat = None;
        for (queue, known) in cluster.path(Some(leaf)) {
            let mut over = Amounts::default();
            known.over_max().for_each(|(resource, amount)| over.set(resource, amount));
            if over.iter().next().is_none() {
                continue;
            }
            let case = ExcessContext {
                cluster,
                queue,
                excess: &over,
                leaving_usage: &nobody,
                victims: &nobody,
                victim_queue: leaf,
            };
            let guarded = || laws.victim_filters.iter().find_map(|law| Some((law.rule, law.denial(&case, ix, pod)?)));
            let limited = || ExcessContext { victims: &alone, ..case }.first_failed_check(&laws.plan_invariants);
            let spared = case.first_failed_check(&laws.preconditions).or_else(guarded).or_else(limited);
            let spared = spared.map(|(rule, denial)| rule.reason(denial.detail(cluster)));
            let is_taken = spared.is_none();
            threat = Some(Threat { by: by::OVER_MAX.to_owned(), priority: None, spared });
            if is_taken {
                break;
            }
        }
        threat
    }
}
