//! Reads the constraints of a pod on its node.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Toleration as Written};

use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::eligibility::{
    Constraints, Effect, LabelRequirement, LabelTest, NameTest, NodeTerm, PodToleration, ValueTest,
};

/// Reads the constraints of a pod. `pointer` is the JSON pointer of its `spec`.
pub(super) fn read(spec: &PodSpec, pointer: &str, subject: &ObjectContext<'_>) -> Result<Constraints, InputError> {
    let selector = spec
        .node_selector
        .iter()
        .flatten()
        .map(|(key, value)| LabelRequirement { key: key.clone(), test: LabelTest::In([value.clone()].into()) });
    let required = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| affinity.required_during_scheduling_ignored_during_execution.as_ref());
    let at = format!("{pointer}/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    let mut tolerations = BTreeSet::new();
    for (index, written) in spec.tolerations.iter().flatten().enumerate() {
        tolerations.extend(toleration(written, &format!("{pointer}/tolerations/{index}"), subject)?);
    }
    let affinity = required.map(|required| terms(&required.node_selector_terms, &at, subject)).transpose()?;
    let claims = spec.resource_claims.iter().flatten().map(|claim| claim.name.clone());
    Ok(Constraints {
        selector: selector.collect(),
        affinity,
        tolerations,
        volume_demands: BTreeSet::new(),
        resource_claims: claims.collect(),
    })
}

/// Reads the terms of a node selector. `pointer` is the JSON pointer of the selector.
pub(super) fn terms(
    terms: &[NodeSelectorTerm],
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<BTreeSet<NodeTerm>, InputError> {
    let at = |index| format!("{pointer}/nodeSelectorTerms/{index}");
    terms.iter().enumerate().map(|(index, written)| term(written, &at(index), subject)).collect()
}

fn term(written: &NodeSelectorTerm, pointer: &str, subject: &ObjectContext<'_>) -> Result<NodeTerm, InputError> {
    let mut term = NodeTerm::default();
    for (index, requirement) in written.match_expressions.iter().flatten().enumerate() {
        term.labels.insert(expression(requirement, &format!("{pointer}/matchExpressions/{index}"), subject)?);
    }
    for (index, requirement) in written.match_fields.iter().flatten().enumerate() {
        term.names.insert(field(requirement, &format!("{pointer}/matchFields/{index}"), subject)?);
    }
    Ok(term)
}

pub(super) fn expression(
    written: &NodeSelectorRequirement,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<LabelRequirement, InputError> {
    let values = written.values.as_deref().unwrap_or_default();
    let at_values = format!("{pointer}/values");
    let some = || match values {
        [] => Err(subject.mistake(&at_values, "is empty", "write the values to compare with")),
        _ => Ok(values.iter().cloned().collect()),
    };
    let none = |test| match values {
        [] => Ok(test),
        _ => {
            Err(subject.mistake(&at_values, "the operator takes no values", "remove the values or change the operator"))
        }
    };
    let number = || match values {
        [value] => whole(value, &format!("{at_values}/0"), subject),
        _ => Err(subject.mistake(&at_values, "the operator takes exactly one value", "write one whole number")),
    };
    if written.key.is_empty() {
        return Err(subject.mistake(&format!("{pointer}/key"), "is missing", "write the key of a label"));
    }
    let test = match &*written.operator {
        "In" => LabelTest::In(some()?),
        "NotIn" => LabelTest::NotIn(some()?),
        "Exists" => none(LabelTest::Exists)?,
        "DoesNotExist" => none(LabelTest::DoesNotExist)?,
        "Gt" => LabelTest::Greater(number()?),
        "Lt" => LabelTest::Less(number()?),
        other => {
            let remedy = "write In, NotIn, Exists, DoesNotExist, Gt or Lt";
            return Err(unknown_operator(other, pointer, remedy, subject));
        }
    };
    Ok(LabelRequirement { key: written.key.clone(), test })
}

fn field(
    written: &NodeSelectorRequirement,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<NameTest, InputError> {
    if written.key != "metadata.name" {
        let what = format_args!("`{}` is not a selectable field", written.key).to_string();
        return Err(subject.mistake(&format!("{pointer}/key"), what, "write metadata.name"));
    }
    let [name] = written.values.as_deref().unwrap_or_default() else {
        let at = format!("{pointer}/values");
        return Err(subject.mistake(
            &at,
            "the list must have exactly one name",
            "write one name, and one term for each node",
        ));
    };
    match &*written.operator {
        "In" => Ok(NameTest::Is(name.clone())),
        "NotIn" => Ok(NameTest::IsNot(name.clone())),
        other => Err(unknown_operator(other, pointer, "write In or NotIn", subject)),
    }
}

/// Reads a toleration. `None`: its effect is `PreferNoSchedule`, which excludes no pod.
fn toleration(
    written: &Written,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Option<PodToleration>, InputError> {
    let effect = match written.effect.as_deref().unwrap_or_default() {
        "" => None,
        text => match effect(text, &format!("{pointer}/effect"), subject)? {
            None => return Ok(None),
            some => some,
        },
    };
    let value = written.value.as_deref().unwrap_or_default();
    let number = || whole(value, &format!("{pointer}/value"), subject);
    let test = match written.operator.as_deref().unwrap_or_default() {
        "" | "Equal" => ValueTest::Equal(value.to_owned()),
        "Exists" => ValueTest::Exists,
        "Lt" => ValueTest::Less(number()?),
        "Gt" => ValueTest::Greater(number()?),
        other => return Err(unknown_operator(other, pointer, "write Equal, Exists, Lt or Gt", subject)),
    };
    Ok(Some(PodToleration { key: written.key.clone().filter(|key| !key.is_empty()), test, effect }))
}

/// Reads the effect of a taint. `None`: the effect is `PreferNoSchedule`, which excludes no pod.
pub(super) fn effect(text: &str, pointer: &str, subject: &ObjectContext<'_>) -> Result<Option<Effect>, InputError> {
    match text {
        "NoSchedule" => Ok(Some(Effect::NoSchedule)),
        "NoExecute" => Ok(Some(Effect::NoExecute)),
        "PreferNoSchedule" => Ok(None),
        other => {
            let what = format_args!("`{other}` is not an effect of a taint").to_string();
            Err(subject.mistake(pointer, what, "write NoSchedule, NoExecute or PreferNoSchedule"))
        }
    }
}

fn whole(text: &str, pointer: &str, subject: &ObjectContext<'_>) -> Result<i64, InputError> {
    let what = || format!("`{text}` is not a whole number");
    text.parse().map_err(|_| subject.mistake(pointer, what(), "write a whole number in quotes"))
}

pub(super) fn unknown_operator(operator: &str, pointer: &str, remedy: &str, subject: &ObjectContext<'_>) -> InputError {
    subject.mistake(&format!("{pointer}/operator"), format_args!("`{operator}` is not a valid operator"), remedy)
}
