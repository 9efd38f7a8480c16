//! Reads PodDisruptionBudgets.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::Value;

use super::ObjectIdentity;
use super::labels::selector;
use crate::cluster::InputError;
use crate::cluster::budgets::EvictionBudget;
use crate::cluster::load::DocumentOrigin;

/// The policy of a budget by which pods that are not ready are evicted whatever the budget allows.
const ALWAYS_ALLOW: &str = "AlwaysAllow";

/// Reads a PodDisruptionBudget. A missing number is 0, as the API server has it.
///
/// # Errors
/// A number, the selector or a name has another type, or the selector has an operator or values that cannot be.
pub(crate) fn disruption_budget(
    id: &ObjectIdentity,
    value: &Value,
    origin: &DocumentOrigin,
) -> Result<EvictionBudget, InputError> {
    let subject = &id.subject(origin);
    let field = |pointer: &str| value.pointer(pointer).filter(|value| !value.is_null());
    let number = |pointer: &str| field(pointer).map_or(Ok(0), |value| subject.typed::<i64>(value, pointer));
    let written = field("/spec/selector").map(|value| subject.typed::<LabelSelector>(value, "/spec/selector"));
    let written = written.transpose()?.map(|written| selector(&written, "/spec/selector", subject)).transpose()?;
    let (current, desired) = (number("/status/currentHealthy")?, number("/status/desiredHealthy")?);
    // While the controller of budgets has not seen the newest version, the API server allows no disruption.
    let is_current = number("/metadata/generation")? <= number("/status/observedGeneration")?;
    let allowed = number("/status/disruptionsAllowed")?;
    let disrupted = field("/status/disruptedPods").and_then(Value::as_object);
    let always = field("/spec/unhealthyPodEvictionPolicy").is_some_and(|policy| policy == ALWAYS_ALLOW);
    Ok(EvictionBudget {
        // Of the former `policy/v1beta1`, an empty selector selects no pod.
        selector: written.filter(|selector| !(id.version == "v1beta1" && selector.is_empty())),
        allowed: if is_current { usize::try_from(allowed).unwrap_or(0) } else { 0 },
        disrupted: disrupted.map(|pods| pods.keys().cloned().collect::<BTreeSet<_>>()).unwrap_or_default(),
        evicts_unready: always || desired > 0 && current >= desired,
    })
}
