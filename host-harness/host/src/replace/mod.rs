//! Replacement of the policy of a running session: no decision is lost, repeated or taken twice.
//!
//! [`Session::replace`](crate::session::Session::replace) begins a replacement. The inputs of the session lead it from one state ([`ReplacementState`]) to the
//! next. Each [`Transition`] has its [`TransitionReason`] as data and comes with the step in which it happened.
//!
//! ```text
//! Loading --everything sent--> Shadow --time over--> Switching --next input--> Watching --time over--> Done
//!    |                           |                       |                        |
//!    +------- fault, lie --------+--- too different -----+------------------------+-----------------> RolledBack
//! ```
//!
//! A cluster in which little is decided gives few answers to compare. [`ReplacementTerms::answers`] demands a minimum of answers: the shadow lasts until the
//! minimum is reached, at most as long as [`ReplacementTerms::at_most`]. If there are too few answers then, the old policy stays ([`TransitionReason::TooFew`]).
//!
//! # What the shadow is
//!
//! The shadow is a second policy within one session, not a second session. The session makes every call to both policies, at the same point and over
//! the same picture of the cluster. The answers are compared, and only the answers of the policy in force are carried out. The alternative was a
//! second session that decides for itself and is brought back after every difference. It was rejected for these reasons:
//!
//! - The host holds state that the cluster does not show: commands under way, pods held at permit, victims that have not left, times of the next
//!   attempts. This state exists once. A switch does not touch it, so neither a switch nor a switch back can lose it.
//! - A difference is that of one answer to one question. A second session would differ in all that follows from it, and only a whole new
//!   load would bring it back.
//! - Both policies receive what happens as facts: events, pods that are reserved and unreserved, plans that are carried out. Both are up to
//!   date between any two inputs, so a switch exchanges two pointers, in either direction.
//!
//! A plan that the shadow policy proposed and that was not carried out is refused to it (`plan-refused`). Where the shadow policy may remember other
//! decisions that were not carried out, it restores the memory of the policy in force (`state.save`, `state.restore`) at the end of the same input.
//! A shadow policy whose memory has another format does not take this memory. It then knows what the cluster shows and what it has seen itself. The
//! transition and a finding report this ([`StateTransfer::Rebuilt`]).
//!
//! # What it costs
//!
//! The shadow policy answers on a thread of its own while the policy in force answers the caller. The caller waits for the slower of the two: start
//! the new policy in a sandbox whose deadline the caller can bear. No answer depends on which policy is first. The cluster is loaded in parts of some
//! hundred events. Each input sends one part if the new policy is ready for it, so no input waits for the load. Nothing is copied beforehand: a part
//! has the picture at the time when it is sent, and changes of earlier parts are sent as well. The switch itself calls neither policy.
//!
//! # What it does not do
//!
//! The new policy must read what the old one reads (`interests`), because the session holds no other objects. The schedulers whose pods the policy
//! decides about stay the same. Only decisions are compared, not reasons and hints about the next attempt. An instance that breaks while it is in
//! force in the watch is not trusted with anything: the old policy is started anew, receives the cluster, and restores its own last checkpoint.

mod answer;
mod aside;
mod beside;
mod machine;
mod member;
mod naming;
mod numbers;
mod pair;
mod report;
mod slot;
mod terms;
mod transition;
mod words;
mod worker;

pub(crate) use answer::{ComparableReply, sorted_pods};
pub(crate) use machine::{Machine, MachineInput};
pub(crate) use member::{Configuration, Shadow};
pub(crate) use naming::{agree_on_existing_nodes, summarize};
pub(crate) use numbers::PlanNumberMap;
pub(crate) use pair::{PolicyWithShadow, ShadowLoading};
pub(crate) use slot::PolicyCheckpoint;

pub use report::{ComparisonReport, ComparisonTotals, DecisionSummary, ReplyDifference};
pub use terms::{Period, ReplacementTerms};
pub use transition::{ReplacementState, StateTransfer, Transition, TransitionReason};
