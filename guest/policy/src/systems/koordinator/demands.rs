//! The annotations of pods that may demand a placement which no law judges (rulings C52 and C53).

use serde_json::Value;

use super::keys;
use crate::systems::demands::{PlacementDemand, has_content, is_beyond, is_hard};

/// The annotations. Upstream apis/extension: numa_aware.go, device_share.go and reservation.go.
pub const DEMANDS: [PlacementDemand; 7] = [
    PlacementDemand {
        key: keys::RESOURCE_SPEC,
        path: "/metadata/annotations/scheduling.koordinator.sh~1resource-spec",
        is_hard: |text| is_hard(text, |spec| is_beyond(spec, "requiredCPUBindPolicy", &["", "Default"])),
    },
    PlacementDemand {
        key: keys::NUMA_TOPOLOGY,
        path: "/metadata/annotations/scheduling.koordinator.sh~1numa-topology-spec",
        is_hard: |text| {
            is_hard(text, |spec| {
                is_beyond(spec, "numaTopologyPolicy", &["", "BestEffort"])
                    || is_beyond(spec, "singleNUMANodeExclusive", &["", "Preferred"])
            })
        },
    },
    PlacementDemand {
        key: keys::DEVICE_JOINT_ALLOCATE,
        path: "/metadata/annotations/scheduling.koordinator.sh~1device-joint-allocate",
        is_hard: |text| is_hard(text, |spec| is_beyond(spec, "requiredScope", &[""])),
    },
    PlacementDemand {
        key: keys::DEVICE_HINT,
        path: "/metadata/annotations/scheduling.koordinator.sh~1device-allocate-hint",
        is_hard: |text| {
            is_hard(text, |hints| hints.as_object().into_iter().flatten().any(|(_, hint)| is_hint_hard(hint)))
        },
    },
    PlacementDemand {
        key: keys::GPU_PARTITION,
        path: "/metadata/annotations/scheduling.koordinator.sh~1gpu-partition-spec",
        is_hard: |text| {
            is_hard(text, |spec| {
                is_beyond(spec, "allocatePolicy", &["", "BestEffort"]) || has_content(spec, "ringBusBandwidth")
            })
        },
    },
    PlacementDemand {
        key: keys::RESERVATION_AFFINITY,
        path: "/metadata/annotations/scheduling.koordinator.sh~1reservation-affinity",
        is_hard: |text| {
            is_hard(text, |affinity| {
                let required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution");
                let is_required = required.is_some_and(|terms| !terms.is_null());
                is_required || has_content(affinity, "reservationSelector") || has_content(affinity, "name")
            })
        },
    },
    PlacementDemand {
        key: keys::EXACT_RESERVATION,
        path: "/metadata/annotations/scheduling.koordinator.sh~1exact-match-reservation",
        is_hard: |text| is_hard(text, |spec| has_content(spec, "resourceNames")),
    },
];

/// Returns whether the hint for a type of devices must be met: it selects devices, says how many are allocated, or how near they must be.
/// The scope `Node` is no demand, as all devices of a pod are on its node.
fn is_hint_hard(hint: &Value) -> bool {
    let fields = ["selector", "vfSelector", "allocateStrategy", "exclusivePolicy"];
    fields.iter().any(|field| has_content(hint, field)) || is_beyond(hint, "requiredTopologyScope", &["", "Node"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::demands::first_unsupported;

    /// Returns whether the annotation of this key and text must be met.
    fn is_refused(key: &str, text: &str) -> bool {
        first_unsupported(&DEMANDS, |other| (other == key).then_some(text)).is_some()
    }

    #[test]
    fn required_is_refused_and_preferred_is_not() {
        let (reservation, required) = (keys::RESERVATION_AFFINITY, "requiredDuringSchedulingIgnoredDuringExecution");
        for (key, hard, soft) in [
            (
                keys::RESOURCE_SPEC,
                r#"{"requiredCPUBindPolicy":"FullPCPUs"}"#,
                r#"{"preferredCPUBindPolicy":"FullPCPUs"}"#,
            ),
            (keys::NUMA_TOPOLOGY, r#"{"numaTopologyPolicy":"Restricted"}"#, r#"{"numaTopologyPolicy":"BestEffort"}"#),
            (
                keys::NUMA_TOPOLOGY,
                r#"{"singleNUMANodeExclusive":"Required"}"#,
                r#"{"singleNUMANodeExclusive":"Preferred"}"#,
            ),
            (keys::DEVICE_JOINT_ALLOCATE, r#"{"requiredScope":"SamePCIe"}"#, r#"{"deviceTypes":["gpu","rdma"]}"#),
            (keys::DEVICE_HINT, r#"{"gpu":{"selector":{"matchLabels":{"x":"y"}}}}"#, r#"{"gpu":{}}"#),
            (
                keys::DEVICE_HINT,
                r#"{"gpu":{"requiredTopologyScope":"PCIe"}}"#,
                r#"{"gpu":{"requiredTopologyScope":"Node"}}"#,
            ),
            (keys::DEVICE_HINT, r#"{"rdma":{"exclusivePolicy":"DeviceLevel"}}"#, "{}"),
            (keys::GPU_PARTITION, r#"{"allocatePolicy":"Restricted"}"#, r#"{"allocatePolicy":"BestEffort"}"#),
            (
                reservation,
                r#"{"reservationSelector":{"x":"y"}}"#,
                r#"{"reservationSelector":{},"tolerations":[{"operator":"Exists"}]}"#,
            ),
            (reservation, &format!(r#"{{"{required}":{{}}}}"#), "{}"),
            (keys::EXACT_RESERVATION, r#"{"resourceNames":["cpu"]}"#, r#"{"resourceNames":[]}"#),
        ] {
            assert!(is_refused(key, hard), "{key} {hard}");
            assert!(!is_refused(key, soft), "{key} {soft}");
        }
    }

    #[test]
    fn a_text_that_nobody_can_read_is_refused_and_an_empty_one_is_not() {
        assert!(is_refused(keys::NUMA_TOPOLOGY, r#"{"numaTopologyPolicy":"SingleNUMANode",}"#));
        assert!(is_refused(keys::NUMA_TOPOLOGY, "[]") && !is_refused(keys::NUMA_TOPOLOGY, ""));
    }
}
