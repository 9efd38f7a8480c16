//! Objects that are placed like pods: their kinds, their names, and the pods that use their room.

use lictor_contract::{Interests, PlacedKind, Pod, PodId, RoomUse, Severity};
use serde_json::Value;

use super::Mirror;
use super::objects::StoredObjectKey;
use crate::cluster::object::PodFacts;
use crate::cluster::object::{Body, KubernetesObject, ObjectIdentity, placed};
use crate::cluster::{InputError, load::DocumentOrigin};

/// The placed kinds that the policy declares.
#[derive(Debug, Default)]
pub(super) struct PlacedKinds(Vec<DeclaredKind>);

/// A declared kind.
#[derive(Debug)]
struct DeclaredKind {
    declared: PlacedKind,
    /// The number of the annotation by which pods use the reserved room, and the JSON pointer to the name in its value. `None`: the value is the
    /// name.
    reservation_use: Option<(u32, Option<String>)>,
}

/// An object of a placed kind that could not be read, or whose version is not read. The state that was known before still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidObject {
    /// The object, as `Kind/namespace/name` or `Kind/name`.
    pub object: String,
    /// What is wrong with it.
    pub mistake: InputError,
    /// The severity of the mistake. An object of another version is left out, and everything else is decided.
    pub severity: Severity,
}

impl PlacedKinds {
    pub(super) fn new(interests: &Interests) -> PlacedKinds {
        let number = |key: &String| interests.annotations.iter().position(|known| known == key);
        let room_use = |room_use: &RoomUse| {
            let number = number(&room_use.annotation).and_then(|number| u32::try_from(number).ok())?;
            Some((number, room_use.name.clone()))
        };
        let known = |declared: &PlacedKind| DeclaredKind {
            declared: declared.clone(),
            reservation_use: declared.room_use.as_ref().and_then(room_use),
        };
        PlacedKinds(interests.placed_kinds.iter().map(known).collect())
    }

    /// Returns the placed kind of this number. `None`: the number is of a pod.
    pub(super) fn get(&self, number: Option<u32>) -> Option<&PlacedKind> {
        self.0.get(usize::try_from(number?).ok()?).map(|known| &known.declared)
    }

    /// Returns the placed kind of this name, and its number.
    pub(super) fn find(&self, kind: &str) -> Option<(u32, &PlacedKind)> {
        let mut numbered = (0..).zip(&self.0).map(|(number, known)| (number, &known.declared));
        numbered.find(|(_, declared)| declared.kind == kind)
    }

    /// Returns the name of a pod or placed object in the mirror. A pod has `namespace/name`; another object `Kind/name` or `Kind/namespace/name`.
    pub(super) fn name(&self, number: Option<u32>, namespace: &str, name: &str) -> String {
        match self.get(number) {
            None => format!("{namespace}/{name}"),
            Some(kind) if kind.namespaced => format!("{}/{namespace}/{name}", kind.kind),
            Some(kind) => format!("{}/{name}", kind.kind),
        }
    }

    /// Reads an object like a pod. `None`: its kind is not placed. Clears the namespace where the kind has none.
    pub(super) fn read(
        &self,
        id: &mut ObjectIdentity,
        value: &Value,
        origin: &DocumentOrigin,
    ) -> Result<Option<PodFacts>, InputError> {
        match self.find(&id.kind) {
            Some((number, kind)) if kind.group == id.group => {
                if !kind.namespaced {
                    id.namespace.clear();
                }
                placed::read(number, kind, id, value, origin).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the name of the object whose room a pod uses. `None`: the pod uses no such room.
    fn owner_name(&self, pod: &Pod) -> Option<String> {
        (0..).zip(&self.0).find_map(|(number, known)| {
            let (key, pointer) = known.reservation_use.as_ref()?;
            let text = &pod.template.annotations.iter().find(|annotation| annotation.key == *key)?.value;
            let name = match pointer {
                None => text.clone(),
                Some(pointer) => serde_json::from_str::<Value>(text).ok()?.pointer(pointer)?.as_str()?.to_owned(),
            };
            Some(self.name(Some(number), &pod.template.namespace, &name))
        })
    }
}

impl Mirror {
    /// Returns the kind and the namespace of a pod, or of an object that is placed like a pod. The namespace is empty where the kind has none.
    pub fn kind_of<'a>(&'a self, pod: &'a Pod) -> (&'a str, &'a str) {
        match self.scope.placed.get(pod.kind) {
            None => ("Pod", &pod.template.namespace),
            Some(kind) => (&kind.kind, if kind.namespaced { &pod.template.namespace } else { "" }),
        }
    }

    /// Returns the placed object whose room a pod uses. `None`: the pod uses no such room, or the object does not exist.
    pub fn capacity_owner(&self, pod: &Pod) -> Option<PodId> {
        self.pod_id(&self.scope.placed.owner_name(pod)?)
    }

    /// Returns the pod or placed object with this key, `Kind/namespace/name` or `Kind/name`. A pod without a namespace is in `default`.
    pub fn pod_of_key(&self, key: &str) -> Option<PodId> {
        let (kind, rest) = key.split_once('/')?;
        let (namespace, name) = rest.split_once('/').unwrap_or(("", rest));
        let number = match kind {
            "Pod" => None,
            kind => Some(self.scope.placed.find(kind)?.0),
        };
        let namespace = if kind == "Pod" && namespace.is_empty() { "default" } else { namespace };
        self.pod_id(&self.scope.placed.name(number, namespace, name))
    }

    /// Returns the mistakes in objects of placed kinds among these. The mirror would leave such objects out.
    pub fn mistakes_in<'a>(&self, objects: impl IntoIterator<Item = &'a KubernetesObject>) -> Vec<InputError> {
        let mistake = |object: &KubernetesObject| match &object.body {
            Body::Other(value, origin) => self.scope.placed.read(&mut object.id.clone(), value, origin).err(),
            _ => None,
        };
        objects.into_iter().filter_map(mistake).collect()
    }

    /// Returns the objects that could not be read since the last call.
    pub fn drain_invalid_objects(&mut self) -> Vec<InvalidObject> {
        std::mem::take(&mut self.findings.invalid)
    }

    /// Returns the key of the object behind a placed object. `None`: the pod is an ordinary pod.
    pub(super) fn object_key(&self, pod: &Pod) -> Option<StoredObjectKey> {
        let kind = self.scope.placed.get(pod.kind)?;
        let namespace = if kind.namespaced { &*pod.template.namespace } else { "" };
        Some(StoredObjectKey::new(&kind.group, &kind.kind, namespace, &pod.name))
    }
}
