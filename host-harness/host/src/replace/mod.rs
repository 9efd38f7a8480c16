//! Replacement of the policy of a running session: no decision is lost, repeated or taken twice.
//!
//! [`Session::replace`](crate::session::Session::replace) begins one. The states ([`State`]) follow each other by themselves, with the
//! inputs that the session is told; each [`Transition`] has its [`Reason`] as data and comes with the step in which it happened.
//!
//! ```text
//! Loading --told everything--> Shadow --time over--> Switching --next input--> Watching --time over--> Done
//!    |                           |                       |                        |
//!    +------- fault, lie --------+--- too different -----+------------------------+-----------------> RolledBack
//! ```
//!
//! Where little is decided, little is compared. [`Terms::answers`] demands some answers: the shadow goes on until there are so many, at most
//! as long as [`Terms::at_most`] says, and then the old policy stays ([`Reason::TooFew`]).
//!
//! # What the shadow is
//!
//! A second policy within one session, not a second session. Every call that the session makes of its policy is made of the other one,
//! too, at the same point and over the same picture of the cluster; the answers are compared, and what is carried out is what the policy
//! in force answers. This was chosen over a second session that decides for itself and is brought back after every difference:
//!
//! - All that the cluster does not show and the host holds (commands under way, pods held at permit, victims that have not left, times to
//!   ask again) is there once. A switch does not touch it, so it cannot be lost, and a switch back cannot lose it either.
//! - A difference is that of one answer to one question. A second session would differ in all that follows from it, and only a whole new
//!   load would bring it back.
//! - What happens is told to both as a fact: events, pods that are reserved and unreserved, plans that are carried out. Both are up to
//!   date between any two inputs, so a switch is two pointers that change places, in either direction.
//!
//! What the policy in shadow proposed and what was not carried out is refused to it (`plan-refused`). Where it may remember more than
//! that, it is given what the policy in force remembers (`state.save`, `state.restore`) at the end of the same input. Where it
//! does not take that, because its format is another, it knows what the cluster shows and what it has seen itself; the transition and a
//! finding say so ([`Memory::Rebuilt`]).
//!
//! # What it costs
//!
//! The policy in shadow answers on a thread of its own while the one in force answers the caller, who waits for the slower of the two:
//! start it in a sandbox whose deadline the caller can bear. No answer depends on which of them is first. Loading is done in parts of some
//! hundred events, one with every input that finds the new policy ready for it: nobody waits. Nothing is copied beforehand: the new policy
//! is told the picture as it is when its turn comes, and changes of what it was told already. The switch itself asks neither policy
//! anything.
//!
//! # What it does not do
//!
//! The new policy must read what the old one reads (`interests`): the session has no more of the objects than that. The schedulers whose
//! pods are decided about stay the same. Reasons and hints when to ask again are not compared, only what is decided. An instance that
//! breaks while it is in force in the watch is not trusted with anything: the old policy is started anew then, told the cluster, and
//! given what it remembered itself.

mod answer;
mod aside;
mod beside;
mod machine;
mod member;
mod naming;
mod numbers;
mod pair;
mod report;
mod terms;
mod words;
mod worker;

pub(crate) use answer::{Answer, order};
pub(crate) use machine::{Machine, Seen};
pub(crate) use member::{Configuration, Saved, Shadow};
pub(crate) use naming::{decided, only_holes};
pub(crate) use numbers::Numbers;
pub(crate) use pair::{Loading, Pair};

pub use machine::{Memory, Reason, State, Transition};
pub use report::{Decided, Difference, Report, Totals};
pub use terms::{Period, Terms};
