//! What happens in the cluster without the scheduler.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use lictor_contract::*;

use super::{Session, SessionError};
use crate::cluster::{InputError, Object};

impl Session {
    /// Reads files that kubectl printed (`-` is the standard input) and creates or replaces what is in them.
    pub fn load<P: AsRef<Path>>(&mut self, files: &[P]) -> Result<Result<(), InputError>, SessionError> {
        let read = self.mirror.load(files);
        self.reconcile()?;
        Ok(read)
    }

    /// Creates or replaces objects that were read together: one that is there twice is a warning.
    pub fn load_objects(&mut self, objects: impl IntoIterator<Item = Object>) -> Result<(), SessionError> {
        self.mirror.load_objects(objects);
        self.reconcile()
    }

    /// Creates or replaces objects.
    pub fn upsert(&mut self, objects: impl IntoIterator<Item = Object>) -> Result<(), SessionError> {
        for object in objects {
            self.mirror.upsert(object);
        }
        self.reconcile()
    }

    /// Lets go of held pods that somebody else has bound, and unreserves those that have ended.
    fn reconcile(&mut self) -> Result<(), SessionError> {
        self.sync()?;
        let mut rounds = VecDeque::new();
        for pod in self.held.iter().map(|(pod, _)| pod).collect::<Vec<_>>() {
            match self.mirror.pod(pod) {
                Some(known) if known.node.is_none() && known.phase == Phase::Pending => {}
                Some(known) if known.node.is_some() => {
                    self.let_go(pod);
                    self.written.remove(&pod);
                }
                _ => rounds.extend(self.unreserve(pod, ReleaseCause::Removed)?),
            }
        }
        self.carry(rounds)
    }

    /// Removes an object, named `Kind/namespace/name` or `Kind/name`; false where there is none. A pod held at permit is
    /// unreserved first, and so is one held for a node that goes.
    pub fn remove(&mut self, key: &str) -> Result<bool, SessionError> {
        self.sync()?;
        let pod = self.pod_of(key);
        let node = key.strip_prefix("Node/").and_then(|name| self.mirror.node_id(name));
        let homeless: Vec<PodId> =
            self.held.iter().filter(|(_, place)| Some(place.node) == node).map(|(pod, _)| pod).collect();
        let mut rounds = VecDeque::new();
        if let Some(pod) = pod {
            rounds.extend(self.unreserve(pod, ReleaseCause::Removed)?);
        }
        for pod in homeless {
            rounds.extend(self.unreserve(pod, ReleaseCause::Failed)?);
        }
        let removed = self.mirror.remove(key);
        if let Some(pod) = pod.filter(|_| removed) {
            self.departures.forget(pod);
        }
        self.sync()?;
        self.carry(rounds)?;
        Ok(removed)
    }

    /// Every victim planned so far leaves the cluster; who consumes a reservation that was a victim leaves with it.
    pub fn evictions_complete(&mut self) -> Result<(), SessionError> {
        self.sync()?;
        let mut leaving: BTreeSet<PodId> = self.departures.victims().collect();
        let owners = leaving.iter().flat_map(|victim| self.occupancy.owners(&self.mirror, *victim));
        let owners: Vec<PodId> = owners.collect();
        leaving.extend(owners);
        let keys: Vec<String> = leaving.iter().filter_map(|pod| self.key_of(*pod)).collect();
        for key in keys {
            self.remove(&key)?;
        }
        Ok(())
    }

    /// The pod that an object's name means: `Pod/namespace/name` or `Reservation/name`.
    fn pod_of(&self, key: &str) -> Option<PodId> {
        let name = key.strip_prefix("Pod/").or_else(|| key.starts_with("Reservation/").then_some(key))?;
        self.mirror.pod_id(name)
    }

    /// The object's name of a pod.
    fn key_of(&self, pod: PodId) -> Option<String> {
        let name = self.mirror.pod_name(pod)?;
        match self.mirror.pod(pod)?.kind {
            PodKind::Pod => Some(format!("Pod/{name}")),
            PodKind::Reservation => Some(name.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {

    use crate::session::testing::{ALL, Fx, Say, Scripted, session};
    use crate::verify::testing::{node, object, on, pod};

    /// A policy that holds `a`.
    fn holding() -> Scripted {
        Scripted::deciding(ALL).say("permit default/a", Say::Wait(10, Fx::default()))
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
        session.upsert([object(on("n2", pod("a", 4, 0)))]).unwrap();
        assert!(session.waiting().is_empty());
        let load = |name: &str| {
            let node = session.mirror.node_id(name).unwrap();
            session.occupancy.on(node).count()
        };
        assert_eq!((load("n1"), load("n2")), (0, 1));
        assert!(!policy.log().iter().any(|asked| asked.starts_with("unreserve")));
    }
}
