//! What came of earlier attempts, which no object shows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::object::{is_rejected_early, list, text, texts};

/// The memory of a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptHistory {
    /// The pods whose last attempt found neither a node nor a plan. That a pod was turned away, as its gang has failed, is no attempt.
    pub failed: BTreeSet<String>,
    /// The victims of the last plan for each pod.
    pub plans: BTreeMap<String, BTreeSet<String>>,
}

impl AttemptHistory {
    /// Remembers what came of an attempt.
    pub(crate) fn remember(&mut self, pod: &str, outcome: &Value) {
        let is_in_vain = matches!(text(outcome, "/result"), "Unschedulable" | "Rejected");
        match is_in_vain {
            true if is_rejected_early(outcome) => {}
            true => drop(self.failed.insert(pod.to_owned())),
            false => drop(self.failed.remove(pod)),
        }
        let victims: BTreeSet<String> = list(outcome, "victims").into_iter().collect();
        let planned = texts(outcome, "nominated").into_keys();
        self.plans.extend(planned.map(|pod| (pod, victims.clone())));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::{binds, nominates, refuses};

    #[test]
    fn the_last_plan_of_a_pod_and_its_failure_are_remembered() {
        let mut memory = AttemptHistory::default();
        memory.remember("d/p", &nominates("d/p", "n1", &["d/v"]));
        memory.remember("d/q", &refuses(&json!({})));
        assert_eq!(memory.plans.get("d/p"), Some(&["d/v".to_owned()].into()));
        assert!(memory.failed.contains("d/q"));
        memory.remember("d/q", &binds("d/q", "n1"));
        assert!(memory.failed.is_empty());
    }
}
