//! A small world for the tests of the invariants.

use lictor_contract::*;
use serde_json::{Value, json};

use super::{Occupancy, PlanUnderTest, PlannedEvictions, VerifyContext, Violation};
use crate::cluster::{KubernetesObject, Mirror, load};

/// The annotation by which a pod names the slot that it uses.
pub const IN_SLOT: &str = "example.com/in-slot";

/// Returns a kind of objects that reserve room of a node for later pods.
pub fn slots() -> PlacedKind {
    let phase = |word: &str, phase| PlacedPhase { word: word.to_owned(), phase };
    let text = str::to_owned;
    PlacedKind {
        group: text("example.com"),
        kind: text("Slot"),
        namespaced: false,
        template: text("/spec/pod"),
        node: text("/status/placement/node"),
        nominated: text("/status/placement/next"),
        phase: text("/status/state"),
        phases: vec![
            phase("Waiting", Phase::Pending),
            phase("Open", Phase::Running),
            phase("Full", Phase::Running),
            phase("Lost", Phase::Unknown),
            phase("Over", Phase::Succeeded),
            phase("Broken", Phase::Failed),
        ],
        amounts: Some(text("/status/held")),
        conditions: text("/status/conditions"),
        scheduled: text("Placed"),
        room_use: Some(RoomUse { annotation: text(IN_SLOT), name: Some(text("/slot/name")) }),
    }
}

/// Returns the interests in slots, and in the annotation by which pods use them.
pub fn interests() -> Interests {
    Interests {
        annotations: vec!["other".to_owned(), IN_SLOT.to_owned()],
        placed_kinds: vec![slots()],
        ..Interests::default()
    }
}

/// Reads an object.
pub fn object(value: Value) -> KubernetesObject {
    let document = load::read("test.json", &value.to_string()).unwrap().pop().unwrap();
    KubernetesObject::from_document(document).unwrap()
}

/// Returns a node with this many cores.
pub fn node(name: &str, cpu: u32) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
           "status": {"allocatable": {"cpu": cpu.to_string(), "memory": "64Gi", "pods": "10"}}})
}

/// Returns a pending pod that requests this many cores.
pub fn pod(name: &str, cpu: u32, priority: i32) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
           "spec": {"priority": priority,
                    "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu.to_string()}}}]},
           "status": {"phase": "Pending"}})
}

/// Sets the node of a pod, and makes it run there.
pub fn on(node: &str, mut pod: Value) -> Value {
    *pod.pointer_mut("/spec").unwrap().as_object_mut().unwrap().entry("nodeName").or_insert(json!(null)) = json!(node);
    *pod.pointer_mut("/status/phase").unwrap() = json!("Running");
    pod
}

/// Sets a value in an object, under the parent at a JSON pointer.
pub fn with(mut object: Value, parent: &str, key: &str, value: Value) -> Value {
    object.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
    object
}

/// Returns a slot. A slot on a node is open.
pub fn slot(name: &str, cpu: u32, node: Option<&str>) -> Value {
    let state = if node.is_some() { "Open" } else { "Waiting" };
    json!({"apiVersion": "example.com/v1", "kind": "Slot", "metadata": {"name": name},
           "spec": {"pod": {"spec": {
               "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu.to_string()}}}]}}},
           "status": {"state": state, "placement": {"node": node}, "held": {"cpu": cpu.to_string()}}})
}

/// A cluster with its occupancy and its departures.
pub struct ClusterFixture {
    /// The cluster.
    pub mirror: Mirror,
    /// The pods that take capacity, per node.
    pub occupancy: Occupancy,
    /// The victims of earlier plans.
    pub departures: PlannedEvictions,
}

impl ClusterFixture {
    /// Creates a cluster of these objects.
    pub fn of(objects: impl IntoIterator<Item = Value>) -> ClusterFixture {
        ClusterFixture::with_interests(interests(), objects)
    }

    /// Creates a cluster of these objects, for a policy with these interests.
    pub fn with_interests(interests: Interests, objects: impl IntoIterator<Item = Value>) -> ClusterFixture {
        let mut world = ClusterFixture {
            mirror: Mirror::new(interests),
            occupancy: Occupancy::default(),
            departures: PlannedEvictions::default(),
        };
        for value in objects {
            world.mirror.upsert(object(value));
        }
        world.sync();
        world
    }

    /// Creates the small cluster: `n1` is full with `v` (3 cores) and `w` (1), `n2` is unschedulable, on `n3` two of four cores are held for `h`; `p`
    /// (3) and `q` (1, of lower priority) are pending.
    pub fn small() -> ClusterFixture {
        let mut world = ClusterFixture::of([
            node("n1", 4),
            with(with(node("n2", 4), "", "spec", json!({})), "/spec", "unschedulable", json!(true)),
            node("n3", 4),
            on("n1", pod("v", 3, 0)),
            on("n1", pod("w", 1, 0)),
            pod("h", 2, 0),
            pod("p", 3, 10),
            pod("q", 1, 5),
        ]);
        let (pod, node) = (world.pod("default/h"), world.node("n3"));
        world.hold(pod, node);
        world.sync();
        world
    }

    /// Holds a pod at permit for a node.
    pub fn hold(&mut self, pod: PodId, node: NodeId) {
        let place = self.occupancy.new_hold(node, i64::MAX);
        self.occupancy.hold(pod, Some(place));
    }

    /// Applies the changes of the mirror to the occupancy.
    pub fn sync(&mut self) {
        for event in self.mirror.drain_events() {
            self.occupancy.observe(&event);
        }
        self.occupancy.refresh(&self.mirror);
    }

    /// Returns the number of a pod; an unused number where the pod does not exist.
    pub fn pod(&self, name: &str) -> PodId {
        self.mirror.pod_id(name).unwrap_or(PodId::MAX)
    }

    /// Returns the number of a node; an unused number where the node does not exist.
    pub fn node(&self, name: &str) -> NodeId {
        self.mirror.node_id(name).unwrap_or(NodeId::MAX)
    }

    /// Returns a placement by names.
    pub fn placement(&self, (pod, node): (&str, &str)) -> Placement {
        Placement { pod: self.pod(pod), node: self.node(node) }
    }

    /// Returns a plan by names. The first nominated pod is the preemptor.
    pub fn plan(&self, nominations: &[(&str, &str)], victims: &[&str]) -> Plan {
        let nominations: Vec<Placement> = nominations.iter().map(|on| self.placement(*on)).collect();
        Plan {
            id: 7,
            preemptor: nominations.first().map_or(self.pod("default/p"), |first| first.pod),
            nominations,
            victims: victims.iter().map(|name| Victim { pod: self.pod(name), eviction: Eviction::Delete }).collect(),
            marks: Vec::new(),
            reason: Reason { code: "test/law".to_owned(), ..Reason::default() },
        }
    }

    /// Returns the state that plans are checked against.
    pub fn context(&self) -> VerifyContext<'_> {
        VerifyContext::new(&self.mirror, &self.occupancy, &self.departures, false)
    }

    /// Checks a plan of the policy's own cycle, without other effects.
    pub fn check(&self, plan: &Plan) -> Result<(), Violation> {
        self.check_with(plan, &Effects::default())
    }

    /// Checks a plan of the policy's own cycle.
    pub fn check_with(&self, plan: &Plan, effects: &Effects) -> Result<(), Violation> {
        super::plan(&self.context(), &PlanUnderTest { plan, preemptor: None, effects, refuted: &Refuted::default() })
    }

    /// Returns the message about a plan that breaks an invariant.
    pub fn refusal(&self, plan: &Plan) -> String {
        self.check(plan).unwrap_err().to_string()
    }
}
