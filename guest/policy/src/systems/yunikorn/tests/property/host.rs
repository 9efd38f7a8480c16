//! A minimal host. In its cluster the ReplicaSet of every victim creates the pod again.

use std::collections::BTreeMap;

use super::super::Scene;
use super::case::{ALL, Amounts, Case, NODES, Pod, draft};
use crate::contract::{Admission, Event, Plan, PodId, Refuted};

/// A replica of a ReplicaSet or DaemonSet, with its current pod.
#[derive(Debug)]
struct Replica {
    pod: Pod,
    /// The number of earlier pods of this replica.
    generation: u32,
    entered: i64,
    node: Option<usize>,
    nominated: Option<usize>,
    leaving: bool,
}

pub struct Host {
    scene: Scene,
    now: i64,
    nodes: Vec<Amounts>,
    replicas: Vec<Replica>,
    /// The number of evicted pods so far.
    pub evicted: usize,
    /// The number of bound pods so far.
    pub bound: usize,
}

/// The node and the nominated node of every replica.
pub type State = Vec<(Option<usize>, Option<usize>)>;

impl Host {
    /// Creates a host with the running pods of a case and more pending pods.
    pub fn new(case: &Case, pending: &[Pod]) -> Host {
        let running = case.pods.iter().map(|pod| (pod.clone(), Some(pod.node)));
        let pods = running.chain(pending.iter().map(|pod| (pod.clone(), None)));
        let replica = |(pod, node)| Replica { pod, generation: 0, entered: 0, node, nominated: None, leaving: false };
        let mut host = Host {
            scene: case.empty_scene(),
            now: 0,
            nodes: (0..NODES).map(|node| case.allocatable(node)).collect(),
            replicas: pods.map(replica).collect(),
            evicted: 0,
            bound: 0,
        };
        (0..host.replicas.len()).for_each(|at| host.report(at));
        host
    }

    fn name(&self, at: usize) -> String {
        format!("r{at}-{}", self.replicas[at].generation)
    }

    fn report(&mut self, at: usize) {
        let replica = &self.replicas[at];
        let mut draft = draft(&Pod { name: self.name(at), ..replica.pod.clone() });
        if let Some(node) = replica.node {
            draft = draft.on(&format!("n{node}"));
        }
        if let Some(node) = replica.nominated {
            draft = draft.nominated(&format!("n{node}"));
        }
        let (leaving, entered) = (replica.leaving, replica.entered);
        self.scene.0.pod(draft.with(|pod| {
            (pod.terminating, pod.entered, pod.created) = (leaving, entered, entered + i64::try_from(at).unwrap());
        }));
    }

    fn at(&self, id: PodId) -> usize {
        let name = self.scene.0.pod_name(id);
        name.trim_start_matches("default/r").split_once('-').unwrap().0.parse().unwrap()
    }

    /// Tries every pending pod once.
    pub fn cycle(&mut self) {
        let pending = (0..self.replicas.len()).filter(|at| self.replicas[*at].node.is_none());
        let ids: Vec<PodId> = pending.map(|at| self.scene.0.id(&self.name(at))).collect();
        for id in self.scene.0.queue(&ids) {
            self.attempt(id);
        }
    }

    fn attempt(&mut self, id: PodId) {
        let at = self.at(id);
        let passed = matches!(self.scene.0.engine.pre_filter(id).unwrap().admission, Admission::Pass);
        let codes = self.scene.0.engine.filter(id).unwrap().codes;
        if let Some(node) = (0..NODES).find(|node| passed && codes[*node] == 0) {
            self.scene.0.engine.reserve(id, u32::try_from(node).unwrap()).unwrap();
            (self.replicas[at].node, self.replicas[at].nominated) = (Some(node), None);
            self.bound += 1;
            let held = |r: usize| {
                self.replicas
                    .iter()
                    .filter(|other| other.node == Some(node))
                    .map(|other| other.pod.request[r])
                    .sum::<i64>()
            };
            assert!(ALL.into_iter().all(|r| held(r) <= self.nodes[node][r]), "there is no room on n{node}");
            return self.report(at);
        }
        let answer = self.scene.0.engine.post_filter(&[id], &Refuted::default()).unwrap();
        for withdrawn in &answer.effects.withdrawn {
            let other = self.at(*withdrawn);
            self.replicas[other].nominated = None;
            self.report(other);
        }
        if let Some(plan) = answer.plan {
            self.carry_out(&plan);
        }
    }

    fn carry_out(&mut self, plan: &Plan) {
        self.scene.0.apply(vec![Event::PlanAccepted(plan.id)]);
        for placement in &plan.nominations {
            let at = self.at(placement.pod);
            self.replicas[at].nominated = Some(usize::try_from(placement.node).unwrap());
            self.report(at);
        }
        for victim in &plan.victims {
            let at = self.at(victim.pod);
            assert!(self.replicas[at].node.is_some() && !self.replicas[at].leaving, "it is evicted twice");
            self.replicas[at].leaving = true;
            self.evicted += 1;
            self.report(at);
        }
    }

    /// Ends every terminating pod. Its controller creates it again, and 31 seconds pass.
    pub fn complete(&mut self) {
        self.now += 31_000_000_000;
        self.scene.0.apply(vec![Event::Clock(self.now)]);
        for at in 0..self.replicas.len() {
            if self.replicas[at].leaving {
                let name = self.name(at);
                self.scene.0.remove_pod(&name);
                let old = &mut self.replicas[at];
                (old.generation, old.entered, old.node, old.leaving) = (old.generation + 1, self.now, None, false);
                self.report(at);
            }
        }
    }

    pub fn state(&self) -> State {
        self.replicas.iter().map(|replica| (replica.node, replica.nominated)).collect()
    }

    /// Returns the usage of each leaf, for failure messages.
    pub fn used(&self) -> BTreeMap<&'static str, Amounts> {
        let mut used: BTreeMap<&'static str, Amounts> = BTreeMap::new();
        for replica in self.replicas.iter().filter(|replica| replica.node.is_some()) {
            let entry = used.entry(replica.pod.leaf).or_default();
            ALL.for_each(|r| entry[r] += replica.pod.request[r]);
        }
        used
    }
}
