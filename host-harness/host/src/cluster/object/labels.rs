//! Reads selectors of labels.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::NodeSelectorRequirement;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use super::constraints::{self, unknown_operator};
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::eligibility::{LabelRequirement, LabelTest};

/// Reads a selector of labels: all of its requirements must hold.
pub(super) fn selector(
    written: &LabelSelector,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<BTreeSet<LabelRequirement>, InputError> {
    let labels = written.match_labels.iter().flatten();
    let mut requirements: BTreeSet<LabelRequirement> =
        labels.map(|(key, value)| one_of(key, [value.clone()])).collect();
    for (index, written) in written.match_expressions.iter().flatten().enumerate() {
        let at = format!("{pointer}/matchExpressions/{index}");
        let LabelSelectorRequirement { key, operator, values } = written.clone();
        if !matches!(&*operator, "In" | "NotIn" | "Exists" | "DoesNotExist") {
            return Err(unknown_operator(&operator, &at, "write In, NotIn, Exists or DoesNotExist", subject));
        }
        let same = NodeSelectorRequirement { key, operator, values };
        requirements.insert(constraints::expression(&same, &at, subject)?);
    }
    Ok(requirements)
}

/// Returns the requirement that a label has one of these values.
pub(super) fn one_of(key: &str, values: impl IntoIterator<Item = String>) -> LabelRequirement {
    LabelRequirement { key: key.to_owned(), test: LabelTest::In(values.into_iter().collect()) }
}
