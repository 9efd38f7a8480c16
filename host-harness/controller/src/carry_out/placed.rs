//! Objects that are placed on nodes like pods, such as Reservations: how decisions about them are written.
//!
//! Upstream writes node, phase and amounts into the status, with the conditions `Scheduled` and `Ready` (Koordinator: `SetReservationAvailable` in
//! `pkg/util/reservation`). Upstream keeps nominations in memory. Here an annotation keeps them, so that they outlive the process, and the session
//! sees the nomination where the policy says that nominations stand.

use lictor_contract::quantity::exact;
use lictor_contract::{Mark, Phase, PlacedKind};
use lictor_host::cluster::Mirror;
use lictor_host::session::ObjectRef;
use serde_json::{Map, Value, json};

use super::patch::{marked, precondition, set_annotation};
use crate::names::NOMINATED_NODE;
use crate::view::{annotation, text};

/// The facts about a placed object that its copy from the API server lacks: the kind as the policy declares it, and the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceableObject {
    /// The kind of the object, as the policy declares it.
    pub kind: PlacedKind,
    /// The requests of the object, by resource, as the cluster writes amounts.
    pub requests: Map<String, Value>,
}

impl PlaceableObject {
    /// Reads the requests of an object of this kind from the mirror. An object that the mirror does not know has no requests.
    pub fn of(kind: PlacedKind, object: &ObjectRef, mirror: &Mirror) -> PlaceableObject {
        let pod = mirror.pod_id(&object.pod_name()).and_then(|id| mirror.pod(id));
        let amount = |amount: &lictor_contract::Amount| {
            let resource = mirror.resources().get(usize::try_from(amount.resource).ok()?)?;
            // The `pods` resource, host ports and what volumes take are no resources of such an object.
            let is_own = resource.name != "pods" && !lictor_contract::is_of_host(&resource.name);
            is_own.then(|| (resource.name.clone(), exact(&resource.name, amount.value).into()))
        };
        PlaceableObject {
            kind,
            requests: pod.iter().flat_map(|pod| &pod.template.requests).filter_map(amount).collect(),
        }
    }
}

/// Changes the copy of an object to what the session is to see: the nomination stands where the policy says. A placed object has none.
pub fn normalize_nomination(object: &mut Value, kind: &PlacedKind) {
    let node = annotation(object, NOMINATED_NODE).to_owned();
    if !node.is_empty() && text(object, &kind.node).is_empty() {
        set_at(object, &kind.nominated, node.into());
    }
}

/// Makes a pod of an object: its metadata, and its node and its nomination where pods have them.
pub(super) fn as_pod(object: &Value, kind: &PlacedKind) -> Value {
    json!({
        "metadata": object.get("metadata"),
        "spec": {"nodeName": text(object, &kind.node)},
        "status": {"nominatedNodeName": annotation(object, NOMINATED_NODE)},
    })
}

/// Makes the patch of the object itself that comes before its binding: its marks, and the end of its nomination. `None`: there is nothing to write.
pub(super) fn before_bind(object: &Value, marks: &[Mark]) -> Option<Value> {
    let mut metadata = marked(marks);
    let is_nominated = !annotation(object, NOMINATED_NODE).is_empty();
    if marks.is_empty() && !is_nominated {
        return None;
    }
    if is_nominated {
        set_annotation(&mut metadata, NOMINATED_NODE, Value::Null);
    }
    precondition(&mut metadata, object, true);
    Some(json!({"metadata": metadata}))
}

/// Makes the patch that places the object at this time, a patch of its status. The API server refuses the patch for any other version of the object.
pub(super) fn bind(object: &Value, node: &str, placed: &PlaceableObject, now: &str) -> Value {
    let PlaceableObject { kind, requests } = placed;
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

/// Makes the patch that nominates the object of this uid to a node. `None`: the patch takes the nomination back.
pub(super) fn nominate(uid: &str, node: Option<&str>) -> Value {
    json!({"metadata": {"uid": uid, "annotations": {NOMINATED_NODE: node}}})
}

/// The type of the condition that says whether an object can be used.
const READY: &str = "Ready";

/// Sets the value at a JSON pointer.
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
