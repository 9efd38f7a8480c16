//! The queue tree, read from the configuration, which a case writes as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::leaf;
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod, at, text};

/// The delay of a queue without the property, in seconds.
const DELAY: i64 = 30;

/// A queue.
#[derive(Debug, Clone)]
pub(super) struct YuniKornQueue {
    pub(super) path: String,
    pub(super) guaranteed: MilliAmounts,
    pub(super) max: MilliAmounts,
    pub(super) is_fence: bool,
    /// Inherited.
    pub(super) is_disabled: bool,
    pub(super) is_priority_fence: bool,
    pub(super) offset: i64,
    delay: i64,
    /// How long the queue may hold more than its maximum, in seconds; 0: forever. Inherited.
    pub(super) quota_delay: i64,
    is_leaf: bool,
    /// The settings of leaves created on demand.
    template: Option<Value>,
}

impl YuniKornQueue {
    /// Reads a queue as a leaf with these resources and properties. `disabled` and `quota_delay`: those of the parent, which the queue inherits.
    fn of(path: &str, written: &Value, disabled: bool, quota_delay: i64) -> Result<YuniKornQueue, ModelInputError> {
        let property =
            |name: &str| at(written, "/properties").and_then(|all| all.get(name)?.as_str()).unwrap_or_default();
        // The design: on the root it has no effect.
        let policy = if path == "root" { "" } else { property("preemption.policy") };
        Ok(YuniKornQueue {
            path: path.to_owned(),
            guaranteed: amounts(at(written, "/resources/guaranteed"))?,
            max: amounts(at(written, "/resources/max"))?,
            is_fence: policy == "fence",
            is_disabled: policy == "disabled" || disabled && policy.is_empty(),
            is_priority_fence: property("priority.policy") == "fence",
            offset: property("priority.offset").parse().unwrap_or(0),
            delay: property("preemption.delay").trim_end_matches('s').parse().unwrap_or(DELAY),
            quota_delay: property("quota.preemption.delay").trim_end_matches('s').parse().unwrap_or(quota_delay),
            is_leaf: true,
            template: None,
        })
    }
}

/// The tree.
#[derive(Debug)]
pub(super) struct QueueTree(BTreeMap<String, YuniKornQueue>);

/// Returns the partition of the configuration, which a case writes as JSON.
pub(super) fn partition(world: &ModelCluster) -> Value {
    let config = world.others.get(&("ConfigMap".to_owned(), "yunikorn-configs".to_owned()));
    let written = config.and_then(|config| at(config, "/data")?.get("queues.yaml")?.as_str()).unwrap_or("{}");
    let config: Value = serde_json::from_str(written).unwrap_or_default();
    config.pointer("/partitions/0").cloned().unwrap_or_default()
}

impl QueueTree {
    /// Reads the configuration.
    pub(super) fn read(world: &ModelCluster) -> Result<QueueTree, ModelInputError> {
        let mut queues = QueueTree(BTreeMap::new());
        let config = world.others.get(&("ConfigMap".to_owned(), "yunikorn-configs".to_owned()));
        let written = config.and_then(|config| at(config, "/data")?.get("queues.yaml")?.as_str()).unwrap_or("{}");
        let config: Value = serde_json::from_str(written).map_err(|error| ModelInputError(error.to_string()))?;
        if let Some(root) = at(&config, "/partitions/0/queues/0") {
            queues.add(root, "", false)?;
        }
        let named: BTreeSet<&str> = world.pods.values().map(leaf).collect();
        named.into_iter().try_for_each(|path| queues.create_on_demand(path))?;
        Ok(queues)
    }

    /// Creates a queue that a pod names and the configuration does not contain, if its parent allows that. It has the settings of the
    /// nearest child template above, and no others.
    fn create_on_demand(&mut self, path: &str) -> Result<(), ModelInputError> {
        let parent = path.rsplit_once('.').and_then(|(parent, _)| self.0.get(parent)).filter(|parent| !parent.is_leaf);
        if self.0.contains_key(path) || parent.is_none() {
            return Ok(());
        }
        let template = self.ancestors(path).into_iter().find_map(|queue| queue.template.clone());
        let inherited = parent.map_or(0, |parent| parent.quota_delay);
        let leaf = YuniKornQueue::of(path, &template.unwrap_or_default(), false, inherited)?;
        self.0.insert(path.to_owned(), leaf);
        Ok(())
    }

    fn add(&mut self, written: &Value, parent: &str, disabled: bool) -> Result<(), ModelInputError> {
        let name = text(written, "/name");
        let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        let children = written.get("queues").and_then(Value::as_array).cloned().unwrap_or_default();
        let inherited = self.0.get(parent).map_or(0, |parent| parent.quota_delay);
        let mut queue = YuniKornQueue::of(&path, written, disabled, inherited)?;
        queue.is_leaf = children.is_empty() && at(written, "/parent") != Some(&Value::Bool(true));
        queue.template = at(written, "/childtemplate").cloned();
        let is_disabled = queue.is_disabled;
        self.0.insert(path.clone(), queue);
        children.iter().try_for_each(|child| self.add(child, &path, is_disabled))
    }

    /// Returns the queues from a leaf up to root.
    pub(super) fn ancestors(&self, path: &str) -> Vec<&YuniKornQueue> {
        let mut queues: Vec<&YuniKornQueue> = self.0.values().filter(|queue| is_within(path, &queue.path)).collect();
        queues.sort_by_key(|queue| std::cmp::Reverse(queue.path.len()));
        queues
    }

    /// Returns the paths of the queues that use more than their maximum. Pods that are leaving still count.
    pub(super) fn over_max(&self, world: &ModelCluster) -> BTreeSet<String> {
        let over = self.0.values().filter(|queue| !used(world, &queue.path, false).within(&queue.max));
        over.map(|queue| queue.path.clone()).collect()
    }

    /// Returns whether this path names a leaf, so that a pod may be in the queue.
    pub(super) fn has_leaf(&self, path: &str) -> bool {
        self.0.get(path).is_some_and(|queue| queue.is_leaf)
    }

    /// Returns the paths of all leaves.
    pub(super) fn leaves(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter(|queue| queue.is_leaf).map(|queue| queue.path.as_str())
    }

    /// Returns how long a pod of a leaf waits before it may preempt, in seconds.
    pub(super) fn delay(&self, path: &str) -> i64 {
        self.0.get(path).map_or(DELAY, |queue| queue.delay)
    }

    /// Computes the free amounts below the maxima for a pod, optionally counting nominated pods as used. A resource without a maximum has a very
    /// large amount.
    pub(super) fn headroom(&self, world: &ModelCluster, pod: &ModelPod, with_nominated: bool) -> MilliAmounts {
        let mut headroom =
            MilliAmounts(pod.request.0.keys().map(|resource| (resource.clone(), i64::MAX / 4)).collect());
        for queue in self.ancestors(leaf(pod)) {
            let mut used = used(world, &queue.path, false);
            if with_nominated {
                used.add(&nominated(world, &queue.path, pod));
            }
            for (resource, max) in &queue.max.0 {
                let left = max - used.get(resource);
                headroom.0.entry(resource.clone()).and_modify(|least| *least = left.min(*least)).or_insert(left);
            }
        }
        headroom
    }

    /// Returns whether every queue is within its maximum.
    pub(super) fn within_max(&self, world: &ModelCluster) -> bool {
        self.0.values().all(|queue| used(world, &queue.path, false).within(&queue.max))
    }
}

/// Returns whether a queue equals another one or is below it.
pub(super) fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Computes the usage of a queue, optionally without terminating pods.
pub(super) fn used(world: &ModelCluster, path: &str, without_leaving: bool) -> MilliAmounts {
    let ours = world.pods.values().filter(|pod| pod.occupied_node().is_some() && is_within(leaf(pod), path));
    MilliAmounts::sum(ours.filter(|pod| !(without_leaving && pod.leaving)).map(|pod| &pod.request))
}

/// Adds up the requests of the nominated pods of a queue, except one pod.
pub(super) fn nominated(world: &ModelCluster, path: &str, except: &ModelPod) -> MilliAmounts {
    let ours = world.pods.values().filter(|pod| pod.pending() && pod.nominated.is_some() && pod.name != except.name);
    MilliAmounts::sum(ours.filter(|pod| is_within(leaf(pod), path)).map(|pod| &pod.request))
}

/// Reads amounts in YuniKorn's names: `vcore` is cpu.
fn amounts(value: Option<&Value>) -> Result<MilliAmounts, ModelInputError> {
    let mut amounts = MilliAmounts::read(value)?;
    if let Some(cpu) = amounts.0.remove("vcore") {
        amounts.0.insert("cpu".to_owned(), cpu);
    }
    Ok(amounts)
}
