//! A whole cycle: one attempt for every pending pod, in queue order.

use std::cmp::Reverse;

use lictor_contract::*;

use super::{FailureCause, ProtocolError, Session, SessionError};

impl Session {
    /// Runs one whole cycle, after `enforce`. A cycle of the policy's own replaces the attempts where the system has one. Else each pod that is
    /// pending at the beginning gets one attempt, in queue order; a pod that was bound, held or removed meanwhile is skipped.
    pub(super) fn cycle(&mut self) -> Result<(), FailureCause> {
        self.due.remaining_queue.clear();
        self.run_cycle_attempts(u32::MAX)
    }

    /// Makes at most `most` attempts of the cycle in progress, or of a new one. A cycle of the policy's own has no parts.
    ///
    /// A part that fails ends the cycle, and its pods are tried again in the next cycle.
    pub(super) fn run_cycle_attempts(&mut self, most: u32) -> Result<(), FailureCause> {
        let mut queue = std::mem::take(&mut self.due.remaining_queue);
        queue.retain(|pod| self.mirror.pod(*pod).is_some_and(|pod| self.occupancy.is_pending(pod)));
        if queue.is_empty() {
            self.enforce()?;
            if self.decides(ExtensionPoint::Act) {
                return self.act();
            }
            queue = self.order_pending()?.into();
            self.due.is_queue_stale = false;
        }
        let mut tried = 0_u32;
        while tried < most && !queue.is_empty() {
            if std::mem::take(&mut self.due.is_queue_stale) {
                queue = self.sort_pods(Vec::from(queue))?.into();
            }
            let Some(pod) = queue.pop_front() else { break };
            let is_refused = self.planned_evictions.refused_until(self.mirror.now(), pod).is_some();
            if !is_refused && self.mirror.pod(pod).is_some_and(|pod| self.occupancy.is_pending(pod)) {
                self.attempt(pod)?;
                tried = tried.saturating_add(1);
            }
        }
        self.due.remaining_queue = queue;
        Ok(())
    }

    /// Returns whether a cycle that was begun by [`SessionInput::CycleAttempts`](super::SessionInput::CycleAttempts) has attempts left.
    pub fn is_in_cycle(&self) -> bool {
        !self.due.remaining_queue.is_empty()
    }

    /// Returns the names of the pending pods in queue order. A pod is pending where it has no node, is not held at permit and is not being deleted.
    ///
    /// # Errors
    /// The policy fails.
    pub fn queue(&mut self) -> Result<Vec<String>, SessionError> {
        let queue = self.run_input(
            || "queue".to_owned(),
            |session| {
                session.ensure_instance()?;
                session.order_pending()
            },
        )?;
        Ok(queue.into_iter().map(|pod| self.pod_name(pod)).collect())
    }

    /// Returns the pending pods, ordered by number.
    pub fn pending(&self) -> impl Iterator<Item = PodId> {
        self.mirror.pods().filter(|pod| self.occupancy.is_pending(pod)).map(|pod| pod.id)
    }

    /// Returns the pending pods in queue order.
    fn order_pending(&mut self) -> Result<Vec<PodId>, FailureCause> {
        self.sync()?;
        let pending = self.pending().collect();
        self.sort_pods(pending)
    }

    /// Sorts pods by the keys of the policy, or by priority and age where it decides no order. Namespace and name break ties.
    fn sort_pods(&mut self, mut pods: Vec<PodId>) -> Result<Vec<PodId>, FailureCause> {
        pods.sort_by_cached_key(|pod| {
            self.mirror.pod(*pod).map(|pod| (pod.template.namespace.clone(), pod.name.clone()))
        });
        if !self.decides(ExtensionPoint::QueueOrder) {
            pods.sort_by_key(|pod| {
                let pod = self.mirror.pod(*pod);
                pod.map(|pod| (Reverse(pod.template.priority.unwrap_or(0)), pod.entered, pod.created))
            });
            return Ok(pods);
        }
        let answer = self.queue_keys(&pods)?;
        Ok(answer.sort(pods))
    }

    /// Returns the sort keys of these pods, one each.
    ///
    /// # Errors
    /// The policy fails, or the number of keys is wrong.
    pub(super) fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, FailureCause> {
        let answer = self.call_policy(|policy| policy.queue_keys(pods))?;
        if answer.keys.len() != pods.len() {
            let protocol_error = ProtocolError::Keys { asked: pods.len(), answered: answer.keys.len() };
            return Err(protocol_error.into_cause("queue-keys"));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {

    use crate::session::SessionInput;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, session};
    use crate::verify::testing::{node, object, on, pod};

    /// Returns the pods that were tried, in order.
    fn tried(policy: &Scripted) -> Vec<String> {
        policy.log().iter().filter_map(|asked| Some(asked.strip_prefix("pre-filter default/")?.to_owned())).collect()
    }

    #[test]
    fn every_pending_pod_is_tried_once_in_the_order_of_the_policy() {
        let policy = Scripted::deciding(ALL)
            .reply("queue-keys", ScriptedReply::Queue(vec!["default/c", "default/a", "default/b"]))
            .reply("filter default/a", ScriptedReply::Fits(&[]));
        let cluster = [node("n1", 4), pod("b", 1, 0), pod("c", 1, 0), on("n1", pod("v", 1, 0)), pod("a", 1, 0)];
        session(&policy, cluster).cycle().unwrap();
        assert_eq!(policy.log().first().unwrap(), "queue-keys default/a default/b default/c");
        assert_eq!(tried(&policy), ["c", "a", "b"]);
    }

    #[test]
    fn what_is_left_is_ordered_anew_when_the_policy_says_so() {
        let reorder = ScriptedEffects { reorder: true, ..ScriptedEffects::default() };
        let policy = Scripted::deciding(ALL)
            .reply("pre-filter default/a", ScriptedReply::Pass(reorder))
            .reply("queue-keys", ScriptedReply::Queue(vec!["default/a", "default/b", "default/c"]))
            .reply("queue-keys", ScriptedReply::Queue(vec!["default/c", "default/b"]));
        session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)]).cycle().unwrap();
        assert_eq!(tried(&policy), ["a", "c", "b"]);
    }

    #[test]
    fn a_cycle_in_parts_tries_every_pod_once_and_hands_out_what_each_part_has_decided() {
        let policy = Scripted::deciding(ALL)
            .reply("queue-keys", ScriptedReply::Queue(vec!["default/c", "default/a", "default/b"]));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)]);
        let part = |session: &mut crate::driver::VirtualDriver, most| {
            let step = session.session.handle(SessionInput::CycleAttempts(most)).unwrap();
            (step.happened.bound.into_keys().collect::<Vec<_>>(), session.session.is_in_cycle())
        };
        assert_eq!(part(&mut session, 2), (["default/a", "default/c"].map(str::to_owned).into(), true));
        // A pod that arrives meanwhile belongs to the next cycle, and a removed pod is skipped.
        session.session.handle(SessionInput::Objects(vec![object(pod("0", 1, 9))])).unwrap();
        session.session.handle(SessionInput::Removed("Pod/default/b".to_owned())).unwrap();
        assert!(session.session.is_in_cycle());
        assert_eq!(part(&mut session, 2), (vec!["default/0".to_owned()], false));
        assert_eq!(tried(&policy), ["c", "a", "0"]);
        assert_eq!(policy.log().iter().filter(|asked| asked.starts_with("queue-keys")).count(), 2);
    }

    #[test]
    fn a_part_that_fails_ends_the_cycle_and_a_whole_cycle_ends_one_in_parts() {
        let policy = Scripted::deciding(ALL)
            .reply("filter default/a", ScriptedReply::Fits(&[]))
            .reply("reserve default/b", ScriptedReply::CallError);
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)]);
        session.session.handle(SessionInput::CycleAttempts(1)).unwrap();
        assert!(session.session.is_in_cycle());
        session.session.handle(SessionInput::CycleAttempts(1)).unwrap_err();
        assert!(!session.session.is_in_cycle());
        session.session.handle(SessionInput::CycleAttempts(1)).unwrap();
        assert_eq!(session.session.handle(SessionInput::Cycle).unwrap().happened.bound.len(), 2);
        assert!(!session.session.is_in_cycle());
    }

    #[test]
    fn a_pod_that_is_held_is_not_tried() {
        let policy =
            Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        session.cycle().unwrap();
        session.cycle().unwrap();
        assert_eq!(tried(&policy), ["a"]);
    }

    #[test]
    fn without_an_order_of_the_policy_priority_and_name_decide() {
        let policy = Scripted::deciding(&[]);
        let mut session = session(&policy, [pod("c", 1, 0), pod("b", 1, 9), pod("a", 1, 0)]);
        assert_eq!(session.queue().unwrap(), ["default/b", "default/a", "default/c"]);
    }

    #[test]
    fn pods_with_equal_keys_go_by_namespace_and_name() {
        let policy = Scripted::deciding(ALL)
            .reply("queue-keys", ScriptedReply::Keys(vec![vec![1], vec![], vec![1], vec![1, 0]]));
        let mut session = session(&policy, [pod("d", 1, 0), pod("c", 1, 0), pod("b", 1, 0), pod("a", 1, 0)]);
        // The keys are given by name: `a` has the key 1, `b` none, `c` 1, `d` 1 and 0.
        assert_eq!(session.queue().unwrap(), ["default/b", "default/a", "default/c", "default/d"]);
    }

    #[test]
    fn keys_too_few_or_too_many_are_a_lie() {
        for count in [0, 1, 3] {
            let policy = Scripted::deciding(ALL).reply("queue-keys", ScriptedReply::Keys(vec![vec![7]; count]));
            let mut session =
                session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), on("n1", pod("v", 1, 0))]);
            let error = session.cycle().unwrap_err().to_string();
            assert!(error.ends_with(&format!("2 pods were to be ordered, and {count} keys came back")), "{error}");
            assert_eq!(tried(&policy), Vec::<String>::new());
        }
    }
}
