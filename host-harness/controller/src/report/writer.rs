//! Writes reports. A failed write is not tried again: its content is reported again when it changes.

use std::sync::Arc;
use std::time::Instant;

use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Client, Error};
use serde_json::Value;

use super::object::{ApiWrite, WriteOperation};
use crate::deadline::{REPORT, within};
use crate::ops::Status;

/// The writer of reports.
#[derive(Clone)]
pub struct ReportWriter {
    client: Client,
    /// The status that counts the requests. `None`: they are not counted.
    status: Option<Arc<Status>>,
}

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The API server refused it, or did not answer, or it is no object.
    #[error("{kind} {name}: {error}")]
    Refused {
        /// The kind of the object.
        kind: String,
        /// Its name.
        name: String,
        /// Why.
        error: Box<Error>,
    },
}

impl WriteError {
    /// Returns the kind of the object.
    pub fn kind(&self) -> &str {
        let WriteError::Refused { kind, .. } = self;
        kind
    }

    /// Returns the status code of HTTP; 0 where no answer arrived.
    pub fn code(&self) -> u16 {
        let WriteError::Refused { error, .. } = self;
        if let Error::Api(status) = &**error { status.code } else { 0 }
    }
}

impl ReportWriter {
    /// Makes a writer with this client.
    pub fn new(client: Client) -> ReportWriter {
        ReportWriter { client, status: None }
    }

    /// Sets the status that counts the requests from now on.
    pub fn with_status(mut self, status: Arc<Status>) -> ReportWriter {
        self.status = Some(status);
        self
    }

    /// Sends a write. A write to an object that is gone, or that another of the same name has replaced, is no error.
    ///
    /// # Errors
    /// The API server refuses, or cannot be reached.
    pub async fn write(&self, write: &ApiWrite) -> Result<(), WriteError> {
        let api: Api<DynamicObject> = match &write.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &write.resource),
            None => Api::all_with(self.client.clone(), &write.resource),
        };
        let (params, began) = (PatchParams::default(), Instant::now());
        let request = async {
            match &write.change {
                WriteOperation::Create(body) => {
                    let object = serde_json::from_value(body.clone()).map_err(Error::SerdeError)?;
                    api.create(&PostParams::default(), &object).await
                }
                WriteOperation::Merge(body) => api.patch(&write.name, &params, &Patch::Merge(body)).await,
                WriteOperation::StrategicStatus(body) => {
                    api.patch_status(&write.name, &params, &Patch::Strategic(body)).await
                }
                WriteOperation::Status(body) => status(&api, &write.name, body).await,
            }
        };
        let written = within(REPORT, request).await;
        if let Some(status) = &self.status {
            let verb = if matches!(write.change, WriteOperation::Create(_)) { "create" } else { "patch" };
            let code = match &written {
                Ok(_) => Some(if verb == "create" { 201 } else { 200 }),
                Err(Error::Api(status)) => Some(status.code),
                Err(_) => None,
            };
            status.metrics.request(verb, code, began.elapsed());
        }
        match written {
            Ok(_) => Ok(()),
            Err(error) if is_gone(&error) => Ok(()),
            Err(error) => {
                let (kind, name) = (write.resource.kind.clone(), write.name.clone());
                Err(WriteError::Refused { kind, name, error: Box::new(error) })
            }
        }
    }
}

/// Writes the status. Where the kind has no such subresource, the status is written into the object.
async fn status(api: &Api<DynamicObject>, name: &str, body: &Value) -> Result<DynamicObject, Error> {
    let params = PatchParams::default();
    match api.patch_status(name, &params, &Patch::Merge(body)).await {
        // Both an object that is gone and a subresource that is not served are not found: the second try tells them apart.
        Err(Error::Api(status)) if status.code == 404 => api.patch(name, &params, &Patch::Merge(body)).await,
        written => written,
    }
}

/// Returns whether an error means that the object is gone, or that another object has its name: 404, or the answer to a uid that differs.
fn is_gone(error: &Error) -> bool {
    let Error::Api(status) = error else { return false };
    let other_uid = matches!(status.code, 409 | 422) && status.message.contains("uid");
    status.code == 404 || other_uid
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::time::Instant as Moment;

    use super::*;
    use crate::report::events;
    use crate::testing::silent;

    #[tokio::test(start_paused = true)]
    async fn a_report_that_nobody_answers_is_given_up() {
        let (client, _server) = silent();
        let resource = events::resource();
        let event = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e"}});
        for change in
            [WriteOperation::Create(event), WriteOperation::Merge(json!({})), WriteOperation::Status(json!({}))]
        {
            let namespace = Some("default".to_owned());
            let write = ApiWrite { resource: resource.clone(), namespace, name: "e".to_owned(), change };
            let begun = Moment::now();
            let late = ReportWriter::new(client.clone()).write(&write).await.unwrap_err();
            assert_eq!(begun.elapsed().as_secs(), REPORT.as_secs());
            assert!(late.to_string().contains("no answer within"), "{late}");
        }
    }
}
