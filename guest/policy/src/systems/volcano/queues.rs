//! Queues: their bounds, and their place in the tree.

use std::collections::BTreeMap;

use serde_json::Value;

use super::args::VolcanoArgs;
use super::keys;
use crate::contract::Finding;
use crate::model::{AmountKind, Bounds, Cluster, QueueDefinition, QueueIx, QueueSpec, ResourceBound, ResourceIx};
use crate::systems::document::NamedAmounts;
use crate::systems::{Findings, ParsedObject, pod_group};

/// A queue as the Queue object specifies it.
#[derive(Debug, Clone, Default, PartialEq)]
struct VolcanoQueueSpec {
    parent: Option<String>,
    capability: NamedAmounts,
    deserved: NamedAmounts,
    guarantee: NamedAmounts,
    /// Whether its affinity to groups of nodes must be met. `None`: it has no affinity of its own, and inherits that of the queue above it.
    node_groups: Option<bool>,
    spec: QueueSpec,
}

/// The queues read so far.
#[derive(Debug, Default)]
pub struct VolcanoQueues {
    specs: BTreeMap<String, VolcanoQueueSpec>,
    in_sync: bool,
    resources: usize,
}

impl VolcanoQueues {
    /// Reads a queue.
    pub fn read(&mut self, object: &ParsedObject, findings: &mut Findings) {
        match read(object) {
            Ok(spec) => {
                findings.extend(weight_without_bound(object, &spec));
                findings.extend(node_groups(object, &spec));
                if self.specs.get(&object.name) != Some(&spec) {
                    self.specs.insert(object.name.clone(), spec);
                    self.in_sync = false;
                }
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// Removes a queue.
    pub fn remove(&mut self, name: &str) {
        if self.specs.remove(name).is_some() {
            self.in_sync = false;
        }
    }

    /// Returns the queues, parents before children. `None`: nothing has changed since the last call.
    pub fn take_changed(&mut self, args: &VolcanoArgs, cluster: &Cluster) -> Option<Vec<QueueDefinition>> {
        if self.in_sync && self.resources == cluster.resource_count() {
            return None;
        }
        (self.in_sync, self.resources) = (true, cluster.resource_count());
        let mut all = self.specs.clone();
        all.entry(keys::DEFAULT_QUEUE.to_owned()).or_default();
        if !args.is_tree {
            let definitions = all.iter().map(|(name, spec)| definition(cluster, name, spec, None, false));
            return Some(definitions.collect());
        }
        all.entry(keys::ROOT_QUEUE.to_owned()).or_default();
        Some(queue_definitions(args, cluster, &all))
    }
}

/// Returns the tree below the root. A queue in a cycle, or without an existing parent, becomes a child of the root.
fn queue_definitions(
    args: &VolcanoArgs,
    cluster: &Cluster,
    all: &BTreeMap<String, VolcanoQueueSpec>,
) -> Vec<QueueDefinition> {
    let parent = |name: &str| -> Option<&str> {
        let spec = all.get(name).filter(|_| name != keys::ROOT_QUEUE)?;
        let parent = spec.parent.as_deref().filter(|parent| all.contains_key(*parent));
        Some(parent.unwrap_or(keys::ROOT_QUEUE))
    };
    let depth = |name: &str| std::iter::successors(parent(name), |name| parent(name)).take(all.len()).count();
    let in_cycle = |name: &str| depth(name) >= all.len();
    let parent = |name: &str| if in_cycle(name) { Some(keys::ROOT_QUEUE) } else { parent(name) };
    let picks_nodes = |name: &str| {
        let mut line = std::iter::successors(Some(name), |name| parent(name)).take(all.len());
        line.find_map(|name| all.get(name)?.node_groups).unwrap_or(false)
    };
    let level = |name: &str| if in_cycle(name) { 1 } else { depth(name) };
    let mut names: Vec<&String> = all.keys().collect();
    names.sort_by_key(|name| (level(name), name.as_str()));
    let definitions = names.into_iter().filter_map(|name| {
        let has_children = all.keys().any(|other| parent(other) == Some(name));
        let mut queue = definition(cluster, name, all.get(name)?, parent(name).map(str::to_owned), has_children);
        queue.spec.ancestor_reclaim_level = args.ancestor_reclaim_level;
        queue.spec.picks_nodes = picks_nodes(name);
        Some(queue)
    });
    definitions.collect()
}

fn definition(
    cluster: &Cluster,
    name: &str,
    spec: &VolcanoQueueSpec,
    parent: Option<String>,
    has_children: bool,
) -> QueueDefinition {
    let bounds = Bounds {
        guaranteed: bound(cluster, &spec.guarantee, |_| false),
        // An amount of 0 counts as absent for cpu and memory, and as 0 for any other resource.
        deserved: bound(cluster, &spec.deserved, |name| name != "cpu" && name != "memory"),
        max: bound(cluster, &spec.capability, |_| true),
    };
    let picks_nodes = spec.node_groups.unwrap_or(false);
    let spec = QueueSpec { has_children, picks_nodes, ..spec.spec.clone() };
    QueueDefinition {
        name: name.to_owned(),
        parent,
        bounds,
        is_default: name == keys::DEFAULT_QUEUE,
        spec,
        ..QueueDefinition::default()
    }
}

fn bound<K: AmountKind>(cluster: &Cluster, amounts: &NamedAmounts, zero_counts: fn(&str) -> bool) -> ResourceBound<K> {
    let named = amounts.iter().filter(|(name, n)| counts(name) && (*n > 0 || zero_counts(name)));
    ResourceBound::new(named.filter_map(|(name, n)| Some((cluster.resource_named(name)?, *n))))
}

/// Returns whether queues count a resource. Only nodes limit `pods`, host ports and what volumes take.
fn counts(resource: &str) -> bool {
    resource != "pods" && !crate::contract::is_of_host(resource)
}

/// Sets the real capability of each queue: what the parent (without one, the cluster) has beyond the guarantees of all its children, plus the queue's
/// own guarantee, and at most the queue's own capability. The guarantees may exceed what the parent has, such as after the loss of a node. Each queue
/// may then use its own guarantee (upstream capacity.go, realCapability).
pub fn set_real_capabilities(cluster: &mut Cluster) {
    let resources = (0u32..).map(ResourceIx).take(cluster.resource_count());
    let resources: Vec<ResourceIx> = resources.filter(|resource| counts(cluster.resource_name(*resource))).collect();
    // A guarantee may be any 64-bit number, so the sums are 128 bits wide.
    let mut guaranteed: BTreeMap<(Option<QueueIx>, ResourceIx), i128> = BTreeMap::new();
    for (_, queue) in cluster.queues() {
        for (resource, amount) in queue.bounds.guaranteed.amounts() {
            let sum = guaranteed.entry((queue.parent, resource)).or_default();
            *sum = sum.saturating_add(i128::from(amount));
        }
    }
    let queues: Vec<QueueIx> = cluster.queues().map(|(ix, _)| ix).collect();
    for ix in queues {
        let Some(queue) = cluster.queue(ix) else { continue };
        let parent =
            queue.parent.and_then(|parent| cluster.queue(parent)).and_then(|parent| parent.runtime_quota.as_ref());
        let real = resources.iter().map(|resource| {
            let above = parent
                .map_or_else(|| cluster.allocatable(*resource), |parent| parent.get(*resource).map_or(0, |max| max.0));
            let all = guaranteed.get(&(queue.parent, *resource)).copied().unwrap_or(0);
            let own = i128::from(queue.bounds.guaranteed.get(*resource).map_or(0, |own| own.0));
            let left = i128::from(above).saturating_sub(all).max(0).saturating_add(own);
            let left = i64::try_from(left).unwrap_or(i64::MAX);
            (*resource, queue.bounds.max.get(*resource).map_or(left, |own| own.0.min(left)))
        });
        let real = ResourceBound::new(real);
        cluster.set_runtime(ix, real);
    }
}

/// Returns a warning for a queue that has a weight and no bound. Volcano makes the queues `default` and `root` itself, with weight 1.
fn weight_without_bound(object: &ParsedObject, spec: &VolcanoQueueSpec) -> Option<Finding> {
    let weight = object.at("/spec/weight")?;
    let is_built_in =
        [keys::DEFAULT_QUEUE, keys::ROOT_QUEUE].contains(&object.name.as_str()) && weight.as_i64() == Some(1);
    let bounds = [&spec.capability, &spec.deserved, &spec.guarantee];
    (!is_built_in && bounds.iter().all(|bound| bound.is_empty())).then(|| {
        let message = "the weight has no effect: shares by weight (plugin proportion) are not supported, and this queue is \
                       entitled to nothing";
        object.warning("/spec/weight", message, "set spec.deserved to what the queue is entitled to, and spec.capability to what it may use")
    })
}

/// The JSON pointer to the groups of nodes that a queue has an affinity to.
const AFFINITY: &str = "/spec/affinity";

/// Returns whether an affinity of a queue must be met (upstream plugin nodegroup; ruling 2.17).
fn must_pick_nodes(affinity: &Value) -> bool {
    let required = |kind: &str| {
        let groups = affinity.get(kind).and_then(|kind| kind.get("requiredDuringSchedulingIgnoredDuringExecution"));
        groups.and_then(Value::as_array).is_some_and(|groups| !groups.is_empty())
    };
    required("nodeGroupAffinity") || required("nodeGroupAntiAffinity")
}

/// Makes a warning for a queue that has an affinity to groups of nodes: no law judges it.
fn node_groups(object: &ParsedObject, spec: &VolcanoQueueSpec) -> Option<Finding> {
    let (message, remedy) = match spec.node_groups? {
        true => (
            "no law judges this constraint, so no pod of the queue is tried",
            "write it as preferred, or write node affinity in the pods",
        ),
        false => ("no law judges it: the pods are placed as if the field were not there", "remove the field"),
    };
    Some(object.warning(AFFINITY, message, remedy))
}

fn read(object: &ParsedObject) -> Result<VolcanoQueueSpec, Finding> {
    let priority = match object.at("/spec/priority") {
        None => 0,
        Some(value) => value.as_i64().and_then(|n| i32::try_from(n).ok()).ok_or_else(|| {
            object.error(
                "/spec/priority",
                format!("`{value}` is not a priority"),
                "write a whole number of at most 32 bits",
            )
        })?,
    };
    let reclaimable = match object.at("/spec/reclaimable") {
        None => true,
        Some(value) => value.as_bool().ok_or_else(|| {
            object.error("/spec/reclaimable", format!("`{value}` is neither true nor false"), "write true or false")
        })?,
    };
    let state = object.at("/status/state").and_then(Value::as_str).unwrap_or_default();
    let open = state.is_empty() || state == "Open";
    let parent = object.at("/spec/parent").and_then(Value::as_str).filter(|name| !name.is_empty());
    Ok(VolcanoQueueSpec {
        parent: parent.map(str::to_owned),
        capability: object.amounts("/spec/capability", true)?,
        deserved: object.amounts("/spec/deserved", true)?,
        guarantee: object.amounts("/spec/guarantee/resource", false)?,
        node_groups: object.at(AFFINITY).map(must_pick_nodes),
        spec: QueueSpec {
            priority,
            reclaimable,
            open,
            created: pod_group::created(object).unwrap_or(0),
            ..QueueSpec::default()
        },
    })
}
