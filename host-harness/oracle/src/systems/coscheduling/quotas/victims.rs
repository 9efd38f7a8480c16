//! Which pods give way for a gang whose namespace has a quota.

use serde_json::json;

use super::{Claim, NamespaceQuotas, with};
use crate::amounts::MilliAmounts;
use crate::outcome::ReportedOutcome;
use crate::systems::coscheduling::harm::counting;
use crate::systems::coscheduling::{group, is_planned, members};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

impl NamespaceQuotas {
    /// Returns whether a pod may be a victim at all of a pod, alone or together with others.
    pub(in crate::systems::coscheduling) fn could_be_victim(&self, pod: &ModelPod, other: &ModelPod) -> bool {
        let lower = other.priority < pod.priority;
        match (self.has(&pod.namespace), self.has(&other.namespace)) {
            (true, true) => other.namespace != pod.namespace || lower,
            (false, false) => lower,
            _ => false,
        }
    }

    /// Returns whether these victims may go together for these planned pods, and the quotas hold then.
    pub(in crate::systems::coscheduling) fn may_evict_together(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        planned: &[&ModelPod],
        victims: &[&ModelPod],
    ) -> bool {
        let requests = MilliAmounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let claim = self.claim(world, pod, &requests, &nominated);
        let gone = victims.iter().map(|pod| pod.name.as_str()).collect();
        victims.iter().all(|victim| self.is_eligible_with(world, pod, (victim, victims), &claim))
            && !self.exceeds_max(world, pod, &requests, &nominated, &gone)
    }

    /// Returns which of these pods, the most important first, may give way for a pod: they are taken in turn, the
    /// least important first. What leaves already is no longer used.
    pub(super) fn eligible_in_order<'w>(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        claim: &Claim,
        there: Vec<&'w ModelPod>,
    ) -> Vec<&'w ModelPod> {
        let mut taken: Vec<&ModelPod> = Vec::new();
        for other in there.into_iter().rev() {
            let same = other.namespace == pod.namespace;
            let lower = other.priority < pod.priority;
            let before = taken.iter().filter(|before| before.namespace == other.namespace).map(|pod| &pod.request);
            let before = with(&MilliAmounts::sum(before), &freed_for_good(world, &other.namespace));
            let may = match (self.has(&pod.namespace), self.has(&other.namespace)) {
                _ if holds_for_planned_gang(world, pod, other) => false,
                (true, true) if claim.takes_back => !same && self.gives_up(world, other, &before, claim),
                (true, true) => same && lower,
                (false, false) => lower,
                _ => false,
            };
            if may {
                taken.push(other);
            }
        }
        taken.reverse();
        taken
    }

    /// Returns the pods on all nodes that may give way for these planned pods of a gang.
    pub(in crate::systems::coscheduling) fn eligible_victims<'w>(
        &self,
        world: &'w ModelCluster,
        pod: &ModelPod,
        planned: &[&ModelPod],
    ) -> Vec<&'w ModelPod> {
        let requests = MilliAmounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let claim = self.claim(world, pod, &requests, &nominated);
        let may_go =
            |other: &&ModelPod| other.occupied_node().is_some() && !other.leaving && group(other) != group(pod);
        let others = world.pods.values().filter(may_go);
        let mut there: Vec<&ModelPod> = others.collect();
        counting(world, |counting| there.sort_by_cached_key(|other| counting.importance(other)));
        self.eligible_in_order(world, pod, &claim, there)
    }

    /// Returns whether a pod may be a victim together with the less important ones of the others, after the leaving pods have left.
    pub(super) fn is_eligible_with(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        (victim, victims): (&ModelPod, &[&ModelPod]),
        claim: &Claim,
    ) -> bool {
        let key = |pod: &ModelPod| counting(world, |counting| counting.importance(pod));
        let own = key(victim);
        let less = victims.iter().filter(|other| other.namespace == victim.namespace && key(other) > own);
        let less = with(&MilliAmounts::sum(less.map(|pod| &pod.request)), &freed_for_good(world, &victim.namespace));
        let same = victim.namespace == pod.namespace;
        let lower = victim.priority < pod.priority;
        match (self.has(&pod.namespace), self.has(&victim.namespace)) {
            _ if holds_for_planned_gang(world, pod, victim) => false,
            (true, true) if claim.takes_back => !same && self.gives_up(world, victim, &less, claim),
            (true, true) => same && lower,
            (false, false) => lower,
            _ => false,
        }
    }

    /// Judges the victims of a gang.
    pub(in crate::systems::coscheduling) fn victims_of_gang(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) {
        let planned: Vec<&ModelPod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
        let requests = MilliAmounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let claim = self.claim(world, pod, &requests, &nominated);
        let victims: Vec<&ModelPod> = outcome.victims.iter().filter_map(|name| world.pods.get(name)).collect();
        for victim in &victims {
            if !self.is_eligible_with(world, pod, (victim, &victims), &claim) {
                let text = format!(
                    "`{}` may not be evicted for `{}`: taking back is {}",
                    victim.name, pod.name, claim.takes_back
                );
                verdict.breach_expecting("victim-is-of-the-quota-that-gives", text, json!({"victims": []}));
            }
        }
    }
}

/// Returns what leaves a namespace for good: what its leaving pods hold, as far as it is not promised to other pods of it.
fn freed_for_good(world: &ModelCluster, namespace: &str) -> MilliAmounts {
    let of = || world.pods.values().filter(|pod| pod.namespace == namespace);
    let leaving =
        MilliAmounts::sum(of().filter(|pod| pod.leaving && pod.occupied_node().is_some()).map(|pod| &pod.request));
    let promised = of().filter(|pod| pod.pending() && pod.nominated.is_some());
    leaving.beyond(&MilliAmounts::sum(promised.map(|pod| &pod.request)))
}

/// Returns whether a pod waits at Permit for others of its group to which nodes are promised that another pod may not have: pods left for them all,
/// and would have left in vain. In one namespace, promises that hold are those to pods no less important; there, firm ones count as such.
fn holds_for_planned_gang(world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    let Some(name) = group(other).filter(|_| other.held.is_some()) else { return false };
    let waits = |member: &&ModelPod| member.pending() && member.nominated.is_some();
    let mut promised = members(world, name).into_iter().filter(waits);
    is_planned(world, name)
        && (other.namespace != pod.namespace || promised.any(|member| member.priority >= pod.priority))
}
