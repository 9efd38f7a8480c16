//! The tree of queues: those that are configured, and those that are made on demand below them.

use std::collections::{BTreeMap, BTreeSet};

use super::config::queue::is_name;
use super::config::{Config, Quantity, Queue, Resources, Rule, Template};
use super::properties;
use crate::model::{Bound, Bounds, Cluster, QueueDefinition};

/// The tree.
#[derive(Debug, Default)]
pub struct Tree {
    config: Config,
    /// The leaves that are made on demand, by path.
    made: BTreeSet<String>,
}

/// Where a placement rule puts an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its path.
    pub path: String,
    /// It is not configured.
    pub on_demand: bool,
}

impl Tree {
    /// A tree of these queues.
    pub fn new(config: Config) -> Tree {
        Tree { config, made: BTreeSet::new() }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The leaves on demand are these from now on; whether they are others than before.
    pub fn make(&mut self, leaves: BTreeSet<String>) -> bool {
        let changed = self.made != leaves;
        self.made = leaves;
        changed
    }

    /// The leaf of an application that names this queue, or none, and whose pods are of this namespace: what the first placement
    /// rule finds that finds one.
    pub fn place(&self, named: Option<&str>, namespace: &str) -> Option<Leaf> {
        self.config.rules.iter().find_map(|rule| {
            let path = self.path(rule, named, namespace)?;
            self.leaf(path, rule.create)
        })
    }

    /// The path that a rule finds. A parent that its own rule may not create must be there.
    fn path(&self, rule: &Rule, named: Option<&str>, namespace: &str) -> Option<String> {
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
        fn holds(queue: &Queue, path: &str) -> bool {
            queue.path == path || queue.queues.iter().any(|child| holds(child, path))
        }
        holds(&self.config.root, path)
    }

    /// The leaf of a path, if there is one or one may be made.
    fn leaf(&self, path: String, create: bool) -> Option<Leaf> {
        let mut parts = path.split('.');
        let mut queue = Some(&self.config.root).filter(|_| parts.next() == Some("root"))?;
        while let Some(part) = parts.next() {
            let below = format!("{}.{part}", queue.path);
            match queue.queues.iter().find(|child| child.path == below) {
                Some(child) => queue = child,
                None => {
                    let makeable = create && queue.is_parent && is_name(part) && parts.all(is_name);
                    return makeable.then_some(Leaf { path, on_demand: true });
                }
            }
        }
        (!queue.is_parent).then_some(Leaf { path, on_demand: false })
    }

    /// The queues, parents before children.
    pub fn specs(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        let mut specs = Vec::new();
        let level = Level { parent: None, spared: false, template: None };
        self.configured(cluster, &self.config.root, &level, &mut specs);
        specs
    }

    fn configured(&self, cluster: &Cluster, queue: &Queue, level: &Level<'_>, specs: &mut Vec<QueueDefinition>) {
        let policy = properties::policy(&queue.properties, level.spared, self.config.frozen);
        let bounds = bounds(cluster, &queue.resources);
        let parent = level.parent.map(str::to_owned);
        specs.push(QueueDefinition { name: queue.path.clone(), parent, bounds, policy, ..QueueDefinition::default() });
        let template = queue.template.as_ref().or(level.template);
        let below = Level { parent: Some(&queue.path), spared: policy.spared, template };
        for child in &queue.queues {
            self.configured(cluster, child, &below, specs);
        }
        self.on_demand(cluster, queue, template, specs);
    }

    /// The queues made below a configured one. Those between it and a leaf are parents without bounds of their own.
    fn on_demand(
        &self,
        cluster: &Cluster,
        above: &Queue,
        template: Option<&Template>,
        specs: &mut Vec<QueueDefinition>,
    ) {
        let nothing = Template::default();
        let template = template.unwrap_or(&nothing);
        let mut made: BTreeMap<String, bool> = BTreeMap::new();
        let prefix = format!("{}.", above.path);
        let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
        let configured = |path: &str| above.queues.iter().any(|child| child.path == path);
        for rest in self.made.iter().filter_map(|path| below(path)) {
            let mut path = above.path.clone();
            let last = rest.split('.').count();
            for (at, part) in (1..).zip(rest.split('.')) {
                path = format!("{path}.{part}");
                if configured(&path) {
                    break;
                }
                let is_leaf = made.entry(path.clone()).or_insert(true);
                *is_leaf &= at == last;
            }
        }
        for (path, is_leaf) in made {
            let parent = path.rsplit_once('.').map(|(parent, _)| parent.to_owned());
            let (bounds, of) = match is_leaf {
                true => (bounds(cluster, &template.resources), &template.properties),
                false => (Bounds::default(), &nothing.properties),
            };
            let policy = properties::policy(of, false, self.config.frozen);
            specs.push(QueueDefinition { name: path, parent, bounds, policy, ..QueueDefinition::default() });
        }
    }
}

/// What a queue has from those above it.
struct Level<'a> {
    parent: Option<&'a str>,
    spared: bool,
    template: Option<&'a Template>,
}

fn bounds(cluster: &Cluster, resources: &Resources) -> Bounds {
    let bound = |quantities: &[Quantity]| {
        let known = |quantity: &Quantity| Some((cluster.resource_named(&quantity.resource)?, quantity.amount));
        Bound::new(quantities.iter().filter_map(known))
    };
    Bounds { guaranteed: bound(&resources.guaranteed), max: bound(&resources.max), ..Bounds::default() }
}
