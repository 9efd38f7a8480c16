//! The least priority with which a job gets in.

use std::collections::BTreeSet;
use std::sync::Arc;

use lictor_host::cluster::Object;
use serde_json::Value;

use super::super::failure::Failure;
use super::bounds::least;
use super::{Change, Field, Kind, Trials};

/// The least priority above its own with which the job gets in: one more than that of some other pod.
pub(super) fn changes(trials: &mut Trials<'_, '_>) -> Result<Option<Change>, Failure> {
    let pods: Vec<(usize, Value)> = waiting(trials);
    let own = pods.iter().map(|(_, pod)| priority(pod));
    let (Some(lowest), Some(highest)) = (own.clone().min(), own.max()) else { return Ok(None) };
    let others = trials.case.snapshot.objects.iter().filter(|object| object.key().starts_with("Pod/"));
    let others = others.filter_map(|object| serde_json::from_str::<Value>(&object.json()).ok());
    let above: BTreeSet<i64> = others.map(|pod| priority(&pod)).filter(|other| *other >= lowest).collect();
    let wanted: Vec<i64> = above.into_iter().map(|other| other.saturating_add(1)).collect();
    let at = |number: i64| usize::try_from(number).ok().and_then(|at| wanted.get(at.checked_sub(1)?)).copied();
    let most = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
    if raised(trials, &pods, at(most))?.is_none() {
        return Ok(None);
    }
    let enough = least(most, |number| Ok(raised(trials, &pods, at(number))?.is_some()))?;
    let (Some(to), Some(victims)) = (at(enough), raised(trials, &pods, at(enough))?) else { return Ok(None) };
    let from = if lowest == highest { lowest.to_string() } else { format!("{lowest} to {highest}") };
    let fields = vec![Field { name: "priority".to_owned(), from, to: to.to_string() }];
    let objects = pods.iter().map(|(_, pod)| with_priority(pod, to)).collect();
    Ok(Some(Change::of(Kind::Priority, trials.case.name.to_owned(), fields, victims, objects)))
}

fn priority(pod: &Value) -> i64 {
    pod.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0)
}

/// The pods of the job that wait, and which of the objects they are.
fn waiting(trials: &Trials<'_, '_>) -> Vec<(usize, Value)> {
    let waits: BTreeSet<String> = trials.pods.iter().map(|pod| format!("Pod/{pod}")).collect();
    let pods = trials.case.snapshot.objects.iter().enumerate().filter(|(_, object)| waits.contains(&object.key()));
    pods.filter_map(|(at, object)| Some((at, serde_json::from_str(&object.json()).ok()?))).collect()
}

/// The number of victims where the pods have at least this priority.
fn raised(trials: &mut Trials<'_, '_>, pods: &[(usize, Value)], to: Option<i64>) -> Result<Option<usize>, Failure> {
    let Some(to) = to else { return Ok(None) };
    let mut objects: Vec<Object> = trials.case.snapshot.objects.to_vec();
    for (at, pod) in pods {
        let pod = with_priority(pod, to);
        let Ok(changed) = Object::from_json(pod, &Arc::from("what if")) else { return Ok(None) };
        objects.get_mut(*at).into_iter().for_each(|object| *object = changed.clone());
    }
    trials.is_in(&objects)
}

/// A pod with at least this priority.
fn with_priority(pod: &Value, to: i64) -> Value {
    let mut pod = pod.clone();
    if let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) {
        let own = spec.get("priority").and_then(Value::as_i64).unwrap_or(0);
        spec.insert("priority".to_owned(), to.max(own).into());
        spec.remove("priorityClassName");
    }
    pod
}
