//! A host in a few lines, with books of its own: it believes the policy nothing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::Mutation;
use crate::contract::*;
use crate::testing::{PodBuilder, PolicyHarness, object, pod};

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
    /// So many cycles pass until it is submitted; none where some of it run.
    pub arrives: i64,
    pub priority: u32,
    /// What each of its pods holds: cores, at least one, and bytes.
    pub cores: u32,
    pub memory: u32,
    /// So many seconds its pods are protected after they were bound.
    pub cooldown: i64,
    /// So many seconds lie between its changes of size and growth.
    pub interval: i64,
}

/// A queue as it is made, in cores; the last in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    pub deserved: Option<u32>,
    pub guarantee: Option<u32>,
    pub capability: Option<u32>,
    pub memory: Option<u32>,
}

/// The cluster and the configuration with which a test begins.
#[derive(Debug, Clone)]
pub struct Setup {
    pub mode: &'static str,
    pub actions: &'static str,
    /// The first two queues are below one of this capability in cores; none: there is no tree.
    pub parent: Option<u32>,
    /// Cores and bytes.
    pub nodes: Vec<(u32, u32)>,
    pub queues: Vec<Queue>,
    pub jobs: Vec<Job>,
    /// So many cycles pass until those that were evicted are gone.
    pub linger: usize,
}

const SECOND: i64 = 1_000_000_000;

/// A pod: its job, and its number in it.
pub type Pod = (usize, u32);

/// The cluster as the host knows it.
pub struct Host {
    world: PolicyHarness,
    pub setup: Setup,
    /// Seconds since the beginning.
    pub now: i64,
    /// Where each running pod is.
    pub bound: BTreeMap<Pod, usize>,
    /// When it was bound, where that was in this test.
    pub bound_at: BTreeMap<Pod, i64>,
    /// Those of them that are being deleted.
    pub leaving: BTreeSet<Pod>,
}

/// The result of a cycle: the pods that were bound, and the plans that were carried out.
#[derive(Debug, Default)]
pub struct Cycle {
    pub bound: Vec<Pod>,
    pub plans: Vec<Planned>,
}

/// A plan that was carried out.
#[derive(Debug)]
pub struct Planned {
    /// The action that made it.
    pub action: String,
    pub waiting: Vec<Pod>,
    pub victims: Vec<Pod>,
}

fn name((job, number): Pod) -> String {
    format!("j{job}-{number}")
}

fn named(name: &str) -> Pod {
    let (job, number) = name.trim_start_matches("default/j").split_once('-').unwrap();
    (job.parse().unwrap(), number.parse().unwrap())
}

fn amounts(cores: Option<u32>, bytes: Option<u32>) -> serde_json::Value {
    let named = cores.map(|n| ("cpu", n)).into_iter().chain(bytes.map(|n| ("memory", n)));
    named.map(|(name, n)| (name.to_owned(), json!(n.to_string()))).collect::<serde_json::Map<_, _>>().into()
}

impl Host {
    /// Builds the host of a policy in which a law is out of force, if it is in force under the arguments at all.
    pub fn new(setup: Setup, without: Option<&str>) -> Host {
        let Setup { mode, actions, parent, .. } = &setup;
        let arguments = json!({"capacity.reclaim.mode": mode, "actions": actions, "enableHierarchy": parent.is_some()});
        let mut world = PolicyHarness::of("volcano", &arguments.to_string());
        if let Some(law) = without {
            world.engine.mutate_law(law, Mutation::AlwaysHolds);
        }
        let (bound, leaving) = (BTreeMap::new(), BTreeSet::new());
        let mut host = Host { world, setup, now: 0, bound, bound_at: BTreeMap::new(), leaving };
        host.tell_objects();
        for (at, job) in host.setup.jobs.clone().into_iter().enumerate() {
            for number in 0..job.pods {
                let room = (0..host.setup.nodes.len()).find(|node| host.has_room(*node, &job));
                let running = number < job.running && host.running(at) == number;
                if let Some(node) = room.filter(|_| running) {
                    host.bound.insert((at, number), node);
                }
                if job.arrives == 0 {
                    host.tell((at, number), None);
                }
            }
        }
        host
    }

    fn tell_objects(&mut self) {
        let Setup { parent, nodes, queues, jobs, .. } = self.setup.clone();
        for (at, (cores, bytes)) in nodes.into_iter().enumerate() {
            self.world.node(&format!("n{at}"), &format!("cpu={cores} memory={bytes}"));
        }
        if let Some(cores) = parent {
            let spec = json!({"spec": {"capability": amounts(Some(cores), None)}});
            self.world.object(object("Queue", "/p", [&[], &[]], spec));
        }
        for (at, queue) in queues.into_iter().enumerate() {
            let spec = json!({"spec": {
                "parent": if at < 2 && parent.is_some() { "p" } else { "" },
                "deserved": amounts(queue.deserved, None),
                "guarantee": {"resource": amounts(queue.guarantee, None)},
                "capability": amounts(queue.capability, queue.memory),
            }});
            self.world.object(object("Queue", &format!("/q{at}"), [&[], &[]], spec));
        }
        for priority in 0..3 {
            let value = json!({ "value": priority });
            self.world.object(object("PriorityClass", &format!("/c{priority}"), [&[], &[]], value));
        }
        for (at, job) in jobs.into_iter().enumerate() {
            let (factor, interval) = (job.elastic.unwrap_or(1).to_string(), format!("{}s", job.interval));
            let mut annotations = vec![("volcano.sh/elastic-cooldown-time", interval.as_str())];
            if let Some(factor_or_0) = job.elastic {
                annotations.push(("volcano.sh/elastic-train", "true"));
                match factor_or_0 {
                    0 => annotations.push(("volcano.sh/elastic-train-power-of-two", "true")),
                    _ => annotations.push(("volcano.sh/elastic-train-factor", factor.as_str())),
                }
            }
            let class = format!("c{}", job.priority);
            let (queue, minimum) = (format!("q{}", job.queue), job.minimum);
            let spec = json!({"spec": {"queue": queue, "minMember": minimum, "priorityClassName": class}});
            self.world.object(object("PodGroup", &format!("default/j{at}"), [&[], &annotations], spec));
        }
    }

    fn draft(&self, pod_: Pod) -> PodBuilder {
        let (job, number) = pod_;
        let Job { cores, memory, cooldown, .. } = self.setup.jobs[job];
        let draft = pod(&name(pod_)).requests(&format!("cpu={cores} memory={memory}"));
        let draft = draft.annotation("scheduling.k8s.io/group-name", &format!("j{job}"));
        let draft = draft.label("volcano.sh/task-index", &number.to_string());
        let draft = draft.label("volcano.sh/cooldown-time", &format!("{cooldown}s"));
        let scheduled = self.bound_at.get(&pod_).map(|at| at * SECOND);
        let draft = draft.with(|pod| pod.scheduled = scheduled);
        match self.is_elastic(pod_) {
            true => draft.label("volcano.sh/elastic-train", "true"),
            false => draft,
        }
    }

    pub fn is_elastic(&self, (job, number): Pod) -> bool {
        self.setup.jobs[job].elastic.is_some() && number >= self.setup.jobs[job].minimum
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

    /// Lets a minute pass, runs a cycle and carries out what the policy decides. Every binding must fit its node at once.
    pub fn cycle(&mut self) -> Cycle {
        self.now += 60;
        for (at, job) in self.setup.jobs.clone().into_iter().enumerate() {
            if job.arrives > 0 && job.arrives * 60 == self.now {
                (0..job.pods).for_each(|number| self.tell((at, number), None));
            }
        }
        self.world.apply(vec![Event::Clock(self.now * SECOND)]);
        let mut cycle = Cycle::default();
        for _ in 0..8 {
            let actions = self.world.engine.act().unwrap();
            for Placement { pod, node } in actions.bindings {
                self.world.engine.reserve(pod, node).unwrap();
                let (pod, node) = (named(&self.world.pod_name(pod)), self.node(node));
                assert!(self.bound.insert(pod, node).is_none(), "{pod:?} is bound twice");
                let ((cores, bytes), (all_cores, all_bytes)) = (self.load(node), self.setup.nodes[node]);
                assert!(cores <= all_cores && bytes <= all_bytes, "{pod:?} has no room on node {node}");
                self.bound_at.insert(pod, self.now);
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
                self.world.apply(vec![Event::PlanAccepted(slice.id)]);
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
                cycle.plans.push(Planned { action: actions.name.clone(), waiting, victims: gone });
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

    /// Removes the pods that are being deleted; their controllers have made them anew.
    pub fn complete(&mut self) {
        for pod in std::mem::take(&mut self.leaving) {
            self.bound.remove(&pod);
            self.bound_at.remove(&pod);
            self.world.remove_pod(&name(pod));
            self.tell(pod, None);
        }
    }

    /// Returns how many cores and bytes of a node are taken.
    pub fn load(&self, node: usize) -> (u32, u32) {
        let here = self.bound.iter().filter(|(_, at)| **at == node).map(|((job, _), _)| &self.setup.jobs[*job]);
        here.fold((0, 0), |(cores, bytes), job| (cores + job.cores, bytes + job.memory))
    }

    fn has_room(&self, node: usize, job: &Job) -> bool {
        let ((cores, bytes), (all_cores, all_bytes)) = (self.load(node), self.setup.nodes[node]);
        cores + job.cores <= all_cores && bytes + job.memory <= all_bytes
    }

    /// Returns how many pods of a job run and are not being deleted.
    pub fn running(&self, job: usize) -> u32 {
        let pods = self.bound.keys().filter(|pod| pod.0 == job && !self.leaving.contains(pod));
        u32::try_from(pods.count()).unwrap()
    }

    /// Returns the cores and bytes that the pods of some queues hold. Only pods that `counts` selects and that are not being deleted count.
    pub fn held(&self, queues: &[usize], counts: impl Fn(Pod) -> bool) -> (u32, u32) {
        let pods = self.bound.keys().filter(|pod| !self.leaving.contains(pod) && counts(**pod));
        let pods = pods.map(|(job, _)| &self.setup.jobs[*job]).filter(|job| queues.contains(&job.queue));
        pods.fold((0, 0), |(cores, bytes), job| (cores + job.cores, bytes + job.memory))
    }
}
