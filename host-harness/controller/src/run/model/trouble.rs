//! What goes wrong, and what the process reports.

use json_patch::merge;

use super::server::{ApiServerState, ControllerFaultRates, SECOND, merge_conditions};
use crate::report::{ApiWrite, WriteOperation};
use crate::watch::GroupKind;

/// Changes what goes wrong.
pub(super) fn change_faults(state: &mut ApiServerState, kinds: &[GroupKind]) {
    let random = &mut state.random;
    match random.below(10) {
        0 => {
            let verb = ["evict", "patch", "patch status", "delete", "get"][random.below(5)];
            state.faults.forbidden.insert(verb);
        }
        1..=3 => {
            state.faults.forbidden.clear();
            state.faults.is_unserved = false;
        }
        4 => state.faults.is_unserved = true,
        5 => {
            let (busy, lost) = (random.below(200), random.below(200));
            let (dropped, overtaken, slow) = (random.below(100), random.below(200), random.below(100));
            let struck = random.below(100);
            state.faults.chances = ControllerFaultRates { busy, lost, dropped, overtaken, slow, injected: struck };
        }
        6..=7 => state.faults.chances = ControllerFaultRates::default(),
        8 => {
            let place = random.below(kinds.len());
            if let Some(kind) = kinds.get(place) {
                serve_kind(state, kind, false);
            }
        }
        _ => kinds.iter().for_each(|kind| serve_kind(state, kind, true)),
    }
}

/// Ends what goes wrong.
pub(super) fn clear_faults(state: &mut ApiServerState, kinds: &[GroupKind]) {
    state.faults.forbidden.clear();
    (state.faults.is_unserved, state.faults.chances, state.faults.injected) =
        (false, ControllerFaultRates::default(), None);
    kinds.iter().for_each(|kind| serve_kind(state, kind, true));
}

/// Sets the clock of the API server forward or back while processes run. Times in metadata are by that clock, and those of a process are not.
pub(super) fn set_clock(state: &mut ApiServerState) {
    let offset = [0, 2, -2, 90, -90, 4_000, -4_000][state.random.below(7)];
    state.clock_offset = offset * SECOND;
    state.observer.add_line(|| format!("the clock of the API server is set {offset} s forward"));
}

/// Makes a kind served, or not any more. Its objects are still there when it is served again.
fn serve_kind(state: &mut ApiServerState, kind: &GroupKind, is_served: bool) {
    let changes = if is_served { state.faults.absent.remove(kind) } else { state.faults.absent.insert(kind.clone()) };
    if changes {
        state.observer.reset_nominations();
        state.list(kind);
    }
}

/// Takes what the process reports: an event, or a change of a status.
pub(super) fn report(state: &mut ApiServerState, write: ApiWrite) {
    let kind = GroupKind::new(&write.resource.group, &write.resource.kind);
    let name = write.namespace.map_or_else(|| write.name.clone(), |namespace| format!("{namespace}/{}", write.name));
    match write.change {
        WriteOperation::Create(event) => state.observer.event(&event),
        WriteOperation::StrategicStatus(body) => {
            let uid = body["metadata"]["uid"].clone();
            state.change(&kind, &name, |object| {
                if uid.is_null() || uid == object["metadata"]["uid"] {
                    merge_conditions(object, &body["status"]["conditions"]);
                }
            });
        }
        WriteOperation::Merge(body) | WriteOperation::Status(body) if !state.faults.absent.contains(&kind) => {
            state.change(&kind, &name, |object| {
                let uid = &body["metadata"]["uid"];
                if uid.is_null() || *uid == object["metadata"]["uid"] {
                    for part in ["metadata", "status"].into_iter().filter(|part| body.get(*part).is_some()) {
                        merge(&mut object[part], &body[part]);
                    }
                }
            });
        }
        WriteOperation::Merge(_) | WriteOperation::Status(_) => {}
    }
}
