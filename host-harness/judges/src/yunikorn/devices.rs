//! Devices that pods request in parts, or by two names, which the sums of nodes do not say enough about.

use serde_json::Value;

use super::answer::YunikornResult;
use super::view::{YunikornSituation, amount};
use crate::object::text;

/// A resource that counts devices in percent, and the same devices under another name.
const PERCENT: &str = "koordinator.sh/gpu-core";
const WHOLE: &str = "nvidia.com/gpu";

/// A resource that pods take of devices, whatever devices nodes have.
const UNCOUNTED: &str = "nvidia.com/gpumem";

/// 100 percent.
const DEVICE: i64 = 100;

/// Returns whether the policy refuses the pod for its request of devices.
pub(super) fn is_refused_for_devices(it: &YunikornSituation<'_>) -> bool {
    let uses = |resource| amount(Some(&it.core_pod.uses), resource);
    let requests = |resource| uses(resource) > 0;
    let part = |amount: i64| amount % DEVICE != 0;
    let in_parts = || {
        let has_several = |node: &Value| has(node, PERCENT) > DEVICE;
        let is_held = is_used_on(it, has_several, PERCENT, part);
        nodes(it).any(has_several) && (part(uses(PERCENT)) || is_held)
    };
    let by_two_names = || {
        let counts_both = |node: &Value| has(node, PERCENT) > 0 && has(node, WHOLE) > 0;
        let is_held = |resource| is_used_on(it, counts_both, resource, |amount| amount > 0);
        match (requests(PERCENT), requests(WHOLE)) {
            (true, true) => nodes(it).any(counts_both),
            (true, false) => is_held(WHOLE),
            (false, true) => is_held(PERCENT),
            (false, false) => false,
        }
    };
    it.policy.result == YunikornResult::Refused
        && (requests(UNCOUNTED) || requests(PERCENT) && in_parts() || by_two_names())
}

/// Returns the nodes.
fn nodes<'s>(it: &YunikornSituation<'s>) -> impl Iterator<Item = &'s Value> {
    it.objects.iter().filter(|object| text(object, "/kind") == "Node")
}

/// Returns how much of a resource a node has.
fn has(node: &Value, resource: &str) -> i64 {
    let allocatable = node.pointer("/status/allocatable");
    allocatable.and_then(|all| all.get(resource)?.as_str()?.parse().ok()).unwrap_or(0)
}

/// Returns whether a pod on such a node uses such an amount of a resource.
fn is_used_on(
    it: &YunikornSituation<'_>,
    on: impl Fn(&Value) -> bool,
    resource: &str,
    is_it: impl Fn(i64) -> bool,
) -> bool {
    let is_on = |name: &str| nodes(it).any(|node| text(node, "/metadata/name") == name && on(node));
    let request = |pod: &Value| {
        let requests = pod.pointer("/spec/containers/0/resources/requests");
        requests.and_then(|all| all.get(resource)?.as_str()?.parse().ok()).unwrap_or(0)
    };
    crate::object::pods(it.objects).any(|pod| is_on(text(pod, "/spec/nodeName")) && is_it(request(pod)))
}
