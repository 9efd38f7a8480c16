//! The queue order of coscheduling.

use std::collections::{BTreeMap, BTreeSet};

use super::quotas::NamespaceQuotas;
use super::{CoschedulingState, allocated, group, is_missing, members, minimum, object};
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::object::seconds;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod, text};

/// Judges the queue: pods that would borrow last, then by priority, the pods of a group together, and, before any failure, by time.
pub(crate) fn order(
    world: &ModelCluster,
    memory: &CoschedulingState,
    order: &[String],
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let pods: Vec<&ModelPod> = order.iter().filter_map(|name| world.pods.get(name)).collect();
    let pending = world.pods.values().filter(|pod| pod.pending()).count();
    if pods.len() != pending || pods.iter().any(|pod| !pod.pending()) {
        verdict.breach("queue-holds-all-pending-pods", format!("the queue is {order:?}"));
        return Ok(());
    }
    let quotas = NamespaceQuotas::of(world)?;
    let last_of = |world: &ModelCluster| quotas.as_ref().map(|quotas| borrowers(quotas, world)).unwrap_or_default();
    let is_sorted = |last: &BTreeMap<String, u8>| {
        pods.is_sorted_by_key(|pod| (last.get(&pod.name).copied().unwrap_or(0), -priority(world, pod)))
    };
    // A node may be kept for a pod that is seen to be promised none.
    let mut last = last_of(world);
    if !is_sorted(&last) && !memory.retained.is_empty() {
        last = last_of(&memory.retained.with_nominations(world));
    }
    let is_last = |pod: &ModelPod| last.get(&pod.name).copied().unwrap_or(0);
    if !is_sorted(&last) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}, these would borrow: {last:?}"));
    }
    // Pods whose PodGroup is missing are ordered as regular pods.
    let group = |pod: &'_ ModelPod| group(pod).filter(|_| !is_missing(world, pod)).map(str::to_owned);
    let mut seen: BTreeSet<(u8, i64, String)> = BTreeSet::new();
    let mut previous = None;
    for pod in &pods {
        let key = group(pod).map(|group| (is_last(pod), priority(world, pod), group));
        if key.is_some() && key != previous && !seen.insert(key.clone().unwrap_or_default()) {
            verdict.breach("gang-members-together", format!("the queue is {order:?}"));
        }
        previous = key;
    }
    uninterrupted(world, memory, (&pods, &last), verdict);
    let time = |pod: &ModelPod| match group(pod) {
        Some(name) => {
            let declared =
                object(world, pod).and_then(|group| seconds(text(group, "/metadata/creationTimestamp")).ok());
            declared.unwrap_or_else(|| members(world, &name).iter().map(|pod| pod.times.created).min().unwrap_or(0))
        }
        None => pod.times.created,
    };
    for pair in pods.windows(2) {
        if let [one, other] = pair
            && !memory.has_attempts
            && is_last(one) == is_last(other)
            && priority(world, one) == priority(world, other)
            && group(one) != group(other)
        {
            let wrong = time(one) > time(other);
            if wrong {
                let text = format!("`{}` comes before `{}`: {order:?}", one.name, other.name);
                verdict.breach("waiting-gang-first", text);
            }
        }
    }
    Ok(())
}

/// Returns the priority with which a pod stands in the queue: the lowest among the pods of its group, those that are leaving included (ruling R85).
fn priority(world: &ModelCluster, pod: &ModelPod) -> i64 {
    let Some(name) = group(pod).filter(|_| !is_missing(world, pod)) else { return pod.priority };
    let is_member = |other: &&ModelPod| group(other) == Some(name) && other.namespace == pod.namespace;
    world.pods.values().filter(is_member).map(|other| other.priority).min().unwrap_or(pod.priority)
}

/// Judges that the group which is being tried comes first among pods of the same priority that borrow no less or more, as long as some of its pods
/// hold nodes that are of no use without the others.
fn uninterrupted(
    world: &ModelCluster,
    memory: &CoschedulingState,
    (pods, last): (&[&ModelPod], &BTreeMap<String, u8>),
    verdict: &mut StepFindings,
) {
    let Some(turn) = memory.last.as_deref() else { return };
    let all = members(world, turn);
    let untried = |pod: &&ModelPod| pod.pending() && !pod.restrictions.gated && !memory.rounds.was_tried(turn, pod);
    if !all.iter().any(|pod| holds_without_gang(world, pod)) || !all.iter().any(untried) {
        return;
    }
    let is_in_turn = |pod: &ModelPod| group(pod) == Some(turn) && !is_missing(world, pod);
    let kind = |pod: &ModelPod| (last.get(&pod.name).copied().unwrap_or(0), priority(world, pod));
    for (place, pod) in pods.iter().enumerate().filter(|(_, pod)| is_in_turn(pod)) {
        let mut before = pods.iter().take(place).filter(|other| kind(other) == kind(pod));
        if let Some(other) = before.find(|other| !is_in_turn(other)) {
            let text = format!("`{}` comes before `{}`, whose group is being tried", other.name, pod.name);
            verdict.breach("gang-members-together", text);
        }
    }
}

/// Returns how far behind a pod stands that would take its quota over its min while a pod of another quota, which may preempt, waits within its own:
/// 1 where its quota would stay within its min if others of it did not come before, 2 where it would not.
fn borrowers(quotas: &NamespaceQuotas, world: &ModelCluster) -> BTreeMap<String, u8> {
    let mut before: BTreeMap<&str, EarlierRequests> = BTreeMap::new();
    let (mut within, mut beyond): (BTreeSet<&str>, Vec<(&ModelPod, u8)>) = Default::default();
    // What a group holds at Permit while it is not whole counts as asked for with the rest of the group.
    let mut apart = world.clone();
    apart.pods.values_mut().filter(|pod| holds_without_gang(world, pod)).for_each(|pod| pod.held = None);
    for pods in attempts(quotas, world) {
        let Some(first) = pods.first() else { continue };
        let requests = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
        let before = before.entry(&first.namespace).or_default();
        let fits_beside = |asked: &MilliAmounts| quotas.is_within_min(&apart, &first.namespace, &requests, asked);
        let alone = fits_beside(&before.nominated);
        // A group without enough members that this scheduler may try, or that hold a node, cannot start, nor can one whose PodGroup is
        // missing. So it takes nothing back.
        let counts = |pod: &&ModelPod| pod.occupied_node().is_some() || pod.pending();
        let have = |name| members(world, name).into_iter().filter(counts).count();
        let is_short = is_missing(world, first) || group(first).is_some_and(|name| have(name) < minimum(world, first));
        if alone && !is_short && pods.iter().all(|pod| !pod.restrictions.never_preempts) {
            within.insert(&first.namespace);
        }
        if alone && !before.is_full && fits_beside(&before.requested) {
            before.requested.add(&requests);
            if pods.iter().any(|pod| pod.nominated.is_some()) {
                before.nominated.add(&requests);
            }
        } else {
            before.is_full |= alone;
            beyond.extend(pods.into_iter().map(|pod| (pod, if alone { 1 } else { 2 })));
        }
    }
    let may_lose = |pod: &ModelPod| within.iter().any(|namespace| *namespace != pod.namespace);
    let last = beyond.into_iter().filter(|(pod, _)| may_lose(pod));
    last.map(|(pod, behind)| (pod.name.clone(), behind)).collect()
}

/// Returns whether pods of another quota wait within the min of that quota that may preempt, are promised no node, and may run on a node where a
/// pod may run that would borrow: on that node, they might evict the pod at once (ruling R84).
pub(super) fn might_be_claimed(quotas: &NamespaceQuotas, world: &ModelCluster, pod: &ModelPod) -> bool {
    let nodes: Vec<&ModelNode> = world.nodes.values().filter(|node| world.may_run(pod, node)).collect();
    attempts(quotas, world).into_iter().any(|pods| {
        let Some(first) = pods.first().filter(|first| first.namespace != pod.namespace) else { return false };
        let requests = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
        let waits =
            |other: &&&ModelPod| other.pending() && !other.restrictions.never_preempts && other.nominated.is_none();
        quotas.is_within_min(world, &first.namespace, &requests, &MilliAmounts::default())
            && pods.iter().filter(waits).any(|other| nodes.iter().any(|node| world.may_run(other, node)))
    })
}

/// The requests of the pods of a quota that come before another one.
#[derive(Default)]
struct EarlierRequests {
    requested: MilliAmounts,
    nominated: MilliAmounts,
    /// One of them would be within the min alone, and is not behind the others: nor is any after it.
    is_full: bool,
}

/// Returns whether a pod holds a node at Permit for a group that is not whole.
fn holds_without_gang(world: &ModelCluster, pod: &ModelPod) -> bool {
    let whole = |name| allocated(world, name) >= minimum(world, pod);
    pod.held.is_some() && group(pod).filter(|_| !is_missing(world, pod)).is_some_and(|name| !whole(name))
}

/// Returns the pods that wait in quotas, attempt by attempt: the pods that a group lacks together, every other pod alone. Nominated pods come
/// first, then the more important ones, then names decide.
fn attempts<'w>(quotas: &NamespaceQuotas, world: &'w ModelCluster) -> Vec<Vec<&'w ModelPod>> {
    let place = |pod: &ModelPod| {
        let name = pod.name.split_once('/').map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
        (pod.nominated.is_none(), pod.pending(), -pod.priority, name)
    };
    let mut groups: BTreeMap<Option<(&str, &str)>, Vec<&ModelPod>> = BTreeMap::new();
    let waits = |pod: &ModelPod| pod.pending() && !pod.restrictions.gated || holds_without_gang(world, pod);
    for pod in world.pods.values().filter(|pod| waits(pod) && quotas.has(&pod.namespace)) {
        let name = group(pod).filter(|_| !is_missing(world, pod));
        groups.entry(name.map(|name| (pod.namespace.as_str(), name))).or_default().push(pod);
    }
    let mut all: Vec<Vec<&ModelPod>> = Vec::new();
    for (name, mut pods) in groups {
        pods.sort_by_key(|pod| place(pod));
        let whole = match (name, pods.first()) {
            (Some((_, name)), Some(pod)) => {
                let held = pods.iter().filter(|pod| pod.held.is_some()).count();
                (minimum(world, pod).saturating_sub(allocated(world, name)) + held).min(pods.len())
            }
            _ => 0,
        };
        let rest = pods.split_off(whole);
        all.extend((!pods.is_empty()).then_some(pods));
        all.extend(rest.into_iter().map(|pod| vec![pod]));
    }
    all.sort_by_key(|pods| pods.first().map(|pod| place(pod)));
    all
}
