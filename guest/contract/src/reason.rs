//! `wit/answers.wit`: why something was decided, as data, and the sentences that people are shown.

use serde::Serialize;

use super::{Amount, NodeId, PodId};

/// A sentence for people, for every reason of one code and one case. `wit/core.wit` says how it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Template {
    /// The code of the reasons it is for.
    pub code: String,
    /// Their case; empty where the code has one sentence only.
    pub case: String,
    /// The sentence.
    pub text: String,
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactValue {
    /// Amounts of resources; here they may be negative.
    Amounts(Vec<Amount>),
    /// A number of things, or a priority.
    Count(i64),
    /// A length of time in nanoseconds.
    Duration(i64),
    /// A point in time in nanoseconds.
    Time(i64),
    /// A pod.
    Pod(PodId),
    /// A node.
    Node(NodeId),
    /// A queue or quota, by name.
    Queue(String),
    /// A job or gang, by namespace and name.
    Job(String),
    /// A name or a list of names.
    Text(String),
}

/// Something that is so, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fact {
    /// Its name, unique in its reason, such as `used`.
    pub name: String,
    /// What it is.
    pub value: FactValue,
}

/// Why something was decided: a law, or a rule of the policy's engine, and what it found. [`Template`] says how it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Reason {
    /// The code of the law or rule, such as `koordinator/job-fits-quota`.
    pub code: String,
    /// Which of the sentences of this code it is; empty where there is one only.
    pub case: String,
    /// What was found.
    pub facts: Vec<Fact>,
}
