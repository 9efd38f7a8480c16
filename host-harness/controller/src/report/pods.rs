//! When something is said of a pod: not before it has stood for a while, and not the same again and again.

use std::collections::{BTreeMap, BTreeSet};

use super::SECOND;
use super::notice::Key;
use super::refusal::Told;

/// A refusal is reported when it has stood so long.
const SETTLE: i64 = SECOND;
/// The same law in other words, such as other numbers, is reported again after so long.
const REPEAT: i64 = 60 * SECOND;

/// What was said of pods, and what is to be said.
#[derive(Debug, Default)]
pub(super) struct Pods {
    pods: BTreeMap<String, Pod>,
    /// When what is to be said.
    due: BTreeSet<(i64, String)>,
}

#[derive(Debug, Default)]
struct Pod {
    now: Option<Told>,
    due: Option<i64>,
    shown: Option<(Told, i64)>,
    /// The event that was written last.
    event: Option<Key>,
}

impl Pods {
    /// Where a pod stands. Answers with the event that it had before, where the same comes again.
    pub(super) fn told(&mut self, now: i64, name: &str, told: Told) -> Option<Key> {
        if told == Told::Placed && !self.pods.contains_key(name) {
            // Most pods are placed at once: nothing is kept of them.
            return None;
        }
        let pod = self.pods.entry(name.to_owned()).or_default();
        let again = match (&pod.shown, &told) {
            (Some((shown, _)), Told::Refused(_)) if shown.law() == told.law() => pod.event.clone(),
            _ => None,
        };
        let due = match &pod.shown {
            Some((shown, _)) if *shown == told => None,
            Some((shown, at)) if same_kind(shown, &told) => Some(at.saturating_add(REPEAT).max(now)),
            // A placement ends what was shown, or says nothing.
            Some(_) if told == Told::Placed => Some(now),
            None if told == Told::Placed => None,
            // What was not shown yet is shown when it has stood for a while, however often it comes meanwhile.
            _ => {
                let settled = now.saturating_add(SETTLE);
                Some(pod.due.map_or(settled, |due| due.min(settled)))
            }
        };
        if let Some(old) = pod.due {
            self.due.remove(&(old, name.to_owned()));
        }
        let is_over = told == Told::Placed && due.is_none();
        (pod.now, pod.due) = (Some(told), due);
        if let Some(at) = due {
            self.due.insert((at, name.to_owned()));
        }
        if is_over {
            self.pods.remove(name);
        }
        again
    }

    /// What is to be said now. It counts as said.
    pub(super) fn due(&mut self, now: i64) -> Vec<(String, Told)> {
        let mut said = Vec::new();
        while let Some((_, name)) = self.due.first().filter(|(at, _)| *at <= now).cloned().inspect(|due| {
            self.due.remove(due);
        }) {
            let Some(pod) = self.pods.get_mut(&name) else { continue };
            pod.due = None;
            let Some(told) = pod.now.clone() else { continue };
            pod.shown = Some((told.clone(), now));
            if told == Told::Placed {
                self.pods.remove(&name);
            }
            said.push((name, told));
        }
        said
    }

    /// The event that says it.
    pub(super) fn remember(&mut self, name: &str, event: Key) {
        if let Some(pod) = self.pods.get_mut(name) {
            pod.event = Some(event);
        }
    }

    pub(super) fn wake_at(&self) -> Option<i64> {
        self.due.first().map(|(at, _)| *at)
    }

    /// A pod is gone.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(at) = self.pods.remove(name).and_then(|pod| pod.due) {
            self.due.remove(&(at, name.to_owned()));
        }
    }
}

/// The same law says the same of it, in other words.
fn same_kind(a: &Told, b: &Told) -> bool {
    match (a, b) {
        (Told::Refused(a), Told::Refused(b)) => a.law == b.law,
        (Told::Nominated(a, _), Told::Nominated(b, _)) => a == b,
        _ => false,
    }
}
