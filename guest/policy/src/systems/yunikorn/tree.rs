//! The queue tree: configured queues, and queues created on demand below them.

use std::collections::{BTreeMap, BTreeSet};

use super::config::queue::is_name;
use super::config::{ChildTemplate, ConfiguredQueue, PartitionConfig, PlacementRule, Quantity, QueueResources};
use super::properties;
use crate::model::{AmountKind, Bounds, Cluster, QueueDefinition, QueuePreemptionPolicy, ResourceBound};

/// The queue tree.
#[derive(Debug, Default)]
pub struct Tree {
    config: PartitionConfig,
    /// The paths of the leaves created on demand.
    created: BTreeSet<String>,
}

/// The leaf queue where a placement rule puts an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafQueue {
    /// Its path.
    pub path: String,
    /// Whether the leaf is not configured, but created on demand.
    pub on_demand: bool,
}

impl Tree {
    /// Creates the tree of a configuration, without queues on demand.
    pub fn new(config: PartitionConfig) -> Tree {
        Tree { config, created: BTreeSet::new() }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &PartitionConfig {
        &self.config
    }

    /// Sets the leaves on demand. Returns whether they have changed.
    pub fn set_on_demand(&mut self, leaves: BTreeSet<String>) -> bool {
        let changed = self.created != leaves;
        self.created = leaves;
        changed
    }

    /// Returns the leaf of an application, from the first placement rule that finds one. `named` is the queue that the application names, and
    /// `namespace` that of its first pod.
    pub fn find_leaf(&self, named: Option<&str>, namespace: &str) -> Option<LeafQueue> {
        self.config.rules.iter().find_map(|rule| {
            let path = self.path(rule, named, namespace)?;
            self.leaf(path, rule.create)
        })
    }

    /// Returns the path that a rule finds. Where the parent's own rule does not create queues, the parent must be configured.
    fn path(&self, rule: &PlacementRule, named: Option<&str>, namespace: &str) -> Option<String> {
        let found = match rule.name.as_str() {
            "provided" => named?.to_lowercase(),
            "fixed" => rule.value.clone(),
            "tag" if rule.value == "namespace" => namespace.to_lowercase().replace('.', "_dot_"),
            _ => return None,
        };
        if found == "root" || found.starts_with("root.") && rule.name != "tag" {
            return Some(found);
        }
        let parent = match &rule.parent {
            Some(parent) => {
                let path = self.path(parent, named, namespace)?;
                Some(path).filter(|path| parent.create || self.is_configured(path))?
            }
            None => "root".to_owned(),
        };
        Some(format!("{parent}.{found}"))
    }

    fn is_configured(&self, path: &str) -> bool {
        fn holds(queue: &ConfiguredQueue, path: &str) -> bool {
            queue.path == path || queue.queues.iter().any(|child| holds(child, path))
        }
        holds(&self.config.root, path)
    }

    /// Returns the leaf at a path, if it is configured or may be created.
    fn leaf(&self, path: String, create: bool) -> Option<LeafQueue> {
        let mut parts = path.split('.');
        let mut queue = Some(&self.config.root).filter(|_| parts.next() == Some("root"))?;
        while let Some(part) = parts.next() {
            let below = format!("{}.{part}", queue.path);
            match queue.queues.iter().find(|child| child.path == below) {
                Some(child) => queue = child,
                None => {
                    let may_create = create && queue.is_parent && is_name(part) && parts.all(is_name);
                    return may_create.then_some(LeafQueue { path, on_demand: true });
                }
            }
        }
        (!queue.is_parent).then_some(LeafQueue { path, on_demand: false })
    }

    /// Returns the queues, parents before children.
    pub fn queue_definitions(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        let mut specs = Vec::new();
        let policy = QueuePreemptionPolicy {
            preempts_nothing: self.config.preemption_disabled,
            quota_preemption: self.config.quota_preemption,
            ..QueuePreemptionPolicy::default()
        };
        let level = Level { parent: None, policy, template: None };
        self.add_configured(cluster, &self.config.root, &level, &mut specs);
        specs
    }

    fn add_configured(
        &self,
        cluster: &Cluster,
        queue: &ConfiguredQueue,
        level: &Level<'_>,
        specs: &mut Vec<QueueDefinition>,
    ) {
        let policy = properties::policy(&queue.properties, &level.policy);
        let bounds = bounds(cluster, &queue.resources);
        let parent = level.parent.map(str::to_owned);
        specs.push(QueueDefinition { name: queue.path.clone(), parent, bounds, policy, ..QueueDefinition::default() });
        let template = queue.template.as_ref().or(level.template);
        let below = Level { parent: Some(&queue.path), policy, template };
        for child in &queue.queues {
            self.add_configured(cluster, child, &below, specs);
        }
        self.add_on_demand(cluster, (queue, &policy), template, specs);
    }

    /// Adds the queues created below a configured queue. Queues between it and a created leaf are parents without bounds.
    fn add_on_demand(
        &self,
        cluster: &Cluster,
        (above, policy): (&ConfiguredQueue, &QueuePreemptionPolicy),
        template: Option<&ChildTemplate>,
        specs: &mut Vec<QueueDefinition>,
    ) {
        let nothing = ChildTemplate::default();
        let template = template.unwrap_or(&nothing);
        let mut created: BTreeMap<String, bool> = BTreeMap::new();
        let prefix = format!("{}.", above.path);
        let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
        let configured = |path: &str| above.queues.iter().any(|child| child.path == path);
        for rest in self.created.iter().filter_map(|path| below(path)) {
            let mut path = above.path.clone();
            let last = rest.split('.').count();
            for (at, part) in (1..).zip(rest.split('.')) {
                path = format!("{path}.{part}");
                if configured(&path) {
                    break;
                }
                let is_leaf = created.entry(path.clone()).or_insert(true);
                *is_leaf &= at == last;
            }
        }
        for (path, is_leaf) in created {
            let parent = path.rsplit_once('.').map(|(parent, _)| parent.to_owned());
            let (bounds, of) = match is_leaf {
                true => (bounds(cluster, &template.resources), &template.properties),
                false => (Bounds::default(), &nothing.properties),
            };
            // Inherited is only how long a queue may use more than its maximum.
            let policy = properties::policy(of, &QueuePreemptionPolicy { protects_pods: false, ..*policy });
            specs.push(QueueDefinition { name: path, parent, bounds, policy, ..QueueDefinition::default() });
        }
    }
}

/// The settings that a queue inherits.
struct Level<'a> {
    parent: Option<&'a str>,
    policy: QueuePreemptionPolicy,
    template: Option<&'a ChildTemplate>,
}

fn bounds(cluster: &Cluster, resources: &QueueResources) -> Bounds {
    let (guaranteed, max) = (bound(cluster, &resources.guaranteed), bound(cluster, &resources.max));
    Bounds { guaranteed, max, ..Bounds::default() }
}

fn bound<K: AmountKind>(cluster: &Cluster, quantities: &[Quantity]) -> ResourceBound<K> {
    let known = |quantity: &Quantity| Some((cluster.resource_named(&quantity.resource)?, quantity.amount));
    ResourceBound::new(quantities.iter().filter_map(known))
}
