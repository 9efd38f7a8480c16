//! The queue order of coscheduling.

use std::collections::BTreeSet;

use super::{Memory, group, is_lost, members, object};
use crate::object::seconds;
use crate::tally::Verdict;
use crate::world::{Pod, World, text};

/// Judges the queue: by priority, the pods of a group together, and, before any failure, by time.
pub(crate) fn order(world: &World, memory: &Memory, order: &[String], verdict: &mut Verdict) {
    let pods: Vec<&Pod> = order.iter().filter_map(|name| world.pods.get(name)).collect();
    let pending = world.pods.values().filter(|pod| pod.pending()).count();
    if pods.len() != pending || pods.iter().any(|pod| !pod.pending()) {
        return verdict.breach("queue-holds-all-pending-pods", format!("the queue is {order:?}"));
    }
    if !pods.is_sorted_by_key(|pod| -pod.priority) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
    // Pods whose PodGroup is missing are ordered as regular pods.
    let group = |pod: &'_ Pod| group(pod).filter(|_| !is_lost(world, pod)).map(str::to_owned);
    let mut seen: BTreeSet<(i64, String)> = BTreeSet::new();
    let mut last = None;
    for pod in &pods {
        let key = group(pod).map(|group| (pod.priority, group));
        if key.is_some() && key != last && !seen.insert(key.clone().unwrap_or_default()) {
            verdict.breach("gang-members-together", format!("the queue is {order:?}"));
        }
        last = key;
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
}
