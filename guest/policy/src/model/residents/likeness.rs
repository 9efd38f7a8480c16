//! What makes two pods alike for guards.

use crate::model::{ClassIx, JobIx, Kind, Place, Pod, Preemptibility, QueueIx, Symbol};

/// All that guards may ask about a pod, beside its name and its times. A guard that asks for more says so
/// ([`Law::asks_each_pod`](crate::laws::Law::asks_each_pod)).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Likeness {
    /// Request, shape, and what stands between it and others.
    class: ClassIx,
    priority: i32,
    queue: Option<QueueIx>,
    job: Option<JobIx>,
    namespace: Symbol,
    kind: Kind,
    inside: Option<Symbol>,
    role: Option<Symbol>,
    flags: [bool; 12],
}

impl Likeness {
    /// Of a pod.
    pub fn of(pod: &Pod) -> Likeness {
        let attributes = &pod.attributes;
        Likeness {
            class: pod.class,
            priority: pod.priority(),
            queue: pod.queue,
            job: attributes.job,
            namespace: pod.namespace,
            kind: pod.name.kind,
            inside: attributes.inside,
            role: attributes.task.role,
            flags: [
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
            ],
        }
    }
}
