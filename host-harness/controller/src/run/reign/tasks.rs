//! The tasks that a leader has handed to the executor.

use std::collections::BTreeSet;

use lictor_host::session::{CommandId, ObjectRef};

use crate::carry_out::{Executor, ExecutorTask, TaskContext, TaskRequest};

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
    fn of(task: &ExecutorTask) -> TaskKey {
        task.command().map_or_else(|| TaskKey::Other(task.word(), task.object().clone()), TaskKey::Command)
    }
}

/// The executor, and the tasks that it has not finished. A `Confirm` ends with the command that it is about.
pub(super) struct SubmittedTasks {
    executor: Executor,
    in_flight: BTreeSet<TaskKey>,
}

impl SubmittedTasks {
    /// Begins without a task.
    pub(super) fn new(executor: Executor) -> SubmittedTasks {
        SubmittedTasks { executor, in_flight: BTreeSet::new() }
    }

    /// Hands a task to the executor, with what is known of its object.
    pub(super) fn submit(&mut self, task: ExecutorTask, context: TaskContext) {
        self.in_flight.insert(TaskKey::of(&task));
        self.executor.submit(TaskRequest { task, context });
    }

    /// Gives a command up, unless it was carried out. Its outcome is reported all the same.
    pub(super) fn cancel(&mut self, id: CommandId) {
        self.executor.cancel(id);
    }

    /// Takes note of the end of a task.
    pub(super) fn finish(&mut self, task: &ExecutorTask) {
        self.in_flight.remove(&TaskKey::of(task));
    }

    /// Returns whether no task is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }
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
