//! A ConfigMap that one process writes at a time.
//!
//! The process that begins to lead writes its name into an annotation, and writes the checkpoint only over the version of the ConfigMap that it
//! knows from its own last request. A process that has lost the lead without notice, such as one that was suspended, knows an older version: its
//! write is a conflict, and the annotation names the process that leads. A conflict without another name is a write by another client, such as
//! a person: the process writes over that version.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, Error};
use serde_json::{Value, json};

use crate::names::CHECKPOINT_OF;

/// The key of the checkpoint in the ConfigMap.
const KEY: &str = "checkpoint.json";

/// The number of attempts of a write that other clients overtake.
const ATTEMPTS: usize = 5;

/// The end of a write that is no success.
#[derive(Debug)]
pub(super) enum FenceError {
    /// The API server refuses, or does not answer.
    Error(Error),
    /// The process of this name has taken it over.
    TakenOver(String),
    /// Other clients change the ConfigMap all the time.
    Overtaken,
}

impl From<Error> for FenceError {
    fn from(error: Error) -> FenceError {
        FenceError::Error(error)
    }
}

/// A ConfigMap that one process writes at a time.
#[derive(Clone)]
pub(super) struct Fence {
    api: Api<ConfigMap>,
    name: String,
    /// The unique name of this process.
    process: String,
    /// How often this process has begun to lead.
    times: u64,
    /// The resource version of the last write. `None`: this process has not written yet.
    version: Option<String>,
}

impl Fence {
    /// Creates the fence of the ConfigMap of this name, for a process of this name.
    pub(super) fn new(client: Client, (namespace, name): (&str, &str), process: &str) -> Fence {
        let (api, name, process) = (Api::namespaced(client, namespace), name.to_owned(), process.to_owned());
        Fence { api, name, process, times: 0, version: None }
    }

    /// Returns the checkpoint. `None`: the ConfigMap has none.
    pub(super) async fn read(&self) -> Result<Option<String>, Error> {
        Ok(self.api.get_opt(&self.name).await?.and_then(checkpoint))
    }

    /// Begins a time of leading.
    pub(super) fn begin(&mut self) {
        self.times = self.times.saturating_add(1);
        self.version = None;
    }

    /// Takes the ConfigMap over, and returns the checkpoint that stands there then.
    pub(super) async fn take_over(&mut self) -> Result<Option<String>, FenceError> {
        for _ in 0..ATTEMPTS {
            let written = self.body(None);
            let taken = match self.patch(&written).await {
                Err(error) if is(&error, 404) => self.create(written).await,
                patched => patched,
            };
            match taken {
                Ok(map) => {
                    self.version.clone_from(&map.metadata.resource_version);
                    return Ok(checkpoint(map));
                }
                // The ConfigMap was created or changed meanwhile.
                Err(error) if is(&error, 409) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(FenceError::Overtaken)
    }

    /// Writes the checkpoint over the last write of this process.
    pub(super) async fn write(&mut self, text: &str) -> Result<(), FenceError> {
        if self.version.is_none() {
            self.take_over().await?;
        }
        for _ in 0..ATTEMPTS {
            let written = self.body(Some(text));
            let stored = match self.patch(&with_version(written.clone(), self.version.as_deref())).await {
                // The ConfigMap was deleted.
                Err(error) if is(&error, 404) => self.create(written).await,
                patched => patched,
            };
            match stored {
                Ok(map) => {
                    self.version = map.metadata.resource_version;
                    return Ok(());
                }
                Err(error) if is(&error, 409) => self.check_holder().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(FenceError::Overtaken)
    }

    /// Reads whether another process leads, and which version is to be written over.
    async fn check_holder(&mut self) -> Result<(), FenceError> {
        let Some(map) = self.api.get_opt(&self.name).await? else { return Ok(()) };
        let holder = map.metadata.annotations.as_ref().and_then(|annotations| annotations.get(CHECKPOINT_OF));
        if let Some(other) = holder.filter(|holder| **holder != self.holder()) {
            return Err(FenceError::TakenOver(other.clone()));
        }
        self.version = map.metadata.resource_version;
        Ok(())
    }

    /// Returns the name of this process in this time of leading: what the process has sent in an earlier one does not count any more.
    fn holder(&self) -> String {
        format!("{}_{}", self.process, self.times)
    }

    fn body(&self, text: Option<&str>) -> Value {
        let annotations = json!({CHECKPOINT_OF: self.holder()});
        let mut map = json!({"metadata": {"name": self.name, "annotations": annotations}});
        if let (Some(text), Some(fields)) = (text, map.as_object_mut()) {
            fields.insert("data".to_owned(), json!({KEY: text}));
        }
        map
    }

    async fn patch(&self, body: &Value) -> Result<ConfigMap, Error> {
        let by = PatchParams { field_manager: Some("lictor".to_owned()), ..PatchParams::default() };
        self.api.patch(&self.name, &by, &Patch::Merge(body)).await
    }

    async fn create(&self, body: Value) -> Result<ConfigMap, Error> {
        let by = PostParams { field_manager: Some("lictor".to_owned()), ..PostParams::default() };
        self.api.create(&by, &serde_json::from_value(body).map_err(Error::SerdeError)?).await
    }
}

/// Adds a version to a patch: the API server refuses the patch for any other version.
fn with_version(mut body: Value, version: Option<&str>) -> Value {
    if let (Some(version), Some(metadata)) = (version, body.pointer_mut("/metadata").and_then(Value::as_object_mut)) {
        metadata.insert("resourceVersion".to_owned(), version.into());
    }
    body
}

fn checkpoint(map: ConfigMap) -> Option<String> {
    map.data?.remove(KEY)
}

fn is(error: &Error, code: u16) -> bool {
    matches!(error, Error::Api(status) if status.code == code)
}
