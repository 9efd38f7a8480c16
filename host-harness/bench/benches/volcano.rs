//! Cycles of Volcano's laws on a cluster of 2,000 nodes and 20,000 running pods in 50 queues, where 100 gangs wait.
//!
//! Half of the jobs that run are elastic. Every queue holds more or less than it deserves, and two gangs of 2 to 32 pods wait in each. Of some
//! gangs every pod finds room, for some pods are evicted, and for some none can be evicted. `cargo bench -p lictor-bench --bench volcano`.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a benchmark")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use lictor_contract::*;
use lictor_policy::Engine;
use serde_json::json;

const NODES: u32 = 2_000;
const CORES_PER_NODE: u32 = 12;
const PODS: u32 = 20_000;
const QUEUES: u32 = 50;
const GANGS: u32 = 100;
const MEMBERS: u32 = 16;

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap() % end
    }
}

/// A cluster as the events that the policy receives, and the number of the pods in these events so far.
struct BenchmarkCluster {
    events: Vec<Event>,
    interests: Interests,
    pods: u32,
    chance: Chance,
}

impl BenchmarkCluster {
    fn object(&mut self, kind: &str, name: &str, mut json: serde_json::Value, annotations: serde_json::Value) {
        let namespace = if kind == "Queue" { "" } else { "work" };
        let metadata = json!({"name": name, "namespace": namespace, "annotations": annotations});
        json.as_object_mut().unwrap().insert("metadata".to_owned(), metadata);
        self.events.push(Event::ObjectUpserted(Object {
            group: "scheduling.volcano.sh".to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            json: json.to_string(),
        }));
    }

    fn group(&mut self, name: &str, queue: u32, minimum: u32, elastic: bool) {
        let annotations = if elastic {
            let powers = if queue.is_multiple_of(2) { "true" } else { "false" };
            json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-power-of-two": powers})
        } else {
            json!({})
        };
        let spec = json!({"spec": {"queue": format!("q{queue:02}"), "minMember": minimum}});
        self.object("PodGroup", name, spec, annotations);
    }

    fn pod(&mut self, group: &str, index: u32, cores: u32, node: Option<u32>, elastic: bool) {
        let attribute = |keys: &[String], key: &str, value: &str| Attribute {
            key: u32::try_from(keys.iter().position(|known| known == key).unwrap()).unwrap(),
            value: value.to_owned(),
        };
        let mut labels = vec![attribute(&self.interests.labels, "volcano.sh/task-index", &index.to_string())];
        if elastic {
            labels.push(attribute(&self.interests.labels, "volcano.sh/elastic-train", "true"));
        }
        let template = PodTemplate {
            namespace: "work".to_owned(),
            scheduler: "volcano".to_owned(),
            requests: vec![Amount { resource: 0, value: i64::from(cores) * 1000 }, Amount { resource: 1, value: 1 }],
            labels,
            annotations: vec![attribute(&self.interests.annotations, "scheduling.k8s.io/group-name", group)],
            ..PodTemplate::default()
        };
        self.events.push(Event::PodUpserted(Pod {
            template: Arc::new(template),
            phase: if node.is_some() { Phase::Running } else { Phase::Pending },
            node,
            created: i64::from(self.pods),
            ..Pod::pending(self.pods, "work", &format!("{group}-{index}"))
        }));
        self.pods += 1;
    }

    fn cluster(&mut self) {
        let resource = |name: &str| Resource { name: name.to_owned(), everywhere: 0 };
        self.events.push(Event::Resources(vec![resource("cpu"), resource("pods")]));
        let cores = i64::from(CORES_PER_NODE) * 1000;
        for id in 0..NODES {
            let allocatable = vec![Amount { resource: 0, value: cores }, Amount { resource: 1, value: 110 }];
            let name = format!("node-{id:04}");
            self.events.push(Event::NodeUpserted(Node { id, name, allocatable, labels: Vec::new() }));
        }
        let nodes = vec![u64::MAX; usize::try_from(NODES / 64 + 1).unwrap()];
        self.events.push(Event::Eligibility(Eligibility { shape: 0, nodes }));
        for queue in 0..QUEUES {
            let deserved = 300 + self.chance.below(300);
            let spec =
                json!({"priority": queue % 3, "deserved": {"cpu": deserved}, "guarantee": {"resource": {"cpu": 50}}});
            self.object("Queue", &format!("q{queue:02}"), json!({ "spec": spec }), json!({}));
        }
        let mut left = vec![CORES_PER_NODE; usize::try_from(NODES).unwrap()];
        for job in 0..PODS / MEMBERS {
            let (queue, elastic, minimum) = (self.chance.below(QUEUES), job % 2 == 0, 2 + self.chance.below(7));
            let name = format!("running-{job:04}");
            self.group(&name, queue, minimum, elastic);
            for index in 0..MEMBERS {
                let start = self.chance.below(NODES);
                let at = (start..NODES).chain(0..start).find(|at| left[usize::try_from(*at).unwrap()] > 0).unwrap();
                let room = &mut left[usize::try_from(at).unwrap()];
                let cores = (1 + self.chance.below(5) / 4).min(*room);
                *room -= cores;
                self.pod(&name, index, cores, Some(at), elastic && index >= minimum);
            }
        }
        for gang in 0..GANGS {
            let members = 2 << self.chance.below(5);
            let name = format!("waiting-{gang:03}");
            self.group(&name, gang % QUEUES, members, false);
            let cores = [1, 2, 4, 8][usize::try_from(self.chance.below(4)).unwrap()];
            (0..members).for_each(|index| self.pod(&name, index, cores, None, false));
        }
    }
}

/// Builds a policy that has received the cluster.
fn loaded(mode: &str) -> Engine {
    let laws = Engine::describe().systems.into_iter().find(|laws| laws.name == "volcano").unwrap();
    let mut scene = BenchmarkCluster { events: Vec::new(), interests: laws.interests, pods: 0, chance: Chance(1) };
    scene.cluster();
    let mut engine = Engine::default();
    engine.configure("volcano", &json!({"capacity.reclaim.mode": mode}).to_string()).unwrap();
    assert_eq!(engine.apply(scene.events).unwrap().findings, []);
    engine
}

/// Runs a whole cycle, of which nothing is carried out. Counts its bindings, plans and victims.
fn cycle(engine: &mut Engine) -> [usize; 3] {
    let mut sums = [0; 3];
    loop {
        let actions = engine.act().unwrap();
        let [bound, plans, victims] = &mut sums;
        *bound += actions.bindings.len();
        *plans += actions.plans.slices.len();
        *victims += actions.plans.victims.len();
        if !actions.more {
            return sums;
        }
    }
}

fn cycles(c: &mut Criterion) {
    let mut group = c.benchmark_group("volcano-cycle");
    group.sample_size(10);
    for mode in ["elastic", "reclaim"] {
        let mut engine = loaded(mode);
        let [bound, plans, victims] = cycle(&mut engine);
        println!("{mode}: {bound} pods bound, {plans} plans, {victims} victims");
        group.bench_function(mode, |b| b.iter(|| black_box(cycle(&mut engine))));
    }
    group.finish();
}

criterion_group!(benches, cycles);
criterion_main!(benches);
