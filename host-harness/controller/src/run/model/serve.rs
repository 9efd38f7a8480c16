//! Requests, served as the real API server serves them: with preconditions, budgets and graces.

use std::collections::BTreeSet;

use json_patch::merge;
use serde_json::{Value, json};

use super::server::{ApiServerState, ControllerApiRequest, SECOND, pods};
use crate::carry_out::{ApiError, ErrorDetail, PatchTarget};
use crate::view::text;
use crate::watch::GroupKind;

fn refused<T>(code: u16, message: &str) -> Result<T, ApiError> {
    let sign = if code == 404 { ErrorDetail::NoObject } else { ErrorDetail::Nothing };
    Err(ApiError { code, message: message.to_owned(), sign })
}

impl ApiServerState {
    /// Serves a request of the process of this number, or refuses it as the real API server does.
    pub(super) fn serve(
        &mut self,
        process: u64,
        name: &str,
        uid: &str,
        request: &ControllerApiRequest,
    ) -> Result<Value, ApiError> {
        let now = self.now();
        self.observer.record_request(now, process, uid, request.verb());
        let served = self.serve_it(process, name, uid, request);
        self.observer.add_line(|| match &served {
            Ok(_) => format!("  {request:?}"),
            Err(error) => format!("  {request:?}: {} {error}", error.code),
        });
        if served.is_err() {
            self.observer.reset_nominations();
        }
        served
    }

    fn serve_it(
        &mut self,
        process: u64,
        name: &str,
        uid: &str,
        request: &ControllerApiRequest,
    ) -> Result<Value, ApiError> {
        if self.faults.forbidden.contains(request.verb()) {
            return refused(403, "pods is forbidden");
        }
        if self.faults.is_unserved && matches!(request, ControllerApiRequest::Evict(_)) {
            return Err(ApiError { code: 404, message: "no such path".to_owned(), sign: ErrorDetail::Nothing });
        }
        let Some(pod) = self.objects.get(&(pods(), name.to_owned())).cloned() else { return refused(404, "not found") };
        let is_it = text(&pod, "/metadata/uid") == uid;
        match request {
            ControllerApiRequest::Get => Ok(pod),
            ControllerApiRequest::Patch(part, patch) => self.patch(name, &pod, *part, patch),
            ControllerApiRequest::Evict(_) | ControllerApiRequest::Delete if !is_it => {
                refused(409, "the UID in the precondition is another one")
            }
            ControllerApiRequest::Evict(version) => self.evict(process, name, &pod, version),
            ControllerApiRequest::Delete => {
                self.stop(name, "DeletionByLictor");
                Ok(json!({}))
            }
        }
    }

    fn patch(&mut self, name: &str, pod: &Value, part: PatchTarget, patch: &Value) -> Result<Value, ApiError> {
        let differs = |field: &str| patch["metadata"].get(field).is_some_and(|it| *it != pod["metadata"][field]);
        if differs("uid") {
            return refused(422, "metadata.uid: field is immutable");
        }
        if differs("resourceVersion") {
            return refused(409, "the object has been modified");
        }
        let is_gated = pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty());
        if part == PatchTarget::Object && patch.get("spec").is_some() && !is_gated {
            return refused(422, "spec: Forbidden: pod updates may not change fields");
        }
        let parts: &[&str] = if part == PatchTarget::Status { &["status"] } else { &["metadata", "spec"] };
        let changed = self.change(&pods(), name, |pod| {
            for part in parts.iter().filter(|part| patch.get(**part).is_some()) {
                merge(&mut pod[*part], &patch[*part]);
            }
        });
        Ok(changed.unwrap())
    }

    fn evict(&mut self, process: u64, name: &str, pod: &Value, version: &str) -> Result<Value, ApiError> {
        let is_leaving = !text(pod, "/metadata/deletionTimestamp").is_empty();
        if !is_leaving && let Some(budget) = self.forbidding_budget(pod) {
            let message = format!("PodDisruptionBudget `{budget}` allows 0 disruptions");
            return Err(ApiError { code: 429, message, sign: ErrorDetail::Budget(budget) });
        }
        if text(pod, "/metadata/resourceVersion") != version {
            // The API server checks the budget first: the eviction counts against it until 2 minutes have passed without a deletion.
            let until = self.now() + 120 * SECOND;
            self.disrupted.insert(text(pod, "/metadata/uid").to_owned(), until);
            return refused(409, "the ResourceVersion in the precondition is another one");
        }
        let (now, nominated) = (self.now(), self.nominated());
        self.observer.record_eviction(now, process, pod, nominated);
        self.stop(name, "EvictionByEvictionAPI");
        Ok(json!({}))
    }

    /// Returns the uids of the pods that are nominated and wait.
    pub(super) fn nominated(&self) -> BTreeSet<String> {
        let kind = pods();
        let pods = self.all(&kind).filter(|pod| {
            text(pod, "/spec/nodeName").is_empty()
                && !text(pod, "/status/nominatedNodeName").is_empty()
                && text(pod, "/metadata/deletionTimestamp").is_empty()
        });
        pods.map(|pod| text(pod, "/metadata/uid").to_owned()).collect()
    }

    /// Returns the objects of a kind.
    pub(super) fn all(&self, kind: &GroupKind) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(move |((of, _), _)| of == kind).map(|(_, object)| object)
    }

    /// Returns the budget that forbids to evict a pod: it covers the pods with the label `budget` of its name.
    fn forbidding_budget(&self, pod: &Value) -> Option<String> {
        let label = |pod: &Value| text(pod, "/metadata/labels/budget").to_owned();
        let budget =
            self.objects.get(&(GroupKind::new("policy", "PodDisruptionBudget"), format!("default/{}", label(pod))))?;
        let (kind, now) = (pods(), self.now());
        let healthy = self.all(&kind).filter(|other| {
            label(other) == label(pod)
                && text(other, "/status/phase") == "Running"
                && self.disrupted.get(text(other, "/metadata/uid")).is_none_or(|until| *until <= now)
                && text(other, "/metadata/deletionTimestamp").is_empty()
        });
        let least = usize::try_from(budget["spec"]["minAvailable"].as_u64().unwrap()).unwrap();
        (healthy.count() <= least).then(|| text(budget, "/metadata/name").to_owned())
    }
}
