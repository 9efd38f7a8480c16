//! Carrying one task out to its end.

use std::sync::Arc;

use lictor_contract::Mark;
use lictor_host::session::{Command, CommandAction, CommandOutcome, ObjectRef};
use serde_json::Value;
use tokio::sync::watch;

use super::api::{ApiError, ErrorDetail, PatchTarget, PodApi};
use super::became::{is_same_object, outcome_from_object, outcome_if_deleted};
use super::evict::{evict, mark_and_evict};
use super::patch;
use super::place::place;
use super::placed::{self, PlaceableObject};
use super::task::{Backoff, ExecutorTask, TaskContext, TaskOutcome};
use crate::view::text;

/// The meaning of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorClass {
    /// There is no such object.
    NotFound,
    /// The request will never be served.
    Rejected,
    /// The object is not as expected, or it is unknown whether the request was carried out: read the object.
    Ambiguous,
    /// The request may be served later.
    Retryable,
}

fn classify_error(error: &ApiError) -> ErrorClass {
    match error.code {
        404 if error.sign == ErrorDetail::NoObject => ErrorClass::NotFound,
        409 | 422 => ErrorClass::Ambiguous,
        // A path that is not served says nothing of the object: its kind may be served elsewhere, or again.
        404 | 429 => ErrorClass::Retryable,
        0 | 500..=599 => ErrorClass::Ambiguous,
        _ => ErrorClass::Rejected,
    }
}

/// Knowledge of the object of a task while it is carried out.
#[derive(Debug, Default)]
pub(super) struct TaskState {
    /// The object, where it was read and nothing has changed it since.
    pub(super) raw: Option<Arc<Value>>,
    /// The kind and the requests of the object, where the object is no pod, but placed like one.
    pub(super) placed: Option<Arc<PlaceableObject>>,
    /// Whether the victim carries its marks.
    pub(super) is_marked: bool,
    /// Whether the pod was nominated to its node so that it can be let go.
    is_nominated: bool,
    /// The marks that are taken off a victim with those of its command.
    leaving_marks: Vec<Mark>,
    /// The error of a request that may have been carried out, while the object could not be read.
    ambiguous_error: Option<ApiError>,
}

/// Carries a task out until it is done, impossible, or cancelled.
///
/// After an ambiguous answer the object is read before the next attempt, so that nothing is done twice. A refusal by a PodDisruptionBudget (429) is
/// tried again until the task is cancelled, because its plan was withdrawn or the session asks for its outcome; `blocked` receives the message of the
/// first such refusal.
pub async fn carry_out(
    api: &impl PodApi,
    task: &ExecutorTask,
    context: TaskContext,
    backoff: Backoff,
    mut cancelled: watch::Receiver<bool>,
    blocked: impl Fn(&str) + Send,
) -> TaskOutcome {
    let TaskContext { raw, placed, leaving_marks } = context;
    let kind = &task.object().kind;
    if kind != "Pod" && placed.is_none() {
        let why = format!("the policy does not say how objects of kind {kind} are placed");
        return TaskOutcome::without(CommandOutcome::Failed(why));
    }
    // The copy of an order may be as old as the watch: a victim is read when it is evicted.
    let raw = raw.filter(|_| !task.evicts());
    let mut known = TaskState { raw, placed, leaving_marks, ..TaskState::default() };
    let (mut pause, mut is_blocked, mut is_again) = (backoff.first, false, false);
    loop {
        let error = match known.ambiguous_error.take() {
            Some(error) => error,
            None => match attempt(api, task, &mut known).await {
                Ok(done) => return undo_preparation(api, task, &known, done).await,
                Err(error) => error,
            },
        };
        let last = match resolve_error(api, task, error, &mut known).await {
            Ok(done) => return undo_preparation(api, task, &known, done).await,
            Err(last) => last,
        };
        if matches!(last.sign, ErrorDetail::Budget(_)) && !std::mem::replace(&mut is_blocked, true) {
            blocked(&last.message);
        }
        // A stale copy is retried without a pause, but only once between two pauses: an object that others write all the time is not read all the
        // time.
        let is_stale = last.code == 409 && known.raw.is_some();
        if is_stale && !std::mem::replace(&mut is_again, true) {
            continue;
        }
        is_again = false;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = cancelled.wait_for(|cancelled| *cancelled) => {}
        }
        if *cancelled.borrow() {
            return undo_preparation(api, task, &known, TaskOutcome::without(rejected_outcome(task, last))).await;
        }
        pause = pause.saturating_mul(2).min(backoff.last);
        // The object may have changed meanwhile.
        known.raw = None;
    }
}

/// Returns the outcome of a task that the API server does not serve.
fn rejected_outcome(task: &ExecutorTask, error: ApiError) -> CommandOutcome {
    let budget = matches!(error.sign, ErrorDetail::Budget(_));
    let is_command = matches!(task, ExecutorTask::Command(_));
    // A refused command is not sent again at once. The session's driver sets the pause.
    match is_command && (task.evicts() || classify_error(&error) == ErrorClass::Rejected) {
        true => CommandOutcome::Refused { reason: error.message, until: 0, budget },
        false => CommandOutcome::Failed(error.message),
    }
}

/// Takes the marks off a victim that is not evicted after all, and the nomination off a pod that is not let go. Where that fails, they stay.
async fn undo_preparation(api: &impl PodApi, task: &ExecutorTask, known: &TaskState, done: TaskOutcome) -> TaskOutcome {
    let ExecutorTask::Command(Command { object, action, .. }) = task else { return done };
    if !matches!(done.outcome, CommandOutcome::Failed(_) | CommandOutcome::Refused { .. }) {
        return done;
    }
    let (part, patch) = match action {
        CommandAction::Evict { marks, .. } if known.is_marked => {
            let marks: Vec<Mark> = marks.iter().chain(&known.leaving_marks).cloned().collect();
            (PatchTarget::Object, patch::unmark_victim(&object.uid, &marks))
        }
        CommandAction::Bind { .. } if known.is_nominated => (PatchTarget::Status, patch::nominate(&object.uid, None)),
        _ => return done,
    };
    let object = api.patch(object, part, &patch).await.ok();
    TaskOutcome { object: object.or(done.object), outcome: done.outcome, is_deleted: done.is_deleted }
}

/// Turns an error into an end, or returns the error for which the task is tried again. Reads the object where the error is ambiguous.
async fn resolve_error(
    api: &impl PodApi,
    task: &ExecutorTask,
    error: ApiError,
    known: &mut TaskState,
) -> Result<TaskOutcome, ApiError> {
    match classify_error(&error) {
        ErrorClass::NotFound => Ok(TaskOutcome::deleted(outcome_of_deleted(task))),
        ErrorClass::Rejected => Ok(TaskOutcome::without(rejected_outcome(task, error))),
        ErrorClass::Retryable => Err(error),
        ErrorClass::Ambiguous => {
            let object = match api.get(task.object()).await {
                Ok(object) => object.filter(|object| is_same_object(task.object(), object)),
                Err(unread) => {
                    known.ambiguous_error = Some(error);
                    return Err(unread);
                }
            };
            if let Some(outcome) = observed_outcome(task, object.as_ref(), known.placed.as_deref()) {
                return Ok(TaskOutcome { outcome, is_deleted: object.is_none(), object });
            }
            // The object is the one that was meant, and it does not take the change.
            if error.code == 422 {
                return Ok(TaskOutcome {
                    outcome: rejected_outcome(task, error),
                    is_deleted: object.is_none(),
                    object,
                });
            }
            known.raw = object.map(Arc::new);
            Err(error)
        }
    }
}

/// Returns the outcome of a task as its object shows it. `None`: the task was not carried out, and still can be.
fn observed_outcome(
    task: &ExecutorTask,
    object: Option<&Value>,
    placed: Option<&PlaceableObject>,
) -> Option<CommandOutcome> {
    let as_pod = object.zip(placed).map(|(object, placed)| placed::as_pod(object, &placed.kind));
    let became = |action: &CommandAction| outcome_from_object(action, task.object(), as_pod.as_ref().or(object));
    match task {
        ExecutorTask::Command(Command { action, .. }) | ExecutorTask::Confirm(_, _, Some(action)) => became(action),
        ExecutorTask::Confirm(_, _, None) | ExecutorTask::Unmark(..) => None,
        ExecutorTask::Withdraw(_) => became(&CommandAction::Nominate { node: None }),
        ExecutorTask::Delete(_) | ExecutorTask::Evict(_) => became(&deletion()),
    }
}

fn outcome_of_deleted(task: &ExecutorTask) -> CommandOutcome {
    match task {
        ExecutorTask::Command(Command { action, .. }) | ExecutorTask::Confirm(_, _, Some(action)) => {
            outcome_if_deleted(action)
        }
        ExecutorTask::Confirm(_, _, None) => CommandOutcome::Failed("it is gone".to_owned()),
        ExecutorTask::Delete(_) | ExecutorTask::Withdraw(_) | ExecutorTask::Evict(_) | ExecutorTask::Unmark(..) => {
            CommandOutcome::Done
        }
    }
}

/// Returns the action that stands for a deletion: it is done when an eviction would be done.
fn deletion() -> CommandAction {
    CommandAction::Evict { delete: true, marks: Vec::new(), plan: 0 }
}

async fn attempt(api: &impl PodApi, task: &ExecutorTask, known: &mut TaskState) -> Result<TaskOutcome, ApiError> {
    let accepted = || TaskOutcome::without(CommandOutcome::Accepted);
    match task {
        ExecutorTask::Command(Command { object: meant, action, .. }) => match action {
            CommandAction::Bind { node, marks } => bind(api, task, (node, marks), known).await,
            CommandAction::Nominate { node } => nominate(api, meant, node.as_deref(), known).await,
            CommandAction::Evict { delete, marks, plan } => {
                mark_and_evict(api, meant, (*delete, marks, *plan), known).await
            }
            CommandAction::Confirm => Ok(accepted()),
        },
        ExecutorTask::Confirm(_, meant, action) => {
            let object = api.get(meant).await?.filter(|object| is_same_object(meant, object));
            let shown = action.as_ref().and_then(|_| observed_outcome(task, object.as_ref(), known.placed.as_deref()));
            let outcome = shown.unwrap_or_else(|| CommandOutcome::Failed("it was not carried out".to_owned()));
            Ok(TaskOutcome { outcome, is_deleted: object.is_none(), object })
        }
        ExecutorTask::Withdraw(meant) => nominate(api, meant, None, known).await,
        ExecutorTask::Unmark(meant, marks) => {
            api.patch(meant, PatchTarget::Object, &patch::unmark_victim(&meant.uid, marks)).await.map(TaskOutcome::with)
        }
        ExecutorTask::Evict(meant) => evict(api, meant, known).await,
        ExecutorTask::Delete(meant) => api.delete(meant).await.map(|()| accepted()),
    }
}

/// Lets a pod go. The pod is nominated to its node before: kube-scheduler tries that node first, and keeps the room there from pods of no higher
/// priority, also while the gate is still there (upstream: `evaluateNominatedNode` and `addNominatedPod` in `pkg/scheduler`).
async fn bind(
    api: &impl PodApi,
    task: &ExecutorTask,
    (node, marks): (&str, &[Mark]),
    known: &mut TaskState,
) -> Result<TaskOutcome, ApiError> {
    let meant = task.object();
    let gone = || TaskOutcome::deleted(outcome_of_deleted(task));
    let raw = match known.raw.take() {
        Some(raw) => raw,
        None => match api.get(meant).await? {
            Some(pod) if is_same_object(meant, &pod) => Arc::new(pod),
            _ => return Ok(gone()),
        },
    };
    if let Some(placed) = known.placed.as_deref() {
        return match observed_outcome(task, Some(&raw), Some(placed)) {
            Some(outcome) => Ok(TaskOutcome::without(outcome)),
            None => place(api, meant, (node, marks), &raw, placed).await.map(TaskOutcome::with),
        };
    }
    let mut raw = raw;
    if patch::bind(&raw, node, marks).is_ok() && text(&raw, "/status/nominatedNodeName") != node {
        raw = Arc::new(api.patch(meant, PatchTarget::Status, &patch::nominate(&meant.uid, Some(node))).await?);
        known.is_nominated = true;
    }
    match patch::bind(&raw, node, marks) {
        Ok(patch) => api.patch(meant, PatchTarget::Object, &patch).await.map(TaskOutcome::with),
        Err(why) => {
            let outcome = observed_outcome(task, Some(&raw), None).unwrap_or(CommandOutcome::Failed(why));
            Ok(TaskOutcome { object: Some(Arc::unwrap_or_clone(raw)), ..TaskOutcome::without(outcome) })
        }
    }
}

async fn nominate(
    api: &impl PodApi,
    meant: &ObjectRef,
    node: Option<&str>,
    known: &mut TaskState,
) -> Result<TaskOutcome, ApiError> {
    known.raw = None;
    let (part, patch) = match known.placed {
        Some(_) => (PatchTarget::Object, placed::nominate(&meant.uid, node)),
        None => (PatchTarget::Status, patch::nominate(&meant.uid, node)),
    };
    api.patch(meant, part, &patch).await.map(TaskOutcome::with)
}
