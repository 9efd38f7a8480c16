//! How an object that is placed like a pod receives its node.

use jiff::Timestamp;
use lictor_contract::Mark;
use lictor_host::session::ObjectRef;
use serde_json::Value;

use super::api::{ApiError, PatchTarget, PodApi};
use super::placed::{self, PlaceableObject};

/// Places an object that is placed like a pod. The fields that its kind has in the status are written there, where the API server serves such a
/// subresource.
pub(super) async fn place(
    api: &impl PodApi,
    meant: &ObjectRef,
    (node, marks): (&str, &[Mark]),
    object: &Value,
    placed: &PlaceableObject,
) -> Result<Value, ApiError> {
    let marked = match placed::before_bind(object, marks) {
        Some(patch) => Some(api.patch(meant, PatchTarget::Object, &patch).await?),
        None => None,
    };
    let patch = placed::bind(marked.as_ref().unwrap_or(object), node, placed, &Timestamp::now().to_string());
    match api.patch(meant, PatchTarget::Status, &patch).await {
        Err(error) if error.code == 404 => api.patch(meant, PatchTarget::Object, &patch).await,
        patched => patched,
    }
}
