//! How often refused pods are worth another attempt (`paces.go`).

use serde_json::Value;

use super::hints::{POD_UPSERTED, PodHint, PodHints};
use super::world::{Object, SECOND, text, uid_of};

const FIRST_PACE: i64 = SECOND / 10;
pub(super) const LONGEST_PACE: i64 = 10 * SECOND;
const LONGEST_TURN: i64 = 64 * FIRST_PACE;
const PERMIT_PACE: i64 = SECOND;
const LONGEST_PERMIT_PACE: i64 = 5 * SECOND;

/// The pace of a pod: how often pods without a node wake it, and how often it wakes other pods.
#[derive(Debug, Clone, Default)]
pub(super) struct RetryPace {
    /// When the pod was woken last; none: never.
    pub(super) woken: Option<i64>,
    pub(super) pause: i64,
    pub(super) capacity_pause: i64,
    /// When the pod waited at Permit last, and how soon it wakes others.
    waited: Option<i64>,
    others: i64,
}

/// Returns the longest pause of a pod: it differs from pod to pod (FNV-1a).
fn longest_of(uid: &str) -> i64 {
    let sum = uid.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    LONGEST_PACE - i64::from(sum % 2500) * (SECOND / 1000)
}

/// Returns whether a pod may fit a node only when other pods have theirs: pods that it must be near, or among which it must be spread.
fn needs_others(pod: &Object) -> bool {
    let spread = pod.pointer("/spec/topologySpreadConstraints").and_then(Value::as_array);
    let near = pod
        .pointer("/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution")
        .and_then(Value::as_array);
    spread.is_some_and(|all| all.iter().any(|it| text(it, "/whenUnsatisfiable") == "DoNotSchedule"))
        || near.is_some_and(|terms| !terms.is_empty())
}

impl RetryPace {
    /// Returns when a pod is tried again that has lost the node for which it waited at Permit: at a multiple of its pause.
    fn turn(&self) -> i64 {
        let mut apart = FIRST_PACE;
        while apart < LONGEST_TURN && 2 * apart <= self.pause {
            apart *= 2;
        }
        self.woken.map_or(0, |woken| woken - woken.rem_euclid(apart) + apart)
    }
}

impl PodHints {
    pub(super) fn pending_changed(&mut self, change: &str) -> Vec<Object> {
        self.count += 1;
        self.last_pending.insert(change.to_owned(), self.count);
        self.wake(|hints, hint| hint.waits_for_pending(change) && hints.take_wake(hint))
    }

    /// Notes that a pod that waits has given up room that it was promised: this is the change.
    pub(super) fn given_up(&mut self, change: &str) -> Vec<Object> {
        self.count += 1;
        self.last_given_up.insert(change.to_owned(), self.count);
        self.wake(|hints, hint| hint.waits_for(change) && hints.take_wake(hint))
    }

    pub(super) fn is_in_pace(&mut self, pod: &str) -> bool {
        let Some(hint) = self.pods.get(pod).cloned() else { return true };
        self.take_wake(&hint)
    }

    /// Notes that a pod was let go of that had waited at Permit: it is tried again at its next turn.
    pub(super) fn record_release(&mut self, pod: &Object) {
        let turn = self.paces.get(uid_of(pod)).map_or(0, RetryPace::turn).max(self.clock);
        self.pods.entry(uid_of(pod).to_owned()).or_insert_with(|| {
            let mut hint = PodHint::of(pod);
            (hint.paced, hint.has_turns) = (Some(turn), true);
            hint
        });
    }

    pub(super) fn take_wake(&mut self, hint: &PodHint) -> bool {
        let (uid, now) = (uid_of(&hint.pod).to_owned(), self.clock);
        let before = self.paces.get(&uid).cloned().unwrap_or_default();
        if hint.paced.is_some_and(|paced| paced > now) {
            return false;
        }
        let free = if hint.has_turns { Some(before.turn()) } else { before.woken.map(|woken| woken + before.pause) };
        if let Some(free) = free.filter(|free| *free > now) {
            let mut later = hint.clone();
            later.paced = Some(free);
            self.pods.insert(uid, later);
            return false;
        }
        let is_old = before.woken.is_none_or(|woken| now - woken > 2 * LONGEST_PACE);
        let pause = if is_old { FIRST_PACE } else { (2 * before.pause).max(FIRST_PACE) };
        let pause = pause.min(longest_of(&uid));
        self.paces.insert(uid, RetryPace { woken: Some(now), pause, ..before });
        true
    }

    /// Notes that a pod waits at Permit: members of its gang that were refused are in its namespace.
    pub(super) fn waits(&mut self, pod: &Object) -> Vec<Object> {
        self.count += 1;
        self.last_pending.insert(POD_UPSERTED.to_owned(), self.count);
        let (longest, now) = (self.longest_after(uid_of(pod)), self.clock);
        let is_meant = |hint: &PodHint| (!hint.waits_for_node || needs_others(&hint.pod)) && !hint.has_turns;
        for (uid, hint) in self.pods.iter_mut().filter(|(_, hint)| is_meant(hint)) {
            if let Some(pace) = self.paces.get_mut(uid) {
                pace.pause = pace.pause.min(longest);
                hint.paced = hint.paced.map(|_| now);
            }
        }
        self.wake(|hints, hint| is_meant(hint) && hint.waits_for_pending(POD_UPSERTED) && hints.take_wake(hint))
    }

    /// Returns the longest pause of the pods that a pod wakes which waits at Permit now.
    fn longest_after(&mut self, uid: &str) -> i64 {
        let now = self.clock;
        let pace = self.paces.entry(uid.to_owned()).or_default();
        let is_old = pace.waited.is_none_or(|waited| now - waited > 2 * LONGEST_PACE);
        pace.others = if is_old { PERMIT_PACE } else { (2 * pace.others).min(LONGEST_PERMIT_PACE) };
        pace.waited = Some(now);
        pace.others
    }

    /// Notes that a victim of a plan is not evicted after all, or was never bound: a pod that waits for its end would wait in vain.
    pub(super) fn victim_stayed(&mut self, victim: &str) -> Vec<Object> {
        self.wake(|hints, hint| hint.victims.iter().any(|it| it.uid == victim) && hints.take_wake(hint))
    }
}
