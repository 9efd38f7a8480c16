//! Reads jobs and queues from their objects.

use std::collections::BTreeMap;

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod, at, tag, text};

/// A job: a PodGroup with its annotations for elastic training.
#[derive(Debug, Clone)]
pub(super) struct VolcanoJob {
    pub(super) name: String,
    pub(super) queue: String,
    /// The parent of its queue, other than the root.
    pub(super) parent: Option<String>,
    pub(super) min: usize,
    max: usize,
    /// The steps in which it grows; none if it is not elastic.
    steps: Option<Steps>,
    pub(super) cooldown: i64,
}

#[derive(Debug, Clone, Copy)]
enum Steps {
    PowerOfTwo,
    Factor(usize),
}

impl VolcanoJob {
    /// Reads all jobs.
    pub(super) fn read(world: &ModelCluster) -> Vec<VolcanoJob> {
        world.all("PodGroup").map(|group| VolcanoJob::of(world, group)).collect()
    }

    fn of(world: &ModelCluster, group: &serde_json::Value) -> VolcanoJob {
        let name = text(group, "/metadata/name").to_owned();
        let annotation = |key: &str| tag(group, "annotations", key);
        let factor = annotation("volcano.sh/elastic-train-factor")
            .and_then(|text| text.parse().ok())
            .filter(|factor| *factor > 0);
        let steps = (annotation("volcano.sh/elastic-train") == Some("true")).then(|| {
            let doubles = annotation("volcano.sh/elastic-train-power-of-two") == Some("true");
            if doubles { Steps::PowerOfTwo } else { Steps::Factor(factor.unwrap_or(1)) }
        });
        let cooldown =
            annotation("volcano.sh/elastic-cooldown-time").and_then(|text| text.trim_end_matches('s').parse().ok());
        let owner = ("Job".to_owned(), text(group, "/metadata/ownerReferences/0/name").to_owned());
        let replicas = world.others.get(&owner).and_then(|job| at(job, "/spec/tasks/0/replicas")?.as_u64());
        let number = |amount: u64| usize::try_from(amount).unwrap_or(0);
        let pods = world.pods.values().filter(|pod| group_of(pod) == name).count();
        let queue = world.others.get(&("Queue".to_owned(), text(group, "/spec/queue").to_owned()));
        let parent = queue.map(|queue| text(queue, "/spec/parent")).filter(|parent| !["", "root"].contains(parent));
        VolcanoJob {
            queue: text(group, "/spec/queue").to_owned(),
            parent: parent.map(str::to_owned),
            min: at(group, "/spec/minMember").and_then(serde_json::Value::as_u64).map_or(1, number),
            max: replicas.map_or(pods, number),
            steps,
            cooldown: cooldown.unwrap_or(0),
            name,
        }
    }

    /// Returns the pods of the job.
    pub(super) fn pods<'w>(&self, world: &'w ModelCluster) -> Vec<&'w ModelPod> {
        world.pods.values().filter(|pod| group_of(pod) == self.name).collect()
    }

    /// Counts the pods of the job that run and are not leaving.
    pub(super) fn size(&self, world: &ModelCluster) -> usize {
        self.pods(world).iter().filter(|pod| pod.node.is_some() && !pod.leaving).count()
    }

    pub(super) fn is_elastic(&self) -> bool {
        self.steps.is_some()
    }

    /// Returns whether a size is legal: min; above min a power of two, or min plus whole steps, or any size for a job that is not elastic.
    pub(super) fn may_be(&self, size: usize) -> bool {
        match self.steps {
            _ if size < self.min || size > self.max => false,
            _ if size == self.min => true,
            None => true,
            Some(Steps::PowerOfTwo) => size.is_power_of_two(),
            Some(Steps::Factor(factor)) => (size - self.min).is_multiple_of(factor),
        }
    }

    /// Returns whether a pod is an elastic pod of this job.
    pub(super) fn is_elastic_pod(&self, pod: &ModelPod) -> bool {
        self.is_elastic() && pod.label("volcano.sh/elastic-train") == Some("true")
    }
}

/// Returns the name of the job of a pod; empty for a pod without the annotation.
pub(super) fn group_of(pod: &ModelPod) -> &str {
    pod.annotation("scheduling.k8s.io/group-name").unwrap_or_default()
}

/// A queue.
#[derive(Debug, Clone)]
pub(super) struct VolcanoQueue {
    pub(super) deserved: MilliAmounts,
    pub(super) guarantee: MilliAmounts,
    /// What is due to it: its deserved amounts, and its guarantee where nothing is deserved.
    pub(super) entitlement: MilliAmounts,
    /// Its real capability: its capability, at most the cluster less the guarantees of others.
    pub(super) capability: MilliAmounts,
    pub(super) is_open: bool,
    pub(super) is_reclaimable: bool,
}

/// Reads all queues, by name. Fails if an amount cannot be read.
pub(super) fn queues(world: &ModelCluster) -> Result<BTreeMap<String, VolcanoQueue>, ModelInputError> {
    let total = MilliAmounts::sum(world.nodes.values().map(|node| &node.allocatable));
    let mut queues = BTreeMap::new();
    for queue in world.all("Queue") {
        let read = VolcanoQueue {
            deserved: MilliAmounts::read(at(queue, "/spec/deserved"))?,
            guarantee: MilliAmounts::read(at(queue, "/spec/guarantee/resource"))?,
            entitlement: MilliAmounts::default(),
            capability: MilliAmounts::read(at(queue, "/spec/capability"))?,
            is_open: text(queue, "/status/state") == "Open",
            is_reclaimable: at(queue, "/spec/reclaimable") != Some(&serde_json::Value::Bool(false)),
        };
        queues.insert(text(queue, "/metadata/name").to_owned(), read);
    }
    let guaranteed = MilliAmounts::sum(queues.values().map(|queue| &queue.guarantee));
    for queue in queues.values_mut() {
        // An amount of 0 cpu or memory counts as absent.
        queue.deserved.0.retain(|resource, amount| *amount > 0 || !["cpu", "memory"].contains(&resource.as_str()));
        for resource in total.0.keys().filter(|resource| *resource != "pods") {
            // Where all guarantees are more than the cluster has, nothing is left in addition to them.
            let left = (total.get(resource) - guaranteed.get(resource)).max(0) + queue.guarantee.get(resource);
            let own = queue.capability.names(resource).then(|| queue.capability.get(resource));
            let capability = own.unwrap_or(left).min(left);
            queue.capability.0.insert(resource.clone(), capability);
            let guarantee = queue.guarantee.get(resource);
            // Deserved is at least the guarantee and at most the real capability. A guarantee alone does not set it, but is due.
            if queue.deserved.names(resource) {
                let deserved = queue.deserved.get(resource).min(capability).max(guarantee);
                queue.deserved.0.insert(resource.clone(), deserved);
                queue.entitlement.0.insert(resource.clone(), deserved);
            } else if guarantee > 0 {
                queue.entitlement.0.insert(resource.clone(), guarantee);
            }
        }
    }
    Ok(queues)
}
