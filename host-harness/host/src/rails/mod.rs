//! Rails: what no policy may evict, and how many pods may be evicted at once. The operator sets them, and they hold for every policy.
//!
//! A policy decides which pods leave for which. A policy with a mistake, or of an unknown author, may decide that a pod of the cluster itself leaves
//! for a pod of the lowest priority. The host refuses such a plan, by name (`host/rail-...`), whatever the policy says.

mod history;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use history::EvictionHistory;
pub use settings::{RAILS, RailError, RailInfo};

/// The label by which a pod is never evicted. Its value is `true`.
pub const NEVER_EVICT: &str = "lictor.dev/never-evict";

/// The lowest priority of the pods that a cluster itself needs: that of the class `system-cluster-critical`.
/// (Kubernetes: `pkg/apis/scheduling/types.go`, `SystemCriticalPriority`.)
pub const SYSTEM_PRIORITY: i32 = 2_000_000_000;

/// The rails that a policy need not foresee: the host does not say what budgets allow, and how many pods may still be evicted.
const UNFORESEEN: [&str; 4] = ["budgets", "victims-per-plan", "victims-per-window", "victims-per-namespace"];

/// Returns the rail that the code of a refusal names, such as `budgets`. `None`: no rail refused the plan.
pub fn rail_of(code: &str) -> Option<&str> {
    code.strip_prefix("host/rail-")
}

/// Returns whether a plan that was refused by this code may come from a policy without a mistake.
pub fn is_unforeseen(code: &str) -> bool {
    rail_of(code).is_some_and(|rail| UNFORESEEN.contains(&rail))
}

/// The settings of the rails. In a file they are the list of those that are not at their defaults, each as `name=value`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Rails {
    /// Whether pods of [`SYSTEM_PRIORITY`] and above are protected.
    pub protects_system_priority: bool,
    /// The namespaces whose pods are protected. `kube-system` by default.
    pub protected_namespaces: BTreeSet<String>,
    /// Whether pods with the label [`NEVER_EVICT`] are protected.
    pub protects_labelled: bool,
    /// Whether a plan is refused whose victims' evictions PodDisruptionBudgets would refuse. Off here, as in a recording that does not say it: the
    /// laws of `kubernetes` evict beyond a budget where no other victim makes the room. [`Rails::of_command`] turns it on.
    pub budgets: bool,
    /// The victims of a higher priority than the preemptor.
    pub higher_priority: HigherPriorityVictims,
    /// The maximum victims of one plan. `None`: any number.
    pub victims_per_plan: Option<u32>,
    /// The maximum victims of all plans. `None`: any number.
    pub victims_per_window: Option<EvictionRate>,
    /// The maximum victims in one namespace. `None`: any number.
    pub victims_per_namespace: Option<EvictionRate>,
}

/// The victims of a higher priority than the preemptor that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HigherPriorityVictims {
    /// Those of a system that declares rules which go by guarantee (`system-info.evicts-higher-priority`).
    Declared,
    /// None.
    Refused,
}

/// A maximum number of victims within a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictionRate {
    /// The maximum number of victims.
    pub victims: u32,
    /// The time, at least a nanosecond.
    pub window: Duration,
}

impl EvictionRate {
    /// Returns the time in nanoseconds.
    pub fn nanoseconds(&self) -> i64 {
        i64::try_from(self.window.as_nanos()).unwrap_or(i64::MAX)
    }
}

/// The rail that protects a pod from every eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// The priority of the pod is that of the cluster's own pods.
    SystemPriority,
    /// The namespace of the pod is protected.
    Namespace,
    /// The label of the pod says so.
    Label,
}

impl Default for Rails {
    fn default() -> Rails {
        let minutes = |minutes: u64| Duration::from_secs(minutes.saturating_mul(60));
        Rails {
            protects_system_priority: true,
            protected_namespaces: ["kube-system".to_owned()].into(),
            protects_labelled: true,
            budgets: false,
            higher_priority: HigherPriorityVictims::Declared,
            victims_per_plan: Some(1000),
            victims_per_window: Some(EvictionRate { victims: 5000, window: minutes(10) }),
            victims_per_namespace: Some(EvictionRate { victims: 2500, window: minutes(10) }),
        }
    }
}

impl Rails {
    /// Returns the rails of a command that decides for a cluster, where the API server refuses what budgets do not allow.
    pub fn of_command() -> Rails {
        Rails { budgets: true, ..Rails::default() }
    }

    /// Returns the longest time for which an eviction counts, in nanoseconds. 0 where no rail counts evictions.
    pub fn longest_window(&self) -> i64 {
        let rates = [&self.victims_per_window, &self.victims_per_namespace];
        rates.into_iter().flatten().map(EvictionRate::nanoseconds).max().unwrap_or(0)
    }

    /// Returns the rail that protects a pod of this namespace, priority and labels. `None`: no rail protects the pod from every eviction.
    pub fn protection(
        &self,
        namespace: &str,
        priority: Option<i32>,
        labels: &BTreeMap<String, String>,
    ) -> Option<Protection> {
        let is_system = self.protects_system_priority && priority.is_some_and(|priority| priority >= SYSTEM_PRIORITY);
        let is_labelled = self.protects_labelled && labels.get(NEVER_EVICT).is_some_and(|value| value == "true");
        let rails = [
            (is_system, Protection::SystemPriority),
            (self.protected_namespaces.contains(namespace), Protection::Namespace),
            (is_labelled, Protection::Label),
        ];
        rails.into_iter().find(|(holds, _)| *holds).map(|(_, protection)| protection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rail_protects_its_pods_and_no_others() {
        let (rails, none) = (Rails::default(), BTreeMap::new());
        let labels = |value: &str| BTreeMap::from([(NEVER_EVICT.to_owned(), value.to_owned())]);
        assert_eq!(rails.protection("a", Some(SYSTEM_PRIORITY), &none), Some(Protection::SystemPriority));
        assert_eq!(rails.protection("a", Some(SYSTEM_PRIORITY - 1), &none), None);
        assert_eq!(rails.protection("kube-system", None, &none), Some(Protection::Namespace));
        assert_eq!(rails.protection("kube-systems", None, &none), None);
        assert_eq!(rails.protection("a", None, &labels("true")), Some(Protection::Label));
        assert_eq!(rails.protection("a", None, &labels("false")), None);
    }

    #[test]
    fn a_policy_need_not_foresee_budgets_and_numbers() {
        assert!(["budgets", "victims-per-plan"].iter().all(|rail| is_unforeseen(&format!("host/rail-{rail}"))));
        assert!(!["host/rail-never-evict", "host/fits", "budgets"].iter().any(|code| is_unforeseen(code)));
        assert!(UNFORESEEN.iter().all(|rail| RAILS.iter().any(|known| known.name == *rail)));
    }

    #[test]
    fn a_rail_that_is_off_protects_nobody() {
        let labels = BTreeMap::from([(NEVER_EVICT.to_owned(), "true".to_owned())]);
        let rails = Rails {
            protects_system_priority: false,
            protected_namespaces: BTreeSet::new(),
            protects_labelled: false,
            ..Rails::default()
        };
        assert_eq!(rails.protection("kube-system", Some(i32::MAX), &labels), None);
    }
}
