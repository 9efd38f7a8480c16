//! Reads nodes.

use k8s_openapi::api::core::v1::Node;
use serde_json::Value;

use super::constraints::effect;
use super::quantities::{self, MAX_AMOUNT, ResourceAmounts};
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::eligibility::{NodeProperties, NodeTaint};

/// The properties of a node. No resource exceeds [`MOST`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeFacts {
    pub(crate) allocatable: ResourceAmounts,
    pub(crate) terrain: NodeProperties,
}

impl NodeFacts {
    /// Reads a node.
    pub(super) fn read(mut value: Value, subject: &ObjectContext<'_>) -> Result<NodeFacts, InputError> {
        quantities::as_texts(&mut value);
        let Node { metadata, spec, status } = subject.typed(&value, "")?;
        drop(value);
        let (spec, status) = (spec.unwrap_or_default(), status.unwrap_or_default());
        // The API server uses the capacity as allocatable where the latter is absent.
        let mut allocatable = match &status.allocatable {
            None => quantities::read(status.capacity.as_ref(), "/status/capacity", subject)?,
            given => quantities::read(given.as_ref(), "/status/allocatable", subject)?,
        };
        quantities::lower(&mut allocatable, MAX_AMOUNT);
        let mut taints = Vec::new();
        for (index, taint) in spec.taints.into_iter().flatten().enumerate() {
            let at = format!("/spec/taints/{index}");
            if taint.key.is_empty() {
                return Err(subject.mistake(&format!("{at}/key"), "is missing", "write the key of the taint"));
            }
            if let Some(effect) = effect(&taint.effect, &format!("{at}/effect"), subject)? {
                taints.push(NodeTaint { key: taint.key, value: taint.value.unwrap_or_default(), effect });
            }
        }
        let terrain = NodeProperties {
            name: metadata.name.unwrap_or_default(),
            labels: metadata.labels.unwrap_or_default(),
            taints,
            unschedulable: spec.unschedulable == Some(true),
        };
        Ok(NodeFacts { allocatable, terrain })
    }
}
