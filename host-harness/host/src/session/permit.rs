//! Pods held at permit, and what happens when their time is up.

use std::collections::{BTreeMap, VecDeque};

use lictor_contract::*;

use super::journal::UndoEntry;
use super::question::PermitDecision;
use super::{FailureCause, NamedHold, ProtocolError, ReleasedPod, RetryHint, Session};
use crate::policy::Policy;
use crate::reason::NamedReason;
use crate::verify::PermitHold;

impl Session {
    /// Runs Permit for a reserved pod: binds, holds or unreserves it, and applies the effects on other pods. Returns the verdict, the reason, and the
    /// retry hint.
    pub(super) fn permit_and_apply(
        &mut self,
        pod: PodId,
        node: NodeId,
    ) -> Result<(PermitDecision, NamedReason, RetryHint), FailureCause> {
        let Permitted { permission, reason, retry, effects } = self.permit(pod)?;
        let mut rounds = VecDeque::from([effects]);
        let mut reason = self.checked_reason("permit", reason)?;
        let verdict = match permission {
            Permission::Allow => {
                self.bind(pod, node);
                PermitDecision::Allow
            }
            Permission::Wait(nanoseconds) => {
                self.hold(pod, node, nanoseconds);
                PermitDecision::Wait(nanoseconds)
            }
            Permission::Reject(why) => {
                rounds.push_front(self.call_unreserve(pod, ReleaseCause::Failed)?);
                reason = self.checked_reason("permit", why)?;
                PermitDecision::Reject
            }
        };
        self.apply_effects(rounds)?;
        Ok((verdict, reason, retry.into()))
    }

    /// Returns the checked answer of Permit for a reserved pod. Where the system does not decide at Permit, the pod is allowed.
    fn permit(&mut self, pod: PodId) -> Result<Permitted, FailureCause> {
        if !self.decides(ExtensionPoint::Permit) {
            let (reason, retry, effects) = Default::default();
            return Ok(Permitted { permission: Permission::Allow, reason, retry, effects });
        }
        let answer = self.call_policy(|policy| policy.permit(pod))?;
        self.check_effects("permit", &answer.effects)?;
        match answer.permission {
            Permission::Wait(nanoseconds) if nanoseconds < 0 => {
                Err(ProtocolError::NegativeWait(nanoseconds).into_cause("permit"))
            }
            _ => Ok(answer),
        }
    }

    /// Returns the pods held at permit, each with its node.
    pub fn waiting(&self) -> BTreeMap<String, String> {
        let held = self.occupancy.permit_holds().iter();
        held.map(|(pod, place)| (self.pod_name(pod), self.node_name(place.node))).collect()
    }

    /// Returns the pods held at permit, each with its node and the time at which the host releases it.
    pub fn permit_holds(&self) -> BTreeMap<String, NamedHold> {
        let held = self.occupancy.permit_holds().iter().map(|(pod, place)| {
            let held = NamedHold { node: self.node_name(place.node), deadline: place.deadline };
            (self.pod_name(pod), held)
        });
        held.collect()
    }

    /// Releases pods held at permit whose deadline is at or before `end`, in the order of their deadlines. The clock is at the deadline when a pod is
    /// released.
    pub(super) fn expire_holds(&mut self, end: i64) -> Result<(), FailureCause> {
        while let Some((pod, deadline)) = self.occupancy.permit_holds().next().filter(|(_, deadline)| *deadline <= end)
        {
            self.mirror.set_clock(deadline.max(self.mirror.now()));
            let effects = self.unreserve(pod, ReleaseCause::Timeout)?;
            self.apply_effects(VecDeque::from_iter(effects))?;
        }
        Ok(())
    }

    /// Holds a pod at permit for a node, for this many nanoseconds.
    pub(super) fn hold(&mut self, pod: PodId, node: NodeId, nanoseconds: i64) {
        let place = self.occupancy.new_hold(node, self.mirror.now().saturating_add(nanoseconds));
        let before = self.occupancy.hold(pod, Some(place));
        self.journal.undo_log.push(UndoEntry::PermitHold(pod, before));
    }

    /// Stops holding a pod at permit. Returns the pod's place. `None`: the pod is not held.
    pub(super) fn release_hold(&mut self, pod: PodId) -> Option<PermitHold> {
        let before = self.occupancy.hold(pod, None)?;
        self.journal.undo_log.push(UndoEntry::PermitHold(pod, Some(before)));
        Some(before)
    }

    /// Unreserves a held pod. Returns the effects on other pods, which the caller must apply. `None`: the pod is not held.
    pub(super) fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Option<Effects>, FailureCause> {
        if self.mirror.pod(pod).is_none() {
            return self.unreserve_removed(pod);
        }
        let Some(place) = self.release_hold(pod) else { return Ok(None) };
        self.journal.report.released.push(ReleasedPod {
            pod: self.pod_name(pod),
            node: self.node_name(place.node),
            cause,
        });
        self.call_unreserve(pod, cause).map(Some)
    }

    /// Unreserves a held pod that was removed. The policy is called before it receives the removal. Returns the effects on other
    /// pods. `None`: the pod is not held, or the system does not decide at Reserve.
    pub(super) fn unreserve_removed(&mut self, pod: PodId) -> Result<Option<Effects>, FailureCause> {
        let Some(place) = self.release_hold(pod) else { return Ok(None) };
        let (name, node, cause) = (self.pod_name(pod), self.node_name(place.node), ReleaseCause::Removed);
        self.journal.report.released.push(ReleasedPod { pod: name, node, cause });
        self.clear_assumed_marks(pod);
        if !self.decides(ExtensionPoint::Reserve) {
            return Ok(None);
        }
        let effects = self.policy.unreserve(pod, cause)?;
        self.check_effects("unreserve", &effects)?;
        Ok(Some(effects))
    }

    /// Calls `unreserve` for a reserved pod that has lost its node. Returns the checked effects.
    pub(super) fn call_unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, FailureCause> {
        let effects = match self.decides(ExtensionPoint::Reserve) {
            true => self.call_policy(|policy| policy.unreserve(pod, cause))?,
            false => Effects::default(),
        };
        self.clear_assumed_marks(pod);
        self.check_effects("unreserve", &effects)?;
        Ok(effects)
    }
}

#[cfg(test)]
mod tests {

    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, session};
    use crate::verify::testing::{node, pod};

    fn hold(policy: Scripted, name: &str, nanoseconds: i64) -> Scripted {
        policy.reply(&format!("permit default/{name}"), ScriptedReply::Wait(nanoseconds, ScriptedEffects::default()))
    }

    #[test]
    fn a_deadline_that_is_reached_exactly_has_passed() {
        let policy = hold(Scripted::deciding(ALL), "a", 10);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        session.try_pod("default/a").unwrap();
        session.advance(9).unwrap();
        assert_eq!(session.waiting(), [("default/a".to_owned(), "n1".to_owned())].into());
        session.advance(1).unwrap();
        assert!(session.waiting().is_empty());
        assert_eq!(session.mirror().now(), 10);
        assert!(policy.log().contains(&"unreserve default/a Timeout".to_owned()));
    }

    #[test]
    fn the_clock_stands_at_the_deadline_when_it_passes_and_the_earliest_comes_first() {
        let policy = hold(hold(hold(Scripted::deciding(ALL), "a", 30), "b", 20), "c", 20);
        let policy = policy.reply(
            "unreserve default/b",
            ScriptedReply::Effects(ScriptedEffects { releases: &["default/a"], ..ScriptedEffects::default() }),
        );
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)]);
        session.cycle().unwrap();
        session.advance(100).unwrap();
        let expected = [
            "clock 20",
            "unreserve default/b Timeout",
            "unreserve default/a Released",
            "unreserve default/c Timeout",
            "clock 100",
        ];
        assert!(policy.log().ends_with(&expected.map(str::to_owned)), "{:?}", policy.log());
    }

    #[test]
    fn what_is_held_takes_room_until_the_time_is_up() {
        let policy = hold(Scripted::deciding(ALL), "a", 10).reply("filter default/b", ScriptedReply::Fits(&[]));
        let mut session = session(&policy, [node("n1", 4), pod("a", 4, 0), pod("b", 4, 0)]);
        session.cycle().unwrap();
        let (b, n1) = (session.mirror().pod_id("default/b").unwrap(), session.mirror().node_id("n1").unwrap());
        let bind = [lictor_contract::Placement { pod: b, node: n1 }];
        assert!(crate::verify::bindings(&session.session.verify_context(), &bind).is_err());
        session.advance(10).unwrap();
        assert!(crate::verify::bindings(&session.session.verify_context(), &bind).is_ok());
    }
}
