//! Koordinator's words: the labels of its pods, its quotas, its gangs.

use std::collections::BTreeMap;

use serde_json::json;

use super::{PodBuilder, object};
use crate::contract::Object;

pub const ROOT: &str = "koordinator-root-quota";
pub const DEFAULT: &str = "koordinator-default-quota";
pub const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
pub const PARENT: &str = "quota.scheduling.koordinator.sh/parent";
pub const PREEMPTIBLE: &str = "quota.scheduling.koordinator.sh/preemptible";
pub const CAN_PREEMPT: &str = "quota.scheduling.koordinator.sh/can-preempt";
pub const OPT_OUT: &str = "scheduling.koordinator.sh/disable-preemptible";
pub const SOFT_EVICTION: &str = "scheduling.koordinator.sh/soft-eviction";
pub const JOB: &str = "pod-group.scheduling.sigs.k8s.io";
pub const INSIDE: &str = "scheduling.koordinator.sh/reservation-allocated";

impl PodBuilder {
    /// Sets the quota of the pod.
    pub fn quota(self, name: &str) -> PodBuilder {
        self.label(QUOTA, name)
    }

    /// Sets the job of the pod, and the gang of that name.
    pub fn job(self, name: &str) -> PodBuilder {
        self.label(JOB, name)
    }

    pub fn preemptible(self, value: bool) -> PodBuilder {
        self.label(PREEMPTIBLE, if value { "true" } else { "false" })
    }
}

fn list(text: &str) -> BTreeMap<&str, &str> {
    text.split_whitespace().map(|part| part.split_once('=').unwrap()).collect()
}

/// Creates an ElasticQuota of namespace `quotas`.
pub fn quota(name: &str, parent: &str, min: &str, max: &str) -> Object {
    let body = json!({"spec": {"min": list(min), "max": list(max)}});
    object("ElasticQuota", &format!("quotas/{name}"), [&[(PARENT, parent)], &[]], body)
}

/// Creates a PodGroup of namespace `default`.
pub fn pod_group(name: &str, minimum: u32, annotations: &[(&str, &str)]) -> Object {
    object("PodGroup", &format!("default/{name}"), [&[], annotations], json!({"spec": {"minMember": minimum}}))
}
