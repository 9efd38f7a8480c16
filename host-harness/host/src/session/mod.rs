//! The reference scheduling cycle: deterministic, with a virtual clock. It calls a policy at every extension point.
//!
//! The steps are queue, PreFilter, Filter, PostFilter where no node is left, Reserve, Permit, bind. A [`Session`] ties a policy to a
//! cluster. It does no input or output. It receives inputs ([`SessionInput`]: objects, the time, outcomes of commands) and answers with
//! commands ([`Command`]: bind, nominate, evict) and with what happened, as data ([`SessionReport`], [`Attempt`]). A driver carries the
//! commands out. Every answer of the policy is checked before any of it becomes a command.
//!
//! A requested change counts as made at once, so that a cycle takes its own decisions into account. The request stays in flight until an outcome or
//! the objects of the cluster show the change, and is taken back where it failed. A command without an outcome is followed by a `Confirm`.
//!
//! Where the policy fails, an input takes two attempts, each on an instance of its own. A policy that fails again and again gets no calls for a while
//! ([`FaultRules`]). [`Session::counters`] returns all these counts as plain data.

mod act;
mod asked;
mod attempt;
mod books;
mod breaker;
mod candidate;
mod carry_out;
mod changes;
mod checkpoint;
mod claimed;
mod command;
mod configured;
mod core;
mod counters;
mod cycle;
mod due;
mod effects;
mod enforce;
mod error;
mod examine;
mod explanation;
mod filter;
mod follow;
mod found;
mod heard;
mod held_back;
mod input;
mod instance;
mod journal;
mod left_out;
mod loading;
mod outcome;
mod permit;
mod post_filter;
mod question;
mod recover;
mod replace;
mod retry;
mod scores;
mod scoring;
mod standing;
#[cfg(test)]
mod tests;
mod verdicts;

#[cfg(any(test, feature = "testing"))]
#[expect(missing_docs, reason = "what a script says is named as in the contract")]
#[expect(clippy::unwrap_used, reason = "it is code of tests")]
pub mod testing;

pub use breaker::{BreakerState, FaultRules};
pub use candidate::CandidatePolicy;
pub use checkpoint::SessionCheckpoint;
pub use command::{Command, CommandAction, CommandId, CommandOutcome, ObjectRef};
pub use core::Session;
pub use counters::{BreakerCounters, Counters, FaultKind};
pub use error::{FailureCause, OpenError, ProtocolError, SessionError};
pub use explanation::{AttemptExplanation, NamedNote, NoteGroup, ReasonCount, SubjectKind, group_notes};
pub use follow::LeaderDecisions;
pub use input::{SessionInput, StepOutput};
pub use outcome::{
    AppliedPlan, Attempt, AttemptResult, EvictionBeneficiary, EvictionMethod, EvictionRecord, FailedCommand, NamedHold,
    NodeSummary, RefusedPlan, ReleasedPod, SessionReport,
};
pub use question::{FilterResult, PermitDecision, PermitResult, PluginRequest, PluginResponse};
pub use replace::{ReplaceError, ReplacementOverview};
pub use retry::RetryHint;
pub use standing::{NamedThreat, PodStanding};
