//! The decisions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::answer::AttemptExplanationView;

/// All decisions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecisionReportView {
    /// The policy that decided.
    pub policy: PolicyView,
    /// The cluster at the beginning.
    pub cluster: ClusterCountsView,
    /// The decisions of each cycle.
    pub cycles: Vec<CycleView>,
    /// The quotas or queues.
    pub accounts: Vec<Account>,
    /// The findings about the objects.
    pub findings: Vec<FindingView>,
}

/// The policy that decided.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PolicyView {
    /// The system.
    pub laws: String,
}

/// The cluster at the beginning.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterCountsView {
    /// The newest time in it.
    pub now: Option<String>,
    /// Nodes.
    pub nodes: usize,
    /// Pods on nodes.
    pub placed: usize,
    /// Pods that wait.
    pub pending: usize,
}

/// The decisions of a cycle.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CycleView {
    /// Its number, from 1.
    pub cycle: u32,
    /// The attempts in order.
    pub attempts: Vec<AttemptView>,
    /// Pods that were bound, with their nodes.
    pub bound: BTreeMap<String, String>,
    /// Pods that were nominated, with their nodes.
    pub nominated: BTreeMap<String, String>,
    /// The victims.
    pub victims: BTreeMap<String, VictimView>,
    /// The plans.
    pub plans: Vec<PlanView>,
    /// Plans that the host refused.
    pub refused: Vec<RefusedPlanView>,
    /// Pods that wait at permit, with their nodes.
    pub waiting: BTreeMap<String, String>,
    /// Pods whose nomination was taken back.
    pub withdrawn: Vec<String>,
    /// The pods that have no node yet.
    #[serde(flatten)]
    pub pending: PendingPodsView,
}

/// The pods that have no node at the end of a cycle.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PendingPodsView {
    /// Pods that are still nominated to the node they had been nominated to.
    pub still_nominated: BTreeMap<String, String>,
    /// Pods that are still pending.
    pub still_pending: Vec<String>,
    /// Pods that were not tried.
    pub held_back: BTreeMap<String, ReasonView>,
    /// Why they are pending, where the policy runs its own cycle.
    pub reasons: BTreeMap<String, ReasonView>,
}

impl PendingPodsView {
    /// Returns why a pod was not tried, or why it is pending.
    pub fn reason(&self, pod: &str) -> Option<&ReasonView> {
        self.held_back.get(pod).or_else(|| self.reasons.get(pod))
    }
}

/// An attempt for a pod.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttemptView {
    /// The pod.
    pub pod: String,
    /// The result of the attempt.
    pub result: String,
    /// The node it has, is held for or nominated to.
    pub node: Option<String>,
    /// The reason why it was refused before any node was tried.
    pub reason: Option<ReasonView>,
    /// The obstacles of the nodes.
    pub nodes: Option<ObstacleCounts>,
    /// The reason of the preemption.
    pub preemption: Option<ReasonView>,
    /// The changes after which another attempt is worthwhile.
    pub retry_after: Vec<String>,
    /// The explanation of the result.
    pub explanation: Option<AttemptExplanationView>,
}

/// The obstacles of nodes, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct ObstacleCounts {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of nodes by obstacle.
    pub obstacles: BTreeMap<String, usize>,
}

/// The reason of a result.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReasonView {
    /// The law or rule.
    pub code: String,
    /// The case of the law: which of its sentences this is.
    pub case: String,
    /// The sentence.
    pub message: String,
    /// The numbers and names in it.
    pub facts: BTreeMap<String, Value>,
}

/// The eviction of a victim.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct VictimView {
    /// How it is evicted.
    pub how: String,
    /// Its node.
    pub node: Option<String>,
    /// The plan.
    pub plan: u64,
    /// The preemptor.
    pub preemptor: Option<String>,
    /// The queue that gives resources back, where there is no preemptor.
    pub queue: Option<String>,
    /// The reason.
    pub reason: ReasonView,
}

/// A plan.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PlanView {
    /// Its number.
    pub plan: u64,
    /// The nominated pods, with their nodes.
    pub nominated: BTreeMap<String, String>,
    /// The victims.
    pub victims: Vec<String>,
}

/// A plan that the host refused.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RefusedPlanView {
    /// Its number.
    pub plan: u64,
    /// The preemptor of the plan.
    pub preemptor: Option<String>,
    /// The law that it breaks.
    pub reason: ReasonView,
}

/// A quota or queue.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The word for the account in its system.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The account above it.
    pub parent: Option<String>,
    /// By resource.
    pub resources: Vec<AccountResourceView>,
}

/// The amounts of a resource in a quota, as quantities.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountResourceView {
    /// The resource.
    pub resource: String,
    /// The amount that its pods held before the decisions.
    pub used_before: String,
    /// The amount that they hold now.
    pub used_after: String,
    /// The amount of the nominated pods.
    pub promised: String,
    /// The requests of its pending pods.
    pub pending: String,
    /// Its bounds by name.
    pub bounds: BTreeMap<String, String>,
}

/// A finding about an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FindingView {
    /// `error` or `warning`.
    pub severity: String,
    /// The object.
    pub object: Option<String>,
    /// The field, as a JSON pointer.
    pub path: Option<String>,
    /// The file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: Option<String>,
}

impl FindingView {
    /// Makes an error without a place.
    pub fn error(message: impl Into<String>) -> FindingView {
        FindingView { severity: "error".to_owned(), message: message.into(), ..FindingView::default() }
    }

    /// Returns the place: the file and the line, and the object with its field.
    pub fn place(&self) -> String {
        let file = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (file, _) => file.clone().unwrap_or_default(),
        };
        let field = self.path.as_ref().map(|path| path.trim_start_matches('/').replace('/', "."));
        let object = [self.object.clone(), field].into_iter().flatten().collect::<Vec<_>>().join(" ");
        [file, object].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}
