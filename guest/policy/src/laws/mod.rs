//! The laws: named sentences that must hold, each a pure function in a file of its own.
//!
//! A law answers one of four questions, and stands in the folder of that question. Which laws are in force, under which code
//! and from which source, is a system's table (`systems/<system>/laws.rs`); a law that two systems share is one file because
//! its sentence is the same. The module documentation of a law is its manual page.
//!
//! A law is asked about a [`Case`] and answers with a [`Denial`] or not at all; it knows the model, and nothing of the engine that
//! asks it.

mod case;
mod cycle;
mod denial;
mod detail;
pub mod gate;
pub mod guard;
pub mod limit;
mod loss;
pub mod order;
mod preemptor;
mod register;
mod switch;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::contract::Reason;
pub use case::Case;
pub use cycle::{Action, CompareQueues, CompareVictims, Cycle, ReclaimRules};
pub use denial::Denial;
pub use detail::Detail;
pub use loss::{NodeCost, NodeVictims, count};
pub use preemptor::Preemptor;
pub use register::Entry;
pub use switch::Switch;
pub use table::{Gate, Group, Guard, LastResort, Laws, NodeChoice, Order, Sample, Search};

/// Which question a law answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Asked of the preemptor: may it?
    Gate,
    /// Asked of the preemptor and one candidate: may it make way?
    Guard,
    /// Asked of the plan as a whole: does this still hold when it is carried out?
    Limit,
    /// Asked of two alternatives: which first?
    Order,
}

impl fmt::Display for Question {
    /// Its word, which is the folder of its laws, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Question::Gate => "gate",
            Question::Guard => "guard",
            Question::Limit => "limit",
            Question::Order => "order",
        })
    }
}

/// A law as it stands in its file.
#[derive(Debug)]
pub struct Law {
    /// Its name, the name of its file.
    pub name: &'static str,
    /// The question it answers.
    pub question: Question,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// The text of its file; the documentation on top is the manual page.
    pub file: &'static str,
}

/// A law in force in a system.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The code the system's users are shown.
    pub code: &'static str,
    /// Where the system says so: seed and section, or upstream file.
    pub source: &'static str,
    /// The law.
    pub law: &'static Law,
}

impl Rule {
    /// What the law says, as a reason.
    pub fn reason(&self, detail: impl Into<Detail>) -> Reason {
        detail.into().reason(self.code)
    }
}

/// A law in force: its code, where its system says so, and the law.
pub const fn rule(code: &'static str, source: &'static str, law: &'static Law) -> Rule {
    Rule { code, source, law }
}
