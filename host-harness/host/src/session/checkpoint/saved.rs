//! The parts of a checkpoint.

mod text;

use lictor_contract::Checkpoint;
use serde::{Deserialize, Serialize};

use super::super::command::{CommandId, ObjectRef};
use crate::cluster::Change;
use crate::replace::{Numbers, Saved};

/// A command in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedAsk {
    pub(super) id: CommandId,
    pub(super) object: ObjectRef,
    pub(super) change: Change,
    pub(super) plan: u64,
}

/// A pod that is held at permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedPlace {
    pub(super) object: ObjectRef,
    pub(super) node: String,
    pub(super) deadline: i64,
    /// The marks that are to be written with the binding.
    pub(super) written: Option<Change>,
}

/// A victim that has not left the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedDeparture {
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
    pub(super) numbers: Numbers,
}

impl From<&Saved> for SavedPolicy {
    fn from(saved: &Saved) -> SavedPolicy {
        let Saved { checkpoint, numbers } = saved.clone();
        SavedPolicy { format: checkpoint.format, bytes: checkpoint.bytes, numbers }
    }
}

impl From<SavedPolicy> for Saved {
    fn from(saved: SavedPolicy) -> Saved {
        let SavedPolicy { format, bytes, numbers } = saved;
        Saved { checkpoint: Checkpoint { format, bytes }, numbers }
    }
}
