//! An API server in memory, of one pod, that refuses as the real one does, and fails where it is told to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use json_patch::merge;
use lictor_host::session::ObjectRef;
use serde_json::{Value, json};

use super::{Api, ApiError, Part, Sign};
use crate::view::text;

/// What happens to a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// It is refused with this status of HTTP.
    Refused(u16),
    /// It is served, and the answer is lost.
    Lost,
    /// A PodDisruptionBudget refuses.
    Budget,
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
    /// What happens to the next requests, by their kind.
    faults: BTreeMap<&'static str, VecDeque<Fault>>,
    /// What was asked for, in order.
    log: Vec<&'static str>,
    evictions: u32,
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
                sign: Sign::Budget("low".to_owned()),
            }),
            Some(Fault::Unserved) => {
                Err(ApiError { code: 404, message: "no such path".to_owned(), sign: Sign::Nothing })
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
    let sign = if code == 404 { Sign::NoObject } else { Sign::Nothing };
    Err(ApiError { code, message: format!("refused with {code}"), sign })
}

impl Api for Server {
    async fn get(&self, _: &ObjectRef) -> Result<Option<Value>, ApiError> {
        self.serve("get", |state| Ok(state.pod.clone()))
    }

    async fn patch(&self, _: &ObjectRef, part: Part, patch: &Value) -> Result<Value, ApiError> {
        let request = if part == Part::Status { "patch status" } else { "patch" };
        self.serve(request, |state| {
            let Some(pod) = &mut state.pod else { return refused(404) };
            let asked = |field: &str| patch["metadata"].get(field).cloned();
            if asked("uid").is_some_and(|uid| uid != pod["metadata"]["uid"]) {
                return refused(422);
            }
            if asked("resourceVersion").is_some_and(|version| version != pod["metadata"]["resourceVersion"]) {
                return refused(409);
            }
            merge(pod, patch);
            let version: u32 = text(pod, "/metadata/resourceVersion").parse().unwrap();
            pod["metadata"]["resourceVersion"] = version.saturating_add(1).to_string().into();
            Ok(pod.clone())
        })
    }

    async fn evict(&self, meant: &ObjectRef) -> Result<(), ApiError> {
        self.serve("evict", |state| {
            let Some(pod) = &mut state.pod else { return refused(404) };
            if pod["metadata"]["uid"] != meant.uid.as_str() {
                return refused(409);
            }
            pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
            state.evictions = state.evictions.saturating_add(1);
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
