//! What a PodGroup demands of its parts, and of the network between its pods (`spec.networkTopology`, HyperNodes).

use serde_json::Value;

use crate::systems::Findings;
use crate::systems::ParsedObject;
use crate::systems::volcano::reported::ReportedFindings;

/// The field of a PodGroup that demands how near all its pods must be to each other.
const WHOLE: &str = "/spec/networkTopology";
const PARTS: &str = "/spec/subGroupPolicy";

/// Returns the field that demands nearness, where the demand is hard; no law judges it. `hard` is upstream's default of the mode. A soft
/// demand is a preference: it is a finding, and nothing more.
pub(super) fn unsupported_topology(
    object: &ParsedObject,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) -> Option<&'static str> {
    let parts = object.at(PARTS).and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(|part| part.get("networkTopology")).map(|topology| (PARTS, topology));
    let mut hard = None;
    for (field, topology) in object.at(WHOLE).map(|topology| (WHOLE, topology)).into_iter().chain(parts) {
        let is_soft = topology.get("mode").and_then(Value::as_str) == Some("soft");
        let (message, remedy) = match is_soft {
            true => {
                ("no law judges the network: the pods are placed as if the field were not there", "remove the field")
            }
            false => (
                "no law judges this constraint, so no pod of the group is tried",
                "write mode `soft`, remove the field, or leave the group to another scheduler",
            ),
        };
        reported.warn(object, field, message.to_owned(), remedy, findings);
        hard = hard.or((!is_soft).then_some(field));
    }
    hard.or(unsupported_parts(object, reported, findings))
}

/// Returns the field that demands parts of a size, or a number of them: a gang of gangs, which no law judges (ruling 2.18).
fn unsupported_parts(
    object: &ParsedObject,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) -> Option<&'static str> {
    let parts = object.at(PARTS).and_then(Value::as_array)?;
    let demands = |part: &Value, field: &str| part.get(field).and_then(Value::as_i64).is_some_and(|count| count > 0);
    let is_hard = |part: &Value| demands(part, "subGroupSize") || demands(part, "minSubGroups");
    if !parts.iter().any(is_hard) {
        return None;
    }
    let message = "no law judges the size and the number of subgroups, so no pod of the group is tried";
    let remedy = "write `minTaskMember`, or one PodGroup for each subgroup, or leave the group to another scheduler";
    reported.warn(object, PARTS, message.to_owned(), remedy, findings);
    Some(PARTS)
}
