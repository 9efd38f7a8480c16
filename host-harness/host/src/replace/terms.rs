//! On which terms a policy is replaced.

use serde::{Deserialize, Serialize};

/// A period of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Period {
    /// The period ends after so many cycles ([`SessionInput::Cycle`](crate::session::SessionInput::Cycle)).
    Cycles(u64),
    /// The period ends after so many nanoseconds of the session's clock. For drivers that try pods one by one and have no cycles.
    Nanoseconds(i64),
}

impl Period {
    /// Returns whether the period is over, so many cycles and nanoseconds after its beginning.
    pub(super) fn is_over(self, cycles: u64, nanoseconds: i64) -> bool {
        match self {
            Period::Cycles(wanted) => cycles >= wanted,
            Period::Nanoseconds(wanted) => nanoseconds >= wanted,
        }
    }
}

/// The terms of a replacement. The default: ten cycles in shadow, ten cycles of watch, no difference, and no minimum of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplacementTerms {
    /// The period in which the new policy is compared before it takes over.
    pub shadow: Period,
    /// The period in which the old policy is kept afterwards.
    pub watch: Period,
    /// The number of answers that may differ, in shadow and in watch each. One more difference keeps the old policy, or brings it back. `u64::MAX`:
    /// no bound.
    pub allowed: u64,
    /// The minimum of compared answers before the new policy takes over. With fewer answers, as in a quiet cluster, the shadow lasts longer than its
    /// period.
    pub answers: u64,
    /// The maximum period of the shadow, from its beginning, where too few answers were compared. Then the old policy stays.
    pub at_most: Period,
}

impl Default for ReplacementTerms {
    fn default() -> ReplacementTerms {
        let ten = Period::Cycles(10);
        ReplacementTerms { shadow: ten, watch: ten, allowed: 0, answers: 0, at_most: ten }
    }
}

impl ReplacementTerms {
    /// Returns the terms for a living cluster, with times in seconds. `patience`: how much longer the shadow may last until enough answers were
    /// compared.
    pub fn in_seconds(shadow: u32, watch: u32, allowed: u64, answers: u64, patience: u32) -> ReplacementTerms {
        let period = |seconds: u32| Period::Nanoseconds(i64::from(seconds).saturating_mul(1_000_000_000));
        let at_most = period(shadow.saturating_add(patience));
        ReplacementTerms { shadow: period(shadow), watch: period(watch), allowed, answers, at_most }
    }
}
