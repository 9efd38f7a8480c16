//! Carries tasks out: those of different objects in parallel, those of one object one after the other.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use lictor_host::session::{CommandId, CommandOutcome, ObjectRef};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::api::{Api, ApiError, Part};
use super::lanes::{Lanes, Next};
use super::placed::Placed;
use super::task::{Backoff, Done, Task};
use super::work::carry_out;

/// A task with the last known copy of its object.
#[derive(Debug, Clone)]
pub struct Order {
    /// The task to carry out.
    pub task: Task,
    /// The object, where it is a pod that this process holds by its gate or has let go.
    pub raw: Option<Arc<Value>>,
    /// The kind and the requests of the object, where the object is no pod, but placed like one.
    pub placed: Option<Arc<Placed>>,
}

/// A task that has come to its end.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The task.
    pub task: Task,
    /// The end of the task.
    pub done: Done,
}

/// A report of the executor about a task.
#[derive(Debug, Clone)]
pub enum Report {
    /// The task has come to its end.
    Finished(Box<Finished>),
    /// A PodDisruptionBudget refuses the eviction of this victim, for this reason. The eviction is tried again.
    Blocked(ObjectRef, String),
}

/// A message to the executor.
#[derive(Debug)]
enum Message {
    Order(Box<Order>),
    /// Give this command up, unless it was carried out.
    Cancel(CommandId),
}

/// The handle by which tasks reach the executor. When the last clone is dropped, no further task begins, and the tasks under way are given up.
#[derive(Debug, Clone)]
pub struct Executor(mpsc::UnboundedSender<Message>);

impl Executor {
    /// Makes an executor that carries out at most `at_once` tasks at a time, and reports each end to `tell`. The returned future must run for that.
    pub fn start(
        api: impl Api,
        at_once: usize,
        backoff: Backoff,
        tell: impl Fn(Report) + Send + Sync + 'static,
    ) -> (Executor, impl Future<Output = ()> + Send) {
        let (send, receive) = mpsc::unbounded_channel();
        (Executor(send), serve(api, at_once, backoff, tell, receive))
    }

    /// Carries a task out. A `Confirm` for a command that was not begun yet gives that command up.
    pub fn order(&self, order: Order) {
        // The executor has ended when the process ends.
        let _ended = self.0.send(Message::Order(Box::new(order)));
    }

    /// Gives a command up, unless it was carried out. Its outcome is reported all the same.
    pub fn cancel(&self, command: CommandId) {
        let _ended = self.0.send(Message::Cancel(command));
    }
}

/// An API that serves a limited number of requests at once. A task that waits for its next attempt keeps no other task from being carried out.
struct Limited<A> {
    api: A,
    permits: Semaphore,
}

impl<A: Api> Limited<A> {
    async fn one<T>(&self, request: impl Future<Output = T> + Send) -> T {
        let _permit = self.permits.acquire().await;
        request.await
    }
}

impl<A: Api> Api for Limited<A> {
    async fn get(&self, pod: &ObjectRef) -> Result<Option<Value>, ApiError> {
        self.one(self.api.get(pod)).await
    }
    async fn patch(&self, pod: &ObjectRef, part: Part, patch: &Value) -> Result<Value, ApiError> {
        self.one(self.api.patch(pod, part, patch)).await
    }
    async fn evict(&self, pod: &ObjectRef, version: &str) -> Result<(), ApiError> {
        self.one(self.api.evict(pod, version)).await
    }
    async fn delete(&self, pod: &ObjectRef) -> Result<(), ApiError> {
        self.one(self.api.delete(pod)).await
    }
}

/// Returns the end of a task that has panicked.
fn broke() -> Done {
    Done::without(CommandOutcome::Failed("it broke while it was carried out; please report this".to_owned()))
}

async fn serve(
    api: impl Api,
    at_once: usize,
    backoff: Backoff,
    tell: impl Fn(Report) + Send + Sync + 'static,
    mut messages: mpsc::UnboundedReceiver<Message>,
) {
    let api = Arc::new(Limited { api, permits: Semaphore::new(at_once.max(1)) });
    let tell = Arc::new(tell);
    let (mut lanes, mut tasks) = (Lanes::default(), JoinSet::new());
    loop {
        let next = tokio::select! {
            // With this order a run of the tests is the same for the same seed.
            biased;
            message = messages.recv() => match message {
                None => return,
                Some(Message::Order(order)) => lanes.take(*order),
                Some(Message::Cancel(id)) => lanes.cancel(id).unwrap_or(Next::Nothing),
            },
            Some(Ok(finished)) = tasks.join_next() => {
                let finished: Finished = finished;
                let (ended, next) = lanes.finish(&finished);
                [finished].into_iter().chain(ended).for_each(|it| tell(Report::Finished(Box::new(it))));
                next
            }
        };
        match next {
            Next::Start(Order { task, raw, placed }, cancelled) => {
                let (api, tell) = (api.clone(), tell.clone());
                tasks.spawn(async move {
                    let blocked = |why: &str| tell(Report::Blocked(task.object().clone(), why.to_owned()));
                    let work = carry_out(&*api, &task, (raw, placed), backoff, cancelled, blocked);
                    // A task that panics has an end like any other: its object is free for the next task.
                    let done = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_broken| broke());
                    Finished { task, done }
                });
            }
            Next::Tell(ended) => ended.into_iter().for_each(|it| tell(Report::Finished(Box::new(it)))),
            Next::Nothing => {}
        }
    }
}
