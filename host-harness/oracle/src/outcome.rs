//! The outcome of a step, in the format of `lictor test --output json`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::ModelInputError;
use crate::amounts::MilliAmounts;

/// The end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AttemptStatus {
    Scheduled,
    Waiting,
    Nominated,
    Unschedulable,
    Rejected,
}

/// An executed plan: its victims, and the pods that it nominates.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExecutedPlan {
    pub(crate) nominated: BTreeMap<String, String>,
    pub(crate) victims: BTreeSet<String>,
}

/// The outcome of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportedOutcome {
    pub(crate) ended: Option<AttemptStatus>,
    pub(crate) node: Option<String>,
    pub(crate) bound: BTreeMap<String, String>,
    pub(crate) nominated: BTreeMap<String, String>,
    pub(crate) victims: BTreeSet<String>,
    /// The executed plans, in order.
    pub(crate) plans: Vec<ExecutedPlan>,
    pub(crate) eviction: Option<String>,
    pub(crate) waiting: BTreeSet<String>,
    pub(crate) reason: String,
    pub(crate) order: Vec<String>,
    /// All nominations after the step, where they are reported.
    pub(crate) nominations: Option<BTreeMap<String, String>>,
    /// The usage of quotas or queues, where it was requested.
    pub(crate) usage: BTreeMap<String, MilliAmounts>,
}

impl ReportedOutcome {
    /// Reads an outcome.
    pub(crate) fn read(value: &Value) -> Result<ReportedOutcome, ModelInputError> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let ended = match text("result").as_deref() {
            None => None,
            Some("Scheduled") => Some(AttemptStatus::Scheduled),
            Some("Waiting") => Some(AttemptStatus::Waiting),
            Some("Nominated") => Some(AttemptStatus::Nominated),
            Some("Unschedulable") => Some(AttemptStatus::Unschedulable),
            Some("Rejected") => Some(AttemptStatus::Rejected),
            Some(other) => return Err(ModelInputError(format!("unknown result `{other}` of an attempt"))),
        };
        Ok(ReportedOutcome {
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
            usage: usage(value.get("status"))?,
            nominations: value.get("standing").map(|standing| map(Some(standing))),
        })
    }

    /// Returns whether the step changes the cluster.
    pub(crate) fn changes(&self) -> bool {
        !self.bound.is_empty() || !self.nominated.is_empty() || !self.victims.is_empty()
    }
}

/// Reads a map from text to text; empty where the value is no map.
fn map(value: Option<&Value>) -> BTreeMap<String, String> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Reads a list of texts; empty where the value is no list.
fn list(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Reads the plans, in order.
fn plans(value: Option<&Value>) -> Vec<ExecutedPlan> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    let plan = |plan: &Value| ExecutedPlan {
        nominated: map(plan.get("nominated")),
        victims: list(plan.get("victims")).into_iter().collect(),
    };
    entries.map(plan).collect()
}

/// Reads the usage by account; empty for an account without usage.
fn usage(value: Option<&Value>) -> Result<BTreeMap<String, MilliAmounts>, ModelInputError> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries.map(|(name, account)| Ok((name.clone(), MilliAmounts::read(account.get("used"))?))).collect()
}
