//! The running pods whose standings are due, and when: all pods in parts, so that decisions never wait long.

use std::collections::VecDeque;
use std::time::Duration;

use lictor_contract::{Phase, Pod};
use lictor_host::cluster::Mirror;
use lictor_host::living::nanoseconds;

use crate::report::SECOND;

/// The least time from a change to the questions about all running pods, in nanoseconds: many changes are one.
const RESCAN_AFTER_CHANGE: i64 = 5 * SECOND;
/// The time after which all standings are asked for again without a change: some laws hold for a while only.
const RESCAN_INTERVAL: i64 = 300 * SECOND;
/// The time that one part may take, roughly. 10 ms.
const BATCH_DURATION: Duration = Duration::from_millis(10);
/// The fewest pods of a part, and the most.
const MIN_BATCH: usize = 8;
const MAX_BATCH: usize = 512;
/// The share of the loop's time that the questions may take: one part in so many.
const SHARE: i64 = 10;

/// Namespaces whose pods are never held and have no mark: those of the cluster itself.
const SYSTEM_NAMESPACES: [&str; 3] = ["kube-system", "kube-public", "kube-node-lease"];

/// The questions about all running pods, part by part.
#[derive(Debug)]
pub struct StandingScan {
    remaining: VecDeque<String>,
    batch_size: usize,
    /// When the next part is due, or the next beginning.
    due: i64,
    /// Whether something has changed since the last beginning.
    is_stale: bool,
    begun: i64,
    /// How long the parts of this sweep took so far, in nanoseconds.
    spent: i64,
}

impl Default for StandingScan {
    fn default() -> StandingScan {
        StandingScan {
            remaining: VecDeque::new(),
            batch_size: 32,
            due: i64::MIN,
            is_stale: true,
            begun: i64::MIN,
            spent: 0,
        }
    }
}

impl StandingScan {
    /// Notes that something has changed.
    pub fn changed(&mut self, now: i64) {
        if !std::mem::replace(&mut self.is_stale, true) && self.remaining.is_empty() {
            self.due = self.due.min(self.begun.saturating_add(self.pause_between_scans()).max(now));
        }
    }

    /// Returns when there is a part to ask about, in nanoseconds since 1970.
    pub fn wake_at(&self) -> i64 {
        self.due
    }

    /// Returns the pods to ask about now, and takes them off the list; empty where none are due.
    pub fn next_batch(&mut self, now: i64, mirror: &Mirror) -> Vec<String> {
        if now < self.due {
            return Vec::new();
        }
        if self.remaining.is_empty() {
            let names = mirror.pods().filter(|pod| is_marked(pod)).filter_map(|pod| mirror.pod_name(pod.id));
            self.remaining = names.map(str::to_owned).collect();
            (self.is_stale, self.begun, self.spent) = (false, now, 0);
        }
        let part = self.remaining.drain(..self.batch_size.min(self.remaining.len())).collect();
        self.schedule_next(now);
        part
    }

    /// Notes how long the answer to a part took, and sets the size of the next part by that.
    pub fn record_duration(&mut self, now: i64, part: usize, took: Duration) {
        let each = took.as_nanos().checked_div(u128::try_from(part).unwrap_or(u128::MAX)).unwrap_or_default();
        let fits = BATCH_DURATION.as_nanos().checked_div(each.max(1)).unwrap_or_default();
        self.batch_size = usize::try_from(fits).unwrap_or(MAX_BATCH).clamp(MIN_BATCH, MAX_BATCH);
        self.spent = self.spent.saturating_add(nanoseconds(took));
        self.schedule_next(now.saturating_add(nanoseconds(took).saturating_mul(SHARE)));
    }

    /// Notes that the policy did not answer. The next question comes after five minutes, whatever changes: a policy that fails at this must still
    /// decide.
    pub fn failed(&mut self, now: i64) {
        self.remaining.clear();
        (self.is_stale, self.begun, self.spent) =
            (true, now, RESCAN_INTERVAL.checked_div(SHARE).unwrap_or(RESCAN_INTERVAL));
        self.schedule_next(now);
    }

    /// Sets when the next part is due: from this time on, or, after the last one, when the next sweep begins.
    fn schedule_next(&mut self, from: i64) {
        self.due = match self.remaining.is_empty() {
            false => from,
            true if self.is_stale => from.max(self.begun.saturating_add(self.pause_between_scans())),
            true => self.begun.saturating_add(RESCAN_INTERVAL),
        };
    }

    /// Returns the time from the beginning of a sweep to that of the next one, where something has changed.
    fn pause_between_scans(&self) -> i64 {
        RESCAN_AFTER_CHANGE.max(self.spent.saturating_mul(SHARE))
    }
}

/// Returns whether a pod runs, belongs to the schedulers that are decided about, and may have a mark.
fn is_marked(pod: &Pod) -> bool {
    let is_pod = pod.kind.is_none() && !pod.template.foreign;
    let runs = pod.node.is_some() && pod.phase == Phase::Running && !pod.terminating;
    is_pod && runs && !SYSTEM_NAMESPACES.contains(&pod.template.namespace.as_str())
}

#[cfg(test)]
mod tests {
    use lictor_host::session::testing::{Scripted, session};
    use lictor_host::verify::testing::{node, on, pod, with};
    use serde_json::{Value, json};

    use super::*;

    const NOW: i64 = 1_790_000_000 * SECOND;

    fn mirror(pods: impl IntoIterator<Item = Value>, look: impl FnOnce(&Mirror)) {
        let session = session(&Scripted::deciding(&[]), [node("n1", 9)].into_iter().chain(pods));
        look(session.mirror());
    }

    fn running(name: &str) -> Value {
        on("n1", pod(name, 1, 0))
    }

    #[test]
    fn pods_that_run_and_stay_are_asked_about_but_for_those_of_the_cluster_itself() {
        let leaving = with(running("leaving"), "/metadata", "deletionTimestamp", json!("2026-01-01T00:00:00Z"));
        let system = with(running("system"), "/metadata", "namespace", json!("kube-system"));
        let starting = with(running("starting"), "/status", "phase", json!("Pending"));
        let ended = with(running("ended"), "/status", "phase", json!("Succeeded"));
        mirror([running("a"), pod("waits", 1, 0), leaving, system, starting, ended], |mirror| {
            assert_eq!(StandingScan::default().next_batch(NOW, mirror), ["default/a"]);
        });
    }

    #[test]
    fn parts_are_as_large_as_can_be_answered_in_their_time_and_leave_nine_tenths_to_others() {
        let names: Vec<String> = (0..60).map(|place| format!("p{place:02}")).collect();
        mirror(names.iter().map(|name| running(name)), |mirror| {
            let mut sweep = StandingScan::default();
            let first = sweep.next_batch(NOW, mirror);
            assert_eq!(first.len(), 32);
            // 1 ms for each: 10 in a part, after ten times the 32 ms.
            sweep.record_duration(NOW, first.len(), Duration::from_millis(32));
            let next = NOW + 320 * SECOND / 1000;
            assert_eq!(sweep.wake_at(), next);
            assert_eq!(sweep.next_batch(next - 1, mirror), Vec::<String>::new());
            assert_eq!(sweep.next_batch(next, mirror).len(), 10);
        });
    }

    #[test]
    fn all_are_asked_about_again_five_seconds_after_a_change_else_after_five_minutes() {
        mirror([running("a")], |mirror| {
            let mut sweep = StandingScan::default();
            assert_eq!(sweep.next_batch(NOW, mirror).len(), 1);
            sweep.record_duration(NOW, 1, Duration::from_micros(10));
            assert_eq!(sweep.wake_at(), NOW + 300 * SECOND);
            sweep.changed(NOW + SECOND);
            assert_eq!(sweep.wake_at(), NOW + 5 * SECOND, "what changes together is one change");
            assert_eq!(sweep.next_batch(NOW + 5 * SECOND, mirror).len(), 1);
            sweep.record_duration(NOW + 5 * SECOND, 1, Duration::from_micros(10));
            sweep.changed(NOW + 100 * SECOND);
            assert_eq!(sweep.wake_at(), NOW + 100 * SECOND, "long after the last one at once");
        });
    }

    #[test]
    fn a_policy_that_fails_is_asked_again_after_five_minutes_whatever_changes() {
        mirror([running("a"), running("b")], |mirror| {
            let mut sweep = StandingScan::default();
            assert_eq!(sweep.next_batch(NOW, mirror).len(), 2);
            sweep.failed(NOW);
            (1..300).for_each(|second| sweep.changed(NOW + second * SECOND));
            assert_eq!(sweep.wake_at(), NOW + 300 * SECOND);
            assert_eq!(sweep.next_batch(NOW + 300 * SECOND, mirror).len(), 2);
        });
    }

    #[test]
    fn a_cluster_without_running_pods_is_looked_at_seldom() {
        mirror([pod("waits", 1, 0)], |mirror| {
            let mut sweep = StandingScan::default();
            assert!(sweep.next_batch(NOW, mirror).is_empty());
            assert_eq!(sweep.wake_at(), NOW + 300 * SECOND);
        });
    }
}
