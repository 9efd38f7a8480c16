//! One task, carried out to its end.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lictor_contract::Mark;
use lictor_host::session::{Action, Command, CommandId, CommandOutcome, ObjectRef};
use serde_json::Value;
use tokio::sync::watch;

use super::api::{Api, ApiError, Part};
use super::became::{became, gone, is_it};
use super::patch;
use super::placed::{self, Placed};
use crate::view::text;

/// Something to be done in the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// A command of the session.
    Command(Command),
    /// The session asks what became of a command. None where nobody knows the command any more.
    Confirm(CommandId, ObjectRef, Option<Action>),
    /// A pod that we let go and that kube-scheduler refuses: its owner makes another.
    Delete(ObjectRef),
}

impl Task {
    /// The object that it is about.
    pub fn object(&self) -> &ObjectRef {
        match self {
            Task::Command(Command { object, .. }) | Task::Confirm(_, object, _) | Task::Delete(object) => object,
        }
    }

    /// The command that it is about; none where it is none of the session.
    pub fn command(&self) -> Option<CommandId> {
        match self {
            Task::Command(Command { id, .. }) | Task::Confirm(id, ..) => Some(*id),
            Task::Delete(_) => None,
        }
    }
}

/// What became of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// What became of it.
    pub outcome: CommandOutcome,
    /// The object as the API server has it then, where it said so.
    pub object: Option<Value>,
}

/// How long to wait before a task is tried again: at first, and at most. It doubles each time.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// At first.
    pub first: Duration,
    /// At most.
    pub last: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { first: Duration::from_millis(50), last: Duration::from_secs(2) }
    }
}

/// What an error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// There is no such object.
    Gone,
    /// It will not be served, however often it is asked for.
    Refused,
    /// The object is another one than we thought, or nobody knows whether it was carried out: look at it.
    Look,
    /// It may be served later.
    Later,
}

fn verdict(error: &ApiError) -> Verdict {
    match error.code {
        404 => Verdict::Gone,
        409 | 422 => Verdict::Look,
        429 => Verdict::Later,
        0 | 500..=599 => Verdict::Look,
        _ => Verdict::Refused,
    }
}

/// Carries a task out: until it is done, or will never be, or is cancelled.
///
/// What is ambiguous is looked at before it is tried again, so that nothing is done twice. A refusal by a PodDisruptionBudget (429) is
/// tried again until the task is cancelled, because its plan was withdrawn or the session asks what became of it.
pub async fn carry_out(
    api: &impl Api,
    task: &Task,
    (mut raw, placed): (Option<Arc<Value>>, Option<Arc<Placed>>),
    backoff: Backoff,
    mut cancelled: watch::Receiver<bool>,
) -> Done {
    let kind = &task.object().kind;
    let placed = placed.as_deref();
    if kind != "Pod" && placed.is_none() {
        let why = format!("the policy does not say how objects of kind {kind} are placed");
        return Done { outcome: CommandOutcome::Failed(why), object: None };
    }
    let mut pause = backoff.first;
    loop {
        let error = match attempt(api, task, raw.take(), placed).await {
            Ok(done) => return done,
            Err(error) => error,
        };
        let last = match settle(api, task, error, &mut raw, placed).await {
            Ok(done) => return done,
            Err(last) => last,
        };
        // A stale copy is no reason to wait.
        if raw.is_some() && pause == backoff.first {
            pause = pause.saturating_mul(2);
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = cancelled.wait_for(|cancelled| *cancelled) => {}
        }
        if *cancelled.borrow() {
            return Done { outcome: CommandOutcome::Failed(last.message), object: None };
        }
        pause = pause.saturating_mul(2).min(backoff.last);
    }
}

/// What an error comes to: an end, or the error for which it is tried again; then `raw` is the object as it is, where it was looked at.
async fn settle(
    api: &impl Api,
    task: &Task,
    error: ApiError,
    raw: &mut Option<Arc<Value>>,
    placed: Option<&Placed>,
) -> Result<Done, ApiError> {
    let without = |outcome| Ok(Done { outcome, object: None });
    match verdict(&error) {
        Verdict::Gone => without(outcome_of_gone(task)),
        Verdict::Refused => without(CommandOutcome::Failed(error.message)),
        Verdict::Later => Err(error),
        Verdict::Look => {
            let object = api.get(task.object()).await?;
            let object = object.filter(|object| is_it(task.object(), object));
            if let Some(outcome) = shown(task, object.as_ref(), placed) {
                return Ok(Done { outcome, object });
            }
            // It is the object that was meant, and it does not take the change.
            if error.code == 422 {
                return Ok(Done { outcome: CommandOutcome::Failed(error.message), object });
            }
            *raw = object.map(Arc::new);
            Err(error)
        }
    }
}

/// What the object shows of the task.
fn shown(task: &Task, object: Option<&Value>, placed: Option<&Placed>) -> Option<CommandOutcome> {
    match task {
        Task::Command(Command { object: meant, action, .. }) | Task::Confirm(_, meant, Some(action)) => {
            let as_pod = object.zip(placed).map(|(object, placed)| placed::as_pod(object, &placed.kind));
            became(action, meant, as_pod.as_ref().or(object))
        }
        Task::Confirm(_, _, None) => None,
        Task::Delete(meant) => became(&deletion(), meant, object),
    }
}

fn outcome_of_gone(task: &Task) -> CommandOutcome {
    match task {
        Task::Command(Command { action, .. }) | Task::Confirm(_, _, Some(action)) => gone(action),
        Task::Confirm(_, _, None) => CommandOutcome::Failed("it is gone".to_owned()),
        Task::Delete(_) => CommandOutcome::Done,
    }
}

/// A deletion is done when an eviction is.
fn deletion() -> Action {
    Action::Evict { delete: true, marks: Vec::new(), plan: 0 }
}

async fn attempt(
    api: &impl Api,
    task: &Task,
    raw: Option<Arc<Value>>,
    placed: Option<&Placed>,
) -> Result<Done, ApiError> {
    let with = |object: Value| Done { outcome: CommandOutcome::Done, object: Some(object) };
    match task {
        Task::Command(Command { object: meant, action, .. }) => match action {
            Action::Bind { node, marks } => {
                let raw = match raw {
                    Some(raw) => raw,
                    None => match api.get(meant).await? {
                        Some(pod) if is_it(meant, &pod) => Arc::new(pod),
                        _ => return Ok(Done { outcome: gone(action), object: None }),
                    },
                };
                if let Some(placed) = placed {
                    return match shown(task, Some(&raw), Some(placed)) {
                        Some(outcome) => Ok(Done { outcome, object: None }),
                        None => place(api, meant, (node, marks), &raw, placed).await.map(with),
                    };
                }
                match patch::bind(&raw, node, marks) {
                    Ok(patch) => api.patch(meant, Part::Whole, &patch).await.map(with),
                    Err(why) => {
                        let outcome = became(action, meant, Some(&raw)).unwrap_or(CommandOutcome::Failed(why));
                        Ok(Done { outcome, object: None })
                    }
                }
            }
            Action::Nominate { node } if placed.is_some() => {
                api.patch(meant, Part::Whole, &placed::nominate(&meant.uid, node.as_deref())).await.map(with)
            }
            Action::Nominate { node } => {
                api.patch(meant, Part::Status, &patch::nominate(&meant.uid, node.as_deref())).await.map(with)
            }
            Action::Evict { delete, marks, plan } => {
                let marked = api.patch(meant, Part::Whole, &patch::mark_victim(&meant.uid, marks, *plan)).await?;
                // Somebody else may have evicted it meanwhile: nobody is evicted twice.
                if !delete || !text(&marked, "/metadata/deletionTimestamp").is_empty() {
                    return Ok(with(marked));
                }
                // The Eviction API knows pods only.
                if placed.is_some() {
                    api.delete(meant).await?
                } else {
                    api.evict(meant).await?
                }
                // It is the watch that shows when it is being deleted.
                Ok(Done { outcome: CommandOutcome::Accepted, object: None })
            }
            Action::Confirm => Ok(Done { outcome: CommandOutcome::Accepted, object: None }),
        },
        Task::Confirm(_, meant, action) => {
            let object = api.get(meant).await?.filter(|object| is_it(meant, object));
            let shown = action.as_ref().and_then(|_| shown(task, object.as_ref(), placed));
            let outcome = shown.unwrap_or_else(|| CommandOutcome::Failed("it was not carried out".to_owned()));
            Ok(Done { outcome, object })
        }
        Task::Delete(meant) => {
            api.delete(meant).await.map(|()| Done { outcome: CommandOutcome::Accepted, object: None })
        }
    }
}

/// Places an object that is placed like a pod. What its kind has in the status is written there, where the API server has such a part.
async fn place(
    api: &impl Api,
    meant: &ObjectRef,
    (node, marks): (&str, &[Mark]),
    object: &Value,
    placed: &Placed,
) -> Result<Value, ApiError> {
    let marked = match placed::before_bind(object, marks) {
        Some(patch) => Some(api.patch(meant, Part::Whole, &patch).await?),
        None => None,
    };
    let patch = placed::bind(marked.as_ref().unwrap_or(object), node, placed, &Timestamp::now().to_string());
    match api.patch(meant, Part::Status, &patch).await {
        Err(error) if error.code == 404 => api.patch(meant, Part::Whole, &patch).await,
        patched => patched,
    }
}
