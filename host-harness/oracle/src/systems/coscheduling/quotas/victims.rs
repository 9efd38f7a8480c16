//! Which pods give way for a gang whose namespace has a quota.

use serde_json::json;

use super::{Quotas, with};
use crate::amounts::Amounts;
use crate::outcome::Outcome;
use crate::systems::coscheduling::harm::counting;
use crate::systems::coscheduling::{group, is_planned, members};
use crate::tally::Verdict;
use crate::world::{Pod, World};

impl Quotas {
    /// Returns whether a pod may be a victim at all of a pod, alone or together with others.
    pub(in crate::systems::coscheduling) fn might_give(&self, pod: &Pod, other: &Pod) -> bool {
        let lower = other.priority < pod.priority;
        match (self.has(&pod.namespace), self.has(&other.namespace)) {
            (true, true) => other.namespace != pod.namespace || lower,
            (false, false) => lower,
            _ => false,
        }
    }

    /// Returns whether these victims may go together for these planned pods, and the quotas hold then.
    pub(in crate::systems::coscheduling) fn may_give(
        &self,
        world: &World,
        pod: &Pod,
        planned: &[&Pod],
        victims: &[&Pod],
    ) -> bool {
        let requests = Amounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let takes_back = self.takes_back(world, pod, &requests, &nominated);
        let gone = victims.iter().map(|pod| pod.name.as_str()).collect();
        victims.iter().all(|victim| self.gives(world, pod, (victim, victims), takes_back))
            && !self.too_much(world, pod, &requests, &nominated, &gone)
    }

    /// Returns which of these pods, the most important first, may give way for a pod: they are taken in turn, the
    /// least important first. What leaves already is no longer used.
    pub(super) fn in_turn<'w>(&self, world: &World, pod: &Pod, takes_back: bool, there: Vec<&'w Pod>) -> Vec<&'w Pod> {
        let mut taken: Vec<&Pod> = Vec::new();
        for other in there.into_iter().rev() {
            let same = other.namespace == pod.namespace;
            let lower = other.priority < pod.priority;
            let before = taken.iter().filter(|before| before.namespace == other.namespace).map(|pod| &pod.request);
            let before = with(&Amounts::sum(before), &leaves(world, &other.namespace));
            let may = match (self.has(&pod.namespace), self.has(&other.namespace)) {
                _ if is_held_for_a_plan(world, pod, other) => false,
                (true, true) if takes_back => !same && self.is_over(world, &other.namespace, &before),
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
    pub(in crate::systems::coscheduling) fn givers<'w>(
        &self,
        world: &'w World,
        pod: &Pod,
        planned: &[&Pod],
    ) -> Vec<&'w Pod> {
        let requests = Amounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let takes_back = self.takes_back(world, pod, &requests, &nominated);
        let may_go = |other: &&Pod| other.place().is_some() && !other.leaving && group(other) != group(pod);
        let others = world.pods.values().filter(may_go);
        let mut there: Vec<&Pod> = others.collect();
        counting(world, |counting| there.sort_by_cached_key(|other| counting.importance(other)));
        self.in_turn(world, pod, takes_back, there)
    }

    /// Returns whether a pod may be a victim together with the less important ones of the others, after the leaving pods have left.
    pub(super) fn gives(&self, world: &World, pod: &Pod, (victim, victims): (&Pod, &[&Pod]), takes_back: bool) -> bool {
        let key = |pod: &Pod| counting(world, |counting| counting.importance(pod));
        let own = key(victim);
        let less = victims.iter().filter(|other| other.namespace == victim.namespace && key(other) > own);
        let less = with(&Amounts::sum(less.map(|pod| &pod.request)), &leaves(world, &victim.namespace));
        let same = victim.namespace == pod.namespace;
        let lower = victim.priority < pod.priority;
        match (self.has(&pod.namespace), self.has(&victim.namespace)) {
            _ if is_held_for_a_plan(world, pod, victim) => false,
            (true, true) if takes_back => !same && self.is_over(world, &victim.namespace, &less),
            (true, true) => same && lower,
            (false, false) => lower,
            _ => false,
        }
    }

    /// Judges the victims of a gang.
    pub(in crate::systems::coscheduling) fn victims_of_gang(
        &self,
        world: &World,
        pod: &Pod,
        outcome: &Outcome,
        verdict: &mut Verdict,
    ) {
        let planned: Vec<&Pod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
        let requests = Amounts::sum(planned.iter().map(|pod| &pod.request));
        let nominated = self.nominated(world, pod, &|other| planned.iter().any(|pod| pod.name == other.name));
        let takes_back = self.takes_back(world, pod, &requests, &nominated);
        let victims: Vec<&Pod> = outcome.victims.iter().filter_map(|name| world.pods.get(name)).collect();
        for victim in &victims {
            if !self.gives(world, pod, (victim, &victims), takes_back) {
                let text =
                    format!("`{}` may not be evicted for `{}`: taking back is {takes_back}", victim.name, pod.name);
                verdict.breach_expecting("victim-is-of-the-quota-that-gives", text, json!({"victims": []}));
            }
        }
    }
}

/// Returns what leaves a namespace for good: what its leaving pods hold, as far as it is not promised to other pods of it.
fn leaves(world: &World, namespace: &str) -> Amounts {
    let of = || world.pods.values().filter(|pod| pod.namespace == namespace);
    let leaving = Amounts::sum(of().filter(|pod| pod.leaving && pod.place().is_some()).map(|pod| &pod.request));
    let promised = of().filter(|pod| pod.pending() && pod.nominated.is_some());
    leaving.beyond(&Amounts::sum(promised.map(|pod| &pod.request)))
}

/// Returns whether a pod waits at Permit for others of its group to which nodes are promised that another pod may not have: pods left for them all,
/// and would have left in vain. In one namespace, promises that hold are those to pods no less important; there, firm ones count as such.
fn is_held_for_a_plan(world: &World, pod: &Pod, other: &Pod) -> bool {
    let Some(name) = group(other).filter(|_| other.held.is_some()) else { return false };
    let waits = |member: &&Pod| member.pending() && member.nominated.is_some();
    let mut promised = members(world, name).into_iter().filter(waits);
    is_planned(world, name)
        && (other.namespace != pod.namespace || promised.any(|member| member.priority >= pod.priority))
}
