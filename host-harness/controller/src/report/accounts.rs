//! The status of quotas and queues, as the schedulers upstream write it.
//!
//! - Koordinator: `status.used` of the ElasticQuota, and its annotations `request` and `runtime`
//!   (`pkg/scheduler/plugins/elasticquota/controller.go`). Its names are unique in the cluster.
//! - coscheduling (scheduler-plugins): `status.used` of the ElasticQuota of the namespace.
//! - Volcano: `status.allocated` of the Queue.
//! - YuniKorn and Kubernetes have no such objects.

use lictor_contract::quantity::exact;
use lictor_contract::{Amount, QueueAccount, Resource};
use serde_json::{Map, Value, json};

use super::Amounts;
use super::object::{ObjectLookup, ReportedObject, WriteOperation};

const QUOTAS: (&str, &str) = ("scheduling.sigs.k8s.io", "ElasticQuota");
const PLUGINS_QUOTAS: (&str, &str) = ("scheduling.x-k8s.io", "ElasticQuota");
const QUEUES: (&str, &str) = ("scheduling.volcano.sh", "Queue");

const REQUEST: &str = "quota.scheduling.koordinator.sh/request";
const RUNTIME: &str = "quota.scheduling.koordinator.sh/runtime";

/// Returns the kind whose status says what is used, and the field of the status. `None`: the system has no such kind.
fn status_field(system: &str) -> Option<((&'static str, &'static str), &'static str)> {
    match system {
        "koordinator" => Some((QUOTAS, "used")),
        "coscheduling" => Some((PLUGINS_QUOTAS, "used")),
        "volcano" => Some((QUEUES, "allocated")),
        _ => None,
    }
}

/// Returns whether the system has a kind whose status is written.
pub(super) fn has_status(system: &str) -> bool {
    status_field(system).is_some()
}

/// Returns the changes of the quotas or queues, one entry per object that has an account. An empty list: the status is up to date.
pub(super) fn status(
    system: &str,
    accounts: &[QueueAccount],
    resources: &[Resource],
    objects: &dyn ObjectLookup,
) -> Vec<(ReportedObject, Vec<WriteOperation>)> {
    let Some((kind, field)) = status_field(system) else { return Vec::new() };
    let mut writes = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for object in objects.all(kind.0, kind.1) {
        // scheduler-plugins: the quota of a namespace, the first by name where there are several.
        let name = if system == "coscheduling" { &object.name.namespace } else { &object.name.name };
        let Some(account) = accounts.iter().find(|account| account.name == *name) else { continue };
        if !seen.insert(name.clone()) {
            continue;
        }
        let used = amounts(&account.used, account, resources);
        let mut changes: Vec<WriteOperation> = changed(&object, field, &used).into_iter().collect();
        if system == "koordinator" {
            changes.extend(annotated(&object, account, resources));
        }
        writes.push((object, changes));
    }
    writes
}

/// Returns the amounts of the resources that a queue bounds, zero where an amount is missing. A queue without bounds has all resources.
fn amounts(of: &[Amount], account: &QueueAccount, resources: &[Resource]) -> Amounts {
    let name = |number: u32| usize::try_from(number).ok().and_then(|at| resources.get(at)).map(|it| it.name.as_str());
    let bounded = account.bounds.iter().flat_map(|bound| &bound.amounts).map(|amount| amount.resource);
    let bounded: std::collections::BTreeSet<u32> = bounded.collect();
    let mut amounts: Amounts =
        bounded.iter().filter_map(|number| Some((name(*number)?.to_owned(), "0".to_owned()))).collect();
    let counted = of.iter().filter(|amount| bounded.is_empty() || bounded.contains(&amount.resource));
    amounts.extend(counted.filter_map(|amount| {
        let name = name(amount.resource)?;
        Some((name.to_owned(), exact(name, amount.value)))
    }));
    // Host ports and what volumes take are resources only internally.
    amounts.retain(|name, _| !lictor_contract::is_of_host(name));
    amounts
}

/// Returns the change of a field of the status. `None`: the field is up to date. Resources that are no longer in `used` are removed.
fn changed(object: &ReportedObject, field: &str, used: &Amounts) -> Option<WriteOperation> {
    let old = object.status.get(field).and_then(Value::as_object).cloned().unwrap_or_default();
    let is_same = old.len() == used.len()
        && used.iter().all(|(name, amount)| old.get(name).and_then(Value::as_str) == Some(amount.as_str()));
    if is_same {
        return None;
    }
    let mut patch: Map<String, Value> = old.keys().map(|name| (name.clone(), Value::Null)).collect();
    patch.extend(used.iter().map(|(name, amount)| (name.clone(), json!(amount))));
    Some(WriteOperation::Status(json!({"metadata": {"uid": object.uid}, "status": {field: patch}})))
}

/// Returns the change of Koordinator's annotations. `None`: they are up to date.
fn annotated(object: &ReportedObject, account: &QueueAccount, resources: &[Resource]) -> Option<WriteOperation> {
    let mut request: Vec<Amount> = account.used.clone();
    for amount in &account.pending {
        match request.iter_mut().find(|it| it.resource == amount.resource) {
            Some(known) => known.value = known.value.saturating_add(amount.value),
            None => request.push(amount.clone()),
        }
    }
    let text = |of: &[Amount]| serde_json::to_string(&amounts(of, account, resources)).unwrap_or_default();
    let mut wanted = vec![(REQUEST, text(&request))];
    let runtime = account.bounds.iter().find(|bound| bound.name == "runtime");
    wanted.extend(runtime.map(|bound| (RUNTIME, text(&bound.amounts))));
    wanted.retain(|(name, text)| object.annotations.get(name).and_then(Value::as_str) != Some(text));
    let changed: Map<String, Value> = wanted.into_iter().map(|(name, text)| (name.to_owned(), json!(text))).collect();
    (!changed.is_empty())
        .then(|| WriteOperation::Merge(json!({"metadata": {"uid": object.uid, "annotations": changed}})))
}
