//! What came of a step, in the words of `lictor test --output json`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::ReadError;
use crate::amounts::Amounts;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ended {
    Scheduled,
    Waiting,
    Nominated,
    Unschedulable,
    Rejected,
}

/// A plan that was carried out: who makes way for whom.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) nominated: BTreeMap<String, String>,
    pub(crate) victims: BTreeSet<String>,
}

/// What came of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    pub(crate) ended: Option<Ended>,
    pub(crate) node: Option<String>,
    pub(crate) bound: BTreeMap<String, String>,
    pub(crate) nominated: BTreeMap<String, String>,
    pub(crate) victims: BTreeSet<String>,
    /// The plans that were carried out, in order.
    pub(crate) plans: Vec<Plan>,
    pub(crate) eviction: Option<String>,
    pub(crate) waiting: BTreeSet<String>,
    pub(crate) reason: String,
    pub(crate) order: Vec<String>,
    /// All nominations that stand after the step, where that is told.
    pub(crate) standing: Option<BTreeMap<String, String>>,
    /// What quotas or queues hold, where it was asked for.
    pub(crate) books: BTreeMap<String, Amounts>,
}

impl Outcome {
    /// Reads one.
    pub(crate) fn read(value: &Value) -> Result<Outcome, ReadError> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let ended = match text("result").as_deref() {
            None => None,
            Some("Scheduled") => Some(Ended::Scheduled),
            Some("Waiting") => Some(Ended::Waiting),
            Some("Nominated") => Some(Ended::Nominated),
            Some("Unschedulable") => Some(Ended::Unschedulable),
            Some("Rejected") => Some(Ended::Rejected),
            Some(other) => return Err(ReadError(format!("an attempt ended with `{other}`"))),
        };
        Ok(Outcome {
            ended,
            node: text("node"),
            bound: map(value.get("bound")),
            nominated: map(value.get("nominated")),
            victims: list(value.get("victims")).into_iter().collect(),
            plans: plans(value.get("plans")),
            eviction: text("eviction"),
            waiting: list(value.get("waiting")).into_iter().collect(),
            reason: text("reason").unwrap_or_default(),
            order: list(value.get("order")),
            books: books(value.get("status"))?,
            standing: value.get("standing").map(|standing| map(Some(standing))),
        })
    }

    /// Whether anything was decided that changes the cluster.
    pub(crate) fn changes(&self) -> bool {
        !self.bound.is_empty() || !self.nominated.is_empty() || !self.victims.is_empty()
    }
}

/// Text by text.
fn map(value: Option<&Value>) -> BTreeMap<String, String> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Texts in order.
fn list(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The plans, in order.
fn plans(value: Option<&Value>) -> Vec<Plan> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    let plan = |plan: &Value| Plan {
        nominated: map(plan.get("nominated")),
        victims: list(plan.get("victims")).into_iter().collect(),
    };
    entries.map(plan).collect()
}

/// What is held by whom; nothing by one that has no books.
fn books(value: Option<&Value>) -> Result<BTreeMap<String, Amounts>, ReadError> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries.map(|(name, book)| Ok((name.clone(), Amounts::read(book.get("used"))?))).collect()
}
