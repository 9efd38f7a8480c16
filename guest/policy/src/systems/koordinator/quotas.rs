//! ElasticQuotas: their tree, and which pod belongs to which.

use std::collections::{BTreeMap, BTreeSet};

use super::keys;
use super::runtime::Claim;
use crate::contract::{Finding, ObjectKey, Severity};
use crate::model::{Bound, Bounds, Cluster, Kind, Pod, QueueDefinition, QueueIx, Symbol};
use crate::quantity::exact;
use crate::systems::document::{NamedAmounts, annotation_path, escape, label_path};
use crate::systems::{Document, Findings};

/// A quota as its object describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Quota {
    namespace: String,
    parent: String,
    min: NamedAmounts,
    max: NamedAmounts,
    namespaces: Vec<String>,
    weight: NamedAmounts,
    keeps_min: bool,
}

/// All quotas read so far.
#[derive(Debug, Default)]
pub struct Quotas {
    /// By name and namespace, as they were read.
    read: BTreeMap<(String, String), Quota>,
    /// By name: a quota's name alone identifies it.
    quotas: BTreeMap<String, Quota>,
    /// Namespaces that have a quota of their own name, and it.
    homes: BTreeMap<Symbol, Symbol>,
    /// Namespaces that a quota's annotation lists, and it.
    listed: BTreeMap<Symbol, Symbol>,
    default: Option<Symbol>,
    /// The tree in the cluster is that of the objects.
    settled: bool,
    /// How many resources there were when it was settled: a bound on a resource needs its number.
    resources: usize,
}

impl Quotas {
    /// Reads an ElasticQuota.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) {
        match read(object, findings) {
            Ok(quota) => self.add(object, quota, findings),
            Err(finding) => findings.push(finding),
        }
    }

    fn add(&mut self, object: &Document, quota: Quota, findings: &mut Findings) {
        let key = (object.name.clone(), quota.namespace.clone());
        let same_name = self.read.keys().find(|(name, namespace)| *name == key.0 && *namespace != key.1);
        if let Some((_, other)) = same_name {
            let message = format!("there is a quota of this name in namespace `{other}` already");
            let remedy = "give each quota a name of its own in the whole cluster";
            findings.push(object.error("/metadata/name", message, remedy));
        }
        if self.read.get(&key) != Some(&quota) {
            self.read.insert(key, quota);
            self.choose();
        }
    }

    /// A quota is gone.
    pub fn remove(&mut self, key: &ObjectKey) {
        if self.read.remove(&(key.name.clone(), key.namespace.clone())).is_some() {
            self.choose();
        }
    }

    /// Of several quotas of one name the first by namespace counts: it is entered last.
    fn choose(&mut self) {
        let named = self.read.iter().rev().map(|((name, _), quota)| (name.clone(), quota.clone()));
        self.quotas = named.collect();
        self.settled = false;
    }

    /// The quota of a pod: the one its label names, or the default one if there is none such; without the label, the one named
    /// like its namespace in that namespace, or the one that lists its namespace, or the default one (upstream `GetQuotaName`).
    /// A reservation belongs to none (seed 20240201, PreFilter).
    pub fn quota_of(&self, cluster: &Cluster, pod: &Pod) -> Option<QueueIx> {
        if pod.name.kind == Kind::Reservation {
            return None;
        }
        let by_namespace = || self.homes.get(&pod.namespace).or_else(|| self.listed.get(&pod.namespace)).copied();
        let name = pod.attributes.queue_name.or_else(by_namespace);
        let default = || self.default.and_then(|name| cluster.queue_named(name));
        name.and_then(|name| cluster.queue_named(name)).or_else(default)
    }

    /// Brings the tree in the cluster up to date.
    pub fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        if self.settled && self.resources == cluster.resource_count() {
            return;
        }
        if !self.settled {
            self.check(findings);
        }
        self.homes = BTreeMap::new();
        self.listed = BTreeMap::new();
        self.default = Some(cluster.intern(keys::DEFAULT_QUOTA));
        // Of several quotas that list a namespace the first by name has it: it is entered last.
        for (name, quota) in self.quotas.iter().rev() {
            let symbol = cluster.intern(name);
            if quota.namespace == *name {
                self.homes.insert(symbol, symbol);
            }
            for namespace in &quota.namespaces {
                self.listed.insert(cluster.intern(namespace), symbol);
            }
        }
        (self.settled, self.resources) = (true, cluster.resource_count());
        let specs = self.specs(cluster);
        cluster.set_queues(specs, |cluster, pod| self.quota_of(cluster, pod));
    }

    /// What each quota brings to the sharing of what there is.
    pub fn claims(&self, cluster: &Cluster) -> BTreeMap<QueueIx, Claim> {
        let claim = |(name, quota): (&String, &Quota)| {
            let queue = cluster.queue_named(cluster.symbol(name)?)?;
            Some((queue, Claim { weight: bound(cluster, &quota.weight), keeps_min: quota.keeps_min }))
        };
        self.quotas.iter().filter_map(claim).collect()
    }

    /// The tree, parents before children, siblings by name. A quota whose parent is not there, or is below itself, stands below
    /// the root.
    fn specs(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        let mut specs = Vec::new();
        let root = QueueDefinition { name: keys::ROOT_QUOTA.to_owned(), ..QueueDefinition::default() };
        specs.push(self.spec(cluster, root));
        let own = self.quotas.keys().map(String::as_str).filter(|name| !keys::is_builtin(name));
        let mut names: Vec<&str> = own.chain([keys::DEFAULT_QUOTA, keys::SYSTEM_QUOTA]).collect();
        names.sort_unstable();
        let mut waiting: Vec<(&str, &str)> = names.into_iter().map(|name| (name, self.parent(name))).collect();
        let mut placed: BTreeSet<&str> = BTreeSet::from([keys::ROOT_QUOTA]);
        while !waiting.is_empty() {
            let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, parent)| placed.contains(parent));
            waiting = rest;
            for (name, parent) in ready {
                placed.insert(name);
                let (parent, is_default) = (Some(parent.to_owned()), name == keys::DEFAULT_QUOTA);
                let spec = QueueDefinition { name: name.to_owned(), parent, is_default, ..QueueDefinition::default() };
                specs.push(self.spec(cluster, spec));
            }
        }
        specs
    }

    /// The parent in the tree: the root where the quota names none that there is, or is below itself.
    fn parent(&self, name: &str) -> &str {
        match self.quotas.get(name) {
            Some(quota) if !keys::is_builtin(name) && self.exists(&quota.parent) && !self.is_below_itself(name) => {
                &quota.parent
            }
            _ => keys::ROOT_QUOTA,
        }
    }

    fn exists(&self, name: &str) -> bool {
        self.quotas.contains_key(name) || keys::is_builtin(name)
    }

    fn is_below_itself(&self, name: &str) -> bool {
        self.ring(name).last() == Some(&name) && self.ring(name).len() > 1
    }

    fn spec(&self, cluster: &Cluster, mut spec: QueueDefinition) -> QueueDefinition {
        if let Some(quota) = self.quotas.get(&spec.name) {
            let (guaranteed, max) = (bound(cluster, &quota.min), bound(cluster, &quota.max));
            spec.bounds = Bounds { guaranteed, max, ..Bounds::default() };
        }
        spec
    }

    /// Says what is wrong with the quotas as a whole.
    fn check(&self, findings: &mut Findings) {
        let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, quota) in &self.quotas {
            for namespace in &quota.namespaces {
                let first = *listed.entry(namespace).or_insert(name);
                if first != name {
                    let path = annotation_path(keys::NAMESPACES);
                    let message = format!("quota `{first}` lists namespace `{namespace}`, too, and has its pods");
                    let remedy = "list a namespace in one quota only";
                    findings.push(title(name, quota).finding(Severity::Warning, &path, message, remedy));
                }
            }
            if keys::is_builtin(name) {
                continue;
            }
            let (path, parent) = (label_path(keys::PARENT), &quota.parent);
            if !self.exists(parent) {
                let message = format!("its parent `{parent}` does not exist; it stands below the root");
                let remedy = "create the parent, or name another one";
                findings.push(title(name, quota).finding(Severity::Warning, &path, message, remedy));
            } else if self.is_below_itself(name) {
                let message = format!("its parents form a cycle: {}", self.ring(name).join(" -> "));
                let remedy = "let one of them have the root, or no parent label, as its parent";
                findings.push(title(name, quota).finding(Severity::Error, &path, message, remedy));
            }
        }
    }

    /// The chain of parents from a quota until a name comes again.
    fn ring<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut ring = vec![name];
        while let Some(quota) = ring.last().and_then(|last| self.quotas.get(*last)) {
            let again = ring.contains(&quota.parent.as_str());
            ring.push(&quota.parent);
            if again {
                break;
            }
        }
        ring
    }
}

/// Amounts by name as a bound on resources that anybody has or asks for.
fn bound(cluster: &Cluster, amounts: &NamedAmounts) -> Bound {
    Bound::new(amounts.iter().filter_map(|(name, amount)| Some((cluster.resource_named(name)?, *amount))))
}

/// A quota as the subject of a finding.
fn title(name: &str, quota: &Quota) -> Document {
    Document::named("ElasticQuota", &quota.namespace, name)
}

/// Reads an ElasticQuota; an amount that cannot be read makes it unusable.
fn read(object: &Document, findings: &mut Findings) -> Result<Quota, Finding> {
    let (min, max) = (counted(object, "/spec/min", findings)?, counted(object, "/spec/max", findings)?);
    for (resource, amount) in &min {
        let path = format!("/spec/min/{}", escape(resource));
        match max.iter().find(|(name, _)| name == resource) {
            Some((_, limit)) if limit < amount => {
                let (min, max) = (exact(resource, *amount), exact(resource, *limit));
                let message = format!("min of {resource} {min} is more than max {max}");
                let remedy = "lower min or raise max: beyond max nothing can be guaranteed";
                findings.push(object.warning(&path, message, remedy));
            }
            // A quota that bounds nothing is meant so; one that bounds something else may have forgotten this.
            None if !max.is_empty() && !keys::is_builtin(&object.name) => {
                let message = format!("min names {resource} and max does not: there is no limit to it");
                findings.push(object.warning(&path, message, "write a max of it, too"));
            }
            Some(_) | None => {}
        }
    }
    let parent = object.label(keys::PARENT).filter(|parent| !parent.is_empty()).unwrap_or(keys::ROOT_QUOTA);
    let namespaces = match object.annotation(keys::NAMESPACES) {
        None => Vec::new(),
        Some(list) => serde_json::from_str(list).map_err(|error| {
            let message = format!("`{list}` is not a JSON list of namespaces: {error}");
            object.error(&annotation_path(keys::NAMESPACES), message, r#"write it as `["ns-1", "ns-2"]`"#)
        })?,
    };
    let weight = object.amounts_in_annotation(keys::SHARED_WEIGHT)?;
    let keeps_min = object.label(keys::LENT) == Some("false");
    Ok(Quota {
        namespace: object.namespace.clone(),
        parent: parent.to_owned(),
        min,
        max,
        namespaces,
        weight,
        keeps_min,
    })
}

/// The amounts of a resource list that quotas count; they do not count pods.
fn counted(object: &Document, pointer: &str, findings: &mut Findings) -> Result<NamedAmounts, Finding> {
    // Upstream writes a fifth of the largest 64-bit number as "no limit" into the quotas it makes itself.
    let mut amounts = object.amounts(pointer, keys::is_builtin(&object.name))?;
    if amounts.iter().any(|(resource, _)| resource == "pods") {
        let remedy = "bound cpu, memory or an extended resource; the number of pods is not counted by quotas";
        findings.push(object.warning(&format!("{pointer}/pods"), "`pods` is ignored", remedy));
        amounts.retain(|(resource, _)| resource != "pods");
    }
    Ok(amounts)
}
