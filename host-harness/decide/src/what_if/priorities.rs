//! The least priority with which a job gets in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::super::failure::DecideError;
use super::super::priorities::{Priorities, PriorityChange};
use super::bounds::least;
use super::{ChangeKind, ChangedField, SufficientChange, TrialRunner};

/// Returns the least priority above its own with which the job gets in: one more than that of some other pod. `None`: no priority lets it in.
pub(super) fn changes(trials: &mut TrialRunner<'_, '_>) -> Result<Option<SufficientChange>, DecideError> {
    let objects: Vec<&KubernetesObject> = trials.case.snapshot.objects.iter().collect();
    let system = trials.system.clone();
    let priorities = Priorities::of(&objects, system.as_ref());
    let (pods, own) = waiting(trials, &priorities);
    let (Some(lowest), Some(highest)) = (own.first(), own.last()) else { return Ok(None) };
    let above: BTreeSet<i64> =
        priorities.pods().map(|pod| priorities.of_pod(&pod)).filter(|other| other >= lowest).collect();
    let wanted: Vec<i64> = above.into_iter().map(|other| other.saturating_add(1)).collect();
    let at = |number: i64| usize::try_from(number).ok().and_then(|at| wanted.get(at.checked_sub(1)?)).copied();
    let most = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
    let mut raised = |to: Option<i64>| match to {
        Some(to) => raised(trials, &priorities.set(pods.clone(), PriorityChange::AtLeast(to))),
        None => Ok(None),
    };
    if raised(at(most))?.is_none() {
        return Ok(None);
    }
    let enough = least(most, |number| Ok(raised(at(number))?.is_some()))?;
    let (Some(to), Some(victims)) = (at(enough), raised(at(enough))?) else { return Ok(None) };
    let from = if lowest == highest { lowest.to_string() } else { format!("{lowest} to {highest}") };
    let fields = vec![ChangedField { name: "priority".to_owned(), from, to: to.to_string() }];
    let objects = priorities.set(pods, PriorityChange::AtLeast(to));
    Ok(Some(SufficientChange::of(ChangeKind::Priority, trials.case.name.to_owned(), fields, victims, objects)))
}

/// Returns the pods of the job that wait, and their priorities.
fn waiting(trials: &TrialRunner<'_, '_>, priorities: &Priorities<'_>) -> (Vec<Value>, BTreeSet<i64>) {
    let waits: BTreeSet<String> = trials.pods.iter().map(|pod| format!("Pod/{pod}")).collect();
    let pods = trials.case.snapshot.objects.iter().filter(|object| waits.contains(&object.key()));
    let pods: Vec<Value> = pods.filter_map(|object| serde_json::from_str(&object.json()).ok()).collect();
    let own = pods.iter().map(|pod| priorities.of_pod(pod)).collect();
    (pods, own)
}

/// Returns the number of victims with these objects, which replace those of the same key, or are added. `None`: the job does not get in.
fn raised(trials: &mut TrialRunner<'_, '_>, changed: &[Value]) -> Result<Option<usize>, DecideError> {
    let file = Arc::from("what if");
    let read = changed.iter().map(|value| KubernetesObject::from_json(value.clone(), &file));
    let Ok(read) = read.collect::<Result<Vec<KubernetesObject>, _>>() else { return Ok(None) };
    let changed: BTreeMap<String, KubernetesObject> =
        read.into_iter().map(|object| (object.full_key(), object)).collect();
    let mut known = BTreeSet::new();
    let mut stands = |object: &KubernetesObject| {
        let key = object.full_key();
        let stands = changed.get(&key).unwrap_or(object).clone();
        known.insert(key);
        stands
    };
    let mut objects: Vec<KubernetesObject> = trials.case.snapshot.objects.iter().map(&mut stands).collect();
    objects.extend(changed.iter().filter(|(key, _)| !known.contains(*key)).map(|(_, object)| object.clone()));
    trials.is_in(&objects)
}
