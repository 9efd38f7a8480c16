//! Random clusters for a policy of which nothing is known but its description, and how they change.

use lictor_contract::{Phase, PlacedKind, SystemInfo};
use lictor_host::cluster::{InputError, KubernetesObject, load};
use lictor_oracle::RandomSource;
use serde_json::{Map, Value, json};

/// Values of labels and annotations that the policy reads: names, numbers and words. Some of them may have a meaning for the policy.
const WORDS: [&str; 6] = ["a", "b", "2", "true", "no number", ""];

/// The cores of a node.
const CORES: usize = 4;

/// A cluster and its changes.
#[derive(Debug, Clone)]
pub(super) struct SuiteCluster {
    /// The name in reports.
    pub(super) name: String,
    /// The arguments of the system, as JSON.
    pub(super) arguments: String,
    /// The schedulers whose pods are decided about. Empty: those of the system.
    pub(super) schedulers: Vec<String>,
    /// The changes. The first is the initial cluster.
    pub(super) rounds: Vec<ClusterChange>,
}

/// A change of the cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct ClusterChange {
    /// The keys of the removed objects, as `Kind/namespace/name`.
    pub(super) removed: Vec<String>,
    /// The objects that are new or have changed.
    pub(super) objects: Vec<KubernetesObject>,
}

/// The state of the generator.
struct ClusterGenerator<'a> {
    dice: RandomSource,
    system: &'a SystemInfo,
    created: usize,
}

impl SuiteCluster {
    /// Generates the cluster of a seed, for a system with these interests.
    ///
    /// # Errors
    /// An object cannot be read, for example where two interests of the system contradict each other.
    pub(super) fn of(seed: u64, system: &SystemInfo) -> Result<SuiteCluster, InputError> {
        let mut draft = ClusterGenerator { dice: RandomSource::after(seed), system, created: 0 };
        let first = draft.first();
        let second = draft.second();
        let third = vec![draft.pending("late", 1, 50), draft.node("n1", 6)];
        let rounds =
            [(Vec::new(), first), (vec!["Pod/default/r0", "Node/spare"], second), (vec!["Pod/default/p1"], third)];
        let round = |(gone, objects): (Vec<&str>, Vec<Value>)| {
            let gone = gone.into_iter().map(str::to_owned).collect();
            Ok(ClusterChange {
                removed: gone,
                objects: objects.into_iter().map(object).collect::<Result<_, InputError>>()?,
            })
        };
        Ok(SuiteCluster {
            name: format!("cluster {seed}"),
            arguments: String::new(),
            schedulers: Vec::new(),
            rounds: rounds.into_iter().map(round).collect::<Result<_, _>>()?,
        })
    }

    /// Returns this many nodes and pods that are added and removed again, so that the numbers of the cluster have gaps.
    ///
    /// # Errors
    /// Those of [`Cluster::of`].
    pub(super) fn transient_objects(count: usize) -> Result<Vec<KubernetesObject>, InputError> {
        let pod = |name: String| {
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "passing"},
                   "spec": {"containers": [{"name": "c"}], "schedulingGates": [{"name": "passing"}]}})
        };
        let node = |name: String| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
        let passing = (0..count)
            .map(|at| if at.is_multiple_of(2) { node(format!("gone{at}")) } else { pod(format!("gone{at}")) });
        passing.map(object).collect()
    }
}

impl ClusterGenerator<'_> {
    /// Generates the initial cluster: nodes with pods on them, pending pods, and pods that are never tried.
    fn first(&mut self) -> Vec<Value> {
        let mut objects: Vec<Value> = (1..=3).map(|at| self.node(&format!("n{at}"), CORES)).collect();
        // The last node is removed later, so that the numbers then end with a gap.
        objects.extend([self.closed("n4"), self.node("spare", 1)]);
        for at in 0_usize..7 {
            let (node, cores) = (["n1", "n2", "n3"].get(at % 3).copied().unwrap_or("n1"), if at < 2 { 2 } else { 1 });
            let priority = self.dice.pick(&[0, 0, 5, 10]).copied().unwrap_or_default();
            let pod = self.pending(&format!("r{at}"), cores, priority);
            objects.push(running(pod, node));
        }
        for at in 0..5 {
            let priority = self.dice.pick(&[0, 5, 100, 100]).copied().unwrap_or_default();
            let cores = usize::try_from(self.dice.between(1, 3)).unwrap_or(1);
            objects.push(self.pending(&format!("p{at}"), cores, priority));
        }
        // A pod that no policy evicts, of the lowest priority.
        let mut kept = running(self.pending("kept", 1, 0), "n3");
        set(&mut kept, "/metadata/namespace", json!("kube-system"));
        objects.push(kept);
        objects.extend(self.untried_pods());
        let (kinds, placed) = (&self.system.interests.kinds, &self.system.interests.placed_kinds);
        for kind in kinds.iter().filter(|kind| !placed.iter().any(|it| it.kind == kind.kind)) {
            let named = WORDS.iter().take(2).map(|name| plain(&kind.group, &kind.kind, name));
            // A kind that the host reads itself may require more fields.
            objects.extend(named.filter(|value| object(value.clone()).is_ok()));
        }
        objects.extend(placed.iter().map(slot));
        objects
    }

    /// Generates a pod with the name of a removed one, more pending pods, and two that another system has bound.
    fn second(&mut self) -> Vec<Value> {
        let again = self.pending("r0", 2, 20);
        let more = (5..7).map(|at| self.pending(&format!("p{at}"), 2, 100)).collect::<Vec<_>>();
        let bound = [("x0", "n1"), ("x1", "n2")].map(|(name, node)| running(self.pending(name, 1, 10), node));
        std::iter::once(again).chain(more).chain(bound).collect()
    }

    /// Generates pods that are not tried: gated, of another scheduler, leaving, ended.
    fn untried_pods(&mut self) -> Vec<Value> {
        let mut gated = self.pending("gated", 1, 0);
        set(&mut gated, "/spec/schedulingGates", json!([{"name": "example.com/gate"}]));
        let mut foreign = self.pending("foreign", 1, 0);
        set(&mut foreign, "/spec/schedulerName", json!("nobody-knows-it"));
        let mut leaving = running(self.pending("leaving", 1, 0), "n3");
        set(&mut leaving, "/metadata/deletionTimestamp", json!("2026-01-01T00:10:00Z"));
        let mut ended = running(self.pending("ended", 4, 0), "n2");
        set(&mut ended, "/status/phase", json!("Succeeded"));
        vec![gated, foreign, leaving, ended]
    }

    fn node(&mut self, name: &str, cores: usize) -> Value {
        let labels = self.attributes(&self.system.interests.node_labels.clone());
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
               "status": {"allocatable": {"cpu": cores.to_string(), "memory": "16Gi", "pods": "10"}}})
    }

    /// Returns an unschedulable node.
    fn closed(&mut self, name: &str) -> Value {
        let mut node = self.node(name, CORES);
        set(&mut node, "/spec/unschedulable", json!(true));
        node
    }

    fn pending(&mut self, name: &str, cores: usize, priority: i32) -> Value {
        self.created = self.created.saturating_add(1);
        let interests = &self.system.interests;
        let (labels, annotations) = (interests.labels.clone(), interests.annotations.clone());
        let (labels, annotations) = (self.attributes(&labels), self.attributes(&annotations));
        let created = format!("2026-01-01T00:00:{:02}Z", self.created.min(59));
        json!({"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": name, "namespace": "default", "uid": format!("{name}-{}", self.created),
                            "creationTimestamp": created, "labels": labels, "annotations": annotations},
               "spec": {"priority": priority, "schedulerName": self.system.schedulers.first(),
                        "containers": [{"name": "c", "resources": {"requests": {"cpu": cores.to_string(), "memory": "1Gi"}}}]},
               "status": {"phase": "Pending"}})
    }

    /// Returns some of these keys with random words.
    fn attributes(&mut self, keys: &[String]) -> Value {
        let mut attributes = Map::new();
        for key in keys.iter().filter(|key| *key != "*") {
            if self.dice.chance(60) {
                let word = self.dice.pick(&WORDS).copied().unwrap_or_default();
                attributes.insert(key.clone(), json!(word));
            }
        }
        Value::Object(attributes)
    }
}

fn running(mut pod: Value, node: &str) -> Value {
    set(&mut pod, "/spec/nodeName", json!(node));
    set(&mut pod, "/status/phase", json!("Running"));
    pod
}

/// Returns an object of a kind without known fields.
fn plain(group: &str, kind: &str, name: &str) -> Value {
    let version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": {}})
}

/// Returns a pending object of a placed kind.
fn slot(kind: &PlacedKind) -> Value {
    let mut object = plain(&kind.group, &kind.kind, "slot");
    if !kind.namespaced {
        set(&mut object, "/metadata", json!({"name": "slot"}));
    }
    let container = json!({"name": "c", "resources": {"requests": {"cpu": "1"}}});
    set(
        &mut object,
        &kind.template,
        json!({"metadata": {"namespace": "default"}, "spec": {"containers": [container]}}),
    );
    if let Some(word) = kind.phases.iter().find(|phase| phase.phase == Phase::Pending) {
        set(&mut object, &kind.phase, json!(word.word));
    }
    object
}

/// Sets the value at a JSON pointer, and creates missing objects on the path.
fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    for step in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = json!({});
        }
        let Value::Object(members) = at else { return };
        at = members.entry(step.replace("~1", "/").replace("~0", "~")).or_insert(Value::Null);
    }
    *at = value;
}

/// Reads an object like the host.
fn object(value: Value) -> Result<KubernetesObject, InputError> {
    let mut documents = load::read("generated", &value.to_string())?;
    let document = documents.pop().ok_or_else(|| InputError {
        file: "generated".into(),
        line: 1,
        message: "there is no object".to_owned(),
        remedy: "report this".to_owned(),
    })?;
    KubernetesObject::from_document(document)
}
