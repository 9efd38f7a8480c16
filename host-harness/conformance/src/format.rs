//! What a scenario says, read and checked.

use serde_json::{Map, Value};

use super::expect::Expect;
use super::status::Books;
use lictor_host::cluster::Object;
use lictor_host::cluster::load::Origin;

/// A scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name; the file is named after it.
    pub name: String,
    /// Which rule is at stake.
    pub description: String,
    /// Where the rule stands.
    pub source: String,
    /// The codes of laws that deny here: without one of them, the scenario fails.
    pub denies: Vec<String>,
    /// The codes of laws that are asked here and allow.
    pub allows: Vec<String>,
    /// The laws in force.
    pub laws: String,
    /// Their arguments.
    pub args: Map<String, Value>,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: Vec<String>,
    /// The initial cluster.
    pub cluster: Vec<Object>,
    /// What happens.
    pub steps: Vec<Step>,
    /// Where it stands.
    pub origin: Origin,
}

/// One step and what is expected of it.
#[derive(Debug, Clone)]
pub struct Step {
    /// What happens.
    pub action: Action,
    /// What is expected.
    pub expect: Expect,
    /// The line it begins at.
    pub line: u32,
}

/// What happens in a step.
#[derive(Debug, Clone)]
pub enum Action {
    /// One attempt for one pod.
    Schedule(String),
    /// So many cycles.
    Cycle(u32),
    /// These pods stand in the queue in this relative order.
    Order(Vec<String>),
    /// The clock moves on, in nanoseconds.
    Advance(i64),
    /// Every victim planned so far has left.
    EvictionsComplete,
    /// These objects are created or replaced.
    Apply(Vec<Object>),
    /// These objects are removed.
    Delete(Vec<String>),
    /// The books say this.
    Status(Books),
}

impl Action {
    /// The action in a few words.
    pub fn title(&self) -> String {
        match self {
            Action::Schedule(pod) => format!("schedule {pod}"),
            Action::Cycle(1) => "cycle".to_owned(),
            Action::Cycle(count) => format!("cycle {count}"),
            Action::Order(pods) => format!("order {}", pods.join(", ")),
            Action::Advance(nanoseconds) => {
                let (seconds, rest) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
                match rest {
                    0 => format!("advance {seconds}s"),
                    _ => format!("advance {nanoseconds}ns"),
                }
            }
            Action::EvictionsComplete => "evictionsComplete".to_owned(),
            Action::Apply(objects) => {
                let keys: Vec<String> = objects.iter().map(Object::key).collect();
                format!("apply {}", keys.join(", "))
            }
            Action::Delete(keys) => format!("delete {}", keys.join(", ")),
            Action::Status(books) => format!("status {}", books.keys().cloned().collect::<Vec<_>>().join(", ")),
        }
    }
}
