//! Carrying one task out to its end.

use std::sync::Arc;

use lictor_contract::Mark;
use lictor_host::session::{Action, Command, CommandOutcome, ObjectRef};
use serde_json::Value;
use tokio::sync::watch;

use super::api::{Api, ApiError, Part, Sign};
use super::became::{became, gone, is_it};
use super::evict::{evict, mark_and_evict};
use super::patch;
use super::place::place;
use super::placed::{self, Placed};
use super::task::{Backoff, Done, Task};
use crate::view::text;

/// The meaning of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// There is no such object.
    Gone,
    /// The request will never be served.
    Refused,
    /// The object is not as expected, or it is unknown whether the request was carried out: read the object.
    Look,
    /// The request may be served later.
    Later,
}

fn verdict(error: &ApiError) -> Verdict {
    match error.code {
        404 if error.sign == Sign::NoObject => Verdict::Gone,
        409 | 422 => Verdict::Look,
        // A path that is not served says nothing of the object: its kind may be served elsewhere, or again.
        404 | 429 => Verdict::Later,
        0 | 500..=599 => Verdict::Look,
        _ => Verdict::Refused,
    }
}

/// Knowledge of the object of a task while it is carried out.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The object, where it was read and nothing has changed it since.
    pub(super) raw: Option<Arc<Value>>,
    /// The kind and the requests of the object, where the object is no pod, but placed like one.
    pub(super) placed: Option<Arc<Placed>>,
    /// Whether the victim carries its marks.
    pub(super) is_marked: bool,
    /// Whether the pod was nominated to its node so that it can be let go.
    is_nominated: bool,
    /// The error of a request that may have been carried out, while the object could not be read.
    doubt: Option<ApiError>,
}

/// Carries a task out until it is done, impossible, or cancelled.
///
/// After an ambiguous answer the object is read before the next attempt, so that nothing is done twice. A refusal by a PodDisruptionBudget (429) is
/// tried again until the task is cancelled, because its plan was withdrawn or the session asks for its outcome; `blocked` receives the message of the
/// first such refusal.
pub async fn carry_out(
    api: &impl Api,
    task: &Task,
    (raw, placed): (Option<Arc<Value>>, Option<Arc<Placed>>),
    backoff: Backoff,
    mut cancelled: watch::Receiver<bool>,
    blocked: impl Fn(&str) + Send,
) -> Done {
    let kind = &task.object().kind;
    if kind != "Pod" && placed.is_none() {
        let why = format!("the policy does not say how objects of kind {kind} are placed");
        return Done::without(CommandOutcome::Failed(why));
    }
    // The copy of an order may be as old as the watch: a victim is read when it is evicted.
    let raw = raw.filter(|_| !task.evicts());
    let mut known = Known { raw, placed, ..Known::default() };
    let (mut pause, mut is_blocked, mut is_again) = (backoff.first, false, false);
    loop {
        let error = match known.doubt.take() {
            Some(error) => error,
            None => match attempt(api, task, &mut known).await {
                Ok(done) => return given_up(api, task, &known, done).await,
                Err(error) => error,
            },
        };
        let last = match settle(api, task, error, &mut known).await {
            Ok(done) => return given_up(api, task, &known, done).await,
            Err(last) => last,
        };
        if matches!(last.sign, Sign::Budget(_)) && !std::mem::replace(&mut is_blocked, true) {
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
            return given_up(api, task, &known, Done::without(never(task, last))).await;
        }
        pause = pause.saturating_mul(2).min(backoff.last);
        // The object may have changed meanwhile.
        known.raw = None;
    }
}

/// Returns the outcome of a task that the API server does not serve.
fn never(task: &Task, error: ApiError) -> CommandOutcome {
    let budget = matches!(error.sign, Sign::Budget(_));
    let is_command = matches!(task, Task::Command(_));
    // A refused command is not sent again at once. The session's driver sets the pause.
    match is_command && (task.evicts() || verdict(&error) == Verdict::Refused) {
        true => CommandOutcome::Refused { reason: error.message, until: 0, budget },
        false => CommandOutcome::Failed(error.message),
    }
}

/// Takes the marks off a victim that is not evicted after all, and the nomination off a pod that is not let go. Where that fails, they stay.
async fn given_up(api: &impl Api, task: &Task, known: &Known, done: Done) -> Done {
    let Task::Command(Command { object, action, .. }) = task else { return done };
    if !matches!(done.outcome, CommandOutcome::Failed(_) | CommandOutcome::Refused { .. }) {
        return done;
    }
    let (part, patch) = match action {
        Action::Evict { marks, .. } if known.is_marked => (Part::Whole, patch::unmark_victim(&object.uid, marks)),
        Action::Bind { .. } if known.is_nominated => (Part::Status, patch::nominate(&object.uid, None)),
        _ => return done,
    };
    let object = api.patch(object, part, &patch).await.ok();
    Done { object: object.or(done.object), outcome: done.outcome, is_gone: done.is_gone }
}

/// Turns an error into an end, or returns the error for which the task is tried again. Reads the object where the error is ambiguous.
async fn settle(api: &impl Api, task: &Task, error: ApiError, known: &mut Known) -> Result<Done, ApiError> {
    match verdict(&error) {
        Verdict::Gone => Ok(Done::gone(outcome_of_gone(task))),
        Verdict::Refused => Ok(Done::without(never(task, error))),
        Verdict::Later => Err(error),
        Verdict::Look => {
            let object = match api.get(task.object()).await {
                Ok(object) => object.filter(|object| is_it(task.object(), object)),
                Err(unread) => {
                    known.doubt = Some(error);
                    return Err(unread);
                }
            };
            if let Some(outcome) = shown(task, object.as_ref(), known.placed.as_deref()) {
                return Ok(Done { outcome, is_gone: object.is_none(), object });
            }
            // The object is the one that was meant, and it does not take the change.
            if error.code == 422 {
                return Ok(Done { outcome: never(task, error), is_gone: object.is_none(), object });
            }
            known.raw = object.map(Arc::new);
            Err(error)
        }
    }
}

/// Returns the outcome of a task as its object shows it. `None`: the task was not carried out, and still can be.
fn shown(task: &Task, object: Option<&Value>, placed: Option<&Placed>) -> Option<CommandOutcome> {
    let as_pod = object.zip(placed).map(|(object, placed)| placed::as_pod(object, &placed.kind));
    let became = |action: &Action| became(action, task.object(), as_pod.as_ref().or(object));
    match task {
        Task::Command(Command { action, .. }) | Task::Confirm(_, _, Some(action)) => became(action),
        Task::Confirm(_, _, None) | Task::Unmark(..) => None,
        Task::Withdraw(_) => became(&Action::Nominate { node: None }),
        Task::Delete(_) | Task::Evict(_) => became(&deletion()),
    }
}

fn outcome_of_gone(task: &Task) -> CommandOutcome {
    match task {
        Task::Command(Command { action, .. }) | Task::Confirm(_, _, Some(action)) => gone(action),
        Task::Confirm(_, _, None) => CommandOutcome::Failed("it is gone".to_owned()),
        Task::Delete(_) | Task::Withdraw(_) | Task::Evict(_) | Task::Unmark(..) => CommandOutcome::Done,
    }
}

/// Returns the action that stands for a deletion: it is done when an eviction would be done.
fn deletion() -> Action {
    Action::Evict { delete: true, marks: Vec::new(), plan: 0 }
}

async fn attempt(api: &impl Api, task: &Task, known: &mut Known) -> Result<Done, ApiError> {
    let accepted = || Done::without(CommandOutcome::Accepted);
    match task {
        Task::Command(Command { object: meant, action, .. }) => match action {
            Action::Bind { node, marks } => bind(api, task, (node, marks), known).await,
            Action::Nominate { node } => nominate(api, meant, node.as_deref(), known).await,
            Action::Evict { delete, marks, plan } => mark_and_evict(api, meant, (*delete, marks, *plan), known).await,
            Action::Confirm => Ok(accepted()),
        },
        Task::Confirm(_, meant, action) => {
            let object = api.get(meant).await?.filter(|object| is_it(meant, object));
            let shown = action.as_ref().and_then(|_| shown(task, object.as_ref(), known.placed.as_deref()));
            let outcome = shown.unwrap_or_else(|| CommandOutcome::Failed("it was not carried out".to_owned()));
            Ok(Done { outcome, is_gone: object.is_none(), object })
        }
        Task::Withdraw(meant) => nominate(api, meant, None, known).await,
        Task::Unmark(meant, marks) => {
            api.patch(meant, Part::Whole, &patch::unmark_victim(&meant.uid, marks)).await.map(Done::with)
        }
        Task::Evict(meant) => evict(api, meant, known).await,
        Task::Delete(meant) => api.delete(meant).await.map(|()| accepted()),
    }
}

/// Lets a pod go. The pod is nominated to its node before: kube-scheduler tries that node first, and keeps the room there from pods of no higher
/// priority, also while the gate is still there (upstream: `evaluateNominatedNode` and `addNominatedPod` in `pkg/scheduler`).
async fn bind(
    api: &impl Api,
    task: &Task,
    (node, marks): (&str, &[Mark]),
    known: &mut Known,
) -> Result<Done, ApiError> {
    let meant = task.object();
    let gone = || Done::gone(outcome_of_gone(task));
    let raw = match known.raw.take() {
        Some(raw) => raw,
        None => match api.get(meant).await? {
            Some(pod) if is_it(meant, &pod) => Arc::new(pod),
            _ => return Ok(gone()),
        },
    };
    if let Some(placed) = known.placed.as_deref() {
        return match shown(task, Some(&raw), Some(placed)) {
            Some(outcome) => Ok(Done::without(outcome)),
            None => place(api, meant, (node, marks), &raw, placed).await.map(Done::with),
        };
    }
    let mut raw = raw;
    if patch::bind(&raw, node, marks).is_ok() && text(&raw, "/status/nominatedNodeName") != node {
        raw = Arc::new(api.patch(meant, Part::Status, &patch::nominate(&meant.uid, Some(node))).await?);
        known.is_nominated = true;
    }
    match patch::bind(&raw, node, marks) {
        Ok(patch) => api.patch(meant, Part::Whole, &patch).await.map(Done::with),
        Err(why) => {
            let outcome = shown(task, Some(&raw), None).unwrap_or(CommandOutcome::Failed(why));
            Ok(Done { object: Some(Arc::unwrap_or_clone(raw)), ..Done::without(outcome) })
        }
    }
}

async fn nominate(api: &impl Api, meant: &ObjectRef, node: Option<&str>, known: &mut Known) -> Result<Done, ApiError> {
    known.raw = None;
    let (part, patch) = match known.placed {
        Some(_) => (Part::Whole, placed::nominate(&meant.uid, node)),
        None => (Part::Status, patch::nominate(&meant.uid, node)),
    };
    api.patch(meant, part, &patch).await.map(Done::with)
}
