//! Carries tasks out: those of different objects in parallel, those of one object one after the other.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use lictor_host::session::{CommandId, CommandOutcome, ObjectRef};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::api::{ApiError, PatchTarget, PodApi};
use super::lanes::{ObjectQueues, QueueAction};
use super::task::{Backoff, ExecutorTask, TaskContext, TaskOutcome};
use super::work::carry_out;

/// A task with the last known copy of its object.
#[derive(Debug, Clone)]
pub struct TaskRequest {
    /// The task to carry out.
    pub task: ExecutorTask,
    /// What is known of its object.
    pub context: TaskContext,
}

/// A task that has come to its end.
#[derive(Debug, Clone)]
pub struct FinishedTask {
    /// The task.
    pub task: ExecutorTask,
    /// The end of the task.
    pub done: TaskOutcome,
}

/// A report of the executor about a task.
#[derive(Debug, Clone)]
pub enum TaskReport {
    /// The task has come to its end.
    Finished(Box<FinishedTask>),
    /// A PodDisruptionBudget refuses the eviction of this victim, for this reason. The eviction is tried again.
    Blocked(ObjectRef, String),
}

/// A message to the executor.
#[derive(Debug)]
enum Message {
    Start(Box<TaskRequest>),
    /// Give this command up, unless it was carried out.
    Cancel(CommandId),
}

/// The handle by which tasks reach the executor. When the last clone is dropped, no further task begins, and the tasks under way are given up.
#[derive(Debug, Clone)]
pub struct Executor(mpsc::UnboundedSender<Message>);

impl Executor {
    /// Makes an executor that carries out at most `at_once` tasks at a time, and reports each end to `tell`. The returned future must run for that.
    pub fn start(
        api: impl PodApi,
        at_once: usize,
        backoff: Backoff,
        tell: impl Fn(TaskReport) + Send + Sync + 'static,
    ) -> (Executor, impl Future<Output = ()> + Send) {
        let (send, receive) = mpsc::unbounded_channel();
        (Executor(send), serve(api, at_once, backoff, tell, receive))
    }

    /// Carries a task out. A `Confirm` for a command that was not begun yet gives that command up.
    pub fn submit(&self, order: TaskRequest) {
        // The executor has ended when the process ends.
        let _ended = self.0.send(Message::Start(Box::new(order)));
    }

    /// Gives a command up, unless it was carried out. Its outcome is reported all the same.
    pub fn cancel(&self, command: CommandId) {
        let _ended = self.0.send(Message::Cancel(command));
    }
}

/// An API that serves a limited number of requests at once. A task that waits for its next attempt keeps no other task from being carried out.
struct ConcurrencyLimitedApi<A> {
    api: A,
    permits: Semaphore,
}

impl<A: PodApi> ConcurrencyLimitedApi<A> {
    async fn with_permit<T>(&self, request: impl Future<Output = T> + Send) -> T {
        let _permit = self.permits.acquire().await;
        request.await
    }
}

impl<A: PodApi> PodApi for ConcurrencyLimitedApi<A> {
    async fn get(&self, pod: &ObjectRef) -> Result<Option<Value>, ApiError> {
        self.with_permit(self.api.get(pod)).await
    }
    async fn patch(&self, pod: &ObjectRef, part: PatchTarget, patch: &Value) -> Result<Value, ApiError> {
        self.with_permit(self.api.patch(pod, part, patch)).await
    }
    async fn evict(&self, pod: &ObjectRef, version: &str) -> Result<(), ApiError> {
        self.with_permit(self.api.evict(pod, version)).await
    }
    async fn delete(&self, pod: &ObjectRef) -> Result<(), ApiError> {
        self.with_permit(self.api.delete(pod)).await
    }
}

/// Returns the end of a task that has panicked.
fn panicked_outcome() -> TaskOutcome {
    TaskOutcome::without(CommandOutcome::Failed("it broke while it was carried out; please report this".to_owned()))
}

async fn serve(
    api: impl PodApi,
    at_once: usize,
    backoff: Backoff,
    tell: impl Fn(TaskReport) + Send + Sync + 'static,
    mut messages: mpsc::UnboundedReceiver<Message>,
) {
    let api = Arc::new(ConcurrencyLimitedApi { api, permits: Semaphore::new(at_once.max(1)) });
    let tell = Arc::new(tell);
    let (mut lanes, mut tasks) = (ObjectQueues::default(), JoinSet::new());
    loop {
        let next = tokio::select! {
            // With this order a run of the tests is the same for the same seed.
            biased;
            message = messages.recv() => match message {
                None => return,
                Some(Message::Start(order)) => lanes.take(*order),
                Some(Message::Cancel(id)) => lanes.cancel(id).unwrap_or(QueueAction::Nothing),
            },
            Some(Ok(finished)) = tasks.join_next() => {
                let finished: FinishedTask = finished;
                let (ended, next) = lanes.finish(&finished);
                [finished].into_iter().chain(ended).for_each(|it| tell(TaskReport::Finished(Box::new(it))));
                next
            }
        };
        match next {
            QueueAction::Start(TaskRequest { task, context }, cancelled) => {
                let (api, tell) = (api.clone(), tell.clone());
                tasks.spawn(async move {
                    let blocked = |why: &str| tell(TaskReport::Blocked(task.object().clone(), why.to_owned()));
                    let work = carry_out(&*api, &task, context, backoff, cancelled, blocked);
                    // A task that panics has an end like any other: its object is free for the next task.
                    let done = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_broken| panicked_outcome());
                    FinishedTask { task, done }
                });
            }
            QueueAction::Report(ended) => ended.into_iter().for_each(|it| tell(TaskReport::Finished(Box::new(it)))),
            QueueAction::Nothing => {}
        }
    }
}
