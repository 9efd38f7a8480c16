//! The laws of YuniKorn on small clusters. Every expected value is worked out by hand from the rule.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod config;
mod inter_pods;
mod laws;
mod mistakes;
mod node;
mod notes;
mod property;
mod queues;
mod quota;
mod several;
mod state;

use serde_json::json;

use super::keys;
use crate::contract::{Admission, Event, NotedPods, Object, Outcome, Owner, Subject};
use crate::testing::{PodBuilder, PolicyHarness, pod};

/// A cluster with queues below the root. Queues that pods name are created.
pub struct Scene(pub PolicyHarness);

/// Returns a whole `queues.yaml` around these lines, which go below `root: queues:` with their own indentation added.
pub fn yaml(queues: &str) -> String {
    let rules = "    placementrules: [{name: provided, create: true}]\n";
    let lines: String = queues.trim_matches('\n').lines().map(|line| format!("          {line}\n")).collect();
    format!("partitions:\n  - name: default\n{rules}    queues:\n      - name: root\n        queues:\n{lines}")
}

/// Returns the ConfigMap with this text.
pub fn config_map(text: &str) -> Object {
    let json = json!({"metadata": {"name": keys::CONFIG_MAP, "namespace": "yunikorn"}, "data": {keys::QUEUES: text}});
    Object {
        group: String::new(),
        kind: "ConfigMap".to_owned(),
        namespace: "yunikorn".to_owned(),
        name: keys::CONFIG_MAP.to_owned(),
        json: json.to_string(),
    }
}

/// Returns a PriorityClass with this annotation.
pub fn class(name: &str, allow: &str) -> Object {
    let json = json!({"metadata": {"name": name, "annotations": {keys::ALLOW_PREEMPTION: allow}}, "value": 0});
    Object {
        group: "scheduling.k8s.io".to_owned(),
        kind: "PriorityClass".to_owned(),
        namespace: String::new(),
        name: name.to_owned(),
        json: json.to_string(),
    }
}

pub fn label(draft: PodBuilder, key: &str, value: &str) -> PodBuilder {
    draft.label(key, value)
}

pub fn annotation(draft: PodBuilder, key: &str, value: &str) -> PodBuilder {
    draft.annotation(key, value)
}

/// Creates a pod of a queue, of an application named like the queue.
pub fn of(name: &str, queue: &str, cpu: u32) -> PodBuilder {
    of_app(name, queue, queue, cpu)
}

pub fn of_app(name: &str, app: &str, queue: &str, cpu: u32) -> PodBuilder {
    let draft =
        pod(name).requests(&format!("cpu={cpu}")).with(|pod| pod.template_mut().scheduler = keys::SCHEDULER.to_owned());
    label(label(draft, keys::APPLICATION_ID, app), keys::QUEUE_NAME, queue)
}

/// Creates a pod of a DaemonSet for a node, given by name and number.
pub fn daemon(name: &str, queue: &str, cpu: u32, node: (&str, u32)) -> PodBuilder {
    let owner = Owner { kind: "DaemonSet".to_owned(), name: name.to_owned(), uid: name.to_owned() };
    of(name, queue, cpu)
        .only_on(&[node.0])
        .with(|pod| (pod.template_mut().owner, pod.required_node) = (Some(owner), Some(node.1)))
}

impl Scene {
    pub fn new(queues: &str) -> Scene {
        let mut world = PolicyHarness::of("yunikorn", "");
        world.object(config_map(&yaml(queues)));
        assert_eq!(world.findings, []);
        world.engine.record_notes(&NotedPods::All);
        Scene(world)
    }

    /// Adds nodes, numbered from 0.
    pub fn nodes(mut self, nodes: &[(&str, u32)]) -> Scene {
        for (name, cpu) in nodes {
            self.0.node(name, &format!("cpu={cpu}"));
        }
        self
    }

    pub fn pods(mut self, pods: impl IntoIterator<Item = PodBuilder>) -> Scene {
        for pod in pods {
            self.0.pod(pod);
        }
        self
    }

    /// Sets the clock, in seconds since the beginning.
    pub fn after(mut self, seconds: i64) -> Scene {
        self.0.apply(vec![Event::Clock(seconds * 1_000_000_000)]);
        self
    }

    /// Returns the victims for a preemptor, sorted by name and without namespace. The error is the law that denied the plan.
    pub fn victims(&mut self, preemptor: &str) -> Result<Vec<String>, String> {
        self.0.pre_filter(preemptor);
        let plan = self.0.plan(preemptor)?;
        let short = |name: String| name.trim_start_matches("default/").to_owned();
        let mut victims: Vec<String> = plan.victims.into_iter().map(short).collect();
        victims.sort();
        Ok(victims)
    }

    /// Plans for a preemptor and reports that the plan is accepted. Returns the node and the victims.
    pub fn carried_out(&mut self, preemptor: &str) -> (String, Vec<String>) {
        self.0.pre_filter(preemptor);
        let plan = self.0.plan(preemptor).unwrap();
        self.0.apply(vec![Event::PlanAccepted(plan.id)]);
        (plan.nominations.into_values().next().unwrap(), plan.victims)
    }

    /// Returns the law that denied a pod as a victim of the preemptor.
    pub fn denied_by(&mut self, preemptor: &str, pod: &str) -> Option<String> {
        self.victims(preemptor).ok();
        let subject = Subject::Pod(self.0.id(pod));
        let notes = self.0.engine.notes(self.0.id(preemptor)).unwrap();
        let note = notes.into_iter().find(|note| note.subject == subject && note.outcome == Outcome::Spared);
        note.map(|note| note.reason.code)
    }

    /// Returns the law that refused a pod, and whether the refusal is final. `None`: the pod passes.
    pub fn refused(&mut self, pod: &str) -> Option<(String, bool)> {
        match self.0.pre_filter(pod) {
            Admission::Pass => None,
            Admission::Refused(reason) => Some((reason.code, false)),
            Admission::Final(reason) => Some((reason.code, true)),
        }
    }

    /// Checks whether a pod passes the filter of a node.
    pub fn takes(&mut self, node: &str, pod: &str) -> bool {
        let at = usize::try_from(*self.0.numbers.nodes.get(node).unwrap()).unwrap();
        let codes = self.0.engine.filter(self.0.id(pod)).unwrap().codes;
        *codes.get(at).unwrap() == 0
    }
}
