//! The marks to write on running pods, and when.

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::PodStanding;

use super::StandingMark;
use super::pace::WriteRateLimiter;
use crate::report::{ApiWrite, ReportedObject, SECOND, time};

/// The least time between two writes for one pod, in nanoseconds. It doubles with each write of the same mark.
const BETWEEN: i64 = 10 * SECOND;
/// The longest time between two writes of the same mark: one that is refused, or that others take away.
const LONGEST: i64 = 600 * SECOND;
/// The time after which a mark of the same law with other words, such as other amounts, is written. 300 s.
const REPEAT: i64 = 300 * SECOND;

/// The marks that running pods have, and those that they should have.
#[derive(Debug, Default)]
pub struct StandingMarks {
    pods: BTreeMap<String, PodMarkState>,
    /// The pods whose marks are to be written, and when.
    due: BTreeSet<(i64, String)>,
    rate_limiter: WriteRateLimiter,
    /// Whether it was already reported that no write arrives.
    is_refusal_reported: bool,
}

/// The marks of a pod.
#[derive(Debug, Default)]
struct PodMarkState {
    /// The mark that the watch showed.
    current: StandingMark,
    /// The mark that the laws imply. `None`: the standing of this pod is not known yet.
    wanted: Option<StandingMark>,
    due: Option<i64>,
    /// When the mark was written last.
    written_at: Option<i64>,
    tries: u32,
}

impl StandingMarks {
    /// Takes the mark that the watch shows of a pod.
    pub fn observe_mark(&mut self, now: i64, pod: &str, mark: StandingMark) {
        let known = self.pods.entry(pod.to_owned()).or_default();
        known.current = mark;
        if known.written_at.is_some() {
            self.rate_limiter.record_arrival();
            self.is_refusal_reported = false;
        }
        self.schedule_write(now, pod);
    }

    /// Takes the standing of a running pod. `None`: the pod has no standing, and should have no mark.
    pub fn set_standing(&mut self, now: i64, pod: &str, standing: Option<&PodStanding>) {
        let should = standing.map(StandingMark::of).unwrap_or_default();
        let known = self.pods.entry(pod.to_owned()).or_default();
        if known.wanted.as_ref() != Some(&should) {
            (known.wanted, known.tries) = (Some(should), 0);
            self.schedule_write(now, pod);
        }
    }

    /// Forgets a pod that is gone, has ended or is leaving: nothing is written on it any more.
    pub fn forget(&mut self, pod: &str) {
        if let Some(at) = self.pods.remove(pod).and_then(|known| known.due) {
            self.due.remove(&(at, pod.to_owned()));
        }
    }

    /// Sets when the mark of a pod is written next.
    fn schedule_write(&mut self, now: i64, pod: &str) {
        let Some(known) = self.pods.get_mut(pod) else { return };
        let due = known.wanted.as_ref().filter(|should| **should != known.current).map(|should| {
            let pause = match should.has_same_meaning(&known.current) {
                true => REPEAT,
                false => BETWEEN.saturating_mul(1_i64.checked_shl(known.tries.min(16)).unwrap_or(1)).min(LONGEST),
            };
            known.written_at.map_or(now, |wrote| wrote.saturating_add(pause).max(now))
        });
        if known.due == due {
            return;
        }
        if let Some(at) = known.due {
            self.due.remove(&(at, pod.to_owned()));
        }
        known.due = due;
        if let Some(at) = due {
            self.due.insert((at, pod.to_owned()));
        }
    }

    /// Returns the writes that are due now. `find` finds the pod of a name; a pod that does not exist is forgotten.
    pub fn due(&mut self, now: i64, find: impl Fn(&str) -> Option<ReportedObject>) -> Vec<ApiWrite> {
        let mut writes = Vec::new();
        while self.rate_limiter.next(now).is_none()
            && let Some((_, pod)) = self.due.first().filter(|(at, _)| *at <= now).cloned()
        {
            let (Some(subject), Some(known)) = (find(&pod), self.pods.get_mut(&pod)) else {
                self.forget(&pod);
                continue;
            };
            let should = known.wanted.clone().unwrap_or_default();
            writes.extend(should.writes(&subject, &known.current, time(now)));
            (known.written_at, known.tries) = (Some(now), known.tries.saturating_add(1));
            self.rate_limiter.record_write(now);
            self.schedule_write(now, &pod);
        }
        writes
    }

    /// Returns when the next write is due, in nanoseconds since 1970. `None`: no write is due.
    pub fn wake_at(&self, now: i64) -> Option<i64> {
        let (at, _) = self.due.first()?;
        Some(self.rate_limiter.next(now).map_or(*at, |paced| paced.max(*at)))
    }

    /// Returns true once when nothing that is written arrives, and once more each time that it begins again.
    pub fn take_refused_warning(&mut self, now: i64) -> bool {
        let is_refused = self.rate_limiter.is_refused(now);
        is_refused && !std::mem::replace(&mut self.is_refusal_reported, true)
    }
}
