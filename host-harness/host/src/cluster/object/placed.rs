//! Kinds of objects that are placed like pods, as the policy declares them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodCondition, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lictor_contract::{Phase, PlacedKind};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::pod::{PodFacts, StatusFacts, holds, nanoseconds, preempted};
use super::subject::ObjectContext;
use super::{ObjectIdentity, kinds, quantities};
use crate::cluster::InputError;
use crate::cluster::load::DocumentOrigin;

/// A declaration of a placed kind that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlacedKind {
    /// Another declaration has the same kind.
    #[error("two placed kinds are called `{0}`")]
    Twice(String),
    /// The host reads objects of this kind itself.
    #[error("`{0}` cannot be a placed kind: the host reads it itself")]
    Own(String),
    /// No phase of the kind means running.
    #[error("no phase of placed kind `{0}` means running")]
    NeverRuns(String),
    /// A declared pointer is not a JSON pointer into an object.
    #[error("placed kind `{kind}`: `{pointer}` is not a JSON pointer into an object")]
    Pointer {
        /// The kind.
        kind: String,
        /// The pointer as declared.
        pointer: String,
    },
}

/// Checks the placed kinds that a policy declares.
///
/// # Errors
/// The first declaration that cannot be used, and why.
pub fn check_placed_kinds(declared: &[PlacedKind]) -> Result<(), BadPlacedKind> {
    for (place, kind) in declared.iter().enumerate() {
        let word = || kind.kind.clone();
        let PlacedKind { template, node, nominated, phase, amounts, conditions, .. } = kind;
        if kinds::is_own(&kind.kind) {
            return Err(BadPlacedKind::Own(word()));
        }
        if declared.iter().skip(place.saturating_add(1)).any(|other| other.kind == kind.kind) {
            return Err(BadPlacedKind::Twice(word()));
        }
        if running_word(kind).is_none() {
            return Err(BadPlacedKind::NeverRuns(word()));
        }
        let pointers = [template, node, nominated, phase, conditions].into_iter().chain(amounts);
        if let Some(pointer) = pointers.into_iter().find(|pointer| !pointer.starts_with('/')) {
            return Err(BadPlacedKind::Pointer { kind: word(), pointer: pointer.clone() });
        }
    }
    Ok(())
}

/// Returns the word that means running in objects of this kind. `None`: the kind has no such word.
pub(crate) fn running_word(kind: &PlacedKind) -> Option<&str> {
    kind.phases.iter().find(|phase| phase.phase == Phase::Running).map(|phase| phase.word.as_str())
}

/// Reads an object of a placed kind like a pod. `number` is the number of the kind.
pub(crate) fn read(
    number: u32,
    kind: &PlacedKind,
    id: &ObjectIdentity,
    value: &Value,
    origin: &DocumentOrigin,
) -> Result<PodFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let subject = id.subject(origin);
    let object = PlacedObject { kind, value: &value, subject: &subject };
    let metadata: ObjectMeta = object.at("/metadata")?.unwrap_or_default();
    let Some(template) = object.at::<PodTemplateSpec>(&kind.template)? else {
        return Err(subject.mistake(&kind.template, "is missing", "write the template of its pods"));
    };
    let spec = template.spec.unwrap_or_default();
    let at = format!("{}/spec", kind.template);
    let mut inner = template.metadata.unwrap_or_default();
    inner.labels.get_or_insert_default().extend(metadata.labels.clone().unwrap_or_default());
    if kind.namespaced {
        inner.namespace.clone_from(&metadata.namespace);
    }
    let facts = PodFacts::from_spec(inner, spec, None, &at, &subject)?;
    object.with_status(with_metadata(PodFacts { kind: Some(number), ..facts }, metadata, kind.namespaced))
}

/// Applies the object's own metadata: its annotations over those of the template, as its labels are already.
fn with_metadata(mut facts: PodFacts, metadata: ObjectMeta, namespaced: bool) -> PodFacts {
    if namespaced {
        facts.metadata.namespace = metadata.namespace.unwrap_or_default();
    }
    facts.metadata.name = metadata.name.unwrap_or_default();
    facts.metadata.uid = metadata.uid.unwrap_or_default();
    facts.metadata.created = metadata.creation_timestamp.as_ref().map(nanoseconds);
    facts.metadata.terminating = metadata.deletion_timestamp.is_some();
    facts.metadata.owner = None;
    facts.metadata.annotations.extend(metadata.annotations.unwrap_or_default());
    facts
}

/// An object of a placed kind.
struct PlacedObject<'a> {
    kind: &'a PlacedKind,
    value: &'a Value,
    subject: &'a ObjectContext<'a>,
}

impl PlacedObject<'_> {
    /// Reads the value at a JSON pointer. `None`: the value is absent.
    fn at<T: DeserializeOwned>(&self, pointer: &str) -> Result<Option<T>, InputError> {
        match self.value.pointer(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.subject.typed(value, pointer).map(Some),
        }
    }

    /// Returns the text at a JSON pointer. `None`: the text is absent or empty.
    fn text(&self, pointer: &str) -> Result<Option<String>, InputError> {
        Ok(self.at::<String>(pointer)?.filter(|text| !text.is_empty()))
    }

    fn with_status(&self, mut facts: PodFacts) -> Result<PodFacts, InputError> {
        let PlacedKind { node, nominated, amounts, conditions, scheduled, .. } = self.kind;
        let phase = self.phase()?;
        facts.node = self.text(node)?.filter(|_| phase != Phase::Pending);
        if phase == Phase::Running {
            if facts.node.is_none() {
                return Err(self.subject.mistake(node, "is missing", "write the node that it is on"));
            }
            let amounts = amounts.as_ref().map(|at| Ok((at, self.at::<BTreeMap<String, Quantity>>(at)?)));
            if let Some((at, Some(amounts))) = amounts.transpose()? {
                // The slot among the pods and the ports stay as in the template, because such amounts do not list them.
                facts.requests.retain(|resource, _| resource == "pods" || lictor_contract::is_of_host(resource));
                facts.requests.extend(quantities::read(Some(&amounts), at, self.subject)?);
                quantities::lower(&mut facts.requests, quantities::OVER_MAX_AMOUNT);
            }
        }
        let conditions: Vec<PodCondition> = self.at(conditions)?.unwrap_or_default();
        let placed = conditions.iter().find(|condition| holds(condition, scheduled));
        facts.status = StatusFacts {
            nominated: self.text(nominated)?,
            preempted: preempted(&conditions),
            scheduled: placed.and_then(|condition| condition.last_transition_time.as_ref()).map(nanoseconds),
            ..StatusFacts::of_phase(phase)
        };
        Ok(facts)
    }

    fn phase(&self) -> Result<Phase, InputError> {
        let PlacedKind { phase, phases, .. } = self.kind;
        let Some(text) = self.text(phase)? else { return Ok(Phase::Pending) };
        let known = phases.iter().find(|known| known.word == text);
        known.map(|known| known.phase).ok_or_else(|| {
            let words: Vec<&str> = phases.iter().map(|known| known.word.as_str()).collect();
            let words = match words.as_slice() {
                [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
                words => words.concat(),
            };
            self.subject.mistake(phase, format_args!("`{text}` is not a phase"), &format!("write {words}"))
        })
    }
}
