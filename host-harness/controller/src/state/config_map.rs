//! In a ConfigMap of the cluster.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, Error};
use serde_json::json;
use tokio::runtime::Handle;

use super::Keep;
use crate::decide::Saved;

/// The key under which it stands.
const KEY: &str = "checkpoint.json";

/// How large a checkpoint may be: a ConfigMap takes a mebibyte.
const MOST: usize = 1_000_000;

/// A ConfigMap. It is used by threads that are not of the runtime: they wait for the API server.
#[derive(Clone)]
pub struct InConfigMap {
    api: Api<ConfigMap>,
    name: String,
    /// How large a checkpoint may be, in bytes.
    most: usize,
    runtime: Handle,
}

impl InConfigMap {
    /// The ConfigMap of this name. Called within a runtime.
    pub fn new(client: Client, namespace: &str, name: &str) -> InConfigMap {
        let (api, name) = (Api::namespaced(client, namespace), name.to_owned());
        InConfigMap { api, name, most: MOST, runtime: Handle::current() }
    }

    /// Takes checkpoints of so many bytes at most.
    pub fn limited_to(mut self, bytes: usize) -> InConfigMap {
        self.most = bytes;
        self
    }

    fn say(&self, error: &dyn std::fmt::Display) -> String {
        format!("checkpoint in ConfigMap {}: {error}", self.name)
    }
}

impl Keep for InConfigMap {
    fn load(&mut self) -> Result<Option<Saved>, String> {
        let map = match self.runtime.block_on(self.api.get(&self.name)) {
            Ok(map) => map,
            Err(Error::Api(status)) if status.code == 404 => return Ok(None),
            Err(error) => return Err(self.say(&error)),
        };
        let text = map.data.as_ref().and_then(|data| data.get(KEY));
        text.map(|text| serde_json::from_str(text)).transpose().map_err(|error| self.say(&error))
    }

    fn store(&mut self, saved: &Saved) -> Result<(), String> {
        let text = serde_json::to_string(saved).map_err(|error| self.say(&error))?;
        if text.len() > self.most {
            return Err(self.say(&too_large(text.len(), self.most)));
        }
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.name}, "data": {KEY: text}});
        let by = PatchParams::apply("lictor").force();
        let stored = self.runtime.block_on(self.api.patch(&self.name, &by, &Patch::Apply(&map)));
        stored.map(drop).map_err(|error| self.say(&error))
    }
}

fn too_large(bytes: usize, most: usize) -> String {
    format!("it has {bytes} bytes, and a ConfigMap takes {most}: keep it in a file on a volume (--checkpoint FILE)")
}
