//! Koordinator's names of labels, annotations and quotas.

/// API group of ElasticQuota and PodGroup.
pub const SIGS_GROUP: &str = "scheduling.sigs.k8s.io";
/// API group of Reservation.
pub const KOORDINATOR_GROUP: &str = "scheduling.koordinator.sh";

/// The root of the quota tree.
pub const ROOT_QUOTA: &str = "koordinator-root-quota";
/// The quota of pods without another quota.
pub const DEFAULT_QUOTA: &str = "koordinator-default-quota";
/// The quota of the system's own pods.
pub const SYSTEM_QUOTA: &str = "koordinator-system-quota";

/// Checks whether this quota exists even without an object.
pub fn is_builtin(quota: &str) -> bool {
    [ROOT_QUOTA, DEFAULT_QUOTA, SYSTEM_QUOTA].contains(&quota)
}

/// Quota label: the parent quota.
pub const PARENT: &str = "quota.scheduling.koordinator.sh/parent";
/// Quota annotation: the namespaces whose pods belong to the quota, as a JSON list.
pub const NAMESPACES: &str = "quota.scheduling.koordinator.sh/namespaces";

/// Quota annotation: the weight for sharing the remaining capacity, a JSON resource list.
pub const SHARED_WEIGHT: &str = "quota.scheduling.koordinator.sh/shared-weight";
/// Quota label: "false" reserves the whole min for the quota, even the part it does not request.
pub const ALLOW_LENT_RESOURCE: &str = "quota.scheduling.koordinator.sh/allow-lent-resource";

/// Pod label: the quota of the pod.
pub const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
/// Pod label: whether the pod may be preempted.
pub const PREEMPTIBLE: &str = "quota.scheduling.koordinator.sh/preemptible";
/// Pod label: whether the pod may preempt.
pub const CAN_PREEMPT: &str = "quota.scheduling.koordinator.sh/can-preempt";
/// Pod label: "true" excludes the pod from preemption.
pub const DISABLE_PREEMPTIBLE: &str = "scheduling.koordinator.sh/disable-preemptible";
/// Label and annotation of a victim that another component is to delete.
pub const SOFT_EVICTION: &str = "scheduling.koordinator.sh/soft-eviction";
/// Pod label: the job.
pub const POD_GROUP: &str = "pod-group.scheduling.sigs.k8s.io";
/// Pod label: the job, under its older name.
pub const POD_GROUP_LEGACY: &str = "pod-group.scheduling.sigs.k8s.io/name";

/// Pod annotation: the gang.
pub const GANG: &str = "gang.scheduling.koordinator.sh/name";
/// Gang annotation: how many members are bound together.
pub const GANG_MINIMUM: &str = "gang.scheduling.koordinator.sh/min-available";
/// Gang annotation: how long a member waits, a Go duration.
pub const GANG_TIMEOUT: &str = "gang.scheduling.koordinator.sh/waiting-time";
/// Gang annotation: `Strict` or `NonStrict`.
pub const GANG_MODE: &str = "gang.scheduling.koordinator.sh/mode";
/// Gang annotation: the gangs that are bound together, a JSON list of `namespace/name`.
pub const GANG_GROUPS: &str = "gang.scheduling.koordinator.sh/groups";
/// Gang annotation: how near the members must be to each other in the network, JSON.
pub const GANG_TOPOLOGY: &str = "gang.scheduling.koordinator.sh/network-topology-spec";
/// Gang annotation: which members count towards the minimum.
pub const GANG_MATCH: &str = "gang.scheduling.koordinator.sh/match-policy";

/// Reservation label: whether the reservation may preempt.
pub const RESERVATION_CAN_PREEMPT: &str = "scheduling.koordinator.sh/can-preempt";
/// Reservation label: the priority of the reservation.
pub const RESERVATION_PRIORITY: &str = "koordinator.sh/priority";
/// Pod annotation: the reservation that the pod allocates from, JSON with `name` and `uid`.
pub const RESERVATION_ALLOCATED: &str = "scheduling.koordinator.sh/reservation-allocated";

/// Pod annotation: how its CPUs are bound, JSON.
pub const RESOURCE_SPEC: &str = "scheduling.koordinator.sh/resource-spec";
/// Pod annotation: how its resources are aligned to NUMA nodes, JSON.
pub const NUMA_TOPOLOGY: &str = "scheduling.koordinator.sh/numa-topology-spec";
/// Pod annotation: which devices are allocated together, JSON.
pub const DEVICE_JOINT_ALLOCATE: &str = "scheduling.koordinator.sh/device-joint-allocate";
/// Pod annotation: which devices are allocated, by type, JSON.
pub const DEVICE_HINT: &str = "scheduling.koordinator.sh/device-allocate-hint";
/// Pod annotation: the partition of GPUs, JSON.
pub const GPU_PARTITION: &str = "scheduling.koordinator.sh/gpu-partition-spec";
/// Pod annotation: which reservations the pod may allocate from, JSON.
pub const RESERVATION_AFFINITY: &str = "scheduling.koordinator.sh/reservation-affinity";
/// Pod annotation: the resources of which a reservation must have what the pod requests, JSON.
pub const EXACT_RESERVATION: &str = "scheduling.koordinator.sh/exact-match-reservation";

/// The pod labels that are read.
pub const POD_LABELS: [&str; 9] = [
    QUOTA,
    PREEMPTIBLE,
    CAN_PREEMPT,
    DISABLE_PREEMPTIBLE,
    SOFT_EVICTION,
    POD_GROUP,
    POD_GROUP_LEGACY,
    RESERVATION_CAN_PREEMPT,
    RESERVATION_PRIORITY,
];
/// The pod annotations that are read.
pub const POD_ANNOTATIONS: [&str; 15] = [
    GANG,
    GANG_MINIMUM,
    GANG_TIMEOUT,
    GANG_MODE,
    GANG_GROUPS,
    GANG_MATCH,
    GANG_TOPOLOGY,
    RESERVATION_ALLOCATED,
    RESOURCE_SPEC,
    NUMA_TOPOLOGY,
    DEVICE_JOINT_ALLOCATE,
    DEVICE_HINT,
    GPU_PARTITION,
    RESERVATION_AFFINITY,
    EXACT_RESERVATION,
];
