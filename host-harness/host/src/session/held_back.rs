//! Pending pods that are not tried: those with scheduling gates, and those of other schedulers.

use std::collections::BTreeMap;

use lictor_contract::Pod;

use super::Session;
use crate::reason::{self, NamedFact, NamedFactValue, NamedReason};
use crate::verify;

impl Session {
    /// Returns the pending pods that are not tried, by name, each with the reason: scheduling gates, or another scheduler.
    pub fn not_scheduled(&self) -> BTreeMap<String, NamedReason> {
        let why = |pod: &Pod| Some((self.pod_name(pod.id), self.reason_not_scheduled(pod)?));
        self.mirror.pods().filter_map(why).collect()
    }

    /// Returns why a pending pod is not tried. `None`: the pod is tried, or is not pending.
    pub(super) fn reason_not_scheduled(&self, pod: &Pod) -> Option<NamedReason> {
        let say = |code, name: &str, text: String| {
            reason::render(code, "", vec![NamedFact { name: name.to_owned(), value: NamedFactValue::Name(text) }])
        };
        match (verify::is_waiting(&pod.status()), pod.gated, pod.template.foreign) {
            (true, _, true) => Some(say("host/other-scheduler", "scheduler", pod.template.scheduler.clone())),
            (true, true, false) => Some(say("host/gated", "gates", self.mirror.gates(pod.id).join(", "))),
            _ => None,
        }
    }
}
