//! Reads quantities of resources.

use std::collections::BTreeMap;
use std::fmt::Display;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use lictor_contract::quantity::{QuantityError, Unit, parse};
use serde_json::Value;

use super::subject::{ObjectContext, step};
use crate::cluster::InputError;

/// Amounts by the name of the resource, in the unit of the contract.
pub(crate) type ResourceAmounts = BTreeMap<String, i64>;

/// The largest amount of a resource that a node can have, in the unit of the contract: 1 PiB, or 10^12 cores. Sums of 2,000 such nodes or pods stay
/// within 64 bits.
pub(crate) const MAX_AMOUNT: i64 = 1 << 50;

/// The amount that stands for every request larger than [`MAX_AMOUNT`], also beyond 64 bits: no node has it. The API server accepts such requests, and
/// kube-scheduler leaves the pod pending.
pub(crate) const OVER_MAX_AMOUNT: i64 = MAX_AMOUNT + 1;

/// The resource that stands for all resources without a number. A pod that requests one of them requests 1 of this resource. No object can name it,
/// because [`read`] refuses a second `/`, so no node has it.
pub(crate) const NO_NUMBER: &str = "lictor.dev/resource/unknown";

/// The keys whose mappings contain quantities.
const PLACES: [&str; 6] = ["requests", "limits", "allocatable", "capacity", "overhead", "allocatedResources"];

/// Returns whether a mapping under this key contains quantities.
pub(crate) fn holds_quantities(key: &str) -> bool {
    PLACES.contains(&key)
}

/// Converts quantities written as numbers to texts, which the Kubernetes types require.
pub(crate) fn as_texts(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(as_texts),
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::Object(amounts) if PLACES.contains(&&**key) => amounts.values_mut().for_each(as_text),
                    other => as_texts(other),
                }
            }
        }
        _ => {}
    }
}

/// Converts a quantity written as a number to a text.
pub(super) fn as_text(value: &mut Value) {
    if let Value::Number(number) = value {
        // The text has no exponent, because `1e+20` is not a valid quantity.
        let text = if number.is_f64() { number.as_f64().map(|float| float.to_string()) } else { None };
        *value = Value::String(text.unwrap_or_else(|| number.to_string()));
    }
}

/// Reads a quantity. A quantity beyond 64 bits, which the API server accepts, is `i64::MAX`.
pub(super) fn clamped(text: &str, unit: Unit) -> Result<i64, QuantityError> {
    match parse(text, unit) {
        Err(QuantityError::Overflow(_)) => Ok(i64::MAX),
        read => read,
    }
}

/// Reads a mapping of resources to quantities, each as [`clamped`] does.
pub(super) fn read(
    list: Option<&BTreeMap<String, Quantity>>,
    pointer: impl Display,
    subject: &ObjectContext<'_>,
) -> Result<ResourceAmounts, InputError> {
    let mut amounts = ResourceAmounts::new();
    for (resource, Quantity(text)) in list.into_iter().flatten() {
        let at = || format!("{pointer}{}", step(resource));
        if resource.matches('/').count() > 1 {
            return Err(subject.mistake(&at(), "the name of the resource has more than one `/`", "correct the name"));
        }
        let amount = clamped(text, Unit::of(resource)).map_err(|error| {
            let remedy = match error {
                QuantityError::Negative(_) => "write a quantity of 0 or more",
                _ => "write a quantity such as `2`, `500m` or `4Gi`",
            };
            subject.mistake(&at(), error, remedy)
        })?;
        amounts.insert(resource.clone(), amount);
    }
    Ok(amounts)
}

/// Adds amounts. A sum beyond 64 bits is `i64::MAX`.
pub(super) fn add(sum: &mut ResourceAmounts, more: &ResourceAmounts) {
    for (resource, amount) in more {
        let entry = sum.entry(resource.clone()).or_default();
        *entry = entry.saturating_add(*amount);
    }
}

/// Lowers amounts to at most this.
pub(super) fn lower(amounts: &mut ResourceAmounts, most: i64) {
    amounts.values_mut().for_each(|amount| *amount = (*amount).min(most));
}

/// Raises amounts to at least those of another.
pub(super) fn raise(amounts: &mut ResourceAmounts, to: &ResourceAmounts) {
    for (resource, amount) in to {
        let entry = amounts.entry(resource.clone()).or_default();
        *entry = (*entry).max(*amount);
    }
}
