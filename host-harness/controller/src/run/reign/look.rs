//! Looks at what only time changes: pods that stay refused, victims that still run, other controllers, and other arguments.

use lictor_host::living::MARKS;
use lictor_host::session::{CommandId, ObjectRef};
use serde_json::{Value, json};
use tracing::warn;

use super::LeaderLoop;
use crate::carry_out::ExecutorTask;
use crate::decide::refused::UnschedulableAction;
use crate::decide::{DeciderOutput, RunMode};
use crate::run::listener::LoopObserver;

impl<L: LoopObserver> LeaderLoop<L> {
    /// Reports refusals and victims that have lasted too long, and deletes refused pods where the settings want it.
    pub(super) fn check_timeouts(&mut self, now: i64) {
        for due in self.unschedulable_pods.due(now) {
            match due {
                UnschedulableAction::ReportEnd(refusal) => self.observer.refusal_ended(&refusal),
                UnschedulableAction::Report(refusal) => self.observer.refused(&refusal, false),
                UnschedulableAction::Delete(refusal) => {
                    self.observer.refused(&refusal, true);
                    if self.settings.mode == RunMode::Enforce {
                        self.submit(ExecutorTask::Delete(refusal.pod), None);
                    }
                }
            }
        }
        self.victims.due(now).iter().for_each(|victim| self.observer.victim_overdue(victim));
        self.observer.overdue_counted(self.unschedulable_pods.count(), self.victims.overdue(now));
        self.remove_leftovers(now);
    }

    /// Takes off the nominations and marks that ended plans have left on pods.
    fn remove_leftovers(&mut self, now: i64) {
        let Some(mut decider) = self.decider.take() else { return };
        let left = self.leftovers.due(now, |written| decider.allowed_leftover_age(written, self.deletes_victims));
        if !left.is_empty() {
            let turn = decider.remove_leftovers(left);
            self.carry_out(&mut decider, turn, None);
        }
        self.decider = Some(decider);
    }

    /// Reports another controller that has written on a pod since the cluster was listed. A process that only observes may run together with one.
    pub(super) fn check_other_controllers(&mut self, pod: &Value, now: i64) {
        let is_listing = self.decider.is_none();
        if let Some(rival) =
            self.other_controllers.observe(pod, is_listing, now).filter(|_| self.settings.mode == RunMode::Enforce)
        {
            self.observer.other_controller(&rival);
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
        if let Some(mut decider) = self.decider.take() {
            let mut turn = DeciderOutput::default();
            decider.evict_marked(self.victims.all().cloned(), &mut turn);
            self.carry_out(&mut decider, turn, None);
            self.decider = Some(decider);
        }
    }
}

/// A task under way, whose end the process waits for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TaskKey {
    /// A command, or a question about it.
    Command(CommandId),
    /// A task that carries out no command: the word for the task, and its object.
    Other(&'static str, ObjectRef),
}

impl TaskKey {
    /// Returns how the end of a task is known.
    pub(super) fn of(task: &ExecutorTask) -> TaskKey {
        task.command().map_or_else(|| TaskKey::Other(task.word(), task.object().clone()), TaskKey::Command)
    }
}

/// Returns an object with its name only, as a watch reports that the object is gone.
pub(super) fn named(object: &ObjectRef) -> Value {
    let ObjectRef { namespace, name, uid, .. } = object;
    json!({"metadata": {"namespace": namespace, "name": name, "uid": uid}})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lictor_host::session::{Command, CommandAction};

    use super::*;

    fn object() -> ObjectRef {
        let [kind, namespace, name, uid] = ["Pod", "default", "a", "1"].map(str::to_owned);
        ObjectRef { kind, namespace, name, uid }
    }

    #[test]
    fn the_end_of_an_eviction_is_not_that_of_the_task_that_takes_the_marks_off() {
        let [evict, unmark] = [ExecutorTask::Evict(object()), ExecutorTask::Unmark(object(), Vec::new())];
        let mut under_way = BTreeSet::from([TaskKey::of(&evict), TaskKey::of(&unmark)]);
        under_way.remove(&TaskKey::of(&evict));
        assert_eq!(under_way, BTreeSet::from([TaskKey::of(&unmark)]), "a process that is told to end waits for it");
    }

    #[test]
    fn a_question_about_a_command_comes_to_its_end_with_the_command() {
        let command =
            ExecutorTask::Command(Command { id: 1, object: object(), action: CommandAction::Nominate { node: None } });
        let mut under_way =
            BTreeSet::from([TaskKey::of(&command), TaskKey::of(&ExecutorTask::Confirm(1, object(), None))]);
        // The executor reports each end once.
        under_way.remove(&TaskKey::of(&command));
        assert!(under_way.is_empty(), "a process that is told to end waits for nothing more");
    }
}
