//! The annotations of a Job, which its controller copies to the PodGroup: elastic settings and cooldown time.

use serde_json::Value;

use super::super::keys;
use super::super::reported::ReportedFindings;
use super::WRITE_A_FLAG;
use crate::model::{ElasticSettings, ElasticSizes};
use crate::systems::arguments::duration;
use crate::systems::{Findings, ParsedObject};

/// Reads the time, in nanoseconds, for which the pods of a job are protected from eviction. `None`: absent or invalid.
pub(super) fn read_cooldown(
    object: &ParsedObject,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) -> Option<i64> {
    let length = duration(&Value::from(object.annotation(keys::COOLDOWN)?));
    if length.is_none() {
        let consequence = "is not a duration; the pods of the job may be evicted at any time";
        reported.annotation(object, keys::COOLDOWN, consequence, "write a duration such as `10m`", findings);
    }
    length
}

/// Reads the elastic settings of an object. `None` without the annotation, `Some(None)` if the annotation makes the job not elastic.
pub(super) fn read_elastic(
    object: &ParsedObject,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) -> Option<Option<ElasticSettings>> {
    let elastic = match object.annotation(keys::ELASTIC)? {
        "true" => true,
        "false" => false,
        _ => {
            reported.annotation(object, keys::ELASTIC, "is not `true`; the job is not elastic", WRITE_A_FLAG, findings);
            false
        }
    };
    let powers = match object.annotation(keys::POWER_OF_TWO) {
        Some("true") => true,
        None | Some("false") => false,
        Some(_) => {
            let consequence = "is neither `true` nor `false`; it is ignored";
            reported.annotation(object, keys::POWER_OF_TWO, consequence, WRITE_A_FLAG, findings);
            false
        }
    };
    let factor = object.annotation(keys::FACTOR).map_or(1, |text| {
        text.trim().parse().ok().filter(|factor| *factor > 0).unwrap_or_else(|| {
            let consequence = "is not a factor; 1 is used";
            reported.annotation(object, keys::FACTOR, consequence, "write a whole number of 1 or more", findings);
            1
        })
    });
    let interval = object.annotation(keys::INTERVAL).map_or(0, |text| {
        duration(&Value::from(text)).unwrap_or_else(|| {
            let consequence = "is not a duration; 0s is used";
            reported.annotation(object, keys::INTERVAL, consequence, "write a duration such as `10m`", findings);
            0
        })
    });
    let sizes = if powers { ElasticSizes::PowersOfTwo } else { ElasticSizes::Multiples(factor) };
    Some(elastic.then_some(ElasticSettings { sizes, interval, most: None }))
}
