//! An expectation that does not hold.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// An expectation that does not hold, with both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Failure"))]
pub struct ExpectationFailure {
    /// The key of the expectation.
    pub key: String,
    /// The expected value.
    pub expected: Value,
    /// The actual value.
    pub actual: Value,
}

impl ExpectationFailure {
    /// Creates a failure from both sides. A side that cannot be written as JSON becomes null.
    pub(super) fn new(key: impl Into<String>, expected: impl Serialize, actual: impl Serialize) -> ExpectationFailure {
        ExpectationFailure {
            key: key.into(),
            expected: serde_json::to_value(expected).unwrap_or_default(),
            actual: serde_json::to_value(actual).unwrap_or_default(),
        }
    }
}

impl fmt::Display for ExpectationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.key, self.expected, self.actual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_both_sides() {
        let failure = ExpectationFailure::new("victims", ["default/v"], Vec::<String>::new());
        assert_eq!(failure.to_string(), "victims: expected [\"default/v\"], got []");
    }
}
