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

/// What its author should know of a property that is not read as it is written, and what to do.
pub fn complaint(key: &str, value: &str) -> Option<(String, &'static str)> {
    let lower = value.to_lowercase();
    match key {
        POLICY if !["default", "fence", "disabled"].contains(&lower.as_str()) => {
            Some((format!("`{value}` is no preemption policy: `default` counts"), "write default, fence or disabled"))
        }
        PRIORITY_POLICY if !["default", "fence"].contains(&lower.as_str()) => {
            Some((format!("`{value}` is no priority policy: `default` counts"), "write default or fence"))
        }
        DELAY if delay(value).is_none() => {
            Some((format!("`{value}` is no duration of more than 0s: 30s counts"), "write a duration such as `1m30s`"))
        }
        PRIORITY_OFFSET if value.parse::<i32>().is_err() => {
            Some((format!("`{value}` is no offset: 0 counts"), "write a whole number of 32 bits"))
        }
        _ => None,
    }
}
