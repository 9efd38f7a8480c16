//! The parts of a checkpoint.

mod text;

use lictor_contract::Checkpoint;
use serde::{Deserialize, Serialize};

use super::super::command::{CommandId, ObjectRef};
use crate::cluster::PodChange;
use crate::replace::{PlanNumberMap, PolicyCheckpoint};

/// A command in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedCommand {
    pub(super) id: CommandId,
    pub(super) object: ObjectRef,
    pub(super) change: PodChange,
    pub(super) plan: u64,
}

/// A pod that is held at permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedHold {
    pub(super) object: ObjectRef,
    pub(super) node: String,
    pub(super) deadline: i64,
    /// The marks that are to be written with the binding.
    pub(super) written: Option<PodChange>,
}

/// A victim that has not left the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedEviction {
    pub(super) object: ObjectRef,
    pub(super) plan: u64,
    pub(super) beneficiaries: Vec<ObjectRef>,
}

/// The memory of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedPolicy {
    pub(super) format: u32,
    #[serde(with = "text")]
    pub(super) bytes: Vec<u8>,
    #[serde(default)]
    pub(super) numbers: PlanNumberMap,
}

impl From<&PolicyCheckpoint> for SavedPolicy {
    fn from(saved: &PolicyCheckpoint) -> SavedPolicy {
        let PolicyCheckpoint { checkpoint, plan_numbers: numbers } = saved.clone();
        SavedPolicy { format: checkpoint.format, bytes: checkpoint.bytes, numbers }
    }
}

impl From<SavedPolicy> for PolicyCheckpoint {
    fn from(saved: SavedPolicy) -> PolicyCheckpoint {
        let SavedPolicy { format, bytes, numbers } = saved;
        PolicyCheckpoint { checkpoint: Checkpoint { format, bytes }, plan_numbers: numbers }
    }
}
