//! The figures of a measurement, as they are printed and read again.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::super::failure::CommandError;

/// How long one operation is repeated, unless [`MOST`] is reached.
const LONG_ENOUGH: Duration = Duration::from_secs(1);
/// The fewest repetitions, and the most.
const FEWEST: usize = 3;
const MOST: usize = 2000;

/// The figures of a run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BenchmarkResults {
    /// The version of `lictor`.
    pub(super) version: String,
    /// Whether the code was optimised for speed: only then do figures mean something.
    pub(super) optimised: bool,
    /// The SHA-256 of the component, in hexadecimal. `None`: no component was measured.
    pub(super) component: Option<String>,
    pub(super) shapes: Vec<ClusterResults>,
}

/// The figures of one cluster.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClusterResults {
    pub(super) shape: String,
    pub(super) nodes: usize,
    pub(super) pods: usize,
    pub(super) queues: usize,
    pub(super) gang: usize,
    pub(super) seed: u64,
    /// The memory of the component with this cluster, in bytes.
    pub(super) component_bytes: Option<u64>,
    pub(super) operations: Vec<Operation>,
}

/// The figures of one operation, on each side where it was measured.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Operation {
    pub(super) name: String,
    /// The figure of the policy without WebAssembly; for an operation of the host alone, that of the host.
    pub(super) native: Option<Timing>,
    pub(super) component: Option<Timing>,
    /// The answer of the policy, which is the same on both sides.
    pub(super) answer: String,
}

/// The times of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Timing {
    /// The median of the times, in nanoseconds.
    pub(super) p50: u64,
    /// The 99th percentile of the times, in nanoseconds; of fewer than 100 calls, the longest.
    pub(super) p99: u64,
    /// The number of calls.
    pub(super) calls: usize,
}

impl ClusterResults {
    /// Returns the operation of this name. `None`: it was not measured.
    pub(super) fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.name == name)
    }
}

impl Operation {
    /// Returns the median of the component, divided by that of the native policy. `None`: one of them was not measured.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(seconds(self.component?.p50) / seconds(self.native?.p50).max(f64::MIN_POSITIVE))
    }
}

impl Timing {
    fn of(mut times: Vec<Duration>) -> Option<Timing> {
        times.sort_unstable();
        let at = |part: usize| {
            let place = times.len().saturating_mul(part).div_ceil(100).saturating_sub(1);
            times.get(place).map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
        };
        Some(Timing { p50: at(50)?, p99: at(99)?, calls: times.len() })
    }
}

/// Converts nanoseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
pub(super) fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Repeats `once` for a second, at least three and at most 2000 times. Returns the times with the first result. `once` returns the time that
/// counts.
pub(super) fn repeat<T>(
    mut once: impl FnMut() -> Result<(Duration, T), CommandError>,
) -> Result<(Timing, T), CommandError> {
    let begun = Instant::now();
    let (first, came) = once()?;
    let mut times = vec![first];
    while times.len() < FEWEST || begun.elapsed() < LONG_ENOUGH && times.len() < MOST {
        times.push(once()?.0);
    }
    let figure = Timing::of(times).unwrap_or(Timing { p50: 0, p99: 0, calls: 0 });
    Ok((figure, came))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        let times = |count: u64| Timing::of((1..=count).map(Duration::from_nanos).collect()).unwrap();
        assert_eq!((times(1).p50, times(1).p99), (1, 1));
        assert_eq!((times(4).p50, times(4).p99), (2, 4));
        assert_eq!((times(200).p50, times(200).p99), (100, 198));
        assert_eq!(Timing::of(Vec::new()), None);
    }
}
