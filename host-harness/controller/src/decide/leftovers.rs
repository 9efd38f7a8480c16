//! Nominations and marks on pods that no plan needs any more.
//!
//! The end of a plan takes them off. That fails where the process is killed before, where a right is missing at that moment, and where the node of a
//! nomination is deleted. A leftover nomination would keep room for no pod, and a leftover mark would name a pod as a victim that nothing evicts. So
//! they are taken off later: when no plan has needed them at two looks in a row, and again after pauses that double.
//!
//! A pod with the mark of a victim counts as leaving, and other plans count on its room. So a mark alone never stays: a process that deletes victims
//! takes the mark off. Where victims are only marked, another controller has as long to delete the pod as a plan in which nothing moves.

use std::collections::BTreeMap;

use lictor_contract::{Interests, Mark, MarkPlace};
use lictor_host::session::ObjectRef;
use serde_json::Value;

use super::lives::{EARLIER_PLANS, GivenUpPlan, GivenUpReason};
use super::{Decider, DeciderOutput, RunMode, is_victim, pod_of};
use crate::carry_out::ExecutorTask;
use crate::names::EVICTED_FOR;
use crate::report::SECOND;
use crate::view::{AdmissionState, annotation, text};
use crate::watch::store::{ObjectChange, VisibleObject};

/// The time between two looks, 10 s: the watches lag by less.
const CHECK_INTERVAL: i64 = 10 * SECOND;
/// The longest pause between two attempts: 5 minutes.
const LONGEST: i64 = 300 * SECOND;

/// A nomination or a mark that a plan has written on a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The pod.
    pub pod: ObjectRef,
    /// The node that a gated pod is nominated to; empty where it is not nominated.
    pub node: String,
    /// Whether it carries the mark of a victim, and is not being deleted.
    pub is_marked: bool,
}

/// The pods with a nomination or a mark, by the key of the object.
#[derive(Debug, Default)]
pub struct Leftovers(BTreeMap<String, TrackedLeftover>);

#[derive(Debug)]
struct TrackedLeftover {
    leftover: Leftover,
    /// When the next look is due, in nanoseconds since 1970.
    next_check: i64,
    /// The number of looks in a row at which no plan stood behind it.
    unneeded_checks: u32,
    /// Since when no plan stands behind it, according to the looks.
    since: Option<i64>,
}

impl Leftovers {
    /// Takes a change of an object: a nomination or a mark appears or disappears.
    pub fn observe(&mut self, news: &ObjectChange, now: i64) {
        match news {
            ObjectChange::Marked(..) => {}
            ObjectChange::Deleted(key) => drop(self.0.remove(key)),
            ObjectChange::Upserted(shown) => match written(shown) {
                None => drop(self.0.remove(&shown.key)),
                Some(written) => {
                    let is_known = self.0.get(&shown.key).is_some_and(|known| known.leftover == written);
                    if !is_known {
                        let known = TrackedLeftover {
                            leftover: written,
                            next_check: now.saturating_add(CHECK_INTERVAL),
                            unneeded_checks: 0,
                            since: None,
                        };
                        self.0.insert(shown.key.clone(), known);
                    }
                }
            },
        }
    }

    /// Returns what must be taken off now: no plan stands behind it, and none stood behind it at the last look. `may_stand` returns how long a
    /// nomination or mark may stand without a plan, in nanoseconds; `None`: a plan stands behind it.
    pub fn due(&mut self, now: i64, may_stand: impl Fn(&Leftover) -> Option<i64>) -> Vec<Leftover> {
        let mut due = Vec::new();
        for known in self.0.values_mut().filter(|known| known.next_check <= now) {
            let may_stand = may_stand(&known.leftover);
            known.since = may_stand.and(known.since.or(Some(now)));
            let ends = known.since.zip(may_stand).map(|(since, long)| since.saturating_add(long));
            let is_alone = ends.is_some_and(|ends| ends <= now);
            known.unneeded_checks = if is_alone { known.unneeded_checks.saturating_add(1).min(16) } else { 0 };
            let doublings = known.unneeded_checks.saturating_sub(2);
            let pause = CHECK_INTERVAL.saturating_mul(1_i64.checked_shl(doublings).unwrap_or(i64::MAX)).min(LONGEST);
            known.next_check = now.saturating_add(pause);
            if known.unneeded_checks >= 2 {
                due.push(known.leftover.clone());
            }
        }
        due
    }

    /// Returns when the next look is due, in nanoseconds since 1970. `None`: nothing is written on any pod.
    pub fn next(&self) -> Option<i64> {
        self.0.values().map(|known| known.next_check).min()
    }
}

/// Reads the nomination and the mark of a pod. `None`: the pod has neither.
fn written(shown: &VisibleObject) -> Option<Leftover> {
    let object = &shown.object;
    let has_ended = matches!(text(object, "/status/phase"), "Succeeded" | "Failed");
    if !shown.key.starts_with("Pod/") || has_ended || !text(object, "/metadata/deletionTimestamp").is_empty() {
        return None;
    }
    let raw: Option<&Value> = shown.raw.as_deref().filter(|_| shown.admission_state == AdmissionState::Gated);
    let node = raw.map_or("", |raw| text(raw, "/status/nominatedNodeName")).to_owned();
    let is_marked = !annotation(object, EVICTED_FOR).is_empty();
    if node.is_empty() && !is_marked {
        return None;
    }
    let [namespace, name, uid] =
        ["/metadata/namespace", "/metadata/name", "/metadata/uid"].map(|field| text(object, field).to_owned());
    Some(Leftover { pod: ObjectRef { kind: "Pod".to_owned(), namespace, name, uid }, node, is_marked })
}

impl Decider {
    /// Returns how long a nomination or mark may stand without a plan, in nanoseconds. `None`: a plan or a command stands behind it, or the pod is
    /// gone. `deletes`: this process deletes victims. Otherwise another controller evicts by the mark, and needs time for that.
    pub fn allowed_leftover_age(&self, written: &Leftover, deletes: bool) -> Option<i64> {
        let (session, object) = (self.session.session(), &written.pod);
        let pod = pod_of(session, object)?;
        let is_open = self.open.values().any(|command| command.object == *object);
        if is_open || self.plan_lifecycles.waits(object) || (written.is_marked && self.plan_lifecycles.evicts(object)) {
            return None;
        }
        let is_evicted_by_mark = written.is_marked && !deletes && is_victim(session, pod);
        Some(if is_evicted_by_mark { self.plan_lifecycles.timeouts.no_progress } else { 0 })
    }

    /// Returns the marks by which the pods of the system count as leaving.
    pub fn leaving_marks(&self) -> Vec<Mark> {
        leaving_marks(self.session.session().interests())
    }

    /// Takes leftover nominations and marks off. A nomination that is taken back is reported.
    pub fn remove_leftovers(&self, left: Vec<Leftover>) -> DeciderOutput {
        let mut turn = DeciderOutput::default();
        if self.mode != RunMode::Enforce {
            return turn;
        }
        for Leftover { pod, node, is_marked } in left {
            if is_marked {
                turn.tasks.push(ExecutorTask::Unmark(pod.clone(), self.leaving_marks()));
            }
            if !node.is_empty() {
                turn.tasks.push(ExecutorTask::Withdraw(pod.clone()));
                let reason = format!("no plan stands behind its nomination to {node} any more");
                // The plan was counted when it ended, and this is tried again and again.
                let (why, counts) = (GivenUpReason::NotAdmitted, false);
                turn.given_up.push(GivenUpPlan { plan: EARLIER_PLANS, pods: vec![pod], why, reason, counts });
            }
        }
        turn
    }
}

/// Returns the marks by which the pods of a system count as leaving: the labels, and the annotations of their names, in which Koordinator says why.
/// Their values are empty: the marks are only used to remove them from a victim whose command is not known.
pub(super) fn leaving_marks(interests: &Interests) -> Vec<Mark> {
    let keys = interests.leaving_labels.iter().filter(|key| *key != "*");
    let mark = |key: &String, place| Mark { place, key: key.clone(), value: String::new() };
    keys.flat_map(|key| [MarkPlace::Label, MarkPlace::Annotation].map(|place| mark(key, place))).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn shown(node: Option<&str>, mark: Option<&str>, deleted: Option<&str>) -> ObjectChange {
        let object = json!({
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default", "uid": "1", "annotations": {EVICTED_FOR: mark},
                         "deletionTimestamp": deleted},
            "status": {"nominatedNodeName": node},
        });
        let raw = Some(Arc::new(object.clone()));
        ObjectChange::Upserted(VisibleObject {
            key: "Pod/default/p".to_owned(),
            object,
            admission_state: AdmissionState::Gated,
            raw,
        })
    }

    #[test]
    fn what_no_plan_stands_behind_at_two_looks_is_taken_off_and_again_after_pauses_that_double() {
        let mut left = Leftovers::default();
        left.observe(&shown(Some("n1"), None, None), 0);
        assert!(left.due(CHECK_INTERVAL - 1, |_| Some(0)).is_empty());
        assert!(left.due(CHECK_INTERVAL, |_| Some(0)).is_empty(), "its plan may have ended a moment ago");
        let found = left.due(2 * CHECK_INTERVAL, |_| Some(0));
        assert_eq!((found[0].node.as_str(), found[0].is_marked, found[0].pod.name.as_str()), ("n1", false, "p"));
        assert_eq!(left.next(), Some(3 * CHECK_INTERVAL));
        // It was refused.
        assert_eq!(left.due(3 * CHECK_INTERVAL, |_| Some(0)).len(), 1);
        assert_eq!(left.next(), Some(5 * CHECK_INTERVAL));
        // Another plan nominates the pod to another node.
        left.observe(&shown(Some("n2"), None, None), 4 * CHECK_INTERVAL);
        assert!(
            left.due(5 * CHECK_INTERVAL, |_| None).is_empty() && left.due(6 * CHECK_INTERVAL, |_| Some(0)).is_empty()
        );
        assert_eq!(left.due(7 * CHECK_INTERVAL, |_| Some(0))[0].node, "n2");
    }

    #[test]
    fn a_mark_that_may_stand_without_a_plan_for_a_minute_is_taken_off_at_the_second_look_after_that() {
        let mut left = Leftovers::default();
        left.observe(&shown(None, Some("plan 3"), None), 0);
        // A plan stands behind the mark until the third look, at 30 s.
        let due = |left: &mut Leftovers, looks: i64| {
            left.due(looks * CHECK_INTERVAL, |_| (looks >= 3).then_some(60 * SECOND))
                .into_iter()
                .map(|it| it.pod.name)
                .collect::<String>()
        };
        for looks in 1..10 {
            assert_eq!(due(&mut left, looks), "", "{looks}");
        }
        assert_eq!(due(&mut left, 10), "p");
    }

    #[test]
    fn nothing_is_left_on_a_pod_without_either_or_that_leaves_or_is_gone() {
        for after in [
            shown(None, None, None),
            shown(None, Some("plan 3"), Some("2026-01-01T00:00:00Z")),
            ObjectChange::Deleted("Pod/default/p".to_owned()),
        ] {
            let mut left = Leftovers::default();
            left.observe(&shown(None, Some("plan 3"), None), 0);
            left.due(CHECK_INTERVAL, |_| Some(0));
            left.observe(&after, CHECK_INTERVAL);
            assert_eq!((left.due(9 * CHECK_INTERVAL, |_| Some(0)), left.next()), (Vec::new(), None));
        }
    }
}
