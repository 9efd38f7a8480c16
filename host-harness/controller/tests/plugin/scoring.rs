//! A policy that scores nodes together with kube-scheduler's own plugins.

use std::collections::BTreeSet;

use lictor_contract::{
    Applied, ConfigError, Description, Event, ExtensionPoint, Interests, Interface, Node, NodeId, PodId, SystemInfo,
};
use lictor_host::policy::{CallError, Policy};
use serde_json::json;

use crate::host::Host;
use crate::scheduler::Scheduler;
use crate::support::objects::{create, get_pod, merge, node, node_of, pod};
use crate::world::World;

/// Its name, and that of its system.
const NAME: &str = "labelled-first";

/// The label of nodes that it favours.
const LABEL: &str = "example.com/favoured";

/// Gives nodes with the label 100, all others 0.
#[derive(Debug, Default)]
struct LabelledFirst(BTreeSet<NodeId>);

impl LabelledFirst {
    fn upsert(&mut self, node: &Node) {
        self.0.remove(&node.id);
        if !node.labels.is_empty() {
            self.0.insert(node.id);
        }
    }
}

impl Policy for LabelledFirst {
    fn restart(&mut self) -> Result<(), CallError> {
        self.0.clear();
        Ok(())
    }
    fn has(&self, interface: Interface) -> bool {
        interface == Interface::Score
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        let system = SystemInfo {
            name: NAME.to_owned(),
            about: String::new(),
            extension_points: vec![ExtensionPoint::Score.name().to_owned()],
            judges_room: false,
            evicts_higher_priority: false,
            schedulers: vec!["default-scheduler".to_owned()],
            interests: Interests { node_labels: vec![LABEL.to_owned()], ..Interests::default() },
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Ok(Description { name: NAME.to_owned(), version: "0".to_owned(), systems: vec![system] })
    }
    fn configure(&mut self, _system: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Ok(Ok(()))
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in events {
            match event {
                Event::NodeUpserted(node) => self.upsert(&node),
                Event::NodeRemoved(node) => drop(self.0.remove(&node)),
                _ => {}
            }
        }
        Ok(Applied { findings: Vec::new() })
    }
    fn score(&mut self, _pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        Ok(nodes.iter().map(|node| if self.0.contains(node) { 100 } else { 0 }).collect())
    }
}

/// Checks that pods go to the node that the policy favours. kube-scheduler alone takes the least allocated node: another one after each pod.
pub async fn a_policy_that_scores(world: &World, scheduler: &Scheduler) {
    const PODS: [&str; 4] = ["p0", "p1", "p2", "p3"];
    let mut step = world.step("scores", 2).await;
    let favoured = format!("{}-favoured", step.namespace);
    create(&world.admin, &merge(node(&favoured, 4), &json!({"metadata": {"labels": {LABEL: ""}}}))).await;
    step.nodes.push(favoured.clone());
    let host = Host::start_other(|| Box::new(LabelledFirst::default()), NAME, &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    for name in PODS {
        create(&world.admin, &pod(&step.namespace, name, "500m")).await;
    }
    step.all_run(&PODS).await;
    for name in PODS {
        assert_eq!(node_of(&get_pod(&world.admin, &step.namespace, name).await.unwrap()), favoured, "{name}");
    }
    host.said(|said| assert!(said.errors.is_empty(), "{:?}", said.errors));
    step.end().await;
    drop(running);
}
