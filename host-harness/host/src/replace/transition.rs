//! The states of a replacement, and the transitions between them with their reasons.

use serde::Serialize;

use super::report::ComparisonTotals;

/// A state of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplacementState {
    /// The new policy receives the cluster, a part with every input. The old one decides.
    Loading,
    /// The new policy gets the same calls as the old one. The old one decides.
    Shadow,
    /// The new policy has the memory of the old one. It takes over before the next input.
    Switching,
    /// The new policy decides. The old one gets the same calls, and can take over again.
    Watching,
    /// The new policy decides, and the old one was dropped.
    Done,
    /// The old policy decides, and the new one was dropped.
    RolledBack,
}

impl ReplacementState {
    /// Returns whether no state follows.
    pub fn is_final(self) -> bool {
        matches!(self, ReplacementState::Done | ReplacementState::RolledBack)
    }
}

/// The result of handing over the memory of the policy in force: the state that the cluster does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum StateTransfer {
    /// The policy in force has no memory.
    None,
    /// Both policies have the same memory.
    Same,
    /// The other policy has restored the memory.
    Restored,
    /// The other policy does not take the memory. It has what the cluster shows, and what it has seen since it was loaded.
    Rebuilt {
        /// Why, such as a format that it does not know.
        why: String,
    },
}

/// The reason of a transition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TransitionReason {
    /// The new policy has received everything.
    Loaded {
        /// The result for the memory of the old policy.
        memory: StateTransfer,
    },
    /// The time in shadow is over, within the bound.
    Compared {
        /// The numbers of compared and of different answers.
        totals: ComparisonTotals,
        /// The result for the memory of the old policy.
        memory: StateTransfer,
    },
    /// The new policy took over between two inputs.
    Switched,
    /// The watch is over, within the bound.
    Watched {
        /// The numbers of compared and of different answers.
        totals: ComparisonTotals,
    },
    /// More answers differ than are allowed.
    Different {
        /// The numbers of compared and of different answers.
        totals: ComparisonTotals,
        /// The number of allowed differences.
        allowed: u64,
    },
    /// The shadow has lasted its maximum time, and too few answers were compared.
    TooFew {
        /// The numbers of compared and of different answers.
        totals: ComparisonTotals,
        /// The number of demanded answers.
        demanded: u64,
    },
    /// The new policy broke, or could not answer.
    Fault {
        /// The function that was called.
        call: String,
        /// The error message.
        message: String,
    },
    /// The new policy gave an invalid answer.
    Lie {
        /// The function that was called.
        call: String,
        /// What is wrong with the answer.
        message: String,
    },
    /// The replacement was aborted from outside.
    GivenUp {
        /// The cause.
        why: String,
    },
}

/// A transition from one state to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// The session's time, nanoseconds since 1970.
    pub at: i64,
    /// The state before.
    pub from: ReplacementState,
    /// The state after.
    pub to: ReplacementState,
    /// The reason.
    pub reason: TransitionReason,
}
