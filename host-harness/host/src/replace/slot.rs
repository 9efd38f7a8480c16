//! A policy with its memory.

use lictor_contract::*;

use super::numbers::PlanNumberMap;
use crate::policy::{CallError, Policy};

/// A policy with its plan numbers and its last checkpoint.
pub(crate) struct PolicySlot {
    pub(super) policy: Box<dyn Policy>,
    pub(super) plan_numbers: PlanNumberMap,
    pub(super) last_checkpoint: Option<PolicyCheckpoint>,
}

/// A checkpoint of a policy, and its plan numbers at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PolicyCheckpoint {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) plan_numbers: PlanNumberMap,
}

impl PolicySlot {
    pub(super) fn new(policy: Box<dyn Policy>, numbers: PlanNumberMap) -> PolicySlot {
        PolicySlot { policy, plan_numbers: numbers, last_checkpoint: None }
    }

    /// Takes a checkpoint and stores it. `None`: the policy has no memory.
    pub(super) fn save(&mut self) -> Result<Option<Checkpoint>, CallError> {
        match self.policy.save() {
            Ok(checkpoint) => {
                self.store_checkpoint(&checkpoint);
                Ok(Some(checkpoint))
            }
            Err(CallError::MissingInterface(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Stores a checkpoint.
    pub(super) fn store_checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.last_checkpoint =
            Some(PolicyCheckpoint { checkpoint: checkpoint.clone(), plan_numbers: self.plan_numbers.clone() });
    }

    /// Restores a checkpoint. Returns the policy's verdict on the checkpoint.
    pub(super) fn restore(&mut self, saved: &PolicyCheckpoint) -> Result<Result<(), StateError>, CallError> {
        let taken = self.policy.restore(&saved.checkpoint)?;
        if taken.is_ok() {
            self.plan_numbers = saved.plan_numbers.clone();
        }
        Ok(taken)
    }
}
