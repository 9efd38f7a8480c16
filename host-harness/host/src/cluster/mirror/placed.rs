//! Objects that are placed like pods: their kinds, their names, and the pods that use their room.

use lictor_contract::{Interests, PlacedKind, Pod, PodId, RoomUse, Severity};
use serde_json::Value;

use super::Mirror;
use super::objects::Key;
use crate::cluster::object::PodFacts;
use crate::cluster::object::{Body, Identity, Object, placed};
use crate::cluster::{InputError, load::Origin};

/// The kinds that the policy declares.
#[derive(Debug, Default)]
pub(super) struct PlacedKinds(Vec<Known>);

/// A declared kind.
#[derive(Debug)]
struct Known {
    declared: PlacedKind,
    /// The number of the annotation by which pods use its room, and where the name is in the value.
    room_use: Option<(u32, Option<String>)>,
}

/// An object of a placed kind that could not be read, or one of a version in which its kind is not read. What was known of it before still
/// holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The object, as `Kind/namespace/name` or `Kind/name`.
    pub object: String,
    /// What is wrong with it.
    pub mistake: InputError,
    /// How much that counts: an object of another version is left out, and all else is decided.
    pub severity: Severity,
}

impl PlacedKinds {
    pub(super) fn new(interests: &Interests) -> PlacedKinds {
        let number = |key: &String| interests.annotations.iter().position(|known| known == key);
        let room_use = |room_use: &RoomUse| {
            let number = number(&room_use.annotation).and_then(|number| u32::try_from(number).ok())?;
            Some((number, room_use.name.clone()))
        };
        let known = |declared: &PlacedKind| Known {
            declared: declared.clone(),
            room_use: declared.room_use.as_ref().and_then(room_use),
        };
        PlacedKinds(interests.placed_kinds.iter().map(known).collect())
    }

    /// The kind of this number; none for a pod.
    pub(super) fn get(&self, number: Option<u32>) -> Option<&PlacedKind> {
        self.0.get(usize::try_from(number?).ok()?).map(|known| &known.declared)
    }

    /// The kind of this name, and its number.
    pub(super) fn find(&self, kind: &str) -> Option<(u32, &PlacedKind)> {
        let mut numbered = (0..).zip(&self.0).map(|(number, known)| (number, &known.declared));
        numbered.find(|(_, declared)| declared.kind == kind)
    }

    /// What the mirror calls what is placed: `namespace/name` of a pod, else `Kind/name` or `Kind/namespace/name`.
    pub(super) fn name(&self, number: Option<u32>, namespace: &str, name: &str) -> String {
        match self.get(number) {
            None => format!("{namespace}/{name}"),
            Some(kind) if kind.namespaced => format!("{}/{namespace}/{name}", kind.kind),
            Some(kind) => format!("{}/{name}", kind.kind),
        }
    }

    /// Reads an object like a pod; none where its kind is not placed. Its namespace goes where its kind has none.
    pub(super) fn read(
        &self,
        id: &mut Identity,
        value: &Value,
        origin: &Origin,
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

    /// The name of the object whose room a pod uses.
    fn used_by(&self, pod: &Pod) -> Option<String> {
        (0..).zip(&self.0).find_map(|(number, known)| {
            let (key, pointer) = known.room_use.as_ref()?;
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
    /// The kind of a pod: `Pod`, or that of the object that is placed like one. With it the namespace; empty where the kind has none.
    pub fn kind_of<'a>(&'a self, pod: &'a Pod) -> (&'a str, &'a str) {
        match self.placed.get(pod.kind) {
            None => ("Pod", &pod.template.namespace),
            Some(kind) => (&kind.kind, if kind.namespaced { &pod.template.namespace } else { "" }),
        }
    }

    /// The placed object whose room a pod uses.
    pub fn room_used_by(&self, pod: &Pod) -> Option<PodId> {
        self.pod_id(&self.placed.used_by(pod)?)
    }

    /// The pod that an object's name means, `Kind/namespace/name` or `Kind/name`: a pod, or what is placed like one. A pod without a
    /// namespace is in `default`.
    pub fn pod_of_key(&self, key: &str) -> Option<PodId> {
        let (kind, rest) = key.split_once('/')?;
        let (namespace, name) = rest.split_once('/').unwrap_or(("", rest));
        let number = match kind {
            "Pod" => None,
            kind => Some(self.placed.find(kind)?.0),
        };
        let namespace = if kind == "Pod" && namespace.is_empty() { "default" } else { namespace };
        self.pod_id(&self.placed.name(number, namespace, name))
    }

    /// What is wrong with objects of placed kinds among these. The mirror would leave them out.
    pub fn mistakes_in<'a>(&self, objects: impl IntoIterator<Item = &'a Object>) -> Vec<InputError> {
        let mistake = |object: &Object| match &object.body {
            Body::Other(value, origin) => self.placed.read(&mut object.id.clone(), value, origin).err(),
            _ => None,
        };
        objects.into_iter().filter_map(mistake).collect()
    }

    /// Returns the objects that could not be read since the last call.
    pub fn drain_unread(&mut self) -> Vec<Unread> {
        std::mem::take(&mut self.unread)
    }

    /// The object behind what is placed like a pod.
    pub(super) fn object_key(&self, pod: &Pod) -> Option<Key> {
        let kind = self.placed.get(pod.kind)?;
        let namespace = if kind.namespaced { &*pod.template.namespace } else { "" };
        Some(Key::new(&kind.group, &kind.kind, namespace, &pod.name))
    }
}
