//! Gangs with other settings than the default: a minimum below the number of members, NonStrict, match policies, groups.

use serde_json::{Value, json};

use crate::build::put;
use crate::generate::CaseGenerator;
use crate::world::{at, tag, text};

const JOB: &str = "pod-group.scheduling.sigs.k8s.io";

/// Varies the PodGroups in some cases. All other parameters are drawn before, so that they stay the same. Returns whether time passes
/// between rounds, so that gangs time out.
pub(super) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) -> bool {
    if !sketch.flag("gangManners", 40) {
        return false;
    }
    let grouped = sketch.flag("gangGroups", 70);
    let mut groups: Vec<&mut Value> = objects.iter_mut().filter(|object| text(object, "/kind") == "PodGroup").collect();
    let names: Vec<String> = groups.iter().map(|group| format!("default/{}", text(group, "/metadata/name"))).collect();
    for group in &mut groups {
        let minimum = at(group, "/spec/minMember").and_then(Value::as_i64).unwrap_or(1);
        let fewer = (minimum - sketch.random.between(0, 2)).max(1);
        put(group, "/spec", "minMember", json!(fewer));
        put(group, "/metadata", "annotations", json!({}));
        let mut set = |key: &str, value: &str| {
            put(group, "/metadata/annotations", &format!("gang.scheduling.koordinator.sh/{key}"), json!(value));
        };
        if let Some(mode) = sketch.random.word(&["NonStrict", "Strict", ""]) {
            set("mode", mode);
        }
        if let Some(policy) = sketch.random.word(&["once-satisfied", "only-waiting", "waiting-and-running", ""]) {
            set("match-policy", policy);
        }
        if grouped && names.len() > 1 {
            set("groups", &json!(names).to_string());
        }
        if sketch.random.chance(50) {
            put(group, "/spec", "scheduleTimeoutSeconds", json!(sketch.random.between(5, 15)));
        }
    }
    let between = sketch.flag("timeoutsBetweenRounds", 40);
    if grouped && sketch.flag("gangsMayPreempt", 60) {
        objects.iter_mut().for_each(enable_preemption);
    }
    between
}

/// Gives the pods of gangs a high priority and the right to preempt, and the quotas more room: so that plans for whole groups are not rare.
fn enable_preemption(object: &mut Value) {
    if text(object, "/kind") == "ElasticQuota" {
        for bound in ["min", "max"] {
            let cpu: i64 = text(object, &format!("/spec/{bound}/cpu")).parse().unwrap_or(0);
            put(object, &format!("/spec/{bound}"), "cpu", json!((cpu + 12).to_string()));
        }
    }
    if tag(object, "labels", JOB).is_some() {
        put(object, "/spec", "priority", json!(9000));
        put(object, "/spec", "preemptionPolicy", json!("PreemptLowerPriority"));
        put(object, "/metadata/labels", "quota.scheduling.koordinator.sh/can-preempt", json!("true"));
    }
}
