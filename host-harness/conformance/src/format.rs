//! What a scenario says, read and checked.

use serde_json::{Map, Value};

use super::expect::Expect;
use super::status::UsageByAccount;
use lictor_host::cluster::KubernetesObject;
use lictor_host::cluster::load::DocumentOrigin;

/// A scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The name. The file is named after it.
    pub name: String,
    /// The rule that the scenario is about.
    pub description: String,
    /// The source of the rule.
    pub source: String,
    /// The codes of laws that deny in this scenario. Without one of them, the scenario fails.
    pub denies: Vec<String>,
    /// The codes of laws that are evaluated in this scenario and allow.
    pub allows: Vec<String>,
    /// The system: the name of the laws in force.
    pub system: String,
    /// The arguments of the system.
    pub args: Map<String, Value>,
    /// The schedulers whose pods are decided about. Empty: the schedulers that the system stands for.
    pub schedulers: Vec<String>,
    /// The initial cluster.
    pub cluster: Vec<KubernetesObject>,
    /// The steps, in order.
    pub steps: Vec<ScenarioStep>,
    /// The file and the lines of the scenario.
    pub origin: DocumentOrigin,
}

/// A step and its expectations.
#[derive(Debug, Clone)]
pub struct ScenarioStep {
    /// The action of the step.
    pub action: ScenarioAction,
    /// The expectations.
    pub expect: Expect,
    /// The line on which the step begins.
    pub line: u32,
}

/// The action of a step.
#[derive(Debug, Clone)]
pub enum ScenarioAction {
    /// One attempt for one pod.
    Schedule(String),
    /// This many cycles.
    Cycle(u32),
    /// The queue has these pods in this relative order.
    Order(Vec<String>),
    /// The clock moves forward, by this many nanoseconds.
    Advance(i64),
    /// Every victim so far leaves the cluster.
    EvictionsComplete,
    /// These objects are created or replaced.
    Apply(Vec<KubernetesObject>),
    /// These objects are removed.
    Delete(Vec<String>),
    /// The accounts have these amounts.
    Status(UsageByAccount),
}

impl ScenarioAction {
    /// Returns the action in a few words.
    pub fn title(&self) -> String {
        match self {
            ScenarioAction::Schedule(pod) => format!("schedule {pod}"),
            ScenarioAction::Cycle(1) => "cycle".to_owned(),
            ScenarioAction::Cycle(count) => format!("cycle {count}"),
            ScenarioAction::Order(pods) => format!("order {}", pods.join(", ")),
            ScenarioAction::Advance(nanoseconds) => {
                let (seconds, rest) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
                match rest {
                    0 => format!("advance {seconds}s"),
                    _ => format!("advance {nanoseconds}ns"),
                }
            }
            ScenarioAction::EvictionsComplete => "evictionsComplete".to_owned(),
            ScenarioAction::Apply(objects) => {
                let keys: Vec<String> = objects.iter().map(KubernetesObject::key).collect();
                format!("apply {}", keys.join(", "))
            }
            ScenarioAction::Delete(keys) => format!("delete {}", keys.join(", ")),
            ScenarioAction::Status(books) => format!("status {}", books.keys().cloned().collect::<Vec<_>>().join(", ")),
        }
    }
}
