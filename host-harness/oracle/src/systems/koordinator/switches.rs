//! The pods that may preempt and the pods that may be victims, by labels and the arguments of the plugin.

use super::books;
use crate::case::FuzzCase;
use crate::world::{ModelCluster, ModelPod};

const CLASS: &str = "quota.scheduling.koordinator.sh/preemptible";
const OPTED_OUT: &str = "scheduling.koordinator.sh/disable-preemptible";
const TRIGGER: &str = "quota.scheduling.koordinator.sh/can-preempt";

/// The switches of the plugin.
#[derive(Debug, Clone, Copy)]
pub(super) struct PluginSettings {
    unlabelled_stays: bool,
    only_labelled_trigger: bool,
    pub(super) deletes: bool,
    /// The quotas above a pod's own bound it, too.
    pub(super) checks_parents: bool,
    protects_default_quota: bool,
}

impl PluginSettings {
    pub(super) fn of(case: &FuzzCase) -> PluginSettings {
        let on = |name: &str| case.args.get(name).and_then(serde_json::Value::as_bool).unwrap_or(false);
        PluginSettings {
            unlabelled_stays: on("disableDefaultPreemptiable"),
            only_labelled_trigger: on("disableDefaultTriggerPreemption"),
            deletes: on("podShouldBeDeletedWhenPreempted"),
            checks_parents: on("enableCheckParentQuota"),
            protects_default_quota: on("disableDefaultQuotaPreemption"),
        }
    }

    /// Returns the same switches, except that the quotas above a pod's own bound it, too.
    pub(super) fn checking_parents(self) -> PluginSettings {
        PluginSettings { checks_parents: true, ..self }
    }

    /// Returns whether a pod is non-preemptible: labelled so, or not labelled where that means the same.
    pub(super) fn is_non_preemptible(self, pod: &ModelPod) -> bool {
        match pod.label(CLASS) {
            Some(label) => label == "false",
            None => self.unlabelled_stays,
        }
    }

    /// Checks whether a pod is never evicted: it is non-preemptible, it opted out, or it is of the default quota where that is protected.
    pub(super) fn is_safe(self, world: &ModelCluster, pod: &ModelPod) -> bool {
        self.is_non_preemptible(pod)
            || pod.label(OPTED_OUT) == Some("true")
            || self.protects_default_quota && books::is_of_default_quota(world, pod)
    }

    /// Returns whether the pod may trigger a preemption.
    pub(super) fn triggers(self, pod: &ModelPod) -> bool {
        if pod.is_reservation() {
            return pod.label("scheduling.koordinator.sh/can-preempt") == Some("true");
        }
        match pod.label(TRIGGER) {
            _ if pod.restrictions.never_preempts => false,
            Some(label) => label == "true" || label != "false" && !self.only_labelled_trigger,
            None => !self.only_labelled_trigger,
        }
    }
}

/// Returns the priority that counts. For a reservation, a label holds the priority.
pub(super) fn priority(pod: &ModelPod) -> i64 {
    if !pod.is_reservation() {
        return pod.priority;
    }
    pod.label("koordinator.sh/priority").and_then(|text| text.parse().ok()).unwrap_or(i64::from(i32::MAX))
}
