//! Objects that are gone.

use std::collections::VecDeque;

use lictor_contract::*;

use super::{FailureCause, Session};

impl Session {
    /// Removes an object, named `Kind/namespace/name` or `Kind/name`. A pod held at permit is unreserved first, and so are the pods held for a
    /// removed node.
    pub(super) fn remove(&mut self, key: &str) -> Result<(), FailureCause> {
        self.sync()?;
        let node = key.strip_prefix("Node/").and_then(|name| self.mirror.node_id(name));
        let homeless: Vec<PodId> =
            node.map(|node| self.occupancy.permit_holds().on_node(node).collect()).unwrap_or_default();
        let mut rounds = VecDeque::new();
        if let Some(pod) = self.mirror.pod_of_key(key) {
            rounds.extend(self.unreserve(pod, ReleaseCause::Removed)?);
        }
        for pod in homeless {
            rounds.extend(self.unreserve(pod, ReleaseCause::Failed)?);
        }
        self.mirror.remove(key);
        self.forget_deleted();
        self.sync()?;
        self.apply_effects(rounds)
    }

    /// Returns the pods that leave together with this one: the pods that use its room, where it is a placed object.
    pub fn pods_evicted_with(&self, pod: PodId) -> Vec<PodId> {
        self.occupancy.users(&self.mirror, pod).collect()
    }

    /// Returns the key of a pod in inputs. `None`: the pod does not exist.
    pub fn key_of(&self, pod: PodId) -> Option<String> {
        self.object_ref(pod).map(|object| object.key())
    }
}

#[cfg(test)]
mod tests {

    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, session};
    use crate::verify::testing::{node, object, on, pod};

    /// Returns a policy that holds `a` at permit.
    fn holding() -> Scripted {
        Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()))
    }

    #[test]
    fn a_held_pod_is_unreserved_before_it_is_gone() {
        let policy = holding();
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        session.try_pod("default/a").unwrap();
        assert!(session.remove("Pod/default/a").unwrap());
        assert!(session.waiting().is_empty());
        let tail = ["unreserve default/a Removed", "removed default/a"].map(str::to_owned);
        assert!(policy.log().ends_with(&tail), "{:?}", policy.log());
    }

    #[test]
    fn a_pod_held_for_a_node_that_goes_is_pending_again() {
        let policy = holding();
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        session.try_pod("default/a").unwrap();
        assert!(session.remove("Node/n1").unwrap());
        assert!(session.waiting().is_empty());
        assert_eq!(session.queue().unwrap().len(), 1);
        assert!(policy.log().contains(&"unreserve default/a Failed".to_owned()));
    }

    #[test]
    fn what_there_is_not_cannot_be_removed() {
        let policy = holding();
        let mut session = session(&policy, [node("n1", 4)]);
        assert!(!session.remove("Pod/default/a").unwrap());
        assert!(!session.remove("Node/n2").unwrap());
    }

    #[test]
    fn a_held_pod_that_somebody_else_bound_is_let_go() {
        let policy = holding();
        let mut session = session(&policy, [node("n1", 4), node("n2", 4), pod("a", 4, 0)]);
        session.try_pod("default/a").unwrap();
        assert_eq!(session.waiting().get("default/a").unwrap(), "n1");
        session.apply(vec![object(on("n2", pod("a", 4, 0)))]).unwrap();
        assert!(session.waiting().is_empty());
        let load = |name: &str| {
            let node = session.mirror().node_id(name).unwrap();
            session.session.occupancy.pods_on(node).count()
        };
        assert_eq!((load("n1"), load("n2")), (0, 1));
        assert!(!policy.log().iter().any(|asked| asked.starts_with("unreserve")));
    }
}
