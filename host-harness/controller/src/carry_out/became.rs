//! The outcome of a command, read from the object that the command is about.

use lictor_host::session::{CommandAction, CommandOutcome, ObjectRef};
use serde_json::Value;

use super::patch::has_marks;
use crate::view::{pinned_to, text};

/// Returns the outcome of an action as its object shows it: done, or impossible from now on. `None`: the action was not carried out, and still can
/// be.
pub fn outcome_from_object(
    action: &CommandAction,
    meant: &ObjectRef,
    object: Option<&Value>,
) -> Option<CommandOutcome> {
    let Some(object) = object.filter(|object| is_same_object(meant, object)) else {
        return Some(outcome_if_deleted(action));
    };
    let (bound, leaving) = (text(object, "/spec/nodeName"), !text(object, "/metadata/deletionTimestamp").is_empty());
    let failed = |why: String| Some(CommandOutcome::Failed(why));
    match action {
        CommandAction::Bind { node, .. } => match (bound, pinned_to(object)) {
            ("", None) if leaving => failed("it is being deleted".to_owned()),
            ("", None) => None,
            ("", Some(pinned)) if pinned == node => Some(CommandOutcome::Done),
            ("", Some(pinned)) => failed(format!("it was let go for {pinned}")),
            (bound, _) if bound == node => Some(CommandOutcome::Done),
            (bound, _) => failed(format!("it is bound to {bound}")),
        },
        CommandAction::Nominate { node } => {
            let nominated = text(object, "/status/nominatedNodeName");
            (nominated == node.as_deref().unwrap_or_default()).then_some(CommandOutcome::Done)
        }
        CommandAction::Evict { delete: true, .. } => leaving.then_some(CommandOutcome::Done),
        CommandAction::Evict { delete: false, marks, .. } => has_marks(object, marks).then_some(CommandOutcome::Done),
        CommandAction::Confirm => failed("nothing was to be done".to_owned()),
    }
}

/// Returns the outcome of an action whose object is gone: an eviction is done, every other action has failed.
pub fn outcome_if_deleted(action: &CommandAction) -> CommandOutcome {
    match action {
        CommandAction::Evict { .. } => CommandOutcome::Done,
        _ => CommandOutcome::Failed("it is gone".to_owned()),
    }
}

/// Returns whether an object is the one that is meant, and not a later object of the same name. An empty uid in `meant` matches every object.
pub fn is_same_object(meant: &ObjectRef, object: &Value) -> bool {
    meant.uid.is_empty() || meant.uid == text(object, "/metadata/uid")
}
