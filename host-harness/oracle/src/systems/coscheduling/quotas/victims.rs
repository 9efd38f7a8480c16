//! Which pods give way for a gang whose namespace has a quota.

use serde_json::json;

use super::Quotas;
use crate::amounts::Amounts;
use crate::outcome::Outcome;
use crate::systems::coscheduling::harm::counting;
use crate::tally::Verdict;
use crate::world::{Pod, World};

impl Quotas {
    /// Returns whether a pod may be a victim at all of a pod, alone or beside others.
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

    /// Returns whether a pod may be a victim beside the less important ones of the others.
    fn gives(&self, world: &World, pod: &Pod, (victim, victims): (&Pod, &[&Pod]), takes_back: bool) -> bool {
        let key = |pod: &Pod| counting(world, |counting| counting.importance(pod));
        let own = key(victim);
        let less = victims.iter().filter(|other| other.namespace == victim.namespace && key(other) > own);
        let less = Amounts::sum(less.map(|pod| &pod.request));
        let same = victim.namespace == pod.namespace;
        let lower = victim.priority < pod.priority;
        match (self.has(&pod.namespace), self.has(&victim.namespace)) {
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
