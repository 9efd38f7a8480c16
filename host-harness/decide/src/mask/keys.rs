//! The keys of labels and annotations that are read, the kinds of their values, and words that are no names.

use lictor_contract::duration;
use lictor_contract::quantity::{QuantityError, Unit, parse};

use super::kinds::SELECTOR;
use super::shape::ValueShape::{
    Amounts, Fields, Labels, List, Name, Named, Plain, Presence, Requirement, Resource, Uid,
};
use super::shape::{TextKind, ValueShape, Visit};

/// The kind of a label's or annotation's value.
pub(super) enum LabelValueKind {
    /// A name.
    Name,
    /// A number, a time or a word of Kubernetes; anything else is taken for a name.
    Plain,
    /// A zone or region, or several.
    Zones,
    /// A text in JSON.
    Document(&'static ValueShape),
}

/// Keys whose values are names. They stay, as the systems read them.
const NAMES: &[&str] = &[
    // The key under which a node selector names a node.
    "metadata.name",
    "kubernetes.io/metadata.name",
    "kubernetes.io/hostname",
    "quota.scheduling.koordinator.sh/name",
    "quota.scheduling.koordinator.sh/parent",
    "gang.scheduling.koordinator.sh/name",
    "pod-group.scheduling.sigs.k8s.io",
    "pod-group.scheduling.sigs.k8s.io/name",
    "scheduling.x-k8s.io/pod-group",
    "pod-group/name",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/queue-name",
    "volcano.sh/job-name",
    "volcano.sh/task-spec",
    "yunikorn.apache.org/app-id",
    "yunikorn.apache.org/queue",
    "applicationId",
    "spark-app-selector",
    "queue",
    "volume.kubernetes.io/selected-node",
    "volume.beta.kubernetes.io/storage-class",
];

/// Keys whose values are numbers, times and words. They stay, too.
const PLAIN: &[&str] = &[
    "lictor.dev/never-evict",
    "pv.kubernetes.io/bind-completed",
    "node.kubernetes.io/unschedulable",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "kubernetes.io/config.mirror",
    "quota.scheduling.koordinator.sh/preemptible",
    "quota.scheduling.koordinator.sh/can-preempt",
    "quota.scheduling.koordinator.sh/allow-lent-resource",
    "scheduling.koordinator.sh/disable-preemptible",
    "scheduling.koordinator.sh/soft-eviction",
    "scheduling.koordinator.sh/can-preempt",
    "koordinator.sh/priority",
    "gang.scheduling.koordinator.sh/min-available",
    "gang.scheduling.koordinator.sh/waiting-time",
    "gang.scheduling.koordinator.sh/mode",
    "gang.scheduling.koordinator.sh/match-policy",
    "pod-group/min-available",
    "volcano.sh/task-index",
    "volcano.sh/task-priority",
    "volcano.sh/preemptable",
    "volcano.sh/cooldown-time",
    "volcano.sh/elastic-train",
    "volcano.sh/elastic-train-power-of-two",
    "volcano.sh/elastic-train-factor",
    "volcano.sh/elastic-cooldown-time",
    "volcano.sh/numa-topology-policy",
    "yunikorn.apache.org/schedulingPolicyParameters",
    "yunikorn.apache.org/placeholder",
    "yunikorn.apache.org/allow-preemption",
];

const ZONES: &[&str] = &[
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];

/// Keys whose values are written in JSON.
const DOCUMENTS: &[(&str, &ValueShape)] = &[
    ("quota.scheduling.koordinator.sh/namespaces", &List(&Name)),
    ("quota.scheduling.koordinator.sh/shared-weight", &Amounts),
    ("gang.scheduling.koordinator.sh/groups", &List(&Name)),
    (
        "gang.scheduling.koordinator.sh/network-topology-spec",
        &Fields(&[("gatherStrategy", &List(&Fields(&[("layer", &Name), ("strategy", &Plain)])))]),
    ),
    ("scheduling.koordinator.sh/reservation-allocated", &Fields(&[("name", &Name), ("uid", &Uid)])),
    ("scheduling.koordinator.sh/resource-spec", &Fields(&[("requiredCPUBindPolicy", &Plain)])),
    (
        "scheduling.koordinator.sh/numa-topology-spec",
        &Fields(&[("numaTopologyPolicy", &Plain), ("singleNUMANodeExclusive", &Plain)]),
    ),
    ("scheduling.koordinator.sh/device-joint-allocate", &Fields(&[("requiredScope", &Plain)])),
    ("scheduling.koordinator.sh/device-allocate-hint", &Named(&DEVICE_HINT)),
    (
        "scheduling.koordinator.sh/gpu-partition-spec",
        &Fields(&[("allocatePolicy", &Plain), ("ringBusBandwidth", &Plain)]),
    ),
    (
        "scheduling.koordinator.sh/reservation-affinity",
        &Fields(&[
            ("requiredDuringSchedulingIgnoredDuringExecution", &Presence),
            ("reservationSelector", &Labels),
            ("name", &Name),
            ("tolerations", &List(&Requirement)),
        ]),
    ),
    ("scheduling.koordinator.sh/exact-match-reservation", &Fields(&[("resourceNames", &List(&Resource))])),
    ("yunikorn.apache.org/task-groups", &List(&Fields(&[("minMember", &Plain)]))),
];

/// The fields that Koordinator reads of a hint for a type of devices.
static DEVICE_HINT: ValueShape = Fields(&[
    ("selector", &SELECTOR),
    ("vfSelector", &SELECTOR),
    ("allocateStrategy", &Plain),
    ("requiredTopologyScope", &Plain),
    ("exclusivePolicy", &Plain),
]);

/// Words that are never names: those that Kubernetes and the systems use for something.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "true", "false", "t", "f", "Unknown",
    // Phases and states.
    "Pending", "Running", "Succeeded", "Failed", "Available", "Bound", "Released", "Lost", "Waiting", "Open", "Closed", "Closing",
    // Conditions, and why one holds.
    "PodScheduled", "Scheduled", "DisruptionTarget", "PreemptionByScheduler", "Ready", "Initialized", "ContainersReady",
    "PodResizePending", "Infeasible", "Deferred",
    // Operators, effects and policies.
    "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "NoSchedule", "NoExecute", "PreferNoSchedule", "Never",
    "PreemptLowerPriority", "Always", "OnFailure", "DoNotSchedule", "ScheduleAnyway", "Honor", "Ignore", "TCP", "UDP", "SCTP",
    // Volumes.
    "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "Block", "Filesystem", "Immediate",
    "WaitForFirstConsumer", "kubernetes.io/no-provisioner",
    // Kinds that own pods.
    "DaemonSet", "ReplicaSet", "StatefulSet", "Deployment", "ReplicationController", "Job", "CronJob", "Node", "Pod", "PodGroup",
    // Gangs and reservations.
    "Strict", "NonStrict", "once-satisfied", "only-waiting", "waiting-and-running", "Aligned", "Restricted", "all", "single",
    "MustGather", "PreferGather", "hard", "soft", "gangSchedulingStyle", "placeholderTimeoutInSeconds",
    // Alignment to NUMA nodes, CPUs and devices.
    "none", "best-effort", "restricted", "single-numa-node", "BestEffort", "SingleNUMANode", "Required", "Preferred", "FullPCPUs",
    "SpreadByPCPUs", "SamePCIe", "PCIe", "NUMANode", "Device", "ApplyForAll", "RequestsAsCount", "DeviceLevel", "PCIeLevel",
    // Queues of YuniKorn.
    "default", "fence", "disabled", "provided", "fixed", "tag", "user", "recovery", "namespace",
    // Nodes.
    "linux", "windows", "amd64", "arm64",
];

/// Returns the kind of the values under this key.
pub(super) fn kind(key: &str) -> LabelValueKind {
    if NAMES.contains(&key) {
        return LabelValueKind::Name;
    }
    if ZONES.contains(&key) {
        return LabelValueKind::Zones;
    }
    let document = DOCUMENTS.iter().find(|(known, _)| *known == key);
    document.map_or(LabelValueKind::Plain, |(_, shape)| LabelValueKind::Document(shape))
}

/// Returns whether a decision may depend on the annotation, or on the name of the label.
pub(super) fn is_read(key: &str) -> bool {
    PLAIN.contains(&key) || !matches!(kind(key), LabelValueKind::Plain)
}

/// Visits the key of a label as a name, unless the systems read this key.
pub(super) fn each_key(key: &mut String, visit: Visit<'_>) {
    if !is_read(key) {
        visit(TextKind::Name, key);
    }
}

/// Returns whether a text is a number, a quantity, a duration, a time or one of the words.
pub(super) fn is_plain(text: &str) -> bool {
    if text.is_empty() || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return true;
    }
    if text.contains('=') {
        return text.split([' ', '=']).all(|part| !part.contains('=') && is_plain(part));
    }
    let first = text.trim_start_matches(['+', '-', '.']).chars().next();
    first.is_some_and(|first| first.is_ascii_digit())
        && (text.parse::<f64>().is_ok()
            || !matches!(parse(text, Unit::One), Err(QuantityError::Malformed(_)))
            || duration::parse(text).is_ok()
            || text.parse::<jiff::Timestamp>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_of_kubernetes_are_no_names() {
        let plain = [
            "",
            "7",
            "-1",
            "1.5",
            "16Gi",
            "500m",
            "99999999999999999999",
            "1h30m",
            "2026-03-12T09:29:51Z",
            "Never",
            "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Hard",
            "true",
        ];
        assert!(plain.into_iter().all(is_plain));
        let names = ["a", "7a", "1-2-3", "inf", "nan", "10.0.0.1", "v1", "-", "a=1", "2026"];
        assert_eq!(names.map(is_plain), [false, false, false, false, false, false, false, false, false, true]);
    }
}
