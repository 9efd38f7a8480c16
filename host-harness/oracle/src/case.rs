//! A case: a cluster, a configuration, and how it is driven.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::systems;
use crate::world::{ModelCluster, ModelNode, ModelPod, at};

/// The systems that the model covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of the systems")]
pub enum SystemKind {
    Kubernetes,
    Coscheduling,
    Koordinator,
    Yunikorn,
    Volcano,
}

/// The model has no system of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown system `{0}`; the model has kubernetes, coscheduling, koordinator, yunikorn and volcano")]
pub struct UnknownSystem(String);

impl SystemKind {
    /// All of them.
    pub const ALL: [SystemKind; 5] = [
        SystemKind::Kubernetes,
        SystemKind::Coscheduling,
        SystemKind::Koordinator,
        SystemKind::Yunikorn,
        SystemKind::Volcano,
    ];

    /// Returns the name of the system in lower case, as case files spell it.
    pub fn name(self) -> &'static str {
        match self {
            SystemKind::Kubernetes => "kubernetes",
            SystemKind::Coscheduling => "coscheduling",
            SystemKind::Koordinator => "koordinator",
            SystemKind::Yunikorn => "yunikorn",
            SystemKind::Volcano => "volcano",
        }
    }
}

impl fmt::Display for SystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SystemKind {
    type Err = UnknownSystem;

    fn from_str(name: &str) -> Result<SystemKind, UnknownSystem> {
        SystemKind::ALL.into_iter().find(|system| system.name() == name).ok_or_else(|| UnknownSystem(name.to_owned()))
    }
}

/// A random cluster and how to drive it. The same seed and index give the same case everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzCase {
    /// The system whose laws apply.
    pub system: SystemKind,
    /// The seed of the run.
    pub seed: u64,
    /// The index of the case in the run.
    pub index: u64,
    /// The parameters from which the cluster was generated.
    pub parameters: BTreeMap<&'static str, i64>,
    /// The arguments of the system.
    pub args: Map<String, Value>,
    /// The initial cluster.
    pub objects: Vec<Value>,
    /// Objects that are created or replaced before the first round.
    pub later: Vec<Value>,
    /// Pods that are created after the first round.
    pub late: Vec<Value>,
    /// How it is driven.
    pub drive: RoundSettings,
}

impl FuzzCase {
    /// Returns a case of these objects that is made by hand: nothing comes later, and no time passes.
    pub fn by_hand(system: SystemKind, by: RoundKind, objects: Vec<Value>) -> FuzzCase {
        FuzzCase {
            system,
            seed: 0,
            index: 0,
            parameters: BTreeMap::new(),
            args: Map::new(),
            objects,
            later: Vec::new(),
            late: Vec::new(),
            drive: RoundSettings { by, first: 0, between: 0, recreate: false, retries_early: false },
        }
    }

    /// Returns whether the cluster is possible: pods fit their nodes and quotas. Generated cases always are; a reduced case may not be.
    pub fn is_fair(&self) -> bool {
        let Ok(world) = ModelCluster::of(&self.objects) else { return false };
        let without_node = |pod: &ModelPod| pod.occupied_node().is_some_and(|node| !world.nodes.contains_key(node));
        let full = |node: &ModelNode| world.free(node).0.values().any(|free| *free < 0);
        let fair = !world.pods.values().any(without_node) && !world.nodes.values().any(full);
        fair && has_valid_groups(&world) && systems::is_possible(self, &world).unwrap_or(false)
    }
}

/// Returns whether all PodGroups are valid: the policies do not read others.
fn has_valid_groups(world: &ModelCluster) -> bool {
    let counts = ["/spec/minMember", "/spec/scheduleTimeoutSeconds", "/spec/schedulingPolicy/gang/minCount"];
    let is_positive =
        |group, path| at(group, path).is_none_or(|number| number.as_u64().is_some_and(|number| number > 0));
    world.all("PodGroup").all(|group| counts.iter().all(|path| is_positive(group, path)))
}

/// The way in which a case is driven: in rounds, until a round changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSettings {
    /// The kind of every round.
    pub by: RoundKind,
    /// Seconds before the first round.
    pub first: i64,
    /// Seconds between rounds.
    pub between: i64,
    /// Whether an evicted pod is created again, as the controller of a ReplicaSet does.
    pub recreate: bool,
    /// Whether pods are tried again before the victims have left.
    pub retries_early: bool,
}

/// A kind of round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundKind {
    /// One attempt for every pending pod, in queue order.
    Attempts,
    /// One cycle of the policy's own.
    Cycles,
}

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseStep {
    /// Report the pods in the queue, in order.
    Order,
    /// Try one pod.
    Schedule(String),
    /// Run one cycle.
    Cycle,
    /// Let this number of seconds pass.
    Advance(i64),
    /// Let all victims leave.
    EvictionsComplete,
    /// Create these objects.
    Apply(Vec<Value>),
    /// Report the usage of these quotas or queues.
    Usage(Vec<String>),
}

impl CaseStep {
    /// Returns the step in the format of a scenario.
    pub fn written(&self) -> Value {
        match self {
            CaseStep::Order => json!({"order": []}),
            CaseStep::Schedule(pod) => json!({"schedule": pod}),
            CaseStep::Cycle => json!({"cycle": 1}),
            CaseStep::Advance(seconds) => json!({"advance": format!("{seconds}s")}),
            CaseStep::EvictionsComplete => json!({"evictionsComplete": true}),
            CaseStep::Apply(objects) => json!({"apply": objects}),
            CaseStep::Usage(names) => {
                let accounts: Map<String, Value> =
                    names.iter().map(|name| (name.clone(), json!({"used": {}}))).collect();
                json!({"status": accounts})
            }
        }
    }
}
