//! A case: a cluster, a configuration, and how it is driven.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::systems;
use crate::world::{Node, Pod, World};

/// The systems whose laws are modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is named as the laws are")]
pub enum System {
    Kubernetes,
    Coscheduling,
    Koordinator,
    Yunikorn,
    Volcano,
}

/// There are no such laws.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model knows no laws `{0}`; it knows kubernetes, coscheduling, koordinator, yunikorn and volcano")]
pub struct UnknownSystem(String);

impl System {
    /// All of them.
    pub const ALL: [System; 5] =
        [System::Kubernetes, System::Coscheduling, System::Koordinator, System::Yunikorn, System::Volcano];

    /// The name of the laws.
    pub fn name(self) -> &'static str {
        match self {
            System::Kubernetes => "kubernetes",
            System::Coscheduling => "coscheduling",
            System::Koordinator => "koordinator",
            System::Yunikorn => "yunikorn",
            System::Volcano => "volcano",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for System {
    type Err = UnknownSystem;

    fn from_str(name: &str) -> Result<System, UnknownSystem> {
        System::ALL.into_iter().find(|system| system.name() == name).ok_or_else(|| UnknownSystem(name.to_owned()))
    }
}

/// A random cluster and what is done with it. The same seed and index make the same case everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Whose laws.
    pub system: System,
    /// The seed of the run.
    pub seed: u64,
    /// The place of the case in the run.
    pub index: u64,
    /// What the cluster was made from.
    pub parameters: BTreeMap<&'static str, i64>,
    /// The arguments of the laws.
    pub args: Map<String, Value>,
    /// The initial cluster.
    pub objects: Vec<Value>,
    /// How it is driven.
    pub drive: Drive,
}

impl Case {
    /// Whether the cluster can be: nodes hold who runs on them, quotas what they have given out. Cases that are generated are; one
    /// that was made smaller need not be.
    pub fn is_fair(&self) -> bool {
        let Ok(world) = World::of(&self.objects) else { return false };
        let homeless = |pod: &Pod| pod.place().is_some_and(|node| !world.nodes.contains_key(node));
        let full = |node: &Node| world.free(node).0.values().any(|free| *free < 0);
        let fair = !world.pods.values().any(homeless) && !world.nodes.values().any(full);
        fair && systems::fair(self, &world).unwrap_or(false)
    }
}

/// How a case is driven: rounds, until one changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drive {
    /// What a round is.
    pub by: By,
    /// Seconds before the first round.
    pub first: i64,
    /// Seconds between rounds.
    pub between: i64,
    /// Whether an evicted pod is created anew, as the controller of a replica set does.
    pub recreate: bool,
}

/// What a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// One attempt for every pending pod, in queue order.
    Attempts,
    /// One cycle of the policy's own.
    Cycles,
}

/// One step, as a scenario writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The pods in the queue, in order.
    Order,
    /// One attempt for one pod.
    Schedule(String),
    /// One cycle.
    Cycle,
    /// So many seconds pass.
    Advance(i64),
    /// The victims have left.
    EvictionsComplete,
    /// These objects are created.
    Apply(Vec<Value>),
    /// What these quotas or queues hold.
    Books(Vec<String>),
}

impl Step {
    /// The step as it stands in a scenario.
    pub fn written(&self) -> Value {
        match self {
            Step::Order => json!({"order": []}),
            Step::Schedule(pod) => json!({"schedule": pod}),
            Step::Cycle => json!({"cycle": 1}),
            Step::Advance(seconds) => json!({"advance": format!("{seconds}s")}),
            Step::EvictionsComplete => json!({"evictionsComplete": true}),
            Step::Apply(objects) => json!({"apply": objects}),
            Step::Books(names) => {
                let asked: Map<String, Value> = names.iter().map(|name| (name.clone(), json!({"used": {}}))).collect();
                json!({"status": asked})
            }
        }
    }
}
