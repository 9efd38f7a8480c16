//! The hints that say when refused pods are worth another attempt (`hints.go`).
//!
//! Functions that wake pods return those that kube-scheduler is to activate.

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::ObjectRef;

use super::paces::{LONGEST_PACE, RetryPace};
use super::world::{Object, SECOND, name_of, node_of, text, uid_of};
use crate::message::RetryConditions;

pub(super) const POD_UPSERTED: &str = "pod-upserted";
pub(super) const POD_REMOVED: &str = "pod-removed";
pub(super) const NODE_UPSERTED: &str = "node-upserted";

const SOON: i64 = SECOND / 20;

/// Why a pod was refused, and what it waits for.
#[derive(Debug, Clone)]
pub(super) struct PodHint {
    pub(super) pod: Object,
    retry: RetryConditions,
    requested_at: u64,
    is_host_away: bool,
    pub(super) victims: Vec<ObjectRef>,
    refused: RetryConditions,
    /// Whether neither PreFilter nor Permit has refused the pod: it waits for a node.
    pub(super) waits_for_node: bool,
    pub(super) paced: Option<i64>,
    /// Whether the pod has lost the node for which it waited at Permit: it is tried again at its next turn.
    pub(super) has_turns: bool,
}

/// The hints of all pods, by uid.
#[derive(Debug, Default)]
pub(super) struct PodHints {
    pub(super) pods: BTreeMap<String, PodHint>,
    final_ones: BTreeSet<String>,
    last: BTreeMap<String, u64>,
    pub(super) last_pending: BTreeMap<String, u64>,
    pub(super) last_given_up: BTreeMap<String, u64>,
    pub(super) count: u64,
    /// How many changes had come when the host that answers now began, or its policy.
    begun: u64,
    pub(super) paces: BTreeMap<String, RetryPace>,
    /// The time of day, in nanoseconds since 1970.
    pub(super) clock: i64,
}

impl PodHint {
    pub(super) fn of(pod: &Object) -> PodHint {
        let (again, refused) = Default::default();
        let (asked, victims, paced) = (0, Vec::new(), None);
        let (away, waits_for_node, has_turns) = (false, false, false);
        PodHint {
            pod: pod.clone(),
            retry: again,
            requested_at: asked,
            is_host_away: away,
            victims,
            refused,
            waits_for_node,
            paced,
            has_turns,
        }
    }

    pub(super) fn waits_for(&self, change: &str) -> bool {
        if !self.victims.is_empty() {
            return change == NODE_UPSERTED;
        }
        if self.retry.at.is_none() && self.retry.after.is_empty() {
            return !self.is_host_away;
        }
        self.retry.after.iter().any(|it| it == change)
    }

    pub(super) fn waits_for_pending(&self, change: &str) -> bool {
        let refused = PodHint { retry: self.refused.clone(), ..self.clone() };
        self.victims.is_empty() && refused.waits_for(change) && self.waits_for(change)
    }

    /// Returns whether the pod waits for what a host has said. Victims leave whichever host answers, and a turn comes by time alone.
    fn is_of_a_host(&self) -> bool {
        self.victims.is_empty() && !self.has_turns
    }

    fn is_late(&self, last: &BTreeMap<String, u64>, waits: impl Fn(&str) -> bool) -> bool {
        last.iter().any(|(change, at)| *at > self.requested_at && waits(change))
    }
}

impl PodHints {
    /// Returns the hints of a plugin that starts at this time of day.
    pub(super) fn at(clock: i64) -> PodHints {
        PodHints { clock, ..PodHints::default() }
    }

    /// Returns an answer that has just come, with its moment by the clock of this side.
    pub(super) fn local(&self, again: RetryConditions) -> RetryConditions {
        RetryConditions { at: again.wait.map(|wait| self.clock + wait).or(again.at), ..again }
    }

    /// Wakes the pods of which this is so.
    pub(super) fn wake(&mut self, is: impl Fn(&mut PodHints, &PodHint) -> bool) -> Vec<Object> {
        let all: Vec<(String, PodHint)> = self.pods.iter().map(|(uid, hint)| (uid.clone(), hint.clone())).collect();
        let mut woken = Vec::new();
        for (uid, hint) in all {
            if is(self, &hint) {
                self.pods.remove(&uid);
                woken.push(hint.pod);
            }
        }
        woken
    }

    pub(super) fn refused(&mut self, pod: &Object, again: &RetryConditions, asked: u64) -> Vec<Object> {
        let hint = PodHint { retry: again.clone(), requested_at: asked, refused: again.clone(), ..PodHint::of(pod) };
        self.pods.insert(uid_of(pod).to_owned(), hint);
        self.wake_late(uid_of(pod))
    }

    fn wake_late(&mut self, uid: &str) -> Vec<Object> {
        self.wake(|hints, hint| {
            let is_paced = hint.is_late(&hints.last_pending, |change| hint.waits_for_pending(change))
                || hint.is_late(&hints.last_given_up, |change| hint.waits_for(change));
            let is_late = hint.is_late(&hints.last, |change| hint.waits_for(change));
            let is_void = hint.requested_at < hints.begun && hint.is_of_a_host();
            uid_of(&hint.pod) == uid
                && (is_late || is_void && hint.is_host_away || (is_paced || is_void) && hints.take_wake(hint))
        })
    }

    pub(super) fn merge(&mut self, pod: &Object, again: &RetryConditions, asked: u64) -> Vec<Object> {
        let uid = uid_of(pod).to_owned();
        let said = self.pods.get(&uid).cloned();
        let said = said.unwrap_or_else(|| PodHint { waits_for_node: true, ..PodHint::of(pod) });
        let at = said.retry.at.into_iter().chain(again.at).min();
        let after = said.retry.after.iter().chain(&again.after).cloned().collect();
        let hint = PodHint {
            retry: RetryConditions { at, after, wait: None },
            requested_at: asked,
            is_host_away: false,
            victims: Vec::new(),
            pod: pod.clone(),
            ..said
        };
        self.pods.insert(uid.clone(), hint);
        self.wake_late(&uid)
    }

    pub(super) fn planned(
        &mut self,
        pod: &Object,
        on_its_node: Vec<ObjectRef>,
        of_the_plan: Vec<ObjectRef>,
        is_there: impl Fn(&ObjectRef) -> bool,
    ) {
        let mut said = PodHint { victims: on_its_node, waits_for_node: true, ..PodHint::of(pod) };
        if !said.victims.iter().any(&is_there) {
            said.victims = of_the_plan;
        }
        let leave = said.victims.iter().any(&is_there);
        let pace = self.paces.entry(uid_of(pod).to_owned()).or_default();
        pace.capacity_pause = (2 * pace.capacity_pause).clamp(SOON, LONGEST_PACE);
        if leave {
            pace.capacity_pause = 0;
        } else {
            let after = [POD_UPSERTED, POD_REMOVED, NODE_UPSERTED].map(str::to_owned).into();
            (said.victims, said.retry) =
                (Vec::new(), RetryConditions { at: Some(self.clock + pace.capacity_pause), after, wait: None });
        }
        self.pods.insert(uid_of(pod).to_owned(), said);
    }

    pub(super) fn victims_of(&self, pod: &str) -> Vec<ObjectRef> {
        self.pods.get(pod).map(|hint| hint.victims.clone()).unwrap_or_default()
    }

    pub(super) fn host_unavailable(&mut self, pod: &Object, asked: u64) -> Vec<Object> {
        self.pods
            .insert(uid_of(pod).to_owned(), PodHint { is_host_away: true, requested_at: asked, ..PodHint::of(pod) });
        self.wake_late(uid_of(pod))
    }

    pub(super) fn forget(&mut self, uid: &str) {
        self.passed(uid);
        self.paces.remove(uid);
    }

    pub(super) fn passed(&mut self, uid: &str) {
        self.pods.remove(uid);
        self.final_ones.remove(uid);
    }

    /// Notes that a host answers again, or that another policy decides. The earlier refusals are void: each refused pod is tried again, at its pace.
    pub(super) fn host_returned(&mut self) -> Vec<Object> {
        self.count += 1;
        self.begun = self.count;
        self.wake(|hints, hint| hint.is_host_away || hint.is_of_a_host() && hints.take_wake(hint))
    }

    pub(super) fn changed(&mut self, change: &str) -> Vec<Object> {
        self.count += 1;
        self.last.insert(change.to_owned(), self.count);
        self.wake(|_, hint| hint.waits_for(change))
    }

    pub(super) fn wake_due(&mut self) -> Vec<Object> {
        self.wake(|hints, hint| {
            let now = hints.clock;
            hint.retry.at.is_some_and(|at| at <= now)
                || hint.paced.is_some_and(|paced| paced <= now) && hints.take_wake(hint)
        })
    }

    /// Returns the next time of day at which a pod is woken by time alone.
    pub(super) fn due(&self) -> Option<i64> {
        self.pods.values().flat_map(|hint| hint.retry.at.into_iter().chain(hint.paced)).min()
    }

    /// Notes that a pod is promised no node any more: it is tried again at its pace.
    pub(super) fn withdrawn(&mut self, pod: &str) -> Vec<Object> {
        self.wake(|hints, hint| uid_of(&hint.pod) == pod && !hint.victims.is_empty() && hints.take_wake(hint))
    }

    pub(super) fn should_retry(&self, pod: &str, change: &str) -> bool {
        self.pods.get(pod).is_none_or(|hint| !hint.is_host_away && hint.waits_for(change))
    }

    /// Returns whether a pod is worth another attempt after another one has left. Where the other one is there, it has given up the node
    /// that it was to have.
    pub(super) fn should_retry_after(
        &mut self,
        pod: &str,
        left: &Object,
        is_room_for: impl Fn(&str, &str) -> bool,
        is_there: impl Fn(&ObjectRef) -> bool,
    ) -> bool {
        let Some(hint) = self.pods.get_mut(pod).filter(|hint| !hint.victims.is_empty()) else {
            return self.should_retry(pod, POD_REMOVED) && (!is_there(&object(left)) || self.is_in_pace(pod));
        };
        if !hint.victims.iter().any(|victim| victim.uid == uid_of(left)) {
            return !node_of(left).is_empty() && is_room_for(uid_of(left), &name_of(&hint.pod));
        }
        let rest: Vec<ObjectRef> = hint.victims.iter().filter(|victim| victim.uid != uid_of(left)).cloned().collect();
        if is_there(&object(left)) {
            hint.victims.clone_from(&rest);
        }
        !rest.iter().any(is_there)
    }
}

/// Returns what names a pod.
fn object(pod: &Object) -> ObjectRef {
    let part = |part: &str| text(pod, part).to_owned();
    let (namespace, name, uid) = (part("/metadata/namespace"), part("/metadata/name"), part("/metadata/uid"));
    ObjectRef { kind: "Pod".to_owned(), namespace, name, uid }
}
