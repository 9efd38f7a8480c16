//! The specification of a PodGroup of Kubernetes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::Finding;
use crate::model::{Gang, KubernetesPodGroup, MatchPolicy};
use crate::systems::pod_group::{count, created};
use crate::systems::{Findings, ParsedObject};

/// The time for which a pod waits at Permit for the rest of its group, in nanoseconds. A host that tries pods one by one needs an end.
const PERMIT_TIMEOUT: i64 = 300_000_000_000;

/// Hard constraints that no law judges.
const UNSUPPORTED_FIELDS: [&str; 3] =
    ["/spec/schedulingConstraints/topology", "/spec/resourceClaims", "/spec/parentCompositePodGroupName"];

/// A group of pods as the PodGroup object specifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubernetesGroupSpec {
    /// The number of pods that are bound together; 1 with the policy `basic`.
    pub minimum: u32,
    /// The creation of the group, in nanoseconds since 1970.
    pub created: Option<i64>,
    /// The name of its PriorityClass.
    pub class: Option<String>,
    /// The priority, if the API server has set it.
    pub priority: Option<i32>,
    /// Whether its pods may preempt. `None`: each pod decides for itself.
    pub may_preempt: Option<bool>,
    is_evicted_whole: bool,
    /// A field with a demand that no law judges, as a JSON pointer.
    pub unsupported_field: Option<&'static str>,
}

impl KubernetesGroupSpec {
    /// Reads a PodGroup. An unusable one is a finding, and so is each field with a demand that no law judges.
    pub fn read(object: &ParsedObject, findings: &mut Findings) -> Option<KubernetesGroupSpec> {
        let demands = |path: &&str| match object.at(path) {
            None => false,
            Some(Value::Array(list)) => !list.is_empty(),
            Some(_) => true,
        };
        let unjudged: Vec<&'static str> = UNSUPPORTED_FIELDS.into_iter().filter(demands).collect();
        for path in &unjudged {
            let message = "no law judges this constraint, so no pod of the group is tried";
            findings.push(object.warning(path, message, "remove the field, or leave the group to another scheduler"));
        }
        let text = |path: &str| object.at(path).and_then(Value::as_str);
        let read = || {
            Ok(KubernetesGroupSpec {
                minimum: minimum(object)?,
                created: created(object),
                class: text("/spec/priorityClassName").filter(|class| !class.is_empty()).map(str::to_owned),
                priority: priority(object)?,
                may_preempt: text("/spec/preemptionPolicy").map(|policy| policy != "Never"),
                is_evicted_whole: is_evicted_whole(object)?,
                unsupported_field: unjudged.first().copied(),
            })
        };
        read().map_err(|finding| findings.push(finding)).ok()
    }

    /// Returns the gang of the group. Running members count. A member that does not fit makes the others give up their nodes.
    pub fn gang(&self) -> Gang {
        Gang {
            minimum: self.minimum,
            timeout: PERMIT_TIMEOUT,
            releases_on_failure: true,
            releases_on_unreserve: true,
            match_policy: MatchPolicy::WaitingAndRunning,
            counts_gated: true,
            group: Vec::new(),
            unsupported_field: self.unsupported_field,
        }
    }

    /// Returns the priority of the group by the values of the PriorityClasses, and whether its pods may preempt. `None`: each pod decides for itself.
    pub fn terms(&self, classes: &BTreeMap<String, i32>) -> (i32, Option<bool>) {
        let class = self.class.as_ref().and_then(|class| match class.as_str() {
            "system-cluster-critical" => Some(2_000_000_000),
            "system-node-critical" => Some(2_000_001_000),
            class => classes.get(class).copied(),
        });
        (self.priority.or(class).unwrap_or(0), self.may_preempt)
    }

    /// Returns the group for the cluster, with this priority.
    pub fn pod_group(&self, priority: i32) -> KubernetesPodGroup {
        KubernetesPodGroup { priority, is_evicted_whole: self.is_evicted_whole }
    }
}

fn minimum(object: &ParsedObject) -> Result<u32, Finding> {
    let path = "/spec/schedulingPolicy";
    let has = |policy: &str| object.at(&format!("{path}/{policy}")).is_some();
    match (has("gang"), has("basic")) {
        (true, false) => {
            let path = "/spec/schedulingPolicy/gang/minCount";
            count(object, path, object.at(path))
        }
        (false, true) => Ok(1),
        _ => Err(object.error(
            path,
            "exactly one of `gang` and `basic` must be set",
            "write `gang: {minCount: 2}` or `basic: {}`",
        )),
    }
}

fn priority(object: &ParsedObject) -> Result<Option<i32>, Finding> {
    let path = "/spec/priority";
    let Some(value) = object.at(path) else { return Ok(None) };
    let priority = value.as_i64().and_then(|value| i32::try_from(value).ok());
    let wrong =
        || object.error(path, format!("`{value}` is not a priority"), "write a whole number of at most 32 bits");
    priority.map(Some).ok_or_else(wrong)
}

/// Reads whether the pods of the group are evicted together: `all`, formerly `PodGroup`; else `single`, formerly `Pod`.
fn is_evicted_whole(object: &ParsedObject) -> Result<bool, Finding> {
    let path = "/spec/disruptionMode";
    let mode = match object.at(path) {
        None => return Ok(false),
        Some(Value::Object(modes)) => modes.keys().next().map(String::as_str).filter(|_| modes.len() == 1),
        Some(other) => other.as_str(),
    };
    match mode {
        Some("all" | "PodGroup") => Ok(true),
        Some("single" | "Pod") => Ok(false),
        _ => Err(object.error(path, "this is not a disruption mode", "write `single: {}` or `all: {}`")),
    }
}
