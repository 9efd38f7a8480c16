//! Taking over what an earlier process has left in the cluster.

use lictor_host::session::{Command, CommandAction, ObjectRef};

use super::lives::PlanTimeouts;
use super::stopping::ObjectDeletions;
use super::{Decider, DeciderOutput, RunMode, pod_of};
use crate::carry_out::ExecutorTask;
use crate::watch::store::ObjectChange;

impl Decider {
    /// Takes over what an earlier process has left in the cluster: the pods that it has nominated, and the victims that carry its mark.
    /// `evicts`: victims that were only marked are to be evicted now. The tasks come with the turn.
    pub fn recover(&mut self, victims: impl Iterator<Item = ObjectRef>, evicts: bool, turn: &mut DeciderOutput) {
        if self.mode != RunMode::Enforce {
            return;
        }
        let victims = self.marked(victims);
        self.plan_lifecycles.recover(self.session.session(), victims.clone());
        if evicts {
            self.evict(victims, turn);
        }
    }

    /// Takes over the victims that were only marked, because victims are deleted from now on: those of plans in flight are to be evicted. The tasks
    /// come with the turn.
    pub fn evict_marked(&mut self, victims: impl Iterator<Item = ObjectRef>, turn: &mut DeciderOutput) {
        if self.mode == RunMode::Enforce {
            self.evict(self.marked(victims), turn);
        }
    }

    /// Returns those among the victims that are marked and whose deletion is not under way.
    fn marked(&self, victims: impl Iterator<Item = ObjectRef>) -> Vec<ObjectRef> {
        let is_open = |object: &ObjectRef| self.open.values().any(|open| open.object == *object && deletes(open));
        let session = self.session.session();
        let is_marked = |object: &ObjectRef| pod_of(session, object).is_some_and(|pod| session.mirror().is_marked(pod));
        victims.filter(|victim| is_marked(victim) && !is_open(victim)).collect()
    }

    /// Evicts the victims that a plan under way needs. For the others no pod waits, and [`Decider::remove_leftovers`] takes their marks off.
    fn evict(&self, victims: Vec<ObjectRef>, turn: &mut DeciderOutput) {
        let victims = victims.into_iter().filter(|victim| self.plan_lifecycles.evicts(victim));
        turn.tasks.extend(victims.map(ExecutorTask::Evict));
    }

    /// Sets how long a plan may take before it is given up.
    pub fn set_plan_timeouts(&mut self, patience: PlanTimeouts) {
        self.plan_lifecycles.timeouts = patience;
    }

    /// Takes a change of an object: deletions under way are noted by the clock of this process.
    pub fn observe(&mut self, news: &ObjectChange, now: i64) {
        self.plan_lifecycles.stopping.observe(news, now);
    }

    /// Begins with pods whose deletion was seen before the session began.
    pub fn set_stopping(&mut self, stopping: ObjectDeletions) {
        self.plan_lifecycles.stopping = stopping;
    }
}

/// Returns whether a command deletes a pod, and does not only mark it.
fn deletes(command: &Command) -> bool {
    matches!(command.action, CommandAction::Evict { delete: true, .. })
}
