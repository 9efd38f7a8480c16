//! The events in a cluster between two cycles.

use serde::{Deserialize, Serialize};

use super::failure::DecideError;
use super::opened::ClusterSession;

/// Nanoseconds in a second.
pub(super) const SECOND: i64 = 1_000_000_000;

/// The events before a cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Between"))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CycleInterval {
    /// Whether the victims so far leave.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub victims_leave: bool,
    /// The seconds that pass.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub seconds: u32,
}

impl CycleInterval {
    /// Returns the time that passes, in nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        i64::from(self.seconds).saturating_mul(SECOND)
    }
}

impl ClusterSession {
    /// Lets the events happen. Returns the objects that have left, as `Kind/namespace/name`.
    ///
    /// # Errors
    /// The policy failed.
    pub fn apply_interval(&mut self, between: CycleInterval) -> Result<Vec<String>, DecideError> {
        let session = self.session_mut();
        let mut left = Vec::new();
        if between.victims_leave {
            left = session.victims();
            session.evictions_complete()?;
        }
        if between.seconds > 0 {
            session.advance(between.nanoseconds())?;
        }
        Ok(left)
    }
}
