//! The number of pods per part of a cycle: the first pods are let go while the others are decided about.

use std::time::Duration;

/// The approximate time of the decisions in one part of a cycle. A patch takes the API server some milliseconds: in this time it has enough to do,
/// and messages of the cluster wait for a short time only.
const BATCH_DURATION: Duration = Duration::from_millis(50);

/// The fewest pods of a part, and the most.
const FEWEST: u32 = 8;
const MOST: u32 = 4096;

/// The number of pods in a part, computed from the time of the last part.
#[derive(Debug)]
pub(super) struct BatchSizer {
    most: u32,
    /// How long the cycle under way took so far.
    cycle: Duration,
}

impl Default for BatchSizer {
    fn default() -> BatchSizer {
        BatchSizer { most: 32, cycle: Duration::ZERO }
    }
}

impl BatchSizer {
    /// Returns the most pods of the next part.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Takes the time of a part and its number of pods. Returns the time of the whole cycle, where the cycle has ended with this part.
    pub(super) fn record_duration(&mut self, part: Duration, pods: usize, is_in_cycle: bool) -> Option<Duration> {
        self.cycle = self.cycle.saturating_add(part);
        if is_in_cycle {
            let each = part.as_nanos().checked_div(u128::try_from(pods).unwrap_or(u128::MAX)).unwrap_or_default();
            let most = BATCH_DURATION.as_nanos().checked_div(each.max(1)).unwrap_or_default();
            self.most = u32::try_from(most).unwrap_or(MOST).clamp(FEWEST, MOST);
            return None;
        }
        Some(std::mem::take(&mut self.cycle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_as_many_pods_as_can_be_decided_about_in_its_time() {
        let millis = Duration::from_millis;
        let mut portion = BatchSizer::default();
        assert_eq!(portion.record_duration(millis(64), 32, true), None);
        assert_eq!(portion.most(), 25, "2 ms for each: 25 in 50 ms");
        assert_eq!(portion.record_duration(millis(25), 25, true), None);
        assert_eq!(portion.most(), 50);
        // The last part may be a short one, and is no measure.
        assert_eq!(portion.record_duration(millis(40), 1, false), Some(millis(129)));
        assert_eq!(portion.most(), 50);
        assert_eq!(portion.record_duration(millis(1), 50, false), Some(millis(1)), "the next cycle begins anew");
    }

    #[test]
    fn a_part_is_never_empty_and_never_without_bounds() {
        let mut portion = BatchSizer::default();
        portion.record_duration(Duration::from_secs(60), 1, true);
        assert_eq!(portion.most(), FEWEST);
        portion.record_duration(Duration::ZERO, 0, true);
        assert_eq!(portion.most(), MOST);
    }
}
