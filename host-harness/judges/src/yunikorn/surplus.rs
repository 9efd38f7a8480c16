//! What queues give back that hold more than a lowered maximum.
//!
//! The judge takes every delay as over, so the queues whose delay is not over yet have none in the question, which means that they keep what
//! they hold. Configurations are read as JSON, as cases write them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::answer::{Amounts, JudgedAttempt, YunikornResponse};
use crate::departure::AttemptComparison;
use crate::object::{is_terminating, list, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};

/// A queue with a maximum of cpu.
struct Bounded {
    path: String,
    max: i64,
    /// How long it may hold more, in seconds; 0: forever.
    delay: i64,
}

/// The queues over their maximum, and since when, in seconds from the first step.
#[derive(Debug, Default)]
pub(crate) struct OverMaximumQueues(BTreeMap<String, i64>);

impl OverMaximumQueues {
    /// Looks at the cluster before a step.
    pub(crate) fn observe(&mut self, objects: &[Value], now: i64) {
        let over = bounded(objects).into_iter().filter(|queue| used(objects, &queue.path, true) > queue.max);
        let over: BTreeSet<String> = over.map(|queue| queue.path).collect();
        self.0.retain(|path, _| over.contains(path));
        for path in over {
            self.0.entry(path).or_insert(now);
        }
    }

    /// Returns the queues that give back at this time.
    fn expired(&self, objects: &[Value], now: i64) -> BTreeSet<String> {
        let is_due = |queue: &Bounded| {
            let waited = self.0.get(&queue.path).is_some_and(|since| now - since >= queue.delay);
            queue.delay > 0 && waited && used(objects, &queue.path, false) > queue.max
        };
        bounded(objects).into_iter().filter(is_due).map(|queue| queue.path).collect()
    }
}

/// Compares what queues give back at a time, in a cluster where no pod waits. `is_sure`: the policy was asked in any case. None: nothing is
/// compared.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(
    mut question: JudgeRequest,
    outcome: &Value,
    (overages, now, is_sure): (&OverMaximumQueues, i64, bool),
    ask: &mut JudgeClient<'_>,
) -> Result<Option<AttemptComparison>, TrialError> {
    let mut victims = list(outcome, "victims");
    let waits = |pod: &Value| text(pod, "/spec/nodeName").is_empty();
    if partition(&question.objects).is_none() || pods(&question.objects).any(waits) {
        return Ok(None);
    }
    if has_queues_on_demand(&question.objects) {
        return Ok(Some(AttemptComparison::NotCompared("queues on demand are over their maximum")));
    }
    let due = overages.expired(&question.objects, now);
    // The policy asks to be asked when a delay ends; otherwise it may not have been.
    if victims.is_empty() && due.is_empty() && !is_sure {
        return Ok(None);
    }
    question.objects.iter_mut().for_each(|object| end_delays(object, &due));
    let answer: Box<JudgedAttempt> = match ask.request(&question)? {
        YunikornResponse::Judged(answer) => answer,
        YunikornResponse::NotJudged { .. } => {
            return Ok(Some(AttemptComparison::NotCompared("constraints that the judge does not look at")));
        }
    };
    victims.sort();
    let upstream = &answer.decision.victims;
    Ok(Some(match equivalence_keys(&answer, &victims) == equivalence_keys(&answer, upstream) {
        true => AttemptComparison::Same,
        false if due.iter().any(|path| is_parent(&question.objects, path)) => AttemptComparison::Ruled(vec!["Q4"]),
        false => AttemptComparison::Differs(UpstreamDifference {
            kind: "upstream/surplus",
            text: format!("the queues {due:?} are due: the policy evicts {victims:?}; upstream evicts {upstream:?}"),
        }),
    }))
}

/// Returns what upstream tells pods apart by, of each: it takes any of equal ones.
fn equivalence_keys<'a>(answer: &'a JudgedAttempt, names: &[String]) -> Vec<(&'a str, i64, bool, bool, &'a Amounts)> {
    let known = names.iter().filter_map(|name| answer.pods.get(name));
    let mut all: Vec<_> =
        known.map(|pod| (pod.app.as_str(), pod.priority, pod.opted_out, pod.originator, &pod.uses)).collect();
    all.sort();
    all
}

/// Returns the partition of the configuration.
fn partition(objects: &[Value]) -> Option<Value> {
    let is_it = |object: &&Value| text(object, "/metadata/name") == "yunikorn-configs";
    let written = objects.iter().find(is_it)?.pointer("/data/queues.yaml")?.as_str()?;
    let config: Value = serde_json::from_str(written).ok()?;
    config.pointer("/partitions/0").cloned()
}

/// Returns the queues with a maximum, where queues give back at all.
fn bounded(objects: &[Value]) -> Vec<Bounded> {
    let mut found = Vec::new();
    let partition = partition(objects).unwrap_or_default();
    if partition.pointer("/preemption/quotapreemptionenabled") == Some(&Value::Bool(true)) {
        children(&partition).for_each(|queue| collect(queue, "", 0, &mut found));
    }
    found
}

/// Adds a queue and those below it.
fn collect(queue: &Value, parent: &str, inherited: i64, found: &mut Vec<Bounded>) {
    let path = below(parent, queue);
    let delay = text(queue, "/properties/quota.preemption.delay").trim_end_matches('s').parse().unwrap_or(inherited);
    if let Ok(max) = text(queue, "/resources/max/vcore").parse() {
        found.push(Bounded { path: path.clone(), max, delay });
    }
    children(queue).for_each(|child| collect(child, &path, delay, found));
}

/// Returns the path of a queue.
fn below(parent: &str, queue: &Value) -> String {
    let name = text(queue, "/name");
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// Returns the queues of a partition, or below a queue.
fn children(of: &Value) -> impl Iterator<Item = &Value> {
    of.get("queues").and_then(Value::as_array).into_iter().flatten()
}

/// Returns whether a queue of this path is, or is above, a queue that the other path names.
fn is_below(path: &str, queue: &str) -> bool {
    path.strip_prefix(queue).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the cpu that a queue uses, optionally with what is leaving.
fn used(objects: &[Value], path: &str, with_leaving: bool) -> i64 {
    let of_it = pods(objects).filter(|pod| is_below(text(pod, "/metadata/labels/queue"), path));
    let there = of_it.filter(|pod| !text(pod, "/spec/nodeName").is_empty() && (with_leaving || !is_terminating(pod)));
    there.filter_map(|pod| text(pod, "/spec/containers/0/resources/requests/cpu").parse::<i64>().ok()).sum()
}

/// Returns whether pods are in queues that are made on demand: these have the maximum of a template.
fn has_queues_on_demand(objects: &[Value]) -> bool {
    pods(objects).any(|pod| text(pod, "/metadata/labels/queue").starts_with("root.demand."))
}

/// Returns whether pods of queues below a queue use it.
fn is_parent(objects: &[Value], path: &str) -> bool {
    let queues = pods(objects).map(|pod| text(pod, "/metadata/labels/queue"));
    queues.into_iter().any(|queue| queue != path && is_below(queue, path))
}

/// Gives the queues that are due a delay of 1 s, which the judge takes as over, and all other queues none, so that they give nothing back.
fn end_delays(object: &mut Value, due: &BTreeSet<String>) {
    let Some(written) = object.pointer_mut("/data/queues.yaml") else { return };
    let Some(mut config) = written.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return };
    let top = config.pointer_mut("/partitions/0/queues").and_then(Value::as_array_mut);
    top.into_iter().flatten().for_each(|queue| end_delays_below(queue, "", due));
    *written = json!(config.to_string());
}

/// Sets the delay of a queue and of those below it, as [`end_delays`] does.
fn end_delays_below(queue: &mut Value, parent: &str, due: &BTreeSet<String>) {
    let path = below(parent, queue);
    let delay = json!(if due.contains(&path) { "1s" } else { "0s" });
    if let Some(fields) = queue.as_object_mut() {
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("quota.preemption.delay".to_owned(), delay);
        }
    }
    let children = queue.get_mut("queues").and_then(Value::as_array_mut);
    children.into_iter().flatten().for_each(|child| end_delays_below(child, &path, due));
}
