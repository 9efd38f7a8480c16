//! What a session counts: plain data for a driver to read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::breaker::BreakerState;
use super::{FailureCause, FaultRules, Session};
use crate::policy::{CallError, Policy, PolicyUsage};
use crate::sandbox::{LoadError, PolicyFault};

/// The kinds of faults of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The policy trapped.
    Trap,
    /// The policy had not answered within its deadline.
    Deadline,
    /// The policy had not answered when its fuel was used up.
    Fuel,
    /// The policy wanted more memory than its limit.
    Memory,
    /// The answer was too large.
    ResultTooLarge,
    /// The answer was not a value of its type.
    BadAnswer,
    /// The policy answered with an error of the contract.
    Refused,
    /// The answer is invalid: it names an unknown object, or breaks an invariant.
    ProtocolError,
    /// A new instance refused the configuration that the first one took.
    Configuration,
    /// Another fault, such as a new instance that could not be started, or a fault of a native policy.
    Other,
}

impl FaultKind {
    /// Returns the kind of fault of a cause. `None`: the policy is not at fault.
    pub fn of(cause: &FailureCause) -> Option<FaultKind> {
        match cause {
            _ if !cause.is_fault() => None,
            FailureCause::CallError(CallError::Refused { .. }) => Some(FaultKind::Refused),
            FailureCause::CallError(CallError::Broke { cause, .. }) => Some(kind_of_fault(cause.as_ref())),
            FailureCause::ProtocolError { .. } => Some(FaultKind::ProtocolError),
            FailureCause::Refused(_) => Some(FaultKind::Configuration),
            _ => Some(FaultKind::Other),
        }
    }
}

fn kind_of_fault(cause: &(dyn std::error::Error + Send + Sync + 'static)) -> FaultKind {
    let breakage = cause.downcast_ref().or_else(|| match cause.downcast_ref() {
        Some(LoadError::Broke(breakage)) => Some(breakage),
        _ => None,
    });
    match breakage {
        Some(PolicyFault::Trapped { .. }) => FaultKind::Trap,
        Some(PolicyFault::Deadline(_)) => FaultKind::Deadline,
        Some(PolicyFault::Fuel(_)) => FaultKind::Fuel,
        Some(PolicyFault::Memory { .. }) => FaultKind::Memory,
        Some(PolicyFault::ResultTooLarge(_)) => FaultKind::ResultTooLarge,
        Some(PolicyFault::BadAnswer(_)) => FaultKind::BadAnswer,
        Some(PolicyFault::AlreadyFailed { .. }) | None => FaultKind::Other,
    }
}

/// The counts of what has happened in a session so far. Counts only grow, except where a field says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Inputs and questions, served or not.
    pub inputs: u64,
    /// Inputs and questions that ended in an error by a fault of the policy.
    pub failed: u64,
    /// Faults of the policy by kind. One input may have two.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Inputs that were tried once more on a fresh instance.
    pub second_tries: u64,
    /// Second tries that were served.
    pub rescued: u64,
    /// New instances that received the cluster, after faults and to free memory.
    pub restarts: u64,
    /// Instances that were replaced because of the memory they held.
    pub recycles: u64,
    /// Plans of the policy that the host refused.
    pub plans_refused: u64,
    /// Checkpoints of the policy that were lost, because a new instance refused them or broke.
    pub checkpoints_lost: u64,
    /// The breaker.
    pub breaker: BreakerCounters,
    /// The resources that the policy has used.
    pub policy: PolicyUsage,
}

/// The state and the counts of the breaker of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakerCounters {
    /// The current state.
    pub state: BreakerState,
    /// Failed inputs since the last decision that was served. This number may fall.
    pub faults_in_row: u32,
    /// How often the breaker opened.
    pub opened: u64,
    /// How often the breaker allowed a trial.
    pub half_opened: u64,
    /// How often the breaker closed again.
    pub closed: u64,
    /// Decisions that the breaker refused.
    pub refused: u64,
}

impl Session {
    /// Returns the counts so far.
    pub fn counters(&self) -> Counters {
        let breaker = &self.instance.breaker;
        Counters {
            breaker: BreakerCounters {
                state: breaker.state,
                faults_in_row: breaker.consecutive_faults,
                opened: breaker.opened,
                half_opened: breaker.half_opened,
                closed: breaker.closed,
                ..self.instance.counters.breaker
            },
            policy: self.policy.usage(),
            ..self.instance.counters.clone()
        }
    }

    /// Sets the rules for faults of the policy.
    pub fn set_fault_rules(&mut self, rules: FaultRules) {
        self.instance.breaker.rules = rules;
    }

    /// Counts a failed input. Returns whether the policy is at fault.
    pub(super) fn count_fault(&mut self, cause: &FailureCause) -> bool {
        if matches!(cause, FailureCause::BreakerOpen { .. }) {
            add(&mut self.instance.counters.breaker.refused, 1);
        }
        let Some(kind) = FaultKind::of(cause) else { return false };
        add(self.instance.counters.faults.entry(kind).or_insert(0), 1);
        true
    }
}

/// Adds to a count.
pub(super) fn add(count: &mut u64, more: usize) {
    *count = count.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
}
