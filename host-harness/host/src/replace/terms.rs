//! On which terms a policy is replaced.

use serde::{Deserialize, Serialize};

/// How long something lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Period {
    /// Until so many cycles ([`Input::Cycle`](crate::session::Input::Cycle)) were served.
    Cycles(u64),
    /// Until the session's clock has moved on by so many nanoseconds. For drivers that try pods one by one and have no cycles.
    Nanoseconds(i64),
}

impl Period {
    /// Whether it is over, so many cycles and nanoseconds after its beginning.
    pub(super) fn is_over(self, cycles: u64, nanoseconds: i64) -> bool {
        match self {
            Period::Cycles(wanted) => cycles >= wanted,
            Period::Nanoseconds(wanted) => nanoseconds >= wanted,
        }
    }
}

/// On which terms a policy is replaced. The default: ten cycles in shadow, ten cycles of watch, no difference, and as many answers as
/// there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// How long the new policy is compared before it takes over.
    pub shadow: Period,
    /// How long the old one is kept afterwards.
    pub watch: Period,
    /// How many answers may decide otherwise, in the shadow and in the watch each. With one more, the old policy stays, or is
    /// back. No bound where it is `u64::MAX`.
    pub allowed: u64,
    /// How many answers must have been compared before the new policy takes over. Where there are fewer, as in a quiet cluster, the
    /// shadow goes on beyond its time.
    pub answers: u64,
    /// How long the shadow lasts at most, from its beginning, where there are fewer. Then the old policy stays.
    pub at_most: Period,
}

impl Default for Terms {
    fn default() -> Terms {
        let ten = Period::Cycles(10);
        Terms { shadow: ten, watch: ten, allowed: 0, answers: 0, at_most: ten }
    }
}

impl Terms {
    /// The terms of a living cluster, in seconds: how long the new policy is compared and the old one kept, and how long answers are waited
    /// for beyond that.
    pub fn in_seconds(shadow: u32, watch: u32, allowed: u64, answers: u64, patience: u32) -> Terms {
        let period = |seconds: u32| Period::Nanoseconds(i64::from(seconds).saturating_mul(1_000_000_000));
        let at_most = period(shadow.saturating_add(patience));
        Terms { shadow: period(shadow), watch: period(watch), allowed, answers, at_most }
    }
}
