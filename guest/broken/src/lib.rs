//! The parts that the broken policies of `examples/` share. They order pods by age, as well as they can.

use std::collections::BTreeMap;

use lictor_sdk::*;

/// The name of the one system.
pub const SYSTEM: &str = "oldest-first";

/// The creation time of each pod, by number.
#[derive(Debug, Default)]
pub struct Ages(pub BTreeMap<PodId, i64>);

impl Ages {
    /// Takes note of pods.
    pub fn apply(&mut self, events: Vec<Event>) -> Applied {
        for event in events {
            match event {
                Event::PodUpserted(pod) => drop(self.0.insert(pod.id, pod.created)),
                Event::PodRemoved(pod) => drop(self.0.remove(&pod)),
                _ => {}
            }
        }
        Applied { findings: Vec::new() }
    }

    /// Returns the keys of pods in the queue: the older pod comes first.
    ///
    /// # Errors
    /// One of the pods is not known.
    pub fn keys(&self, pods: &[PodId]) -> Result<Vec<Vec<u8>>, PolicyError> {
        let age = |pod: &PodId| self.0.get(pod).copied().ok_or(PolicyError::UnknownPod(*pod));
        pods.iter().map(|pod| Ok(KeyBuilder::new().ascending(age(pod)?).build())).collect()
    }
}

/// Describes a policy of this name that orders the queue.
pub fn description(name: &str) -> Description {
    let system = system_info(SYSTEM, "the oldest pod is tried first", &[ExtensionPoint::QueueOrder]);
    Description { name: name.to_owned(), version: "1".to_owned(), systems: vec![system] }
}
