//! What a decision means for pods other than the one it was about.

use std::collections::VecDeque;

use lictor_contract::*;

use super::journal::UndoEntry;
use super::{FailureCause, ProtocolError, Session};
use crate::cluster::PodChange;
use crate::verify::is_waiting;

/// The first and the longest pause before a failed withdrawal of a nomination is tried again, in nanoseconds.
const FIRST_PAUSE: i64 = 100_000_000;
const LONGEST_PAUSE: i64 = 60_000_000_000;

impl Session {
    /// Checks that every pod in the effects exists, or has existed: a pod may have been removed since the policy received it.
    pub(super) fn check_effects(&self, call: &'static str, effects: &Effects) -> Result<(), FailureCause> {
        let mut named = effects.releases.iter().chain(&effects.admits).chain(&effects.withdrawn);
        match named.find(|pod| self.mirror.pod_name(**pod).is_none()) {
            Some(pod) => Err(ProtocolError::UnknownPod(*pod).into_cause(call)),
            None => Ok(()),
        }
    }

    /// Applies checked effects, and the effects that follow from them.
    ///
    /// This ends, because every further round takes a pod away from those that are held. A pod that is not held any more is skipped: an earlier
    /// effect has released it.
    pub(super) fn apply_effects(&mut self, mut rounds: VecDeque<Effects>) -> Result<(), FailureCause> {
        while let Some(effects) = rounds.pop_front() {
            self.due.is_queue_stale |= effects.reorder;
            self.instance.is_checkpoint_stale |= !effects.withdrawn.is_empty();
            for pod in effects.withdrawn {
                self.withdraw_nomination(pod);
            }
            for pod in effects.releases {
                rounds.extend(self.unreserve(pod, ReleaseCause::Released)?);
            }
            for pod in effects.admits {
                if let Some(place) = self.release_hold(pod) {
                    self.bind(pod, place.node);
                }
            }
        }
        Ok(())
    }

    /// Binds a pod, with the marks that were written for its node.
    pub(super) fn bind(&mut self, pod: PodId, node: NodeId) {
        let (Some(_), Some(node)) = (self.mirror.pod(pod), self.mirror.node(node).map(|node| node.name.clone())) else {
            return;
        };
        self.journal.report.bound.insert(self.pod_name(pod), node.clone());
        let marks = self.pending_commands.assumed_marks.get(&pod).map(|(_, marks)| marks.clone()).unwrap_or_default();
        self.issue_command(pod, PodChange::Bind { node, at: self.mirror.now(), marks }, 0);
        // The binding writes the marks.
        self.clear_assumed_marks(pod);
    }

    /// Drops the marks that were assumed on a pod for its node.
    pub(super) fn clear_assumed_marks(&mut self, pod: PodId) {
        if let Some(before) = self.set_assumed_marks(pod, None) {
            self.journal.undo_log.push(UndoEntry::AssumedMarks(pod, Some(before)));
        }
    }

    /// Withdraws the nomination of a pod, where it has one.
    fn withdraw_nomination(&mut self, pod: PodId) {
        if self.mirror.pod(pod).is_some_and(|pod| pod.nominated.is_some()) {
            self.journal.report.withdrawn.push(self.pod_name(pod));
            self.occupancy.set_nominated_node(pod, None);
            self.issue_command(pod, PodChange::Nominate(None), 0);
        }
    }

    /// Withdraws a promise that cannot be kept, from a pod that is still pending. `promised`: the promise counts even where the nomination is not
    /// shown.
    pub(super) fn withdraw_broken_nomination(&mut self, pod: PodId, promised: bool) {
        let Some(known) = self.mirror.pod(pod).filter(|pod| is_waiting(&pod.status())) else { return };
        let nominated = known.nominated.is_some();
        if promised || nominated {
            self.journal.report.withdrawn.push(self.pod_name(pod));
            self.occupancy.set_nominated_node(pod, None);
        }
        if nominated {
            self.issue_command(pod, PodChange::Nominate(None), 0);
        }
    }

    /// Clears a withdrawn nomination in the cluster again, where that has failed. The next try waits until the time that the driver has named. Else
    /// it waits for `pause`, which is 0 at the first failure and then doubles.
    pub(super) fn clear_nomination_in_cluster(&mut self, pod: PodId, pause: i64) {
        if self.mirror.pod(pod).is_some_and(|pod| is_waiting(&pod.status()) && pod.nominated.is_some()) {
            let Some(command) = self.issue_command(pod, PodChange::Nominate(None), 0) else { return };
            let now = self.mirror.now();
            let until = self.planned_evictions.refused_until(now, pod).unwrap_or(now.saturating_add(pause));
            self.pending_commands.delay(command, until, now, pause.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE));
        }
    }
}

#[cfg(test)]
mod tests {

    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, session};
    use crate::verify::testing::{node, pod};

    /// Adds the answers for four pods to a policy: `a`, `b` and `c` are held at permit, and `permit` is the answer for `d`.
    fn four(policy: Scripted, permit: ScriptedReply) -> Scripted {
        let hold = || ScriptedReply::Wait(10, ScriptedEffects::default());
        policy
            .reply("permit default/a", hold())
            .reply("permit default/b", hold())
            .reply("permit default/c", hold())
            .reply("permit default/d", permit)
    }

    fn pods() -> [serde_json::Value; 5] {
        [node("n1", 8), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0), pod("d", 1, 0)]
    }

    #[test]
    fn who_is_admitted_is_bound_where_it_was_held() {
        let admits = ScriptedEffects { admits: &["default/c", "default/a"], ..ScriptedEffects::default() };
        let policy = four(Scripted::deciding(ALL), ScriptedReply::Allow(admits));
        let mut session = session(&policy, pods());
        session.cycle().unwrap();
        let bound: Vec<String> = session.take_report().bound.into_keys().collect();
        assert_eq!(bound, ["default/a", "default/c", "default/d"]);
        assert_eq!(session.waiting().into_keys().collect::<Vec<_>>(), ["default/b"]);
    }

    #[test]
    fn a_release_releases_others_each_once() {
        let releases = |names| ScriptedEffects { releases: names, ..ScriptedEffects::default() };
        let reject = ScriptedReply::Reject("the gang cannot be", releases(&["default/a"]));
        let policy = four(Scripted::deciding(ALL), reject)
            .reply("unreserve default/a", ScriptedReply::Effects(releases(&["default/b", "default/c"])))
            .reply("unreserve default/b", ScriptedReply::Effects(releases(&["default/a", "default/c"])));
        let mut session = session(&policy, pods());
        session.cycle().unwrap();
        assert!(session.waiting().is_empty());
        let released: Vec<String> = session.take_report().released.into_iter().map(|held| held.pod).collect();
        assert_eq!(released, ["default/a", "default/b", "default/c"]);
        let asked: Vec<String> = policy.log().into_iter().filter(|asked| asked.starts_with("unreserve")).collect();
        let expected = ["d Failed", "a Released", "b Released", "c Released"];
        assert!(asked.into_iter().eq(expected.map(|pod| format!("unreserve default/{pod}"))));
    }

    #[test]
    fn a_pod_that_there_is_not_is_a_lie_and_nothing_is_carried_out() {
        let protocol_error = ScriptedEffects { admits: &["default/a", "default/x"], ..ScriptedEffects::default() };
        let policy = four(Scripted::deciding(ALL), ScriptedReply::Allow(protocol_error));
        let mut session = session(&policy, pods());
        let error = session.cycle().unwrap_err();
        let said = "the policy's answer to `permit` cannot be: no pod has the number 4294967295";
        assert_eq!(error.to_string(), said);
        assert!(session.take_report().bound.is_empty());
    }
}
