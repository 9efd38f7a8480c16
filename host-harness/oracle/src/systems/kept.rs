//! Nodes that are kept for pods whose time at Permit ran out while their gang had a plan. No field of an object shows them.

use std::collections::BTreeMap;

use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::world::{ModelCluster, ModelPod};

/// The excuse for an attempt that is judged while nodes are kept: what is seen does not say what is free.
pub(crate) const EXCUSE: &str = "a node is kept for a pod whose time at Permit ran out";

/// The pods for which a node is kept, and the nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetainedNodes(BTreeMap<String, String>);

impl RetainedNodes {
    /// Notes the nodes of pods that hold one before time passes and not afterwards, and whose gang has a plan.
    pub(crate) fn record_expired(
        &mut self,
        world: &ModelCluster,
        outcome: &ReportedOutcome,
        has_a_plan: impl Fn(&ModelPod) -> bool,
    ) {
        let late = world.pods.values().filter(|pod| pod.held.is_some() && !outcome.waiting.contains(&pod.name));
        let late = late.filter(|pod| has_a_plan(pod));
        self.0.extend(late.filter_map(|pod| Some((pod.name.clone(), pod.held.clone()?))));
    }

    /// Forgets the pods of a gang that gives up in an attempt for a pod: another one of it loses what it holds or is promised, without a plan.
    pub(crate) fn forget_failed_gang(
        &mut self,
        world: &ModelCluster,
        tried: &str,
        outcome: &ReportedOutcome,
        are_together: impl Fn(&ModelPod, &ModelPod) -> bool,
    ) {
        if !matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected)) {
            return;
        }
        let stands = |pod: &ModelPod| {
            let stands = outcome.nominations.as_ref().is_none_or(|standing| standing.contains_key(&pod.name));
            stands || outcome.waiting.contains(&pod.name)
        };
        let had = |pod: &&ModelPod| pod.node.is_none() && (pod.nominated.is_some() || pod.held.is_some());
        let lost: Vec<&ModelPod> =
            world.pods.values().filter(had).filter(|pod| pod.name != tried && !stands(pod)).collect();
        self.0
            .retain(|pod, _| world.pods.get(pod).is_none_or(|pod| !lost.iter().any(|other| are_together(pod, other))));
    }

    /// Forgets pods that hold a node again, are gone, or are nominated.
    pub(crate) fn forget(&mut self, world: &ModelCluster) {
        self.0.retain(|pod, _| world.pods.get(pod).is_some_and(is_waiting));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the pods, and the node that is kept for each.
    pub(crate) fn nodes(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Returns the cluster where the nodes are promised to the pods.
    pub(crate) fn with_nominations(&self, world: &ModelCluster) -> ModelCluster {
        let mut shown = world.clone();
        for (pod, node) in &self.0 {
            let pod = shown.pods.get_mut(pod).filter(|pod| is_waiting(pod));
            pod.into_iter().for_each(|pod| pod.nominated = Some(node.clone()));
        }
        shown
    }
}

fn is_waiting(pod: &ModelPod) -> bool {
    pod.occupied_node().is_none() && pod.nominated.is_none()
}
