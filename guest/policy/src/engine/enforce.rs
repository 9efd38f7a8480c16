//! Enforce: queues that hold more than their maximum give it back.
//!
//! The queues below come first: what they must give back counts for those above. A parent takes from each leaf its share at first, then
//! from any of them what is left. No queue gives more than it holds over its maximum, so no victim could stay.

mod share;

use std::collections::BTreeSet;

use crate::contract::{Enforced, Enforcement, ExtensionPoint, PolicyError, Victim};
use crate::engine::reasons::GIVES_BACK;
use crate::engine::refusals::RetryHints;
use crate::laws::{self, ExcessContext, ReasonFacts, UsageByQueue};
use crate::model::{Amounts, Cluster, PlansInFlight, PodInfo, PodIx, PodLocation, QueueIx};

use super::Engine;
use share::Shares;

/// A queue that gives back: the amounts it uses over its maximum, and its victims.
struct QueueEnforcement {
    queue: QueueIx,
    excess: Amounts,
    victims: Vec<PodIx>,
}

impl Engine {
    /// Implements `enforce.enforce`: returns which pods are evicted so that queues use no more than their maximum. The answer also says when a queue
    /// that gives back nothing yet will do so.
    pub fn enforce(&mut self) -> Result<Enforced, PolicyError> {
        let laws = self.laws()?;
        let unsupported = || PolicyError::Unsupported(ExtensionPoint::Enforce.into());
        let enforcement = laws.enforcement.as_ref().ok_or_else(unsupported)?;
        // In most clusters no queue is over its maximum.
        if !self.cluster.queues().any(|(_, queue)| queue.over_max().next().is_some()) {
            return Ok(Enforced::default());
        }
        let mut refusals = RetryHints::default();
        let found = find((&self.cluster, &self.plans_in_flight), enforcement, &mut refusals);
        self.plans_in_flight.drop_proposed();
        let system = self.system.as_ref().ok_or(PolicyError::NotConfigured)?;
        let eviction = system.eviction();
        let mut enforcements = Vec::with_capacity(found.len());
        for QueueEnforcement { queue, excess: over, victims } in found {
            let Some(known) = self.cluster.queue(queue) else { continue };
            let detail = ReasonFacts::default().queue("queue", &known.name).count("victims", victims.len());
            let detail = over.iter().fold(detail, |detail, (resource, over)| detail.amount("over", resource, over));
            enforcements.push(Enforcement {
                id: self.plans_in_flight.add_proposed(Vec::new(), victims.clone()),
                queue: known.name.clone(),
                victims: victims.into_iter().map(|pod| Victim { pod: pod.0, eviction }).collect(),
                marks: Vec::new(),
                reason: GIVES_BACK.reason(detail),
            });
        }
        Ok(Enforced { enforcements, retry: refusals.retry(&self.object_kinds) })
    }
}

/// Returns what each queue gives back now, children before their parents. Victims of accepted plans leave, whether or not their status says so yet.
fn find(
    (cluster, ledger): (&Cluster, &PlansInFlight),
    laws: &laws::MaxEnforcementLaws,
    refusals: &mut RetryHints,
) -> Vec<QueueEnforcement> {
    let is_running = |pod: &PodInfo| matches!(pod.state.location, PodLocation::Bound(_)) && !pod.state.foreign;
    let leaving = ledger.leaving(cluster);
    let mut gone = UsageByQueue::default();
    for pod in leaving.iter().filter_map(|ix| cluster.pod(*ix)).filter(|pod| pod.node().is_some()) {
        gone.apply(cluster, pod, Amounts::add);
    }
    let mut running: Vec<(PodIx, &PodInfo)> =
        cluster.pods().filter(|(ix, pod)| is_running(pod) && !leaving.contains(ix)).collect();
    let mut queues: Vec<QueueIx> = cluster.queues().map(|(ix, _)| ix).collect();
    // Parents stand before their children, so this is from below.
    queues.reverse();
    let mut found = Vec::new();
    for queue in queues {
        let over = excess(cluster, &gone, queue);
        if over.iter().next().is_none() {
            continue;
        }
        let nobody = UsageByQueue::default();
        let case = ExcessContext {
            cluster,
            queue,
            excess: &over,
            leaving_usage: &gone,
            victims: &nobody,
            victim_queue: queue,
        };
        if let Some((rule, denial)) = case.first_failed_check(&laws.preconditions) {
            refusals.add_denial(&rule, &denial, cluster.now());
            continue;
        }
        let victims = ExcessEviction { case, laws, running: &running }.victims();
        if victims.is_empty() {
            continue;
        }
        let chosen: BTreeSet<PodIx> = victims.iter().copied().collect();
        running.retain(|(ix, _)| !chosen.contains(ix));
        victims.iter().filter_map(|ix| cluster.pod(*ix)).for_each(|pod| gone.apply(cluster, pod, Amounts::add));
        found.push(QueueEnforcement { queue, excess: over, victims });
    }
    found
}

/// Returns what a queue uses beyond its maximum, not counting the pods that are gone.
fn excess(cluster: &Cluster, gone: &UsageByQueue, queue: QueueIx) -> Amounts {
    let mut amounts = Amounts::default();
    let over = cluster.queue(queue).into_iter().flat_map(|known| known.over_max());
    for (resource, over) in over {
        amounts.set(resource, over.saturating_sub(gone.of(queue, resource)).max(0));
    }
    amounts
}

/// One queue that gives back, with the pods that it may evict.
struct ExcessEviction<'a> {
    case: ExcessContext<'a>,
    laws: &'a laws::MaxEnforcementLaws,
    /// The pods that use a node and are no victims yet.
    running: &'a [(PodIx, &'a PodInfo)],
}

impl<'a> ExcessEviction<'a> {
    /// Returns the victims, in the order in which they are chosen: first within the share of each leaf, then from any leaf.
    fn victims(&self) -> Vec<PodIx> {
        let ExcessContext { cluster, queue, .. } = self.case;
        let below = |pod: &PodInfo| cluster.is_below(pod.queue, queue);
        let admits = |ix: PodIx, pod: &PodInfo| {
            self.laws.victim_filters.iter().all(|guard| guard.denial(&self.case, ix, pod).is_none())
        };
        let able = self.running.iter().copied().filter(|(ix, pod)| below(pod) && admits(*ix, pod));
        let mut able: Vec<(PodIx, &PodInfo)> = able.collect();
        able.sort_by(|a, b| (self.laws.order.1)(&self.case, *a, *b).then(a.1.rank.cmp(&b.1.rank)));
        let shares = Shares::of(&self.case);
        let (mut victims, mut held) = (Vec::new(), UsageByQueue::default());
        for by_share in [true, false] {
            able.retain(|(ix, pod)| {
                let is_victim = self.try_evict(pod, &shares, &mut held, by_share);
                victims.extend(is_victim.then_some(*ix));
                !is_victim
            });
        }
        victims
    }

    /// Adds the amounts of a pod to `held`, those of the victims so far, if the pod may be evicted together with these. Returns whether it may.
    fn try_evict(&self, pod: &PodInfo, shares: &Shares, held: &mut UsageByQueue, by_share: bool) -> bool {
        let Some(leaf) = pod.queue else { return false };
        held.apply(self.case.cluster, pod, Amounts::add);
        let case = ExcessContext { victims: held, victim_queue: leaf, ..self.case };
        let within_share = !by_share || shares.allow(&case);
        let may_go = within_share && case.first_failed_check(&self.laws.plan_invariants).is_none();
        if !may_go {
            held.apply(self.case.cluster, pod, Amounts::subtract);
        }
        may_go
    }
}
