//! What a case can fail with.

use lictor_oracle::Step;
use serde_json::Value;

/// A case that failed: the law that was broken, and the steps up to there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The law, as the oracle names it; `same-everywhere` where two policies differ, `can-be-carried-out` where a step could not
    /// be taken.
    pub law: String,
    /// What is wrong.
    pub text: String,
    /// What a scenario would expect of the last step, where that is known.
    pub expect: Option<Value>,
    /// The steps and what came of them, as far as it got.
    pub steps: Vec<(Step, Value)>,
}
