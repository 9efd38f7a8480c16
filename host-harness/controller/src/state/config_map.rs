//! The checkpoint in a ConfigMap of the cluster.

use std::fmt::Display;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};

use super::fence::{Fence, FenceError};
use super::{CheckpointStore, StoreError};
use crate::deadline::{CHECKPOINT, DeadlineExceeded};
use crate::decide::DeciderCheckpoint;

/// The largest checkpoint, in bytes: a ConfigMap takes a mebibyte.
const MOST: usize = 1_000_000;

/// How long nothing is stored after a request without an answer: the session waits for each request.
const REST: Duration = Duration::from_secs(30);

/// A ConfigMap with the checkpoint, which one process writes at a time. It must be used on threads that are not of the runtime: they wait for the API
/// server.
#[derive(Clone)]
pub struct ConfigMapStore {
    fence: Fence,
    /// The namespace and the name of the ConfigMap.
    name: String,
    /// The largest checkpoint, in bytes.
    max_bytes: usize,
    /// Until when nothing is stored, because the API server has not answered.
    paused_until: Option<Instant>,
    runtime: Handle,
}

impl ConfigMapStore {
    /// Makes the store in the ConfigMap of this namespace and name, for the process of this unique name. Must be called within a runtime.
    pub fn new(client: Client, (namespace, name): (&str, &str), process: &str) -> ConfigMapStore {
        let fence = Fence::new(client, (namespace, name), process);
        let name = format!("{namespace}/{name}");
        ConfigMapStore { fence, name, max_bytes: MOST, paused_until: None, runtime: Handle::current() }
    }

    /// Sets the largest checkpoint, in bytes.
    pub fn limited_to(mut self, bytes: usize) -> ConfigMapStore {
        self.max_bytes = bytes;
        self
    }

    pub(super) async fn read(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        let read = timeout(CHECKPOINT, self.fence.read()).await;
        let text =
            read.map_err(|_| self.describe(&DeadlineExceeded(CHECKPOINT)))?.map_err(|error| self.describe(&error))?;
        self.parse(text)
    }

    pub(super) async fn begin(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        self.fence.begin();
        self.paused_until = None;
        let taken = timeout(CHECKPOINT, self.fence.take_over()).await;
        match taken {
            Ok(Ok(text)) => self.parse(text),
            Ok(Err(refused)) => Err(self.store_error(refused).to_string()),
            Err(_) => Err(self.start_pause()),
        }
    }

    pub(super) async fn write(&mut self, text: &str) -> Result<(), StoreError> {
        if text.len() > self.max_bytes {
            return Err(StoreError::Failed(self.describe(&too_large(text.len(), self.max_bytes))));
        }
        if self.paused_until.is_some_and(|until| Instant::now() < until) {
            let why = format!("the API server has not answered; nothing is stored for {} s", REST.as_secs());
            return Err(StoreError::Failed(self.describe(&why)));
        }
        let written = timeout(CHECKPOINT, self.fence.write(text)).await;
        match written {
            Ok(written) => written.map_err(|refused| self.store_error(refused)),
            Err(_) => Err(StoreError::Failed(self.start_pause())),
        }
    }

    fn start_pause(&mut self) -> String {
        self.paused_until = Instant::now().checked_add(REST);
        self.describe(&DeadlineExceeded(CHECKPOINT))
    }

    fn store_error(&self, refused: FenceError) -> StoreError {
        match refused {
            FenceError::Error(error) => StoreError::Failed(self.describe(&error)),
            FenceError::Overtaken => StoreError::Failed(self.describe(&"somebody else changes it all the time")),
            FenceError::TakenOver(other) => StoreError::TakenOver(self.describe(&format!(
                "`{other}` has taken it over: that process leads now, and this one does not any more"
            ))),
        }
    }

    fn parse(&self, text: Option<String>) -> Result<Option<DeciderCheckpoint>, String> {
        text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| self.describe(&error))
    }

    fn describe(&self, error: &dyn Display) -> String {
        format!("checkpoint in ConfigMap {}: {error}", self.name)
    }
}

impl CheckpointStore for ConfigMapStore {
    fn load(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        self.runtime.clone().block_on(self.read())
    }

    fn take_over(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        self.runtime.clone().block_on(self.begin())
    }

    fn store(&mut self, saved: &DeciderCheckpoint) -> Result<(), StoreError> {
        let text = serde_json::to_string(saved).map_err(|error| StoreError::Failed(self.describe(&error)))?;
        self.runtime.clone().block_on(self.write(&text))
    }
}

fn too_large(bytes: usize, most: usize) -> String {
    format!("it has {bytes} bytes, and a ConfigMap takes {most}: keep it in a file on a volume (--checkpoint FILE)")
}
