//! What an earlier process has left in the cluster.

use lictor_host::session::{Action, Command, ObjectRef};

use super::lives::Patience;
use super::{Decider, Mode, Turn};
use crate::carry_out::Task;

impl Decider {
    /// Takes up what an earlier process has left in the cluster: the pods that it has nominated, and the victims that carry its mark.
    /// `evicts`: victims that were only marked are to be evicted now. The tasks come with the turn.
    pub fn recover(&mut self, victims: impl Iterator<Item = ObjectRef>, evicts: bool, turn: &mut Turn) {
        if self.mode != Mode::Act {
            return;
        }
        let is_open = |object: &ObjectRef| self.open.values().any(|open| open.object == *object && deletes(open));
        let session = self.talk.session();
        let mirror = session.mirror();
        let is_marked = |object: &ObjectRef| {
            let pod = mirror.pod_id(&object.pod_name()).and_then(|pod| mirror.pod(pod));
            pod.is_some_and(|pod| pod.uid == object.uid && mirror.is_marked(pod))
        };
        let victims: Vec<ObjectRef> = victims.filter(|victim| is_marked(victim) && !is_open(victim)).collect();
        self.lives.recover(session, victims.clone());
        turn.tasks.extend(victims.into_iter().filter(|_| evicts && !self.lives.is_empty()).map(Task::Evict));
    }

    /// Gives plans up after so long.
    pub fn set_patience(&mut self, patience: Patience) {
        self.lives.patience = patience;
    }

    /// Takes note of the end of the grace of a pod that is being deleted.
    pub fn stops(&mut self, key: &str, at: i64) {
        self.lives.stops(key, at);
    }
}

/// Returns whether a command deletes a pod, and does not only mark it.
fn deletes(command: &Command) -> bool {
    matches!(command.action, Action::Evict { delete: true, .. })
}
