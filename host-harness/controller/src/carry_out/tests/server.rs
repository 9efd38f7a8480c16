//! An API server in memory, of one pod, that refuses as the real one does, and fails as the test says.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use json_patch::merge;
use lictor_host::session::ObjectRef;
use serde_json::{Value, json};

use super::{ApiError, ErrorDetail, PatchTarget, PodApi};
use crate::view::text;

/// A fault of the server when it serves a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// The request is refused with this status of HTTP.
    Refused(u16),
    /// The request is served, and the answer is lost.
    Lost,
    /// A PodDisruptionBudget refuses.
    Budget,
    /// Another client writes the pod before the request is served.
    Overtaken,
    /// Another process evicts the pod before the request is served.
    Evicted,
    /// The API server does not know the path.
    Unserved,
    /// The client breaks.
    Panic,
}

/// The API server: one pod, `default/a`.
#[derive(Clone, Default)]
pub(super) struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    pod: Option<Value>,
    /// The faults of the next requests, by the kind of request.
    faults: BTreeMap<&'static str, VecDeque<Fault>>,
    /// The requests, in order.
    log: Vec<&'static str>,
    evictions: u32,
}

impl State {
    /// Changes the pod and its resource version.
    fn writes(&mut self, change: impl FnOnce(&mut Value)) {
        if let Some(pod) = &mut self.pod {
            change(pod);
            let version: u32 = text(pod, "/metadata/resourceVersion").parse().unwrap();
            pod["metadata"]["resourceVersion"] = version.saturating_add(1).to_string().into();
        }
    }

    fn evict(&mut self) {
        self.writes(|pod| pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z"));
        self.evictions = self.evictions.saturating_add(1);
    }
}

impl Server {
    pub(super) fn of(pod: Value) -> Server {
        Server(Arc::new(Mutex::new(State { pod: Some(pod), ..State::default() })))
    }

    pub(super) fn then(self, request: &'static str, faults: &[Fault]) -> Server {
        self.0.lock().unwrap().faults.insert(request, faults.iter().copied().collect());
        self
    }

    pub(super) fn pod(&self) -> Value {
        self.0.lock().unwrap().pod.clone().unwrap()
    }

    pub(super) fn log(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().log.clone()
    }

    pub(super) fn evictions(&self) -> u32 {
        self.0.lock().unwrap().evictions
    }

    fn serve<T>(
        &self,
        request: &'static str,
        work: impl FnOnce(&mut State) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut state = self.0.lock().unwrap();
        state.log.push(request);
        let fault = state.faults.get_mut(request).and_then(VecDeque::pop_front);
        match fault {
            Some(Fault::Refused(code)) => refused(code),
            Some(Fault::Lost) => work(&mut state).and(refused(0)),
            Some(Fault::Budget) => Err(ApiError {
                code: 429,
                message: "PodDisruptionBudget `low` allows 0 disruptions".to_owned(),
                sign: ErrorDetail::Budget("low".to_owned()),
            }),
            Some(Fault::Overtaken) => {
                state.writes(|_| {});
                work(&mut state)
            }
            Some(Fault::Evicted) => {
                state.evict();
                work(&mut state)
            }
            Some(Fault::Unserved) => {
                Err(ApiError { code: 404, message: "no such path".to_owned(), sign: ErrorDetail::Nothing })
            }
            Some(Fault::Panic) => {
                drop(state);
                panic!("the client breaks")
            }
            None => work(&mut state),
        }
    }
}

fn refused<T>(code: u16) -> Result<T, ApiError> {
    let sign = if code == 404 { ErrorDetail::NoObject } else { ErrorDetail::Nothing };
    Err(ApiError { code, message: format!("refused with {code}"), sign })
}

impl PodApi for Server {
    async fn get(&self, _: &ObjectRef) -> Result<Option<Value>, ApiError> {
        self.serve("get", |state| Ok(state.pod.clone()))
    }

    async fn patch(&self, _: &ObjectRef, part: PatchTarget, patch: &Value) -> Result<Value, ApiError> {
        let request = if part == PatchTarget::Status { "patch status" } else { "patch" };
        self.serve(request, |state| {
            let Some(pod) = &state.pod else { return refused(404) };
            let asked = |field: &str| patch["metadata"].get(field).cloned();
            if asked("uid").is_some_and(|uid| uid != pod["metadata"]["uid"]) {
                return refused(422);
            }
            if asked("resourceVersion").is_some_and(|version| version != pod["metadata"]["resourceVersion"]) {
                return refused(409);
            }
            state.writes(|pod| merge(pod, patch));
            Ok(state.pod.clone().unwrap())
        })
    }

    async fn evict(&self, meant: &ObjectRef, version: &str) -> Result<(), ApiError> {
        self.serve("evict", |state| {
            let Some(pod) = &state.pod else { return refused(404) };
            if pod["metadata"]["uid"] != meant.uid.as_str() || pod["metadata"]["resourceVersion"] != version {
                return refused(409);
            }
            state.evict();
            Ok(())
        })
    }

    async fn delete(&self, _: &ObjectRef) -> Result<(), ApiError> {
        self.serve("delete", |state| {
            state.pod = None;
            Ok(())
        })
    }
}
