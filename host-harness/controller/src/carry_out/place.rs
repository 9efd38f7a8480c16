//! How an object that is placed like a pod receives its node.

use jiff::Timestamp;
use lictor_contract::Mark;
use lictor_host::session::ObjectRef;
use serde_json::Value;

use super::api::{Api, ApiError, Part};
use super::placed::{self, Placed};

/// Places an object that is placed like a pod. The fields that its kind has in the status are written there, where the API server serves such a
/// subresource.
pub(super) async fn place(
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
