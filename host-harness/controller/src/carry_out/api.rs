//! The requests to the API server that commands need. Everything behind this trait is input and output: no decision is made there.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use kube::discovery::ApiResource;
use kube::{Client, Error};
use lictor_host::session::ObjectRef;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::deadline::{COMMAND, within};
use crate::ops::Status;
use crate::watch::GroupKind;
use crate::watch::stream::resource_of;

/// The part of an object that a request writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatchTarget {
    /// The object itself.
    Object,
    /// Its status.
    Status,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The status code of HTTP. 0: no answer arrived, and it is unknown whether the request was carried out.
    pub code: u16,
    /// What the API server says, or why no answer arrived.
    pub message: String,
    /// The details of the answer.
    pub sign: ErrorDetail,
}

/// The details of a failed answer, apart from its code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ErrorDetail {
    /// Nothing.
    #[default]
    Nothing,
    /// The path is served, and has no object of the name (404).
    NoObject,
    /// The PodDisruptionBudget of this name refuses (429).
    Budget(String),
}

impl ApiError {
    /// Makes an error of this code without details; 0 where there was no answer.
    fn new(code: u16, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), sign: ErrorDetail::Nothing }
    }
}

/// The requests by which commands are carried out. Statements about pods also hold for objects that are placed like pods, except for evictions.
pub trait PodApi: Send + Sync + 'static {
    /// Reads the pod as it is now. `None`: the pod does not exist.
    fn get(&self, pod: &ObjectRef) -> impl Future<Output = Result<Option<Value>, ApiError>> + Send;

    /// Merges a patch (RFC 7386) into the pod, and returns the pod as it is afterwards.
    fn patch(
        &self,
        pod: &ObjectRef,
        part: PatchTarget,
        patch: &Value,
    ) -> impl Future<Output = Result<Value, ApiError>> + Send;

    /// Evicts the pod of this uid as long as it has this resource version (`policy/v1` Eviction).
    fn evict(&self, pod: &ObjectRef, version: &str) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Deletes the pod of this uid.
    fn delete(&self, pod: &ObjectRef) -> impl Future<Output = Result<(), ApiError>> + Send;
}

/// The API server of a cluster.
#[derive(Clone)]
pub struct KubeApi {
    client: Client,
    /// Counts the requests.
    status: Option<Arc<Status>>,
    /// The manager of the fields that patches set, as a parameter of a path. Empty: the API server chooses a name.
    manager: String,
    /// The kinds whose objects are placed like pods.
    placed: BTreeSet<GroupKind>,
    /// The resources of those kinds, by kind, as far as the API server was queried for them.
    resources: Arc<Mutex<BTreeMap<String, ApiResource>>>,
}

impl KubeApi {
    /// Makes an API for the API server behind this client.
    pub fn new(client: Client) -> KubeApi {
        KubeApi { client, status: None, manager: String::new(), placed: BTreeSet::new(), resources: Arc::default() }
    }

    /// Sets the kinds whose objects are placed like pods.
    pub fn with_placed_kinds(mut self, kinds: BTreeSet<GroupKind>) -> KubeApi {
        self.placed = kinds;
        self
    }

    /// Sets the field manager that patches name. The name must not need escaping in a URL.
    pub fn with_field_manager(mut self, manager: &str) -> KubeApi {
        self.manager = format!("?fieldManager={manager}");
        self
    }

    /// Sets the status that counts the requests. `None`: the requests are not counted.
    pub fn with_status(mut self, status: Option<Arc<Status>>) -> KubeApi {
        self.status = status;
        self
    }

    /// Returns the path of an object, with `below` appended. Names of objects are letters, digits, `-` and `.`: the path needs no escaping.
    ///
    /// For an object that is no pod, the first call for its kind looks up the resource at the API server.
    ///
    /// # Errors
    /// Code 404 where the cluster has no such kind; errors of the look-up.
    async fn path(&self, object: &ObjectRef, below: &str) -> Result<String, ApiError> {
        let ObjectRef { kind, namespace, name, .. } = object;
        if kind == "Pod" {
            return Ok(format!("/api/v1/namespaces/{namespace}/pods/{name}{below}"));
        }
        // The lock is not held during the request to the API server.
        let known = self.resources.lock().await.get(kind).cloned();
        let resource = match known {
            Some(known) => known,
            None => {
                let unknown = || ApiError::new(404, format!("the cluster has no kind {kind}"));
                let known = self.placed.iter().find(|known| known.kind == *kind).ok_or_else(unknown)?;
                let resource = within(COMMAND, resource_of(&self.client, known)).await?.ok_or_else(unknown)?;
                self.resources.lock().await.entry(kind.clone()).or_insert(resource).clone()
            }
        };
        let place = if namespace.is_empty() { String::new() } else { format!("namespaces/{namespace}/") };
        Ok(format!("/apis/{}/{place}{}/{name}{below}", resource.api_version, resource.plural))
    }

    /// Sends a request. After its deadline it is not known whether the request was carried out.
    async fn send(
        &self,
        method: &str,
        (object, below): (&ObjectRef, &str),
        kind: &str,
        body: Vec<u8>,
    ) -> Result<Value, ApiError> {
        let request = http_request(method, self.path(object, below).await?, kind, body)?;
        let began = Instant::now();
        let answered = within(COMMAND, self.client.request_text(request)).await.map_err(ApiError::from);
        if let Some(status) = &self.status {
            let code = match &answered {
                Ok(_) => Some(if method == "POST" { 201 } else { 200 }),
                Err(error) => Some(error.code).filter(|code| *code > 0),
            };
            status.metrics.request(verb(method), code, began.elapsed());
        }
        if answered.as_ref().is_err_and(|error| error.code == 404 && error.sign != ErrorDetail::NoObject) {
            // The kind may be served by another path now.
            self.resources.lock().await.remove(&object.kind);
        }
        serde_json::from_str(&answered?).map_err(|error| ApiError::new(0, error.to_string()))
    }
}

/// Returns the verb of Kubernetes for a method of HTTP.
fn verb(method: &str) -> &'static str {
    match method {
        "GET" => "get",
        "PATCH" => "patch",
        "POST" => "create",
        _ => "delete",
    }
}

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

impl PodApi for KubeApi {
    async fn get(&self, pod: &ObjectRef) -> Result<Option<Value>, ApiError> {
        match self.send("GET", (pod, ""), JSON, Vec::new()).await {
            Ok(pod) => Ok(Some(pod)),
            Err(error) if error.sign == ErrorDetail::NoObject => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn patch(&self, pod: &ObjectRef, part: PatchTarget, patch: &Value) -> Result<Value, ApiError> {
        let below = format!("{}{}", if part == PatchTarget::Status { "/status" } else { "" }, self.manager);
        self.send("PATCH", (pod, &below), MERGE, patch.to_string().into_bytes()).await
    }

    async fn evict(&self, pod: &ObjectRef, version: &str) -> Result<(), ApiError> {
        let eviction = json!({
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": {"preconditions": {"uid": pod.uid, "resourceVersion": version}},
        });
        self.send("POST", (pod, "/eviction"), JSON, eviction.to_string().into_bytes()).await.map(drop)
    }

    async fn delete(&self, pod: &ObjectRef) -> Result<(), ApiError> {
        let options = json!({"preconditions": {"uid": pod.uid}});
        self.send("DELETE", (pod, ""), JSON, options.to_string().into_bytes()).await.map(drop)
    }
}

fn http_request(method: &str, path: String, kind: &str, body: Vec<u8>) -> Result<hyper::Request<Vec<u8>>, ApiError> {
    let request = hyper::Request::builder().method(method).uri(path).header("content-type", kind);
    request.body(body).map_err(|error| ApiError::new(400, error.to_string()))
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        match error {
            Error::Api(status) => {
                let (code, message) = (status.code, status.message);
                let (name, causes) = status.details.map(|it| (it.name, it.causes)).unwrap_or_default();
                if let Some(cause) = causes.into_iter().find(|cause| cause.reason == "DisruptionBudget") {
                    let budget = budget_name(&cause.message).to_owned();
                    // Another version of the API server may word it otherwise.
                    let named = match budget.as_str() {
                        "" => "a PodDisruptionBudget".to_owned(),
                        name => format!("PodDisruptionBudget `{name}`"),
                    };
                    let message = format!("{named} allows 0 disruptions: {}", cause.message);
                    return ApiError { code, message, sign: ErrorDetail::Budget(budget) };
                }
                // Where the path is not served there is no name in the answer.
                let sign = if code == 404 && !name.is_empty() { ErrorDetail::NoObject } else { ErrorDetail::Nothing };
                ApiError { code, message, sign }
            }
            error => ApiError::new(0, error.to_string()),
        }
    }
}

/// Returns the name of the budget in a message of the API server (upstream: `createTooManyRequestsError` in
/// `pkg/registry/core/pod/rest/eviction.go`).
fn budget_name(message: &str) -> &str {
    let rest = message.strip_prefix("The disruption budget ").unwrap_or_default();
    rest.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::silent;

    /// Reads an answer of the API server.
    fn read(answer: Value) -> ApiError {
        ApiError::from(Error::Api(serde_json::from_value(answer).unwrap()))
    }

    #[test]
    fn a_budget_that_refuses_is_named() {
        let message = "The disruption budget low needs 4 healthy pods and has 4 currently";
        let error = read(json!({"status": "Failure", "code": 429, "reason": "TooManyRequests",
            "message": "Cannot evict pod as it would violate the pod's disruption budget.",
            "details": {"causes": [{"reason": "DisruptionBudget", "message": message}]}}));
        assert_eq!((error.code, &error.sign), (429, &ErrorDetail::Budget("low".to_owned())));
        assert_eq!(error.message, format!("PodDisruptionBudget `low` allows 0 disruptions: {message}"));
        let unnamed = read(json!({"status": "Failure", "code": 429, "message": "no",
            "details": {"causes": [{"reason": "DisruptionBudget", "message": "0 of 4 may go"}]}}));
        assert_eq!(unnamed.message, "a PodDisruptionBudget allows 0 disruptions: 0 of 4 may go");
        // An API server that has too much to do is no budget.
        let busy = read(json!({"status": "Failure", "code": 429, "message": "too many requests"}));
        assert_eq!(busy.sign, ErrorDetail::Nothing);
    }

    #[test]
    fn an_object_that_is_gone_is_told_apart_from_a_path_that_is_not_served() {
        let gone = json!({"status": "Failure", "code": 404, "reason": "NotFound", "message": "pods \"a\" not found",
                          "details": {"name": "a", "kind": "pods"}});
        assert_eq!(read(gone).sign, ErrorDetail::NoObject);
        let unserved = json!({"status": "Failure", "code": 404, "reason": "NotFound", "details": {},
                              "message": "the server could not find the requested resource"});
        assert_eq!(read(unserved).sign, ErrorDetail::Nothing);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_nobody_answers_is_given_up_and_nobody_knows_what_became_of_it() {
        let (client, _server) = silent();
        let status = Arc::new(Status::default());
        let api = KubeApi::new(client).with_status(Some(status.clone()));
        let [kind, namespace, name, uid] = ["Pod", "default", "a", "1"].map(str::to_owned);
        let pod = ObjectRef { kind, namespace, name, uid };
        let begun = tokio::time::Instant::now();
        let late = api.evict(&pod, "7").await.unwrap_err();
        assert_eq!((late.code, begun.elapsed().as_secs()), (0, COMMAND.as_secs()), "{late}");
        assert!(late.message.contains("no answer within 60 s"), "{late}");
        let counted = "lictor_api_requests_total{verb=\"create\",code=\"0\"} 1";
        assert!(status.metrics.text().unwrap().lines().any(|line| line == counted));
    }
}
