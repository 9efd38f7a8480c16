//! The question to a judge, and its answer: one line of JSON each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question: what upstream decides for a pod.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// The present, in RFC 3339.
    pub now: String,
    /// The cluster, in the order in which its objects came.
    pub objects: Vec<Value>,
    /// The arguments of the system.
    pub arguments: Value,
    /// The pod, `namespace/name`.
    pub pod: String,
}

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Why upstream makes no attempt for the pod.
    #[serde(default)]
    pub untried: Option<String>,
    /// The nodes that the pod may be bound to.
    pub feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub nominated: bool,
    /// Why the other nodes are refused.
    pub refused: BTreeMap<String, Refusal>,
    /// The error that ends the attempt, or the dry run on a node.
    #[serde(default)]
    pub failed: Option<String>,
    /// Why the pod may not preempt.
    #[serde(default)]
    pub ineligible: Option<String>,
    /// A plan for each node on which preemption helps.
    pub plans: Vec<Plan>,
    /// The nodes of the best plans, which are equal by upstream's criteria.
    pub best: Vec<String>,
    /// Whether the nomination of the pod stays where there is no plan.
    pub keeps_nomination: bool,
    /// The pods that lose their nomination by the plan for a node.
    #[serde(default)]
    pub clears: BTreeMap<String, Vec<String>>,
}

impl Answer {
    /// Reads the answer to the question of this number. `None`: it is a late one to an earlier question.
    ///
    /// # Errors
    /// The judge has no answer, and says why, or the line is none.
    pub(crate) fn read(line: &str, number: u64) -> Result<Option<Answer>, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match value.get("id").and_then(Value::as_u64) {
            Some(id) if id < number => return Ok(None),
            Some(id) if id == number => {}
            _ => return Err(format!("the question has number {number}")),
        }
        if let Some(error) = value.get("error").and_then(Value::as_str) {
            return Err(error.to_owned());
        }
        serde_json::from_value(value).map(Some).map_err(|error| error.to_string())
    }
}

/// Why a node is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Refusal {
    /// The code of the status, such as `Unschedulable`.
    pub code: String,
    /// The plugin that refuses.
    pub plugin: String,
    /// Its message.
    pub reason: String,
}

/// A plan of preemption on one node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Plan {
    /// The node; empty in an alternative, which is for the same node.
    pub node: String,
    /// The pods that are evicted, `namespace/name`, sorted.
    pub victims: Vec<String>,
    /// The number of victims that violate a disruption budget.
    pub violations: u64,
    /// Whether upstream chooses this plan, under some order of equal pods.
    pub possible: bool,
    /// The plans for this node where equal pods come in another order.
    pub alternatives: Vec<Plan>,
}
