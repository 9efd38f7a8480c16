//! A host in a few lines, with books of its own: it believes the policy nothing.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::contract::*;
use crate::testing::{Draft, World, object, pod};

/// A job as it is made.
#[derive(Debug, Clone)]
pub struct Job {
    pub queue: usize,
    pub minimum: u32,
    pub pods: u32,
    /// `Some(0)`: powers of two; else the factor.
    pub elastic: Option<u32>,
    /// So many pods run when the test begins.
    pub running: u32,
}

/// A queue as it is made, in cores.
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    pub deserved: Option<u32>,
    pub guarantee: Option<u32>,
    pub capability: Option<u32>,
}

/// A pod: its job, and its number in it.
pub type Pod = (usize, u32);

/// The cluster as the host knows it.
pub struct Host {
    world: World,
    pub nodes: Vec<u32>,
    pub queues: Vec<Queue>,
    pub jobs: Vec<Job>,
    /// Where each running pod is.
    pub bound: BTreeMap<Pod, usize>,
    /// Those of them that are being deleted.
    pub leaving: BTreeSet<Pod>,
}

/// What a cycle did.
#[derive(Debug, Default)]
pub struct Cycle {
    pub bound: Vec<Pod>,
    pub plans: Vec<(Vec<Pod>, Vec<Pod>)>,
}

fn name((job, number): Pod) -> String {
    format!("j{job}-{number}")
}

fn named(name: &str) -> Pod {
    let (job, number) = name.trim_start_matches("default/j").split_once('-').unwrap();
    (job.parse().unwrap(), number.parse().unwrap())
}

fn cores(bound: Option<u32>) -> serde_json::Value {
    bound.map_or(json!({}), |cores| json!({"cpu": cores.to_string()}))
}

impl Host {
    pub fn new(mode: &str, nodes: Vec<u32>, queues: Vec<Queue>, jobs: Vec<Job>) -> Host {
        let world = World::of("volcano", &format!(r#"{{"capacity.reclaim.mode": "{mode}"}}"#));
        let mut host = Host { world, nodes, queues, jobs, bound: BTreeMap::new(), leaving: BTreeSet::new() };
        for (at, cores) in host.nodes.clone().into_iter().enumerate() {
            host.world.node(&format!("n{at}"), &format!("cpu={cores}"));
        }
        for (at, queue) in host.queues.clone().into_iter().enumerate() {
            let spec = json!({"spec": {
                "deserved": cores(queue.deserved),
                "guarantee": {"resource": cores(queue.guarantee)},
                "capability": cores(queue.capability),
            }});
            host.world.object(object("Queue", &format!("/q{at}"), [&[], &[]], spec));
        }
        for (at, job) in host.jobs.clone().into_iter().enumerate() {
            let mut annotations = Vec::new();
            let factor = job.elastic.unwrap_or(1).to_string();
            if let Some(factor_or_0) = job.elastic {
                annotations.push(("volcano.sh/elastic-train", "true"));
                match factor_or_0 {
                    0 => annotations.push(("volcano.sh/elastic-train-power-of-two", "true")),
                    _ => annotations.push(("volcano.sh/elastic-train-factor", factor.as_str())),
                }
            }
            let spec = json!({"spec": {"queue": format!("q{}", job.queue), "minMember": job.minimum}});
            host.world.object(object("PodGroup", &format!("default/j{at}"), [&[], &annotations], spec));
            for number in 0..job.pods {
                let room = (0..host.nodes.len()).find(|node| host.load(*node) < host.nodes[*node]);
                let running = number < job.running && host.running(at) == number;
                if let Some(node) = room.filter(|_| running) {
                    host.bound.insert((at, number), node);
                }
                host.tell((at, number), None);
            }
        }
        host
    }

    fn draft(&self, pod_: Pod) -> Draft {
        let (job, number) = pod_;
        let draft = pod(&name(pod_)).asks("cpu=1").annotation("scheduling.k8s.io/group-name", &format!("j{job}"));
        let draft = draft.label("volcano.sh/task-index", &number.to_string());
        match self.is_elastic(pod_) {
            true => draft.label("volcano.sh/elastic-train", "true"),
            false => draft,
        }
    }

    pub fn is_elastic(&self, (job, number): Pod) -> bool {
        self.jobs[job].elastic.is_some() && number >= self.jobs[job].minimum
    }

    fn tell(&mut self, pod: Pod, nominated: Option<usize>) {
        let mut draft = self.draft(pod);
        if let Some(node) = self.bound.get(&pod) {
            draft = draft.on(&format!("n{node}"));
        }
        if let Some(node) = nominated {
            draft = draft.nominated(&format!("n{node}"));
        }
        let leaving = self.leaving.contains(&pod);
        self.world.pod(draft.with(|pod| pod.terminating = leaving));
    }

    /// Runs a cycle and carries out what the policy says; every binding must have room at once.
    pub fn cycle(&mut self) -> Cycle {
        let mut cycle = Cycle::default();
        for _ in 0..8 {
            let actions = self.world.engine.act().unwrap();
            for Placement { pod, node } in actions.bindings {
                self.world.engine.reserve(pod, node).unwrap();
                let (pod, node) = (named(&self.world.pod_name(pod)), self.node(node));
                assert!(self.bound.insert(pod, node).is_none(), "{pod:?} is bound twice");
                assert!(self.load(node) <= self.nodes[node], "{pod:?} has no room on node {node}");
                self.tell(pod, None);
                cycle.bound.push(pod);
            }
            let (mut nominations, mut victims) = (actions.plans.nominations.iter(), actions.plans.victims.iter());
            let (mut nominated, mut evicted) = (0, 0);
            for slice in actions.plans.slices {
                let placements: Vec<Placement> = nominations
                    .by_ref()
                    .take(usize::try_from(slice.nominations_end).unwrap() - nominated)
                    .cloned()
                    .collect();
                let gone: Vec<PodId> = victims
                    .by_ref()
                    .take(usize::try_from(slice.victims_end).unwrap() - evicted)
                    .map(|victim| victim.pod)
                    .collect();
                (nominated, evicted) = (nominated + placements.len(), evicted + gone.len());
                self.world.tell(vec![Event::PlanAccepted(slice.id)]);
                let gone: Vec<Pod> = gone.into_iter().map(|pod| named(&self.world.pod_name(pod))).collect();
                for pod in &gone {
                    assert!(self.bound.contains_key(pod) && self.leaving.insert(*pod), "{pod:?} is evicted twice");
                    self.tell(*pod, None);
                }
                let mut waiting = Vec::new();
                for Placement { pod, node } in placements {
                    let (pod, node) = (named(&self.world.pod_name(pod)), self.node(node));
                    assert!(!self.bound.contains_key(&pod), "{pod:?} runs and is nominated");
                    self.tell(pod, Some(node));
                    waiting.push(pod);
                }
                cycle.plans.push((waiting, gone));
            }
            if !actions.more {
                return cycle;
            }
        }
        panic!("the cycle has no end");
    }

    fn node(&self, id: NodeId) -> usize {
        self.world.node_name(id).trim_start_matches('n').parse().unwrap()
    }

    /// Those that are being deleted are gone, and their controllers have made them anew.
    pub fn complete(&mut self) {
        for pod in std::mem::take(&mut self.leaving) {
            self.bound.remove(&pod);
            self.world.gone(&name(pod));
            self.tell(pod, None);
        }
    }

    /// How much of a node is taken.
    pub fn load(&self, node: usize) -> u32 {
        u32::try_from(self.bound.values().filter(|at| **at == node).count()).unwrap()
    }

    /// How many pods of a job run and are not being deleted.
    pub fn running(&self, job: usize) -> u32 {
        let pods = self.bound.keys().filter(|pod| pod.0 == job && !self.leaving.contains(pod));
        u32::try_from(pods.count()).unwrap()
    }

    /// How many pods of a queue hold a node, of those that count.
    pub fn held(&self, queue: usize, counts: impl Fn(Pod) -> bool) -> u32 {
        let pods = self.bound.keys().filter(|pod| self.jobs[pod.0].queue == queue && counts(**pod));
        u32::try_from(pods.count()).unwrap()
    }
}
