//! Evictions. Each is of the pod as it was seen last, so that of two processes that evict the same pod one is served.

use std::sync::Arc;

use jiff::Timestamp;
use lictor_contract::Mark;
use lictor_host::session::{CommandOutcome, ObjectRef};

use super::api::{ApiError, PatchTarget, PodApi};
use super::became::is_same_object;
use super::patch;
use super::task::TaskOutcome;
use super::work::TaskState;
use crate::view::text;

/// Marks a victim, once, then evicts it.
pub(super) async fn mark_and_evict(
    api: &impl PodApi,
    meant: &ObjectRef,
    (delete, marks, plan): (bool, &[Mark], u64),
    known: &mut TaskState,
) -> Result<TaskOutcome, ApiError> {
    if !known.is_marked {
        let marked =
            api.patch(meant, PatchTarget::Object, &patch::mark_victim(&meant.uid, marks, plan, &now())).await?;
        if !delete {
            return Ok(TaskOutcome::with(marked));
        }
        known.is_marked = true;
        known.raw = Some(Arc::new(marked));
    }
    evict(api, meant, known).await
}

/// Evicts a pod, or deletes an object that is placed like a pod. An object that is being deleted already is left alone.
///
/// The eviction names the resource version of the pod as it was read last. Where another process has evicted or changed the pod meanwhile, the API
/// server answers with a conflict, and the pod is read before the next attempt. The version is never older than the last answer about the pod: the
/// API server counts an eviction against the PodDisruptionBudget before it compares the versions, and takes that back after 2 minutes only (upstream:
/// `checkAndDecrement` in `pkg/registry/core/pod/storage/eviction.go`).
pub(super) async fn evict(
    api: &impl PodApi,
    meant: &ObjectRef,
    known: &mut TaskState,
) -> Result<TaskOutcome, ApiError> {
    let raw = match known.raw.take() {
        Some(raw) => raw,
        None => match api.get(meant).await? {
            Some(object) if is_same_object(meant, &object) => Arc::new(object),
            _ => return Ok(TaskOutcome::deleted(CommandOutcome::Done)),
        },
    };
    if !text(&raw, "/metadata/deletionTimestamp").is_empty() {
        return Ok(TaskOutcome::with(Arc::unwrap_or_clone(raw)));
    }
    // The Eviction API serves pods only.
    match known.placed {
        Some(_) => api.delete(meant).await?,
        None => api.evict(meant, text(&raw, "/metadata/resourceVersion")).await?,
    }
    // The watch shows when the pod is being deleted.
    Ok(TaskOutcome::without(CommandOutcome::Accepted))
}

/// Returns the time in whole seconds, as RFC 3339.
fn now() -> String {
    Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default().to_string()
}
