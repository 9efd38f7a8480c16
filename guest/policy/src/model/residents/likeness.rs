//! What makes two pods alike for guards.

use crate::model::{PodInfo, PodKind, PodLocation, Preemptibility};

/// All attributes of a pod that guards may read, except its name and its times. A guard that reads more declares so
/// ([`LawMetadata::depends_on_pod_identity`](crate::laws::LawMetadata)). The attributes are read of each pod that has changed and compared with many others. So
/// each number packs two parts of 32 bits, and the numbers that differ most often come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VictimClassKey {
    /// The job, and the class: request, shape and constraints between pods.
    job_class: u64,
    priority_queue: u64,
    inside_role: u64,
    /// The namespace, the kind and the flags.
    namespace_flags: u64,
}

impl VictimClassKey {
    /// Returns the key of a pod.
    pub fn of(pod: &PodInfo) -> VictimClassKey {
        let attributes = &pod.attributes;
        let flags = [
            pod.name.kind == PodKind::Reservation,
            matches!(pod.state.location, PodLocation::Bound(_)),
            attributes.preemptibility == Preemptibility::Preemptible,
            attributes.may_preempt,
            attributes.opted_out,
            attributes.marked_for_eviction,
            attributes.task.critical,
            attributes.task.succeeded,
            pod.controller.is_daemon_set,
            pod.requirements.required_node.is_some(),
            pod.state.terminating,
            pod.state.preempted,
            pod.state.foreign,
            pod.state.protected,
        ];
        let flags = flags.into_iter().fold(0, |bits: u32, flag| bits << 1 | u32::from(flag));
        VictimClassKey {
            job_class: packed(or_none(attributes.job.map(|job| job.0)), pod.requirements.class.0),
            priority_queue: packed(pod.priority().cast_unsigned(), or_none(pod.queue.map(|queue| queue.0))),
            inside_role: packed(
                or_none(attributes.reservation.map(|name| name.0)),
                or_none(attributes.task.role.map(|role| role.0)),
            ),
            namespace_flags: packed(pod.namespace.0, flags),
        }
    }
}

fn packed(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

/// Returns the number, or, without one, a number that no entry has: tables end before it.
fn or_none(number: Option<u32>) -> u32 {
    number.unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::{ClassIx, JobIx, NameId, NodeIx, PodIx, QueueIx};
    use crate::testing::{PolicyHarness, pod};

    #[test]
    fn pods_that_differ_in_what_a_guard_may_ask_are_not_alike() {
        let mut world = PolicyHarness::new();
        world.pod(pod("p"));
        let pod = world.engine.cluster().pod(PodIx(world.id("p"))).unwrap();
        let changes: [fn(&mut PodInfo); 21] = [
            |pod| pod.requirements.class = ClassIx(9),
            |pod| pod.attributes.priority = -1,
            |pod| pod.queue = Some(QueueIx(9)),
            |pod| pod.attributes.job = Some(JobIx(9)),
            |pod| pod.namespace = NameId(9),
            |pod| pod.name.kind = PodKind::Reservation,
            |pod| pod.attributes.reservation = Some(NameId(9)),
            |pod| pod.attributes.task.role = Some(NameId(9)),
            |pod| pod.state.location = PodLocation::Bound(NodeIx(0)),
            |pod| {
                pod.attributes.preemptibility = match pod.attributes.preemptibility {
                    Preemptibility::Preemptible => Preemptibility::NonPreemptible,
                    Preemptibility::NonPreemptible => Preemptibility::Preemptible,
                }
            },
            |pod| pod.attributes.may_preempt ^= true,
            |pod| pod.attributes.opted_out ^= true,
            |pod| pod.attributes.marked_for_eviction ^= true,
            |pod| pod.attributes.task.critical ^= true,
            |pod| pod.attributes.task.succeeded ^= true,
            |pod| pod.controller.is_daemon_set ^= true,
            |pod| pod.requirements.required_node = Some(NodeIx(0)),
            |pod| pod.state.terminating ^= true,
            |pod| pod.state.preempted ^= true,
            |pod| pod.state.foreign ^= true,
            |pod| pod.state.protected ^= true,
        ];
        let changed = changes.map(|change| {
            let mut other = pod.clone();
            change(&mut other);
            VictimClassKey::of(&other)
        });
        let all: BTreeSet<VictimClassKey> = changed.into_iter().chain([VictimClassKey::of(pod)]).collect();
        assert_eq!(all.len(), changes.len() + 1);
    }
}
