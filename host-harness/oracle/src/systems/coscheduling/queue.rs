//! The queue order of coscheduling.

use std::collections::{BTreeMap, BTreeSet};

use super::quotas::Quotas;
use super::{Memory, allocated, group, is_lost, members, minimum, object};
use crate::ReadError;
use crate::amounts::Amounts;
use crate::object::seconds;
use crate::tally::Verdict;
use crate::world::{Pod, World, text};

/// Judges the queue: pods that would borrow last, then by priority, the pods of a group together, and, before any failure, by time.
pub(crate) fn order(world: &World, memory: &Memory, order: &[String], verdict: &mut Verdict) -> Result<(), ReadError> {
    let pods: Vec<&Pod> = order.iter().filter_map(|name| world.pods.get(name)).collect();
    let pending = world.pods.values().filter(|pod| pod.pending()).count();
    if pods.len() != pending || pods.iter().any(|pod| !pod.pending()) {
        verdict.breach("queue-holds-all-pending-pods", format!("the queue is {order:?}"));
        return Ok(());
    }
    let last = Quotas::of(world)?.map(|quotas| borrowers(&quotas, world)).unwrap_or_default();
    let is_last = |pod: &Pod| last.contains(&pod.name);
    if !pods.is_sorted_by_key(|pod| (is_last(pod), -pod.priority)) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}, these would borrow: {last:?}"));
    }
    // Pods whose PodGroup is missing are ordered as regular pods.
    let group = |pod: &'_ Pod| group(pod).filter(|_| !is_lost(world, pod)).map(str::to_owned);
    let mut seen: BTreeSet<(bool, i64, String)> = BTreeSet::new();
    let mut previous = None;
    for pod in &pods {
        let key = group(pod).map(|group| (is_last(pod), pod.priority, group));
        if key.is_some() && key != previous && !seen.insert(key.clone().unwrap_or_default()) {
            verdict.breach("gang-members-together", format!("the queue is {order:?}"));
        }
        previous = key;
    }
    let time = |pod: &Pod| match group(pod) {
        Some(name) => {
            let declared =
                object(world, pod).and_then(|group| seconds(text(group, "/metadata/creationTimestamp")).ok());
            declared.unwrap_or_else(|| members(world, &name).iter().map(|pod| pod.created).min().unwrap_or(0))
        }
        None => pod.created,
    };
    for pair in pods.windows(2) {
        if let [one, other] = pair
            && !memory.begun
            && is_last(one) == is_last(other)
            && one.priority == other.priority
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

/// The pods that would take their quota over its min while a pod of another quota, which may preempt, waits within its own.
fn borrowers(quotas: &Quotas, world: &World) -> BTreeSet<String> {
    let mut asked: BTreeMap<&str, Amounts> = BTreeMap::new();
    let (mut within, mut beyond): (BTreeSet<&str>, Vec<&Pod>) = Default::default();
    for pods in attempts(quotas, world) {
        let Some(first) = pods.first() else { continue };
        let requests = Amounts::sum(pods.iter().map(|pod| &pod.request));
        let sum = asked.entry(&first.namespace).or_default();
        if quotas.is_within_min(world, &first.namespace, &requests, sum) {
            sum.add(&requests);
            within.extend(pods.iter().all(|pod| !pod.never_preempts).then_some(first.namespace.as_str()));
        } else {
            beyond.extend(pods);
        }
    }
    let may_lose = |pod: &&Pod| within.iter().any(|namespace| *namespace != pod.namespace);
    beyond.into_iter().filter(may_lose).map(|pod| pod.name.clone()).collect()
}

/// What waits in quotas, attempt by attempt: the pods that a group lacks together, every other pod alone. Nominated pods come first, then
/// the more important ones, then names decide.
fn attempts<'w>(quotas: &Quotas, world: &'w World) -> Vec<Vec<&'w Pod>> {
    let place = |pod: &Pod| {
        let name = pod.name.split_once('/').map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
        (pod.nominated.is_none(), -pod.priority, name)
    };
    let mut groups: BTreeMap<Option<(&str, &str)>, Vec<&Pod>> = BTreeMap::new();
    for pod in world.pods.values().filter(|pod| pod.pending() && !pod.gated && quotas.has(&pod.namespace)) {
        let name = group(pod).filter(|_| !is_lost(world, pod));
        groups.entry(name.map(|name| (pod.namespace.as_str(), name))).or_default().push(pod);
    }
    let mut all: Vec<Vec<&Pod>> = Vec::new();
    for (name, mut pods) in groups {
        pods.sort_by_key(|pod| place(pod));
        let whole = match (name, pods.first()) {
            (Some((_, name)), Some(pod)) => minimum(world, pod).saturating_sub(allocated(world, name)).min(pods.len()),
            _ => 0,
        };
        let rest = pods.split_off(whole);
        all.extend((!pods.is_empty()).then_some(pods));
        all.extend(rest.into_iter().map(|pod| vec![pod]));
    }
    all.sort_by_key(|pods| pods.first().map(|pod| place(pod)));
    all
}
