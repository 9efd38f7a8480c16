//! Looks at what only time changes: pods that stay refused, victims that still run, other controllers, and other arguments.

use lictor_host::living::MARKS;
use lictor_host::session::ObjectRef;
use serde_json::{Value, json};
use tracing::warn;

use super::LeaderLoop;
use super::pods::TrackedPods;
use crate::carry_out::ExecutorTask;
use crate::decide::refused::UnschedulableAction;
use crate::decide::{Decider, DeciderOutput, RunMode};
use crate::run::listener::LoopObserver;

impl<L: LoopObserver> LeaderLoop<L> {
    /// Reports refusals and victims that have lasted too long, and deletes refused pods where the settings want it.
    pub(super) fn check_timeouts(&mut self, now: i64) {
        let mut turn = DeciderOutput::default();
        for due in self.pods.unschedulable.due(now) {
            match due {
                UnschedulableAction::ReportEnd(refusal) => self.observer.refusal_ended(&refusal),
                UnschedulableAction::Report(refusal) => self.observer.refused(&refusal, false),
                UnschedulableAction::Delete(refusal) => {
                    self.observer.refused(&refusal, true);
                    if self.settings.mode == RunMode::Enforce {
                        turn.tasks.push(ExecutorTask::Delete(refusal.pod));
                    }
                }
            }
        }
        self.carry_out_due(|_, _| turn);
        self.pods.victims.due(now).iter().for_each(|victim| self.observer.victim_overdue(victim));
        self.observer.overdue_counted(self.pods.unschedulable.count(), self.pods.victims.overdue(now));
        self.remove_leftovers(now);
    }

    /// Takes off the nominations and marks that ended plans have left on pods.
    fn remove_leftovers(&mut self, now: i64) {
        let deletes = self.deletes_victims;
        self.carry_out_due(|decider, pods| {
            let left = pods.leftovers.due(now, |written| decider.allowed_leftover_age(written, deletes));
            decider.remove_leftovers(left)
        });
    }

    /// Carries out the tasks that follow from the time or from other arguments, if there are any.
    fn carry_out_due(&mut self, due: impl FnOnce(&mut Decider, &mut TrackedPods) -> DeciderOutput) {
        let Some(mut decider) = self.decider.take() else { return };
        let turn = due(&mut decider, &mut self.pods);
        if !turn.tasks.is_empty() {
            self.carry_out(&mut decider, turn, None);
        }
        self.decider = Some(decider);
    }

    /// Reports another controller that has written on a pod since the cluster was listed. A process that only observes may run together with one.
    pub(super) fn check_other_controllers(&mut self, pod: &Value, now: i64) {
        let is_listing = self.decider.is_none();
        let other = self.pods.other_controller(pod, is_listing, now);
        if let Some(other) = other.filter(|_| self.settings.mode == RunMode::Enforce) {
            self.observer.other_controller(&other);
        }
    }

    /// Takes note that another policy or other arguments are in force. Where victims are deleted from now on, those that were only marked are
    /// evicted, as by a process that begins with these arguments.
    pub(super) fn set_deletes_victims(&mut self, deletes: bool) {
        let before = std::mem::replace(&mut self.deletes_victims, deletes);
        if deletes == before || self.settings.mode != RunMode::Enforce {
            return;
        }
        if !deletes {
            warn!(remedy = MARKS, "victims are only marked from now on: another controller must delete them");
            return;
        }
        self.carry_out_due(|decider, pods| {
            let mut turn = DeciderOutput::default();
            decider.evict_marked(pods.victims.all().cloned(), &mut turn);
            turn
        });
    }
}

/// Returns an object with its name only, as a watch reports that the object is gone.
pub(super) fn named(object: &ObjectRef) -> Value {
    let ObjectRef { namespace, name, uid, .. } = object;
    json!({"metadata": {"namespace": namespace, "name": name, "uid": uid}})
}
