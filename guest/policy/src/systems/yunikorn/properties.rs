//! The properties of a queue that concern preemption.

use std::collections::BTreeMap;

use crate::duration;
use crate::model::Policy;

const POLICY: &str = "preemption.policy";
const DELAY: &str = "preemption.delay";
const PRIORITY_POLICY: &str = "priority.policy";
const PRIORITY_OFFSET: &str = "priority.offset";

/// The delay of a leaf that names none, nanoseconds.
const DEFAULT_DELAY: i64 = 30_000_000_000;

/// The policy of a queue with these properties, under a parent whose pods are spared or not.
pub fn policy(properties: &BTreeMap<String, String>, parent_spared: bool, frozen: bool) -> Policy {
    let value = |key: &str| properties.get(key).map(|value| value.to_lowercase());
    let preemption = value(POLICY);
    Policy {
        fenced: preemption.as_deref() == Some("fence"),
        spared: preemption.map_or(parent_spared, |policy| policy == "disabled"),
        frozen,
        delay: properties.get(DELAY).and_then(|text| delay(text)).unwrap_or(DEFAULT_DELAY),
        priority_fenced: value(PRIORITY_POLICY).as_deref() == Some("fence"),
        priority_offset: properties.get(PRIORITY_OFFSET).and_then(|text| text.parse().ok()).unwrap_or(0),
    }
}

/// A delay that counts: longer than nothing.
fn delay(text: &str) -> Option<i64> {
    duration::parse(text).ok().filter(|delay| *delay > 0)
}

/// What its author should know of a property that is not read as it is written, or has no effect.
pub fn complaint(key: &str, value: &str) -> Option<Complaint> {
    let lower = value.to_lowercase();
    let is_one_of = |known: &[&str]| known.contains(&lower.as_str());
    let complaint = |message: String, remedy| Some(Complaint { message, remedy, instead: None });
    match key {
        POLICY if !is_one_of(&["default", "fence", "disabled"]) => complaint(
            format!("`{value}` is no preemption policy: `default` counts"),
            "write default, fence or disabled",
        ),
        PRIORITY_POLICY if !is_one_of(&["default", "fence"]) => {
            complaint(format!("`{value}` is no priority policy: `default` counts"), "write default or fence")
        }
        DELAY if delay(value).is_none() => Some(Complaint {
            message: format!("`{value}` is no duration of more than 0s"),
            remedy: "write a duration such as `1m30s`",
            instead: Some("30s counts"),
        }),
        PRIORITY_OFFSET if value.parse::<i32>().is_err() => {
            complaint(format!("`{value}` is no offset: 0 counts"), "write a whole number of 32 bits")
        }
        POLICY | PRIORITY_POLICY | DELAY | PRIORITY_OFFSET => None,
        "application.sort.policy" if is_one_of(&["", "fifo"]) => None,
        "application.sort.priority" if is_one_of(&["", "enabled"]) => None,
        "application.sort.policy" | "application.sort.priority" => complaint(
            format!("`{value}` is not built: applications are served by priority, then the oldest first"),
            "remove it, or write fifo or enabled",
        ),
        "quota.preemption.delay" if delay(value).is_none() => None,
        "quota.preemption.delay" => complaint(
            format!("`{value}` is not built: nobody is evicted because a maximum was lowered"),
            "remove it, or delete pods until the queue is within its maximum",
        ),
        _ => complaint(format!("there is no property `{key}`"), "correct or remove it"),
    }
}

/// What its author should know of a property.
#[derive(Debug)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
    /// What counts in its place, where there is no good configuration to keep.
    pub instead: Option<&'static str>,
}
