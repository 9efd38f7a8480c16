//! A cluster in a few words, for tests: names stand for numbers, `cpu=4 memory=8Gi` for amounts.
//!
//! Everything is said in terms of the contract, so that the tests of the crate and those beside it share it.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Engine;
use crate::contract::*;
use crate::quantity::{self, Unit};

/// The resources of every test, by number.
pub const RESOURCES: [&str; 3] = ["cpu", "memory", "gpu"];

pub const ROOT: &str = "koordinator-root-quota";
pub const DEFAULT: &str = "koordinator-default-quota";
pub const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
pub const PARENT: &str = "quota.scheduling.koordinator.sh/parent";
pub const PREEMPTIBLE: &str = "quota.scheduling.koordinator.sh/preemptible";
pub const CAN_PREEMPT: &str = "quota.scheduling.koordinator.sh/can-preempt";
pub const OPT_OUT: &str = "scheduling.koordinator.sh/disable-preemptible";
pub const SOFT_EVICTION: &str = "scheduling.koordinator.sh/soft-eviction";
pub const JOB: &str = "pod-group.scheduling.sigs.k8s.io";
pub const INSIDE: &str = "scheduling.koordinator.sh/reservation-allocated";

/// Amounts written as `cpu=4 memory=8Gi`.
pub fn amounts(text: &str) -> Vec<Amount> {
    let amount = |part: &str| {
        let (name, quantity) = part.split_once('=').unwrap();
        let resource = RESOURCES.iter().position(|known| *known == name).unwrap();
        let value = quantity::parse(quantity, Unit::of(name)).unwrap();
        Amount { resource: u32::try_from(resource).unwrap(), value }
    };
    text.split_whitespace().map(amount).collect()
}

/// A pod in words.
#[derive(Debug, Clone)]
pub struct Draft {
    pod: Pod,
    labels: Vec<(String, String)>,
    annotations: Vec<(String, String)>,
    node: Option<String>,
    nominated: Option<String>,
    only: Option<Vec<String>>,
}

/// A pending pod of namespace `default`, or of the one in `namespace/name`; of priority 0, and without requests.
pub fn pod(name: &str) -> Draft {
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let pod = Pod {
        id: 0,
        kind: PodKind::Pod,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: String::new(),
        priority: Some(0),
        priority_class: String::new(),
        never_preempts: false,
        scheduler: "default-scheduler".to_owned(),
        phase: Phase::Pending,
        node: None,
        nominated: None,
        required_node: None,
        terminating: false,
        preempted: false,
        created: 0,
        entered: 0,
        started: None,
        scheduled: None,
        requests: Vec::new(),
        shape: 0,
        owner: None,
        labels: Vec::new(),
        annotations: Vec::new(),
    };
    Draft { pod, labels: Vec::new(), annotations: Vec::new(), node: None, nominated: None, only: None }
}

/// A pending reservation of priority 0.
pub fn reservation(name: &str) -> Draft {
    pod(name).with(|pod| pod.kind = PodKind::Reservation)
}

impl Draft {
    pub fn asks(mut self, text: &str) -> Draft {
        self.pod.requests = amounts(text);
        self
    }

    pub fn priority(mut self, priority: i32) -> Draft {
        self.pod.priority = Some(priority);
        self
    }

    /// It runs on this node.
    pub fn on(mut self, node: &str) -> Draft {
        (self.node, self.pod.phase) = (Some(node.to_owned()), Phase::Running);
        self
    }

    pub fn nominated(mut self, node: &str) -> Draft {
        self.nominated = Some(node.to_owned());
        self
    }

    /// It may run on these nodes only.
    pub fn only_on(mut self, nodes: &[&str]) -> Draft {
        self.only = Some(nodes.iter().map(|node| (*node).to_owned()).collect());
        self
    }

    pub fn label(mut self, key: &str, value: &str) -> Draft {
        self.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    pub fn annotation(mut self, key: &str, value: &str) -> Draft {
        self.annotations.push((key.to_owned(), value.to_owned()));
        self
    }

    pub fn quota(self, name: &str) -> Draft {
        self.label(QUOTA, name)
    }

    pub fn job(self, name: &str) -> Draft {
        self.label(JOB, name)
    }

    pub fn preemptible(self, value: bool) -> Draft {
        self.label(PREEMPTIBLE, if value { "true" } else { "false" })
    }

    /// Anything else.
    pub fn with(mut self, change: impl FnOnce(&mut Pod)) -> Draft {
        change(&mut self.pod);
        self
    }

    /// What the world calls it.
    pub fn name(&self) -> String {
        match self.pod.kind {
            PodKind::Pod => format!("{}/{}", self.pod.namespace, self.pod.name),
            PodKind::Reservation => format!("Reservation/{}", self.pod.name),
        }
    }
}

/// What the host tells of labels or annotations: each must be one that the laws want to be told.
fn attributes(interests: &[String], pairs: &[(String, String)]) -> Vec<Attribute> {
    let attribute = |(key, value): &(String, String)| {
        let at = |wanted: &str| interests.iter().position(|interest| interest == wanted);
        let named = at(key).map(|at| (at, value.clone()));
        let (at, value) = named.or_else(|| Some((at("*")?, format!("{key}={value}")))).unwrap();
        Attribute { key: u32::try_from(at).unwrap(), value }
    };
    pairs.iter().map(attribute).collect()
}

/// An object named `namespace/name`, with labels and annotations; the rest is the body.
pub fn object(kind: &str, name: &str, attributes: [&[(&str, &str)]; 2], body: Value) -> Object {
    let (namespace, name) = name.split_once('/').unwrap();
    let [labels, annotations] = attributes.map(|pairs| pairs.iter().copied().collect::<BTreeMap<_, _>>());
    let mut json = body;
    let metadata = json!({"name": name, "namespace": namespace, "labels": labels, "annotations": annotations});
    json.as_object_mut().unwrap().insert("metadata".to_owned(), metadata);
    Object {
        group: "scheduling.sigs.k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        json: json.to_string(),
    }
}

fn list(text: &str) -> BTreeMap<&str, &str> {
    text.split_whitespace().map(|part| part.split_once('=').unwrap()).collect()
}

/// An ElasticQuota of namespace `quotas`.
pub fn quota(name: &str, parent: &str, min: &str, max: &str) -> Object {
    let body = json!({"spec": {"min": list(min), "max": list(max)}});
    object("ElasticQuota", &format!("quotas/{name}"), [&[(PARENT, parent)], &[]], body)
}

/// A PodGroup of namespace `default`.
pub fn pod_group(name: &str, minimum: u32, annotations: &[(&str, &str)]) -> Object {
    object("PodGroup", &format!("default/{name}"), [&[], annotations], json!({"spec": {"minMember": minimum}}))
}

/// The key of an object.
pub fn key(object: &Object) -> ObjectKey {
    let Object { group, kind, namespace, name, .. } = object.clone();
    ObjectKey { group, kind, namespace, name }
}

/// The numbers of names, given out as they come unless they are given before.
#[derive(Debug, Clone)]
pub struct Numbers {
    interests: Interests,
    pub nodes: BTreeMap<String, u32>,
    pub pods: BTreeMap<String, u32>,
    shapes: BTreeMap<Vec<String>, u32>,
}

fn number<K: Ord + Clone>(numbers: &mut BTreeMap<K, u32>, name: &K) -> u32 {
    let next = numbers.values().max().map_or(0, |last| last + 1);
    *numbers.entry(name.clone()).or_insert(next)
}

impl Numbers {
    /// No numbers yet, for these laws.
    pub fn new(laws: &str) -> Numbers {
        let known = Engine::describe().law_sets.into_iter().find(|known| known.name == laws);
        let interests = known.unwrap().interests;
        Numbers { interests, nodes: BTreeMap::new(), pods: BTreeMap::new(), shapes: BTreeMap::new() }
    }

    pub fn node(&mut self, name: &str, text: &str) -> Event {
        let id = number(&mut self.nodes, &name.to_owned());
        Event::NodeUpserted(Node { id, name: name.to_owned(), allocatable: amounts(text), labels: Vec::new() })
    }

    /// The pod, after the nodes that it may run on.
    pub fn pod(&mut self, draft: &Draft) -> [Event; 2] {
        let mut node = |name: &Option<String>| name.as_ref().map(|name| number(&mut self.nodes, name));
        let (place, nominated) = (node(&draft.node), node(&draft.nominated));
        let nodes: Vec<u64> = match &draft.only {
            None => vec![u64::MAX; 4],
            Some(only) => vec![only.iter().fold(0, |bits, name| bits | 1 << number(&mut self.nodes, name))],
        };
        let shape = number(&mut self.shapes, &draft.only.clone().unwrap_or_default());
        let id = number(&mut self.pods, &draft.name());
        let labels = attributes(&self.interests.labels, &draft.labels);
        let annotations = attributes(&self.interests.annotations, &draft.annotations);
        let pod = Pod { id, node: place, nominated, shape, labels, annotations, ..draft.pod.clone() };
        [Event::Eligibility(Eligibility { shape, nodes }), Event::PodUpserted(pod)]
    }
}

/// A policy that is told of a cluster as the test says it, one call of `apply` for each thing.
#[derive(Debug)]
pub struct World {
    pub engine: Engine,
    pub numbers: Numbers,
    /// What the authors of the objects are told.
    pub findings: Vec<Finding>,
}

/// A plan in names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub id: u64,
    /// The node of each pod.
    pub nominations: BTreeMap<String, String>,
    pub victims: Vec<String>,
}

impl World {
    /// A policy with Koordinator's laws.
    pub fn new() -> World {
        World::with("")
    }

    /// The same with these arguments.
    pub fn with(arguments: &str) -> World {
        World::of("koordinator", arguments)
    }

    pub fn of(laws: &str, arguments: &str) -> World {
        let mut engine = Engine::default();
        engine.configure(laws, arguments).unwrap();
        let mut world = World { engine, numbers: Numbers::new(laws), findings: Vec::new() };
        let resources = RESOURCES.map(|name| Resource { name: name.to_owned(), everywhere: 0 });
        world.tell(vec![Event::Resources(resources.to_vec())]);
        world
    }

    pub fn tell(&mut self, events: Vec<Event>) {
        let applied = self.engine.apply(events).unwrap();
        self.findings.extend(applied.findings);
    }

    pub fn node(&mut self, name: &str, amounts: &str) {
        let event = self.numbers.node(name, amounts);
        self.tell(vec![event]);
    }

    pub fn pod(&mut self, draft: Draft) {
        let events = self.numbers.pod(&draft);
        self.tell(events.to_vec());
    }

    pub fn gone(&mut self, pod: &str) {
        let id = self.id(pod);
        self.tell(vec![Event::PodRemoved(id)]);
    }

    pub fn object(&mut self, object: Object) {
        self.tell(vec![Event::ObjectUpserted(object)]);
    }

    /// The number of a pod; without a namespace it is `default`.
    pub fn id(&self, pod: &str) -> PodId {
        let name = if pod.contains('/') { pod.to_owned() } else { format!("default/{pod}") };
        *self.numbers.pods.get(&name).unwrap()
    }

    fn name(names: &BTreeMap<String, u32>, id: u32) -> String {
        names.iter().find(|(_, other)| **other == id).map(|(name, _)| name.clone()).unwrap()
    }

    pub fn pod_name(&self, id: PodId) -> String {
        World::name(&self.numbers.pods, id)
    }

    pub fn node_name(&self, id: NodeId) -> String {
        World::name(&self.numbers.nodes, id)
    }

    pub fn pre_filter(&mut self, pod: &str) -> Admission {
        self.engine.pre_filter(self.id(pod)).unwrap().admission
    }

    pub fn post_filter(&mut self, pod: &str) -> PostFiltered {
        self.engine.post_filter(self.id(pod), &[]).unwrap()
    }

    /// The plan for a pod, or the law that stood in the way.
    pub fn plan(&mut self, pod: &str) -> Result<Named, String> {
        let PostFiltered { plan, reason, .. } = self.post_filter(pod);
        plan.map(|plan| self.named(&plan)).ok_or(reason.law)
    }

    pub fn named(&self, plan: &Plan) -> Named {
        let nominations = plan.nominations.iter().map(|at| (self.pod_name(at.pod), self.node_name(at.node))).collect();
        Named {
            id: plan.id,
            nominations,
            victims: plan.victims.iter().map(|victim| self.pod_name(victim.pod)).collect(),
        }
    }

    pub fn reserve(&mut self, pod: &str, node: &str) {
        let node = *self.numbers.nodes.get(node).unwrap();
        self.engine.reserve(self.id(pod), node).unwrap();
    }

    /// The books of a quota.
    pub fn account(&self, name: &str) -> QueueAccount {
        self.engine.queues().unwrap().into_iter().find(|queue| queue.name == name).unwrap()
    }
}
