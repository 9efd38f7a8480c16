//! The tasks of each object, in order.

use std::collections::{BTreeMap, VecDeque};

use lictor_host::session::{CommandId, CommandOutcome, ObjectRef};
use tokio::sync::watch;

use super::executor::{FinishedTask, TaskRequest};
use super::task::{ExecutorTask, TaskOutcome};

/// Why a waiting command ends that is not needed any more.
const GIVEN_UP: &str = "it was given up before it was begun";
/// Why a nomination to a node ends that was not written: a later nomination of its pod was to take it back.
const SUPERSEDED: &str = "the nomination was taken back before it was written";

/// The tasks of each object: one is carried out, the others wait.
#[derive(Debug, Default)]
pub(super) struct ObjectQueues {
    waiting: BTreeMap<ObjectRef, VecDeque<WaitingTask>>,
    running: BTreeMap<ObjectRef, RunningTask>,
}

/// A task that waits for others of its object.
#[derive(Debug)]
struct WaitingTask {
    request: TaskRequest,
    /// The tasks before this one that it has made superfluous. They end with it.
    superseded: Vec<ExecutorTask>,
}

/// The task of an object that is being carried out.
#[derive(Debug)]
struct RunningTask {
    command: Option<CommandId>,
    /// Whether it evicts a victim that an earlier process only marked.
    evicts_marked: bool,
    cancel: watch::Sender<bool>,
    superseded: Vec<ExecutorTask>,
}

/// The next step after a message or the end of a task.
#[derive(Debug)]
pub(super) enum QueueAction {
    /// This task is begun.
    Start(TaskRequest, watch::Receiver<bool>),
    /// These tasks have come to their ends without a request.
    Report(Vec<FinishedTask>),
    Nothing,
}

impl ObjectQueues {
    /// Takes a task.
    ///
    /// Of nominations of one pod that wait in a row only the last is carried out. While the API server does not serve a pod, plans for that pod
    /// are made and given up, and each would write its nomination and take it back later. A task of another kind between two nominations keeps
    /// both. The nominations that are left out end with the last one: its end says whether the pod is nominated, for which their victims wait.
    ///
    /// The eviction of a marked victim is no command, so no command ends it: it is given up where the mark is to be taken off.
    pub(super) fn take(&mut self, order: TaskRequest) -> QueueAction {
        if let ExecutorTask::Confirm(id, ..) = &order.task
            && let Some(next) = self.cancel(*id)
        {
            return next;
        }
        let object = order.task.object().clone();
        let Some(running) = self.running.get(&object) else {
            return self.start(WaitingTask { request: order, superseded: Vec::new() });
        };
        if running.evicts_marked && matches!(order.task, ExecutorTask::Unmark(..)) {
            running.cancel.send_replace(true);
        }
        let waiting = self.waiting.entry(object).or_default();
        let before = waiting.pop_back_if(|before| order.task.supersedes(&before.request.task));
        let superseded = before.map(WaitingTask::into_tasks).unwrap_or_default();
        waiting.push_back(WaitingTask { request: order, superseded });
        QueueAction::Nothing
    }

    fn start(&mut self, WaitingTask { request: order, superseded }: WaitingTask) -> QueueAction {
        let (cancel, cancelled) = watch::channel(false);
        let evicts_marked = matches!(order.task, ExecutorTask::Evict(_));
        let running = RunningTask { command: order.task.command(), evicts_marked, cancel, superseded };
        self.running.insert(order.task.object().clone(), running);
        QueueAction::Start(order, cancelled)
    }

    /// Gives a command up. `None`: the command is not under way.
    pub(super) fn cancel(&mut self, id: CommandId) -> Option<QueueAction> {
        if let Some(running) = self.running.values().find(|running| running.command == Some(id)) {
            running.cancel.send_replace(true);
            return Some(QueueAction::Nothing);
        }
        let given_up = self.remove(id);
        (!given_up.is_empty()).then(|| {
            QueueAction::Report(given_up.into_iter().map(|task| end_without_request(task, GIVEN_UP)).collect())
        })
    }

    /// Removes a command that was not begun. Returns the command, and the tasks that were to end with it.
    fn remove(&mut self, id: CommandId) -> Vec<ExecutorTask> {
        let is_it = |task: &ExecutorTask| task.command() == Some(id);
        for waiting in self.waiting.values_mut() {
            if let Some(place) = waiting.iter().position(|it| is_it(&it.request.task)) {
                return waiting.remove(place).map(WaitingTask::into_tasks).unwrap_or_default();
            }
        }
        let waiting = self.waiting.values_mut().flatten().map(|it| &mut it.superseded);
        let superseded = self.running.values_mut().map(|it| &mut it.superseded).chain(waiting);
        superseded.flat_map(|them| them.extract_if(.., |task| is_it(task))).collect()
    }

    /// Takes the end of the task of an object. Returns the tasks that end with it, and the next step.
    pub(super) fn finish(&mut self, finished: &FinishedTask) -> (Vec<FinishedTask>, QueueAction) {
        let object = finished.task.object();
        let superseded = self.running.remove(object).map(|running| running.superseded).unwrap_or_default();
        let ended = superseded.into_iter().map(|task| end_superseded(task, finished)).collect();
        let next = self.waiting.get_mut(object).and_then(VecDeque::pop_front);
        if self.waiting.get(object).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(object);
        }
        (ended, next.map_or(QueueAction::Nothing, |waiting| self.start(waiting)))
    }
}

impl WaitingTask {
    /// Returns this task and those that end with it, in the order in which they arrived.
    fn into_tasks(self) -> Vec<ExecutorTask> {
        self.superseded.into_iter().chain([self.request.task]).collect()
    }
}

/// Makes the end of a task that was not carried out.
fn end_without_request(task: ExecutorTask, why: &str) -> FinishedTask {
    FinishedTask { task, done: TaskOutcome::without(CommandOutcome::Failed(why.to_owned())) }
}

/// Makes the end of a task that the one which has now ended made superfluous.
///
/// A nomination to a node counts as written where a later one to any node is: its pod has room promised, and the victims of both plans leave.
fn end_superseded(task: ExecutorTask, last: &FinishedTask) -> FinishedTask {
    match &last.done.outcome {
        CommandOutcome::Failed(why) | CommandOutcome::Refused { reason: why, .. } => end_without_request(task, why),
        _ if task.nominates_to_node() && !last.task.nominates_to_node() => end_without_request(task, SUPERSEDED),
        outcome => FinishedTask { task, done: TaskOutcome::without(outcome.clone()) },
    }
}
