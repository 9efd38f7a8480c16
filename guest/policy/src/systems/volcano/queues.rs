//! Queues: what they may hold, what they deserve, and how they stand beside each other.

use std::collections::BTreeMap;

use serde_json::Value;

use super::args::Args;
use super::keys;
use crate::contract::Finding;
use crate::model::{Amounts, Bound, Bounds, Cluster, QueueDefinition, QueueIx, QueueSpec, Request, ResourceIx};
use crate::systems::document::NamedAmounts;
use crate::systems::{Document, Findings};

/// A queue as its object describes it.
#[derive(Debug, Clone, Default, PartialEq)]
struct PodMetadata {
    parent: Option<String>,
    capability: NamedAmounts,
    deserved: NamedAmounts,
    guarantee: NamedAmounts,
    spec: QueueSpec,
}

/// The queues read so far.
#[derive(Debug, Default)]
pub struct Queues {
    said: BTreeMap<String, PodMetadata>,
    settled: bool,
    resources: usize,
}

impl Queues {
    /// Reads a queue.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) {
        match read(object) {
            Ok(said) => {
                if self.said.get(&object.name) != Some(&said) {
                    self.said.insert(object.name.clone(), said);
                    self.settled = false;
                }
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// A queue is gone.
    pub fn remove(&mut self, name: &str) {
        if self.said.remove(name).is_some() {
            self.settled = false;
        }
    }

    /// The queues, parents before children; none where nothing has changed since the last call.
    pub fn changed(&mut self, args: &Args, cluster: &Cluster) -> Option<Vec<QueueDefinition>> {
        if self.settled && self.resources == cluster.resource_count() {
            return None;
        }
        (self.settled, self.resources) = (true, cluster.resource_count());
        let mut all = self.said.clone();
        all.entry(keys::DEFAULT_QUEUE.to_owned()).or_default();
        if !args.is_tree {
            let specs = all.iter().map(|(name, said)| spec(cluster, name, said, None, false));
            return Some(specs.collect());
        }
        all.entry(keys::ROOT_QUEUE.to_owned()).or_default();
        Some(tree(args, cluster, &all))
    }
}

/// The tree below the root; a queue whose parent is not there, or is below itself, stands below the root.
fn tree(args: &Args, cluster: &Cluster, all: &BTreeMap<String, PodMetadata>) -> Vec<QueueDefinition> {
    let parent = |name: &str| -> Option<&str> {
        let said = all.get(name).filter(|_| name != keys::ROOT_QUEUE)?;
        let parent = said.parent.as_deref().filter(|parent| all.contains_key(*parent));
        Some(parent.unwrap_or(keys::ROOT_QUEUE))
    };
    let depth = |name: &str| std::iter::successors(parent(name), |name| parent(name)).take(all.len()).count();
    let lost = |name: &str| depth(name) >= all.len();
    let parent = |name: &str| if lost(name) { Some(keys::ROOT_QUEUE) } else { parent(name) };
    let level = |name: &str| if lost(name) { 1 } else { depth(name) };
    let mut names: Vec<&String> = all.keys().collect();
    names.sort_by_key(|name| (level(name), name.as_str()));
    let specs = names.into_iter().filter_map(|name| {
        let has_children = all.keys().any(|other| parent(other) == Some(name));
        let mut spec = spec(cluster, name, all.get(name)?, parent(name).map(str::to_owned), has_children);
        spec.spec.watched_ancestors = args.watched_ancestors;
        Some(spec)
    });
    specs.collect()
}

fn spec(
    cluster: &Cluster,
    name: &str,
    said: &PodMetadata,
    parent: Option<String>,
    has_children: bool,
) -> QueueDefinition {
    let bound = |amounts: &NamedAmounts, zero_counts: fn(&str) -> bool| {
        let named = amounts.iter().filter(|(name, n)| counts(name) && (*n > 0 || zero_counts(name)));
        Bound::new(named.filter_map(|(name, n)| Some((cluster.resource_named(name)?, *n))))
    };
    // An amount of 0 of cpu or memory is as good as none here; of any other resource it is an amount.
    let deserved = bound(&said.deserved, |name| name != "cpu" && name != "memory");
    let bounds =
        Bounds { guaranteed: bound(&said.guarantee, |_| false), deserved, max: bound(&said.capability, |_| true) };
    let spec = QueueSpec { has_children, ..said.spec.clone() };
    QueueDefinition {
        name: name.to_owned(),
        parent,
        bounds,
        is_default: name == keys::DEFAULT_QUEUE,
        spec,
        ..QueueDefinition::default()
    }
}

/// Whether a resource is compared at all: how many pods there are is the node's business.
fn counts(resource: &str) -> bool {
    resource != "pods" && !resource.starts_with("hostport/")
}

/// Sets what each queue may hold: its capability, and of what its parent may hold (without one, of all there is) what is not
/// guaranteed to its siblings.
pub fn set_real_capabilities(cluster: &mut Cluster) {
    let mut total = Amounts::default();
    for (_, node) in cluster.nodes() {
        total.add(&Request::new(node.allocatable.iter().collect()));
    }
    let resources = (0u32..).map(ResourceIx).take(cluster.resource_count());
    let resources: Vec<ResourceIx> = resources.filter(|resource| counts(cluster.resource_name(*resource))).collect();
    // Guarantees may be any numbers: their sum is counted wider than they are.
    let mut guaranteed: BTreeMap<(Option<QueueIx>, ResourceIx), i128> = BTreeMap::new();
    for (_, queue) in cluster.queues() {
        for (resource, amount) in queue.bounds.guaranteed.iter() {
            let sum = guaranteed.entry((queue.parent, resource)).or_default();
            *sum = sum.saturating_add(i128::from(amount));
        }
    }
    let queues: Vec<QueueIx> = cluster.queues().map(|(ix, _)| ix).collect();
    for ix in queues {
        let Some(queue) = cluster.queue(ix) else { continue };
        let parent = queue.parent.and_then(|parent| cluster.queue(parent)).and_then(|parent| parent.runtime.as_ref());
        let real = resources.iter().map(|resource| {
            let above = parent.map_or_else(|| total.get(*resource), |parent| parent.get(*resource).unwrap_or(0));
            let all = guaranteed.get(&(queue.parent, *resource)).copied().unwrap_or(0);
            let others = all.saturating_sub(i128::from(queue.bounds.guaranteed.get(*resource).unwrap_or(0)));
            let left = i128::from(above).saturating_sub(others).max(0);
            let left = i64::try_from(left).unwrap_or(i64::MAX);
            (*resource, queue.bounds.max.get(*resource).map_or(left, |own| own.min(left)))
        });
        let real = Bound::new(real);
        cluster.set_runtime(ix, real);
    }
}

fn read(object: &Document) -> Result<PodMetadata, Finding> {
    let priority = match object.at("/spec/priority") {
        None => 0,
        Some(value) => value.as_i64().and_then(|n| i32::try_from(n).ok()).ok_or_else(|| {
            object.error("/spec/priority", format!("`{value}` is not a priority"), "write a whole number of 32 bits")
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
    Ok(PodMetadata {
        parent: parent.map(str::to_owned),
        capability: object.amounts("/spec/capability", true)?,
        deserved: object.amounts("/spec/deserved", true)?,
        guarantee: object.amounts("/spec/guarantee/resource", false)?,
        spec: QueueSpec { priority, reclaimable, open, created: super::created(object), ..QueueSpec::default() },
    })
}
