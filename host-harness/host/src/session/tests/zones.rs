//! A policy that filters by one rule: a pod runs in the zone that its label names. All else is left to the host.

use std::collections::BTreeMap;

use lictor_contract::*;

use super::*;
use crate::policy::{CallError, Policy};
use crate::session::testing::reason;
use crate::verify::testing::interests;

#[derive(Debug, Default)]
pub(super) struct Zones {
    pods: BTreeMap<PodId, Vec<Attribute>>,
    nodes: BTreeMap<NodeId, Vec<Attribute>>,
}

impl Policy for Zones {
    fn restart(&mut self) -> Result<(), CallError> {
        *self = Zones::default();
        Ok(())
    }
    fn has(&self, interface: Interface) -> bool {
        interface == Interface::Placement
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        let zone = || vec!["zone".to_owned()];
        let system = SystemInfo {
            name: "zones".to_owned(),
            about: String::new(),
            extension_points: vec![ExtensionPoint::Filter.into()],
            judges_room: false,
            evicts_higher_priority: false,
            schedulers: Vec::new(),
            interests: Interests { labels: zone(), node_labels: zone(), ..interests() },
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Ok(Description { name: "zones".to_owned(), version: "0".to_owned(), systems: vec![system] })
    }
    fn configure(&mut self, _system: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Ok(Ok(()))
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in events {
            match event {
                Event::PodUpserted(pod) => drop(self.pods.insert(pod.id, pod.template.labels.clone())),
                Event::NodeUpserted(node) => drop(self.nodes.insert(node.id, node.labels)),
                _ => {}
            }
        }
        Ok(Applied { findings: Vec::new() })
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        let codes = self.nodes.values().map(|zone| u8::from(Some(zone) != self.pods.get(&pod))).collect();
        Ok(NodeVerdicts { codes, obstacles: vec![Obstacle { reason: reason("another zone"), resolvable: false }] })
    }
}

fn zone(object: Value, zone: &str) -> Value {
    with(object, "/metadata", "labels", json!({"zone": zone}))
}

#[test]
fn the_host_finds_room_among_the_nodes_of_the_zone() {
    let mut session = Session::open(Box::new(Zones::default()), "", "").unwrap();
    let nodes = [zone(node("n1", 4), "a"), zone(node("n2", 6), "a"), zone(node("n3", 64), "b")];
    let pods = [on("n1", pod("x", 3, 0)), zone(pod("p", 3, 0), "a"), zone(pod("q", 4, 0), "a")];
    session.handle(SessionInput::Objects(nodes.into_iter().chain(pods).map(object).collect())).unwrap();
    // n1 has one core left. Then n2 has three, and q requests four.
    assert_eq!(short(&attempt(&mut session, "p").unwrap()), ["1 bind p n2"]);
    let step = attempt(&mut session, "q").unwrap();
    let tried = step.happened.attempts.first().unwrap();
    let rooms = [
        "`n1` lacks room: cpu: allocatable 4, in use 3, requested 4",
        "`n2` lacks room: cpu: allocatable 6, in use 3, requested 4",
    ];
    let obstacles: Vec<&String> = tried.nodes.as_ref().unwrap().obstacles.keys().collect();
    assert_eq!(obstacles.len(), 3, "{obstacles:?}");
    assert!(rooms.iter().all(|room| obstacles.iter().any(|said| said == room)), "{obstacles:?}");
}
