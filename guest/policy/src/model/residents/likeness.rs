//! What makes two pods alike for guards.

use crate::model::{Kind, Place, Pod, Preemptibility};

/// All that guards may ask about a pod, beside its name and its times. A guard that asks for more says so
/// ([`Law::asks_each_pod`](crate::laws::Law::asks_each_pod)). Packed, because each search compares the keys of all pods that have changed: in
/// each number the two parts of 32 bits, those first that tell most pods apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Likeness {
    /// The job, and the class: request, shape, and what stands between the pod and others.
    job_class: u64,
    priority_queue: u64,
    inside_role: u64,
    /// The namespace, the kind and what is either so or not.
    namespace_flags: u64,
}

impl Likeness {
    /// Of a pod.
    pub fn of(pod: &Pod) -> Likeness {
        let attributes = &pod.attributes;
        let flags = [
            pod.name.kind == Kind::Reservation,
            matches!(pod.place, Place::Bound(_)),
            attributes.preemptibility == Preemptibility::Preemptible,
            attributes.may_preempt,
            attributes.opted_out,
            attributes.marked,
            attributes.task.critical,
            attributes.task.succeeded,
            pod.daemon,
            pod.required_node.is_some(),
            pod.terminating,
            pod.preempted,
            pod.foreign,
        ];
        let flags = flags.into_iter().fold(0, |bits: u32, flag| bits << 1 | u32::from(flag));
        Likeness {
            job_class: packed(attributes.job.map(|job| job.0), pod.class.0),
            priority_queue: packed(Some(pod.priority().cast_unsigned()), or_none(pod.queue.map(|queue| queue.0))),
            inside_role: packed(attributes.inside.map(|name| name.0), or_none(attributes.task.role.map(|role| role.0))),
            namespace_flags: packed(Some(pod.namespace.0), flags),
        }
    }
}

fn packed(upper: Option<u32>, lower: u32) -> u64 {
    u64::from(or_none(upper)) << 32 | u64::from(lower)
}

/// Returns a number that nothing has where there is none: tables end before it.
fn or_none(number: Option<u32>) -> u32 {
    number.unwrap_or(u32::MAX)
}
