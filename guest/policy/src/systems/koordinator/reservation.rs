//! Declares Reservation, which is scheduled like a pod.
//!
//! Upstream apis/scheduling/v1alpha1 reservation_types.go: spec.template, status.phase, status.nodeName, status.allocatable, condition
//! Scheduled; pkg/util/reservation: the annotation of the pods that allocate from it.

use super::keys;
use crate::contract::{Phase, PlacedKind, PlacedPhase, RoomUse};

/// Returns where a Reservation has the fields by which it is placed like a pod.
pub fn placed_kind() -> PlacedKind {
    let text = str::to_owned;
    let phase = |word, phase| PlacedPhase { word: text(word), phase };
    PlacedKind {
        group: text(keys::KOORDINATOR_GROUP),
        kind: text("Reservation"),
        namespaced: false,
        template: text("/spec/template"),
        node: text("/status/nodeName"),
        nominated: text("/status/nominatedNodeName"),
        phase: text("/status/phase"),
        phases: vec![
            phase("Pending", Phase::Pending),
            phase("Available", Phase::Running),
            phase("Waiting", Phase::Unknown),
            phase("Succeeded", Phase::Succeeded),
            phase("Failed", Phase::Failed),
        ],
        amounts: Some(text("/status/allocatable")),
        conditions: text("/status/conditions"),
        scheduled: text("Scheduled"),
        room_use: Some(RoomUse { annotation: text(keys::RESERVATION_ALLOCATED), name: Some(text("/name")) }),
    }
}
