//! What a case can fail with.

use lictor_oracle::CaseStep;
use serde_json::Value;

/// A failed case: the law that was broken, and the steps so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzFailure {
    /// The law, as the oracle names it; `same-everywhere` where two policies differ, `can-be-carried-out` where a step could not be taken.
    pub law: String,
    /// What is wrong.
    pub text: String,
    /// The expectations of the last step in a scenario, where they are known.
    pub expect: Option<Value>,
    /// The steps and their outcomes, up to the failure.
    pub steps: Vec<(CaseStep, Value)>,
}
