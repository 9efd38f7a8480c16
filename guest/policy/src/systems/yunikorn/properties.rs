//! The properties of a queue that concern preemption.

use std::collections::BTreeMap;

use crate::duration;
use crate::model::QueuePreemptionPolicy;

const POLICY: &str = "preemption.policy";
const DELAY: &str = "preemption.delay";
const PRIORITY_POLICY: &str = "priority.policy";
const PRIORITY_OFFSET: &str = "priority.offset";

const QUOTA_DELAY: &str = "quota.preemption.delay";

/// The delay of a leaf without the property, in nanoseconds.
const DEFAULT_DELAY: i64 = 30_000_000_000;

/// Returns the policy of a queue with these properties, below a parent with this policy. Inherited are the protection of pods, whether preemption is
/// off, whether quota preemption is on, and the quota delay.
pub fn policy(properties: &BTreeMap<String, String>, parent: &QueuePreemptionPolicy) -> QueuePreemptionPolicy {
    let value = |key: &str| properties.get(key).map(|value| value.to_lowercase());
    let preemption = value(POLICY);
    QueuePreemptionPolicy {
        fenced: preemption.as_deref() == Some("fence"),
        protects_pods: preemption.map_or(parent.protects_pods, |policy| policy == "disabled"),
        preempts_nothing: parent.preempts_nothing,
        delay: properties.get(DELAY).and_then(|text| delay(text)).unwrap_or(DEFAULT_DELAY),
        priority_fenced: value(PRIORITY_POLICY).as_deref() == Some("fence"),
        priority_offset: properties.get(PRIORITY_OFFSET).and_then(|text| text.parse().ok()).unwrap_or(0),
        quota_preemption: parent.quota_preemption,
        quota_delay: properties.get(QUOTA_DELAY).map_or(parent.quota_delay, |text| quota_delay(text).unwrap_or(0)),
    }
}

/// Parses the time for which a queue may use more than its maximum, in nanoseconds; 0: forever.
fn quota_delay(text: &str) -> Option<i64> {
    duration::parse(text).ok().map(|delay| delay.max(0))
}

/// Parses a delay, in nanoseconds. Only delays above 0 are valid.
fn delay(text: &str) -> Option<i64> {
    duration::parse(text).ok().filter(|delay| *delay > 0)
}

/// Returns whether a property has an effect on a queue: the policy has none on the root, and the delay only on queues that take pods.
pub fn has_effect(key: &str, is_root: bool, takes_pods: bool) -> bool {
    match key {
        POLICY => !is_root,
        DELAY => takes_pods,
        _ => true,
    }
}

/// Checks a property. Returns a problem if its value is invalid or has no effect; `None`: there is no problem.
pub fn check(key: &str, value: &str) -> Option<PropertyProblem> {
    let lower = value.to_lowercase();
    let is_one_of = |known: &[&str]| known.contains(&lower.as_str());
    let problem = |message: String, remedy| Some(PropertyProblem { message, remedy });
    match key {
        POLICY if !is_one_of(&["default", "fence", "disabled"]) => problem(
            format!("`{value}` is not a preemption policy: `default` is used"),
            "write default, fence or disabled",
        ),
        PRIORITY_POLICY if !is_one_of(&["default", "fence"]) => {
            problem(format!("`{value}` is not a priority policy: `default` is used"), "write default or fence")
        }
        DELAY if delay(value).is_none() => {
            problem(format!("`{value}` is not a duration above 0s: 30s is used"), "write a duration such as `1m30s`")
        }
        PRIORITY_OFFSET if value.parse::<i32>().is_err() => {
            problem(format!("`{value}` is not an offset: 0 is used"), "write a whole number of at most 32 bits")
        }
        POLICY | PRIORITY_POLICY | DELAY | PRIORITY_OFFSET => None,
        "application.sort.policy" if is_one_of(&["", "fifo"]) => None,
        "application.sort.priority" if is_one_of(&["", "enabled"]) => None,
        "application.sort.policy" | "application.sort.priority" => problem(
            format!("`{value}` is not supported: applications are ordered by priority, then by age"),
            "remove it, or write fifo (policy) or enabled (priority)",
        ),
        QUOTA_DELAY if quota_delay(value).is_none() => problem(
            format!("`{value}` is not a duration: the queue gives back nothing when its maximum is lowered"),
            "write a duration such as `5m`, or 0s",
        ),
        QUOTA_DELAY => None,
        _ => problem(format!("there is no property `{key}`"), "correct the name, or remove the property"),
    }
}

/// A problem with a property, for its author.
#[derive(Debug)]
pub struct PropertyProblem {
    /// The problem, as a sentence.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}
