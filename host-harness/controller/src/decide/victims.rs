//! Victims that carry our annotation and are not being deleted: their eviction is under way, or they were only marked.
//!
//! A victim that stays in this state is reported once: then a budget forbids its eviction, or no controller deletes what is marked.

use std::collections::BTreeMap;

use lictor_host::session::ObjectRef;

use crate::names::EVICTED_FOR;
use crate::view::{annotation, text};
use crate::watch::store::{ObjectChange, VisibleObject};

/// A victim that still runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningVictim {
    /// The pod.
    pub pod: ObjectRef,
    /// The value of our annotation: the plan for which the pod is evicted.
    pub evicted_for: String,
}

/// The victims that still run.
#[derive(Debug)]
pub struct RunningVictims {
    /// How long a victim may stay in this state before it is reported, in nanoseconds.
    patience: i64,
    /// The victims, by the key of the object.
    tracked: BTreeMap<String, TrackedVictim>,
}

#[derive(Debug)]
struct TrackedVictim {
    victim: RunningVictim,
    since: i64,
    is_reported: bool,
}

impl RunningVictims {
    /// Creates a tracker that reports a victim after `patience`, in nanoseconds.
    pub fn new(patience: i64) -> RunningVictims {
        RunningVictims { patience, tracked: BTreeMap::new() }
    }

    /// Takes a change of an object: a victim appears or disappears.
    pub fn observe(&mut self, news: &ObjectChange, now: i64) {
        match news {
            ObjectChange::Marked(..) => {}
            ObjectChange::Deleted(key) => drop(self.tracked.remove(key)),
            ObjectChange::Upserted(shown) => match running_victim(shown) {
                None => drop(self.tracked.remove(&shown.key)),
                Some(standing) => {
                    let known = self.tracked.get(&shown.key).filter(|known| known.victim == standing);
                    let (since, is_said) = known.map_or((now, false), |known| (known.since, known.is_reported));
                    self.tracked
                        .insert(shown.key.clone(), TrackedVictim { victim: standing, since, is_reported: is_said });
                }
            },
        }
    }

    /// Returns the victims that are overdue; each is returned once.
    pub fn due(&mut self, now: i64) -> Vec<RunningVictim> {
        let patience = self.patience;
        let over = self.tracked.values_mut().filter(|known| !known.is_reported && known.is_overdue(patience, now));
        over.map(|known| {
            known.is_reported = true;
            known.victim.clone()
        })
        .collect()
    }

    /// Returns when the next victim is overdue, in nanoseconds since 1970. `None`: no victim is left to report.
    pub fn next(&self) -> Option<i64> {
        let waits = self.tracked.values().filter(|known| !known.is_reported);
        waits.map(|known| known.since.saturating_add(self.patience)).min()
    }

    /// Returns how many victims are overdue.
    pub fn overdue(&self, now: i64) -> usize {
        self.tracked.values().filter(|known| known.is_overdue(self.patience, now)).count()
    }

    /// Returns all victims that still run.
    pub fn all(&self) -> impl Iterator<Item = &ObjectRef> {
        self.tracked.values().map(|known| &known.victim.pod)
    }
}

impl TrackedVictim {
    fn is_overdue(&self, patience: i64, now: i64) -> bool {
        self.since.saturating_add(patience) <= now
    }
}

/// Reads the state of a victim. `None`: the object is no victim, is being deleted or has ended.
fn running_victim(shown: &VisibleObject) -> Option<RunningVictim> {
    let object = &shown.object;
    let evicted_for = annotation(object, EVICTED_FOR);
    let has_ended = matches!(text(object, "/status/phase"), "Succeeded" | "Failed");
    if evicted_for.is_empty() || has_ended || !text(object, "/metadata/deletionTimestamp").is_empty() {
        return None;
    }
    let [kind, namespace, name, uid] =
        ["/kind", "/metadata/namespace", "/metadata/name", "/metadata/uid"].map(|field| text(object, field).to_owned());
    Some(RunningVictim { pod: ObjectRef { kind, namespace, name, uid }, evicted_for: evicted_for.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OVERDUE: i64 = 60;

    fn shown(evicted_for: Option<&str>, deleted: Option<&str>) -> ObjectChange {
        let object = json!({
            "kind": "Pod",
            "metadata": {"name": "v", "namespace": "default", "uid": "1",
                         "annotations": {EVICTED_FOR: evicted_for}, "deletionTimestamp": deleted},
        });
        let standing = crate::view::AdmissionState::Unmanaged;
        ObjectChange::Upserted(VisibleObject {
            key: "Pod/default/v".to_owned(),
            object,
            admission_state: standing,
            raw: None,
        })
    }

    #[test]
    fn a_victim_that_stays_is_reported_once() {
        let mut victims = RunningVictims::new(OVERDUE);
        victims.observe(&shown(Some("plan 3"), None), 0);
        assert!(victims.due(OVERDUE - 1).is_empty());
        assert_eq!((victims.next(), victims.overdue(OVERDUE)), (Some(OVERDUE), 1));
        victims.observe(&shown(Some("plan 3"), None), 5);
        let names: Vec<String> = victims.due(OVERDUE).into_iter().map(|it| it.evicted_for).collect();
        assert_eq!(names, ["plan 3"], "since it was marked, whatever else changes of it");
        assert!(victims.due(2 * OVERDUE).is_empty());
        assert_eq!(victims.next(), None);
    }

    #[test]
    fn one_that_leaves_or_is_spared_does_not_stand() {
        for news in [shown(None, None), shown(Some("plan 3"), Some("2026-01-01T00:00:00Z"))] {
            let mut victims = RunningVictims::new(OVERDUE);
            victims.observe(&shown(Some("plan 3"), None), 0);
            victims.observe(&news, 1);
            assert_eq!((victims.overdue(2 * OVERDUE), victims.all().count()), (0, 0));
        }
    }
}
