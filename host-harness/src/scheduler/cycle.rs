//! A whole cycle: one attempt for every pending pod, in queue order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use lictor_policy::contract::*;

use super::{Lie, Session, SessionError};

impl Session<'_> {
    /// Runs one cycle: the policy's own where the laws have one, else one attempt for every pod that is pending at its
    /// beginning, in queue order. A pod that was bound, held or removed meanwhile is passed over.
    pub fn cycle(&mut self) -> Result<(), SessionError> {
        if self.decides(ExtensionPoint::Act) {
            return self.act();
        }
        let mut queue = self.queue()?;
        self.reorder = false;
        while !queue.is_empty() {
            let pod = queue.remove(0);
            if self.mirror.pod(pod).is_some_and(|pod| self.is_pending(pod)) {
                self.attempt(pod)?;
            }
            if std::mem::take(&mut self.reorder) {
                queue.retain(|pod| self.mirror.pod(*pod).is_some_and(|pod| self.is_pending(pod)));
                queue = self.ordered(queue)?;
            }
        }
        Ok(())
    }

    /// The pending pods in queue order: those that have no node, are not held for one and are not being deleted.
    pub fn queue(&mut self) -> Result<Vec<PodId>, SessionError> {
        self.sync()?;
        let pending = self.mirror.pods().filter(|pod| self.is_pending(pod)).map(|pod| pod.id).collect();
        self.ordered(pending)
    }

    /// Orders pods as the policy says; by priority, age and name where it leaves that to the host.
    fn ordered(&mut self, mut pods: Vec<PodId>) -> Result<Vec<PodId>, SessionError> {
        pods.sort_by_cached_key(|pod| self.pod_name(*pod));
        if !self.decides(ExtensionPoint::QueueOrder) {
            pods.sort_by_key(|pod| {
                let pod = self.mirror.pod(*pod);
                pod.map(|pod| (Reverse(pod.priority.unwrap_or(0)), pod.entered, pod.created))
            });
            return Ok(pods);
        }
        let asked = pods.clone();
        let answer = self.ask(|policy| policy.queue_order(pods))?;
        let same = answer.len() == asked.len() && BTreeSet::from_iter(&answer) == BTreeSet::from_iter(&asked);
        if !same {
            let lie = Lie::NotAPermutation { asked: asked.len(), answered: answer.len() };
            return Err(lie.told_by("queue-order"));
        }
        Ok(answer)
    }
}
