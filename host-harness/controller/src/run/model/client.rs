//! The requests of one process: under way for a while, lost, or served after the process has ended.

use std::time::Duration;

use lictor_host::session::ObjectRef;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::server::{ApiServerHandle, ControllerApiRequest, pods};
use super::strike::InjectedFault;
use crate::carry_out::{ApiError, ErrorDetail, PatchTarget, PodApi};

/// The client of a process.
pub(super) struct ProcessClient {
    pub(super) server: ApiServerHandle,
    /// The number of the process.
    pub(super) process: u64,
}

/// The fate of a request.
struct RequestFaults {
    request_delay: Duration,
    response_delay: Duration,
    is_dropped: bool,
    is_response_lost: bool,
    busy: Option<u16>,
    is_overtaken: bool,
    injected: Option<InjectedFault>,
}

impl ProcessClient {
    fn draw_faults(&self) -> RequestFaults {
        let state = &mut *self.server.state();
        let (chances, random) = (state.faults.chances, &mut state.random);
        let mut happens = |of_thousand: usize| random.below(1000) < of_thousand;
        let (is_dropped, is_lost, is_overtaken) =
            (happens(chances.dropped), happens(chances.lost), happens(chances.overtaken));
        let (is_busy, is_slow) = (happens(chances.busy), happens(chances.slow));
        let most = if is_slow { 8_000 } else { 40 };
        let mut pause = || Duration::from_millis(1 + u64::try_from(random.below(most)).unwrap());
        let (there, back) = (pause(), pause());
        let busy = is_busy.then(|| [429, 500, 503][random.below(3)]);
        let is_struck = chances.injected > 0 && random.below(1000) < chances.injected;
        let strike = is_struck.then(|| InjectedFault::ALL[random.below(InjectedFault::ALL.len())]);
        RequestFaults {
            request_delay: there,
            response_delay: back,
            is_dropped,
            is_response_lost: is_lost,
            busy,
            is_overtaken,
            injected: strike,
        }
    }

    /// Sends a request. The request is served even where its process has ended.
    async fn send(&self, object: &ObjectRef, request: ControllerApiRequest) -> Result<Value, ApiError> {
        let unanswered = || ApiError { code: 0, message: "no answer".to_owned(), sign: ErrorDetail::Nothing };
        let (fate, server, process) = (self.draw_faults(), self.server.clone(), self.process);
        let (name, uid) = (format!("{}/{}", object.namespace, object.name), object.uid.clone());
        let (answer, answered) = oneshot::channel();
        tokio::spawn(async move {
            tokio::time::sleep(fate.request_delay).await;
            let struck = server.state().next_fault();
            let strike = struck.or(fate.injected);
            let delay = strike.map(|strike| strike.delay(&mut server.state(), process));
            tokio::time::sleep(delay.unwrap_or_default()).await;
            let is_gone = strike.is_some_and(|strike| strike.before(&mut server.state(), process, &name));
            let served = if fate.is_dropped || is_gone {
                Err(unanswered())
            } else if let Some(code) = fate.busy {
                Err(ApiError { code, message: "too much to do".to_owned(), sign: ErrorDetail::Nothing })
            } else {
                let mut state = server.state();
                if fate.is_overtaken {
                    let version = state.version;
                    state.change(&pods(), &name, |pod| {
                        pod["metadata"]["annotations"]["touched"] = json!(version.to_string())
                    });
                }
                state.serve(process, &name, &uid, &request)
            };
            if let Some(strike) = strike {
                strike.after(&mut server.state(), process);
            }
            tokio::time::sleep(fate.response_delay).await;
            let _ended = answer.send(if fate.is_response_lost { Err(unanswered()) } else { served });
        });
        answered.await.unwrap_or_else(|_| Err(unanswered()))
    }
}

impl PodApi for ProcessClient {
    async fn get(&self, pod: &ObjectRef) -> Result<Option<Value>, ApiError> {
        match self.send(pod, ControllerApiRequest::Get).await {
            Ok(pod) => Ok(Some(pod)),
            Err(error) if error.sign == ErrorDetail::NoObject => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn patch(&self, pod: &ObjectRef, part: PatchTarget, patch: &Value) -> Result<Value, ApiError> {
        self.send(pod, ControllerApiRequest::Patch(part, patch.clone())).await
    }

    async fn evict(&self, pod: &ObjectRef, version: &str) -> Result<(), ApiError> {
        self.send(pod, ControllerApiRequest::Evict(version.to_owned())).await.map(drop)
    }

    async fn delete(&self, pod: &ObjectRef) -> Result<(), ApiError> {
        self.send(pod, ControllerApiRequest::Delete).await.map(drop)
    }
}
