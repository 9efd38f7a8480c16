//! When the state of a pod is reported: not before it has lasted for a while, and not the same again and again.

use std::collections::{BTreeMap, BTreeSet};

use super::SECOND;
use super::notice::EventKey;
use super::refusal::ReportedState;

/// The time after which a refusal is reported.
const SETTLE: i64 = SECOND;
/// The time after which the same law with other words, such as other numbers, is reported again.
const REPEAT: i64 = 60 * SECOND;
/// The longest pause before a law that was reported before another one is reported again. The pause doubles from [`REPEAT`] up to an hour: where jobs
/// are tried in turn, the failed constraint may change with each turn, without end.
const LONGEST: i64 = 3600 * SECOND;

/// The reports about pods that were made, and those that are due.
#[derive(Debug, Default)]
pub(super) struct PodReports {
    pods: BTreeMap<String, PodReport>,
    /// The times at which pods have a report due.
    due: BTreeSet<(i64, String)>,
}

#[derive(Debug, Default)]
struct PodReport {
    now: Option<ReportedState>,
    due: Option<i64>,
    reported: Option<(ReportedState, i64)>,
    /// The laws that were reported since the pod was nominated last.
    laws: BTreeSet<String>,
    /// How often a law was reported once more after another one.
    repeats: u32,
    /// The event that was written last.
    event: Option<EventKey>,
}

impl PodReport {
    /// Returns whether the failed law was reported before the one that was reported last.
    fn returns_to(&self, told: &ReportedState) -> bool {
        told.refused().is_some_and(|refusal| self.laws.contains(&refusal.law))
    }

    /// Takes note of the state that is reported now.
    fn record(&mut self, told: &ReportedState) {
        let Some(refusal) = told.refused() else {
            (self.laws, self.repeats) = (BTreeSet::new(), 0);
            return;
        };
        let is_same = self.reported.as_ref().is_some_and(|(shown, _)| shown.law() == Some(&refusal.law));
        if !is_same && !self.laws.insert(refusal.law.clone()) {
            self.repeats = self.repeats.saturating_add(1).min(16);
        }
    }
}

impl PodReports {
    /// Takes the state of a pod. Returns the event that the pod had before, where the same law refuses the pod again.
    pub(super) fn observe(&mut self, now: i64, name: &str, told: ReportedState) -> Option<EventKey> {
        if told == ReportedState::Placed && !self.pods.contains_key(name) {
            // Most pods are placed at once: nothing is kept of them.
            return None;
        }
        let pod = self.pods.entry(name.to_owned()).or_default();
        let again = match (&pod.reported, &told) {
            (Some((shown, _)), ReportedState::Refused(_)) if shown.law() == told.law() => pod.event.clone(),
            _ => None,
        };
        let due = match &pod.reported {
            Some((shown, _)) if *shown == told => None,
            Some((shown, at)) if same_kind(shown, &told) => Some(at.saturating_add(REPEAT).max(now)),
            // A placement ends the reported state. Without a reported state nothing is reported.
            Some(_) if told == ReportedState::Placed => Some(now),
            None if told == ReportedState::Placed => None,
            Some((_, at)) if pod.returns_to(&told) => {
                let pause = REPEAT.saturating_mul(1_i64.checked_shl(pod.repeats).unwrap_or(i64::MAX)).min(LONGEST);
                Some(at.saturating_add(pause).max(now.saturating_add(SETTLE)))
            }
            // A new state is reported when it has lasted for a while, however often it occurs meanwhile.
            _ => {
                let settled = now.saturating_add(SETTLE);
                Some(pod.due.map_or(settled, |due| due.min(settled)))
            }
        };
        if let Some(old) = pod.due {
            self.due.remove(&(old, name.to_owned()));
        }
        let is_over = told == ReportedState::Placed && due.is_none();
        (pod.now, pod.due) = (Some(told), due);
        if let Some(at) = due {
            self.due.insert((at, name.to_owned()));
        }
        if is_over {
            self.pods.remove(name);
        }
        again
    }

    /// Returns the states to report now, by pod. They count as reported.
    pub(super) fn due(&mut self, now: i64) -> Vec<(String, ReportedState)> {
        let mut said = Vec::new();
        while let Some((_, name)) = self.due.first().filter(|(at, _)| *at <= now).cloned().inspect(|due| {
            self.due.remove(due);
        }) {
            let Some(pod) = self.pods.get_mut(&name) else { continue };
            pod.due = None;
            let Some(told) = pod.now.clone() else { continue };
            pod.record(&told);
            pod.reported = Some((told.clone(), now));
            if told == ReportedState::Placed {
                self.pods.remove(&name);
            }
            said.push((name, told));
        }
        said
    }

    /// Remembers the event that reports the state of a pod.
    pub(super) fn remember(&mut self, name: &str, event: EventKey) {
        if let Some(pod) = self.pods.get_mut(name) {
            pod.event = Some(event);
        }
    }

    pub(super) fn wake_at(&self) -> Option<i64> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Forgets a pod that is gone.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(at) = self.pods.remove(name).and_then(|pod| pod.due) {
            self.due.remove(&(at, name.to_owned()));
        }
    }
}

/// Returns whether two states have the same law or the same node: then they differ in words only.
fn same_kind(a: &ReportedState, b: &ReportedState) -> bool {
    match (a, b) {
        (ReportedState::Refused(a), ReportedState::Refused(b)) => a.law == b.law,
        (ReportedState::Nominated(a, _), ReportedState::Nominated(b, _)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::refusal::RefusalReason;
    use super::*;

    fn refused(law: &str) -> ReportedState {
        ReportedState::Refused(RefusalReason { law: law.to_owned(), message: law.to_owned() })
    }

    #[test]
    fn two_laws_that_refuse_in_turn_are_shown_after_pauses_that_double() {
        let mut pods = PodReports::default();
        let mut shown = Vec::new();
        // A gang of its own is tried every 5 minutes, and another one 30 s later: each time all pods are tried.
        for turn in 0..40 {
            for (at, law) in [(0, "no-node"), (30, "has-failed")] {
                let now = (turn * 300 + at) * SECOND;
                shown.extend(pods.due(now).into_iter().map(|_| turn));
                pods.observe(now, "a", refused(law));
            }
        }
        // A pause begins when a law is reported: 1, 2, 4, 8 and 16 minutes are over in the 2nd to the 10th turn, half an hour and an hour later.
        assert_eq!(shown, [0, 1, 2, 3, 4, 6, 10, 17, 29]);
        assert_eq!((29 - 17) * 300 * SECOND, LONGEST);
        // A law that was not reported yet is reported at once, and a node ends the pauses.
        let now = 20_000 * SECOND;
        pods.observe(now, "a", refused("quota"));
        assert_eq!(pods.due(now + SETTLE).len(), 1);
        pods.observe(now + 2 * SETTLE, "a", ReportedState::Nominated("n1".to_owned(), RefusalReason::default()));
        pods.due(now + 3 * SETTLE);
        pods.observe(now + 4 * SETTLE, "a", refused("no-node"));
        assert_eq!(pods.due(now + 5 * SETTLE).len(), 1);
    }
}
