//! The events in a cluster between two cycles.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::opened::Opened;

/// Nanoseconds in a second.
pub(super) const SECOND: i64 = 1_000_000_000;

/// The events before a cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Between {
    /// Whether the victims so far leave.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub victims_leave: bool,
    /// The seconds that pass.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub seconds: u32,
}

impl Between {
    /// Returns the time that passes, in nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        i64::from(self.seconds).saturating_mul(SECOND)
    }
}

impl Opened {
    /// Lets the events happen. Returns the objects that have left, as `Kind/namespace/name`.
    ///
    /// # Errors
    /// The policy failed.
    pub fn pass(&mut self, between: Between) -> Result<Vec<String>, Failure> {
        let session = self.session_mut();
        let mut left = Vec::new();
        if between.victims_leave {
            left = session.leaving();
            session.evictions_complete()?;
        }
        if between.seconds > 0 {
            session.advance(between.nanoseconds())?;
        }
        Ok(left)
    }
}
