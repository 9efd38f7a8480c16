//! A plan in flight: its pods are nominated, and wait for room, or for each other.
//!
//! The pods of a gang are tried one by one. With constraints between pods, one of them may fit its node only when others are on theirs: it
//! waits. A search begins with the pod that is tried and may find no order, or other victims; the plan in flight still has one.

use super::Engine;
use super::plan::Plan;
use super::search::{self, Branch, Obstacle, PreemptionContext};
use crate::contract::Refuted;
use crate::engine::Notes;
use crate::laws::{Laws, Preemptor};
use crate::model::{NodeIx, Nominated, Pod, PodIx, Trial, WhatIf};

/// How many pods are looked at on their nodes at most, in all orders together.
const LOOKS: usize = 512;

impl Engine {
    /// Returns what a plan waits for that is in flight already: neither of the two evicts a pod, and as many pods of each kind are nominated to each
    /// node. Otherwise two pods that are alike could change places with each attempt. `None`: it is new.
    pub(super) fn awaits(&self, plan: &Plan) -> Option<Obstacle> {
        let pods = || plan.nominations.iter().filter_map(|(ix, node)| Some((*ix, *node, self.cluster.pod(*ix)?)));
        let shown = pods().filter(|(ix, ..)| self.ledger.awaits(*ix));
        let kind = |pod: &Pod| (pod.class, pod.priority(), pod.queue);
        let mut shown: Vec<_> = shown.filter_map(|(.., pod)| Some((kind(pod), pod.nominated?))).collect();
        let mut planned: Vec<_> = pods().map(|(_, node, pod)| (kind(pod), node)).collect();
        shown.sort_unstable();
        planned.sort_unstable();
        match plan.nominations.as_slice() {
            _ if !plan.victims.is_empty() || shown != planned => None,
            [(_, node)] => Some(Obstacle::Coming(*node)),
            _ => Some(Obstacle::Room),
        }
    }

    /// Returns whether the plan in flight stands and what a search has found is no reason to give it up: no plan, one that would evict pods, or one for
    /// pods that are nominated by a plan without victims already.
    pub(super) fn stays_in_flight(
        &mut self,
        found: &Result<Plan, Obstacle>,
        (laws, gangs, refuted): (&Laws, &[Preemptor], &Refuted),
    ) -> bool {
        let may_stay = match found {
            Ok(plan) if plan.victims.is_empty() => plan.nominations.iter().all(|(pod, _)| self.ledger.awaits(*pod)),
            Ok(_) | Err(Obstacle::NoNode { .. } | Obstacle::Law(..)) => true,
            Err(Obstacle::Coming(_) | Obstacle::Room) => false,
        };
        may_stay && self.plan_stands(laws, gangs, refuted)
    }

    /// Returns whether the plan in flight for some gangs still stands: enough of their pods are nominated, the one that is tried among them,
    /// and when the pods that are leaving have left, these can take their nodes in some order.
    pub(super) fn plan_stands(&mut self, laws: &Laws, gangs: &[Preemptor], refuted: &Refuted) -> bool {
        let Some(preemptor) = gangs.first() else { return false };
        let Some(promised) = search::promised(&self.cluster, preemptor) else { return false };
        let (ledger, notes, branch) = (&self.ledger, &mut Notes::default(), &Branch::default());
        let context = PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes };
        let leaving = context.leaving(&self.cluster);
        let mut trial = Trial::new(&mut self.cluster);
        leaving.iter().for_each(|(ix, _)| trial.evict_set(*ix));
        let before = trial.mark();
        promised.iter().for_each(|(pod, node)| trial.place(*pod, *node));
        if context.broken_permit(trial.cluster()).or_else(|| context.broken_limit(trial.cluster())).is_some() {
            return false;
        }
        trial.rewind(before);
        let nominated = context.nominated(trial.cluster());
        Standing { context, nominated, looks: LOOKS }.in_some_order(&mut trial, &promised)
    }
}

/// The search for an order in which nominated pods take their nodes.
struct Standing<'a> {
    context: PreemptionContext<'a>,
    /// The nominated pods of others.
    nominated: Nominated,
    /// How many more pods are looked at.
    looks: usize,
}

impl Standing<'_> {
    /// Returns whether these pods can take their nodes in some order. Where the looks run out, no order is known.
    fn in_some_order(&mut self, trial: &mut Trial<'_>, left: &[(PodIx, NodeIx)]) -> bool {
        left.is_empty()
            || left.iter().enumerate().any(|(at, next)| {
                if self.looks == 0 {
                    return false;
                }
                self.looks = self.looks.saturating_sub(1);
                if !self.fits(trial, *next) {
                    return false;
                }
                let before = trial.mark();
                trial.place(next.0, next.1);
                let others = left.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<(PodIx, NodeIx)> = others.map(|(_, other)| *other).collect();
                let stands = self.in_some_order(trial, &others);
                trial.rewind(before);
                stands
            })
    }

    /// Returns whether a pod fits its node, what is promised there to others kept.
    fn fits(&self, trial: &Trial<'_>, (pod, ix): (PodIx, NodeIx)) -> bool {
        let cluster = trial.cluster();
        let Some((node, request)) = cluster.node(ix).zip(cluster.pod(pod).map(|pod| &pod.request)) else {
            return false;
        };
        self.context.may_run(cluster, pod, ix)
            && self.context.unpromised(cluster, node).lacks(request).is_none()
            && cluster.inter_pod_allows_beside(pod, ix, &WhatIf::default(), &self.nominated).is_ok()
    }
}
