//! YuniKorn: the seven laws of preemption, the fence, the delay, and the pods of DaemonSets (preemption design).

mod groups;
mod laws;
mod queues;
mod quota;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod, at, text};
use laws::Preemption;
use queues::QueueTree;
pub(crate) use quota::check_enforcement;

/// The state between attempts.
#[derive(Debug, Default)]
pub(crate) struct YuniKornState {
    /// The victims of the last plan of each pod. A pod does not preempt again before they have left.
    victims: BTreeMap<String, BTreeSet<String>>,
    /// The first pod of every application.
    originators: BTreeMap<String, String>,
    /// Since when a queue has used more than its maximum, in seconds.
    over_since: BTreeMap<String, i64>,
}

/// Returns the queue of a pod; empty for a pod of another scheduler.
fn leaf(pod: &ModelPod) -> &str {
    pod.label("queue").filter(|_| !pod.restrictions.foreign).unwrap_or_default()
}

/// Returns whether a pod belongs to a DaemonSet.
fn is_daemon(pod: &ModelPod) -> bool {
    at(&pod.object, "/metadata/ownerReferences/0").is_some_and(|owner| text(owner, "/kind") == "DaemonSet")
}

/// Returns whether a pod opted out of preemption.
fn opted_out(world: &ModelCluster, pod: &ModelPod) -> bool {
    let class = ("PriorityClass".to_owned(), text(&pod.object, "/spec/priorityClassName").to_owned());
    let class = world.others.get(&class);
    class.and_then(|class| at(class, "/metadata/annotations")?.get("yunikorn.apache.org/allow-preemption")?.as_str())
        == Some("false")
}

/// Computes the free amounts on a node for a pod. Capacity is reserved for other nominated pods, against pods of any kind and priority.
fn free_for(world: &ModelCluster, pod: &ModelPod, node: &ModelNode) -> MilliAmounts {
    let mut free = world.free(node);
    let nominated = world.pods.values().filter(|other| other.pending() && other.name != pod.name);
    nominated
        .filter(|other| other.nominated.as_deref() == Some(&node.name))
        .for_each(|other| free.take(&other.request));
    free
}

/// Returns whether a node is reserved for a pod of a DaemonSet that is nominated to it or, unless `lenient`, pending for it. A node is never
/// reserved against a pod that is nominated to the node itself.
fn is_reserved(world: &ModelCluster, pod: &ModelPod, node: &ModelNode, lenient: bool) -> bool {
    if pod.nominated.as_deref() == Some(&node.name) {
        return false;
    }
    let others = world.pods.values().filter(|other| other.pending() && other.name != pod.name && is_daemon(other));
    let waits =
        |other: &ModelPod| other.nominated.as_deref() == Some(&node.name) || !lenient && world.may_run(other, node);
    others.into_iter().any(waits)
}

/// Looks at the cluster before a step: the first pods of applications, and the queues over their maxima.
pub(crate) fn observe_cluster(world: &ModelCluster, memory: &mut YuniKornState) -> Result<(), ModelInputError> {
    let mut first: BTreeMap<&str, (i64, &str)> = BTreeMap::new();
    for pod in world.pods.values().filter(|pod| !pod.restrictions.foreign) {
        let this = (pod.times.created, pod.name.as_str());
        let first = first.entry(pod.label("applicationId").unwrap_or_default()).or_insert(this);
        *first = this.min(*first);
    }
    // The pod that is seen first stays the originator, whenever a later one says that it was created; an application without pods is gone.
    memory.originators.retain(|app, _| first.contains_key(app.as_str()));
    for (app, (_, pod)) in first {
        memory.originators.entry(app.to_owned()).or_insert_with(|| pod.to_owned());
    }
    let over = QueueTree::read(world)?.over_max(world);
    memory.over_since.retain(|path, _| over.contains(path));
    for path in over {
        memory.over_since.entry(path).or_insert(world.now);
    }
    Ok(())
}

/// Judges one attempt.
pub(crate) fn attempt(
    world: &ModelCluster,
    memory: &mut YuniKornState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let pod = world.pods.get(name).ok_or_else(|| ModelInputError(format!("there is no pod `{name}`")))?;
    let queues = QueueTree::read(world)?;
    let first = |pod: &ModelPod| memory.originators.values().any(|name| *name == pod.name);
    let judge = YuniKornAttemptCheck {
        preemption: Preemption { world, queues: &queues, pod },
        awaits_victims: awaits_victims(world, memory, pod),
        originators: world.pods.values().filter(|pod| first(pod)).map(|pod| pod.name.as_str()).collect(),
    };
    if queues.has_leaf(leaf(pod)) {
        judge.judge(outcome, verdict);
    } else if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
        verdict.breach("queue-is-known", format!("`{name}` has no queue, and ended {:?}", outcome.ended));
    }
    if outcome.ended == Some(AttemptStatus::Nominated) && !outcome.victims.is_empty() {
        memory.victims.insert(name.to_owned(), outcome.victims.iter().cloned().collect());
    }
    Ok(())
}

/// Returns whether a victim of the last plan of a pod, or any pod on the node that is reserved for it, has not left yet.
fn awaits_victims(world: &ModelCluster, memory: &YuniKornState, pod: &ModelPod) -> bool {
    let victims = memory.victims.get(&pod.name).into_iter().flatten();
    victims.filter_map(|name| world.pods.get(name)).any(|victim| victim.leaving)
        || pod.nominated.as_ref().is_some_and(|node| world.on(node).any(|other| other.leaving))
}

/// Everything needed to judge one attempt.
struct YuniKornAttemptCheck<'w> {
    preemption: Preemption<'w>,
    awaits_victims: bool,
    originators: BTreeSet<&'w str>,
}

impl<'w> YuniKornAttemptCheck<'w> {
    fn judge(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let Preemption { world, queues, pod } = self.preemption;
        let nodes = || world.nodes.values().filter(|node| world.may_run(pod, node));
        let takes =
            |node: &&ModelNode| pod.request.fits(&free_for(world, pod, node)) && !is_reserved(world, pod, node, true);
        let fitting_nodes: Vec<&str> = nodes().filter(takes).map(|node| node.name.as_str()).collect();
        let sure = nodes().filter(takes).any(|node| !is_reserved(world, pod, node, false));
        let tight = queues.headroom(world, pod, true);
        let fits = pod.request.fits(&queues.headroom(world, pod, false));
        if outcome.ended == Some(AttemptStatus::Scheduled) {
            let there = outcome.node.as_deref().is_some_and(|node| fitting_nodes.contains(&node));
            if !there || !fits {
                let text = format!(
                    "`{}` was bound to {:?}; room on {fitting_nodes:?}, in its queues: {fits}",
                    pod.name, outcome.node
                );
                verdict.breach(if there { "fits-max-of-ancestors" } else { "bound-where-there-is-room" }, text);
            }
            return;
        }
        if sure && pod.request.fits(&tight) {
            let text = format!(
                "`{}` fits {fitting_nodes:?} and its queues, and ended {:?}: {}",
                pod.name, outcome.ended, outcome.reason
            );
            let expect = json!({"result": "Scheduled", "nodeIn": fitting_nodes});
            return verdict.breach_expecting("bound-where-there-is-room", text, expect);
        }
        match outcome.ended {
            Some(AttemptStatus::Nominated) => self.plan(outcome, verdict),
            Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected) => self.complete(outcome, verdict),
            other => verdict.breach("attempt-is-reported-completely", format!("`{}` ended {other:?}", pod.name)),
        }
    }

    /// Returns why this pod may not preempt at all. `None`: it may.
    fn forbidden(&self) -> Option<&'static str> {
        let Preemption { world, queues, pod } = self.preemption;
        if pod.restrictions.never_preempts {
            return Some("preemptionPolicy Never");
        }
        if self.awaits_victims {
            return Some("its victims have not left");
        }
        if is_daemon(pod) {
            return None;
        }
        if queues::partition(world).pointer("/preemption/enabled") == Some(&Value::Bool(false)) {
            return Some("preemption is off");
        }
        (world.now - pod.times.entered < queues.delay(leaf(pod))).then_some("its delay is not over")
    }

    /// Judges a plan.
    fn plan(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let Preemption { world, pod, .. } = self.preemption;
        if outcome.victims.is_empty() {
            return verdict.excuse("a node is reserved without victims");
        }
        if let Some(why) = self.forbidden() {
            let text = format!("`{}` planned to evict {:?} although: {why}", pod.name, outcome.victims);
            return verdict.breach_expecting("may-preempt", text, json!({"victims": []}));
        }
        let Some(node) = outcome.node.as_ref().and_then(|node| world.nodes.get(node)) else { return };
        let victims: Vec<&ModelPod> = outcome.victims.iter().filter_map(|name| world.pods.get(name)).collect();
        if let Some((law, text)) = self.illegal(node, &victims, true) {
            return verdict.breach(law, format!("`{}` on `{}`: {text}", pod.name, node.name));
        }
        for victim in &victims {
            let rest: Vec<&ModelPod> = victims.iter().copied().filter(|other| other.name != victim.name).collect();
            // Strict reading: room nominated for other pods is not available.
            if self.illegal(node, &rest, false).is_none() {
                verdict
                    .breach("no-needless-victim", format!("victim `{}` is not needed for `{}`", victim.name, pod.name));
            }
        }
        let all = self.legal_groups();
        let fewest = all.iter().map(|(_, group)| group.len()).min();
        verdict.planned(victims.len(), fewest.map(|fewest| fewest.min(victims.len())));
        let named = |group: &[&ModelPod]| group.iter().map(|pod| pod.name.clone()).collect::<Vec<_>>();
        let spared = self.protected(&victims);
        if let Some((better, group)) = all.iter().find(|(_, group)| self.protected(group) < spared) {
            let text = format!(
                "{:?} on `{}` are enough, and fewer of them are protected than of {:?}",
                named(group),
                better.name,
                outcome.victims
            );
            verdict.breach("opted-out-and-originators-last", text);
        }
        let is_smaller = |group: &[&ModelPod]| self.protected(group) == spared && group.len() < victims.len();
        if let Some((better, group)) = all.iter().find(|(_, group)| is_smaller(group)) {
            let text = format!("{:?} on `{}` are enough, fewer than {:?}", named(group), better.name, outcome.victims);
            verdict.breach("fewest-victims", text);
        }
    }

    /// Judges that there is no plan.
    fn complete(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let pod = self.preemption.pod;
        if let Some(why) = self.forbidden() {
            return verdict.excuse(why);
        }
        let groups = self.legal_groups();
        let Some((node, group)) = groups.first() else { return };
        let names: Vec<&String> = group.iter().map(|pod| &pod.name).collect();
        if self
            .preemption
            .world
            .pods
            .values()
            .any(|other| other.leaving || other.pending() && other.nominated.is_some())
        {
            return verdict.excuse("a plan is in flight");
        }
        let text =
            format!("`{}` has no plan, but {names:?} on `{}` may be evicted: {}", pod.name, node.name, outcome.reason);
        verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
    }

    /// Counts the pods that opted out, and those that are originators, the kind that is spared first in front. A DaemonSet pod spares originators
    /// first.
    fn protected(&self, group: &[&ModelPod]) -> (usize, usize) {
        let opted = group.iter().filter(|pod| opted_out(self.preemption.world, pod)).count();
        let first = group.iter().filter(|pod| self.originators.contains(pod.name.as_str())).count();
        if is_daemon(self.preemption.pod) { (first, opted) } else { (opted, first) }
    }
}

/// Computes the usage of the leaf queues, by `queue/path`. Fails if the configuration cannot be read.
pub(crate) fn accounts(world: &ModelCluster) -> Result<BTreeMap<String, MilliAmounts>, ModelInputError> {
    let queues = QueueTree::read(world)?;
    let leaves = queues.leaves().map(|path| (format!("queue/{path}"), queues::used(world, path, false)));
    Ok(leaves.collect())
}

/// Returns whether every queue is within its maximum. Fails if the configuration cannot be read.
pub(crate) fn fair(world: &ModelCluster) -> Result<bool, ModelInputError> {
    Ok(QueueTree::read(world)?.within_max(world))
}
