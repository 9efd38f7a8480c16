//! Objects that are placed on nodes like pods, such as Reservations: how what is decided about them is written.
//!
//! Upstream writes node, phase and amounts into the status, with the conditions `Scheduled` and `Ready` (Koordinator:
//! `SetReservationAvailable` in `pkg/util/reservation`). It keeps nominations in its memory; here an annotation keeps them, so that they
//! outlive the process, and the session is shown it where the policy says that nominations stand.

use lictor_contract::quantity::exact;
use lictor_contract::{Mark, Phase, PlacedKind};
use lictor_host::cluster::Mirror;
use lictor_host::session::ObjectRef;
use serde_json::{Map, Value, json};

use super::patch::{marked, precondition, set_annotation};
use crate::names::NOMINATED;
use crate::view::{annotation, text};

/// What is known of an object beside what the API server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its kind, as the policy declares it.
    pub kind: PlacedKind,
    /// What it requests, by resource, as the cluster writes amounts.
    pub requests: Map<String, Value>,
}

impl Placed {
    /// An object of this kind that the mirror knows.
    pub fn of(kind: PlacedKind, object: &ObjectRef, mirror: &Mirror) -> Placed {
        let pod = mirror.pod_id(&object.pod_name()).and_then(|id| mirror.pod(id));
        let amount = |amount: &lictor_contract::Amount| {
            let resource = mirror.resources().get(usize::try_from(amount.resource).ok()?)?;
            // A place for a pod, host ports and what volumes take are no resources of such an object.
            let is_own = resource.name != "pods" && !lictor_contract::is_of_host(&resource.name);
            is_own.then(|| (resource.name.clone(), exact(&resource.name, amount.value).into()))
        };
        Placed { kind, requests: pod.iter().flat_map(|pod| &pod.template.requests).filter_map(amount).collect() }
    }
}

/// Shows an object as the session is to see it: a nomination stands where the policy says. One that is placed has none.
pub fn show(object: &mut Value, kind: &PlacedKind) {
    let node = annotation(object, NOMINATED).to_owned();
    if !node.is_empty() && text(object, &kind.node).is_empty() {
        set_at(object, &kind.nominated, node.into());
    }
}

/// The object with node and nomination where pods have them.
pub(super) fn as_pod(object: &Value, kind: &PlacedKind) -> Value {
    json!({
        "metadata": object.get("metadata"),
        "spec": {"nodeName": text(object, &kind.node)},
        "status": {"nominatedNodeName": annotation(object, NOMINATED)},
    })
}

/// What is to be written on the object itself before it is bound: its marks, and that its nomination is over. None where that is nothing.
pub(super) fn before_bind(object: &Value, marks: &[Mark]) -> Option<Value> {
    let mut metadata = marked(marks);
    let is_nominated = !annotation(object, NOMINATED).is_empty();
    if marks.is_empty() && !is_nominated {
        return None;
    }
    if is_nominated {
        set_annotation(&mut metadata, NOMINATED, Value::Null);
    }
    precondition(&mut metadata, object, true);
    Some(json!({"metadata": metadata}))
}

/// Places the object at this time: a patch of the status, which only the object as it is takes.
pub(super) fn bind(object: &Value, node: &str, placed: &Placed, now: &str) -> Value {
    let Placed { kind, requests } = placed;
    let word = kind.phases.iter().find(|phase| phase.phase == Phase::Running).map(|phase| phase.word.as_str());
    let mut metadata = Map::new();
    precondition(&mut metadata, object, true);
    let mut patch = json!({"metadata": metadata});
    set_at(&mut patch, &kind.phase, word.into());
    set_at(&mut patch, &kind.node, node.into());
    if let Some(amounts) = &kind.amounts {
        set_at(&mut patch, amounts, Value::Object(requests.clone()));
    }
    let known = object.pointer(&kind.conditions).and_then(Value::as_array);
    let others = known.into_iter().flatten();
    let mut conditions: Vec<Value> =
        others.filter(|it| ![&*kind.scheduled, READY].contains(&text(it, "/type"))).cloned().collect();
    for (name, reason) in [(&*kind.scheduled, "Scheduled"), (READY, word.unwrap_or_default())] {
        conditions.push(json!({
            "type": name, "status": "True", "reason": reason, "lastProbeTime": now, "lastTransitionTime": now,
        }));
    }
    set_at(&mut patch, &kind.conditions, Value::Array(conditions));
    patch
}

/// Nominates it to a node, or to none any more.
pub(super) fn nominate(uid: &str, node: Option<&str>) -> Value {
    json!({"metadata": {"uid": uid, "annotations": {NOMINATED: node}}})
}

/// The condition that says whether an object can be used.
const READY: &str = "Ready";

/// Sets what stands at a JSON pointer.
fn set_at(object: &mut Value, pointer: &str, to: Value) {
    let mut place = object;
    for key in pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(fields) = place else { return };
        place = fields.entry(key).or_insert(Value::Null);
    }
    *place = to;
}
