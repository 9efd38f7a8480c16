//! Orders through a ConfigMap, for clients that give them.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, Error};
use serde_json::json;

use super::{COMPONENT, RESULT, ReplacementResult, read, request_patch};
use crate::upgrade::{ReplacementRefusal, ReplacementRequest};

/// Why an order was not given.
#[derive(Debug, thiserror::Error)]
pub enum ConfigMapError {
    /// The component does not fit into the ConfigMap.
    #[error("{}", .0.message)]
    Refused(ReplacementRefusal),
    /// The API server refuses, or does not answer.
    #[error(transparent)]
    Api(#[from] Error),
    /// The order was overwritten at once.
    #[error("the ConfigMap does not say what was written into it")]
    Overwritten,
}

impl ConfigMapError {
    /// Returns why the component does not fit. `None`: the error is another one.
    pub fn refusal(&self) -> Option<&ReplacementRefusal> {
        if let ConfigMapError::Refused(refusal) = self { Some(refusal) } else { None }
    }
}

/// The client of a ConfigMap with orders.
pub struct ConfigMapClient {
    api: Api<ConfigMap>,
    name: String,
}

impl ConfigMapClient {
    /// Makes a client that orders through this ConfigMap.
    pub fn new(client: Client, namespace: &str, name: &str) -> ConfigMapClient {
        ConfigMapClient { api: Api::namespaced(client, namespace), name: name.to_owned() }
    }

    /// Writes a wish into the ConfigMap; `ordered` makes it another order than the one before. Returns the digest of the wish, for
    /// [`ConfigMapClient::result`].
    ///
    /// # Errors
    /// The component does not fit, or the API server refuses.
    pub async fn write(&self, wish: &ReplacementRequest, ordered: &str) -> Result<String, ConfigMapError> {
        let mut written = request_patch(wish, ordered).map_err(ConfigMapError::Refused)?;
        let params = PatchParams::default();
        let map = match self.api.patch(&self.name, &params, &Patch::Merge(&written)).await {
            Err(Error::Api(status)) if status.code == 404 => {
                strip(&mut written);
                let mut map: ConfigMap = serde_json::from_value(written).map_err(Error::SerdeError)?;
                map.metadata.name = Some(self.name.clone());
                self.api.create(&PostParams::default(), &map).await?
            }
            patched => patched?,
        };
        read(&self.name, &map).map(|said| said.digest).ok_or(ConfigMapError::Overwritten)
    }

    /// Removes the wish from the ConfigMap.
    ///
    /// # Errors
    /// The API server refuses.
    pub async fn withdraw(&self) -> Result<(), Error> {
        let nothing = json!({"metadata": {"annotations": {COMPONENT: null}}});
        self.api.patch(&self.name, &PatchParams::default(), &Patch::Merge(&nothing)).await.map(drop)
    }

    /// Returns the result of the wish with this digest. `None`: no process has done anything about it yet.
    ///
    /// # Errors
    /// The API server refuses.
    pub async fn result(&self, digest: &str) -> Result<Option<ReplacementResult>, Error> {
        let found = self.api.get_metadata(&self.name).await?;
        let text = found.metadata.annotations.and_then(|annotations| annotations.get(RESULT).cloned());
        let answer = text.and_then(|text| serde_json::from_str::<ReplacementResult>(&text).ok());
        Ok(answer.filter(|answer| answer.of == digest))
    }
}

/// Removes the null values: an object that is created must not have them, as a patch may.
fn strip(value: &mut serde_json::Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(strip);
    }
}
