//! What a decision means for pods other than the one it was about.

use std::collections::VecDeque;

use lictor_policy::contract::*;

use super::{Lie, Session, SessionError};

impl Session<'_> {
    /// Every pod that the effects name exists.
    pub(super) fn check_effects(&self, call: &'static str, effects: &Effects) -> Result<(), SessionError> {
        let mut named = effects.releases.iter().chain(&effects.admits).chain(&effects.withdrawn);
        match named.find(|pod| self.mirror.pod(**pod).is_none()) {
            Some(pod) => Err(Lie::UnknownPod(*pod).told_by(call)),
            None => Ok(()),
        }
    }

    /// Carries checked effects out, and those that they have in turn.
    ///
    /// It ends, because every further round takes a pod away from those held. A pod that is not held any more is passed over:
    /// it was let go by what was carried out before.
    pub(super) fn carry(&mut self, mut rounds: VecDeque<Effects>) -> Result<(), SessionError> {
        while let Some(effects) = rounds.pop_front() {
            self.reorder |= effects.reorder;
            for pod in effects.withdrawn {
                self.withdraw(pod);
            }
            for pod in effects.releases {
                rounds.extend(self.unreserve(pod, ReleaseCause::Released)?);
            }
            for pod in effects.admits {
                if let Some(node) = self.let_go(pod) {
                    self.bind(pod, node);
                }
            }
        }
        Ok(())
    }

    /// Binds a pod.
    pub(super) fn bind(&mut self, pod: PodId, node: NodeId) {
        self.happened.bound.insert(self.pod_name(pod), self.node_name(node));
        self.mirror.bind(pod, node);
    }

    /// A pod loses its nomination, if it has one.
    fn withdraw(&mut self, pod: PodId) {
        if self.mirror.pod(pod).is_some_and(|pod| pod.nominated.is_some()) {
            self.happened.withdrawn.push(self.pod_name(pod));
            self.mirror.nominate(pod, None);
        }
    }
}
