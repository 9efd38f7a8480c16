//! ElasticQuotas: their tree, and which quota a pod belongs to.

use std::collections::{BTreeMap, BTreeSet};

use super::keys;
use super::runtime::SharePolicy;
use crate::contract::{Finding, ObjectKey, Severity};
use crate::model::{AmountKind, Bounds, Cluster, NameId, PodInfo, PodKind, QueueDefinition, QueueIx, ResourceBound};
use crate::quantity::exact;
use crate::systems::document::{NamedAmounts, annotation_path, escape, label_path};
use crate::systems::{Findings, ParsedObject};

/// A quota as the ElasticQuota object specifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KoordinatorQuotaSpec {
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
pub struct KoordinatorQuotas {
    /// Every object, by name and namespace.
    read: BTreeMap<(String, String), KoordinatorQuotaSpec>,
    /// The quotas in force, by name: the name alone identifies a quota.
    quotas: BTreeMap<String, KoordinatorQuotaSpec>,
    /// Namespaces with a quota of the same name, and that quota.
    quotas_by_namespace: BTreeMap<NameId, NameId>,
    /// Namespaces that a quota lists in its annotation, and that quota.
    quotas_by_annotation: BTreeMap<NameId, NameId>,
    default_quota: Option<NameId>,
    /// Whether the tree in the cluster is up to date with the objects.
    in_sync: bool,
    /// The number of known resources at the last update. A bound on a resource can be added only once the resource is known.
    resources: usize,
}

impl KoordinatorQuotas {
    /// Reads an ElasticQuota.
    pub fn read(&mut self, object: &ParsedObject, findings: &mut Findings) {
        match read(object, findings) {
            Ok(quota) => self.add(object, quota, findings),
            Err(finding) => findings.push(finding),
        }
    }

    fn add(&mut self, object: &ParsedObject, quota: KoordinatorQuotaSpec, findings: &mut Findings) {
        let key = (object.name.clone(), quota.namespace.clone());
        let same_name = self.read.keys().find(|(name, namespace)| *name == key.0 && *namespace != key.1);
        if let Some((_, other)) = same_name {
            let message = format!("namespace `{other}` already has a quota of this name");
            let remedy = "give each quota a name that is unique in the cluster";
            findings.push(object.error("/metadata/name", message, remedy));
        }
        if self.read.get(&key) != Some(&quota) {
            self.read.insert(key, quota);
            self.select_in_force();
        }
    }

    /// Removes a quota.
    pub fn remove(&mut self, key: &ObjectKey) {
        if self.read.remove(&(key.name.clone(), key.namespace.clone())).is_some() {
            self.select_in_force();
        }
    }

    /// Selects the quotas in force. Of several quotas with one name, the first by namespace is used: it is inserted last.
    fn select_in_force(&mut self) {
        let named = self.read.iter().rev().map(|((name, _), quota)| (name.clone(), quota.clone()));
        self.quotas = named.collect();
        self.in_sync = false;
    }

    /// Returns the quota of a pod (upstream `GetQuotaName`). The label names it; the default quota replaces one that does not exist. Without the
    /// label it is the quota in the pod's namespace that has the namespace's name, else the quota that lists the namespace, else the default quota. A
    /// reservation has no quota (seed 20240201, PreFilter).
    pub fn quota_of(&self, cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
        if pod.name.kind == PodKind::Reservation {
            return None;
        }
        let by_namespace = || {
            self.quotas_by_namespace
                .get(&pod.namespace)
                .or_else(|| self.quotas_by_annotation.get(&pod.namespace))
                .copied()
        };
        let name = pod.attributes.queue_name.or_else(by_namespace);
        let default = || self.default_quota.and_then(|name| cluster.queue_named(name));
        name.and_then(|name| cluster.queue_named(name)).or_else(default)
    }

    /// Returns the names of quotas and namespaces that are kept as numbers.
    pub fn names(&self) -> impl Iterator<Item = NameId> {
        let pairs = self.quotas_by_namespace.iter().chain(&self.quotas_by_annotation);
        pairs.flat_map(|(namespace, quota)| [*namespace, *quota]).chain(self.default_quota)
    }

    /// Updates the quota tree of the cluster.
    pub fn sync(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        if self.in_sync && self.resources == cluster.resource_count() {
            return;
        }
        if !self.in_sync {
            self.check(findings);
        }
        self.quotas_by_namespace = BTreeMap::new();
        self.quotas_by_annotation = BTreeMap::new();
        self.default_quota = Some(cluster.intern(keys::DEFAULT_QUOTA));
        // Of several quotas that list a namespace, the first by name gets it: it is inserted last.
        for (name, quota) in self.quotas.iter().rev() {
            let symbol = cluster.intern(name);
            if quota.namespace == *name {
                self.quotas_by_namespace.insert(symbol, symbol);
            }
            for namespace in &quota.namespaces {
                self.quotas_by_annotation.insert(cluster.intern(namespace), symbol);
            }
        }
        (self.in_sync, self.resources) = (true, cluster.resource_count());
        let specs = self.queue_definitions(cluster);
        cluster.set_queues(specs, |cluster, pod| self.quota_of(cluster, pod));
    }

    /// Returns the terms on which each quota shares the capacity of the cluster.
    pub fn share_policies(&self, cluster: &Cluster) -> BTreeMap<QueueIx, SharePolicy> {
        let claim = |(name, quota): (&String, &KoordinatorQuotaSpec)| {
            let queue = cluster.queue_named(cluster.name_id(name)?)?;
            Some((queue, SharePolicy { weight: bound(cluster, &quota.weight), keeps_min: quota.keeps_min }))
        };
        self.quotas.iter().filter_map(claim).collect()
    }

    /// Returns the tree: parents before children, siblings by name. A quota in a cycle, or without an existing parent, becomes a child of the root.
    fn queue_definitions(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        let mut specs = Vec::new();
        let root = QueueDefinition { name: keys::ROOT_QUOTA.to_owned(), ..QueueDefinition::default() };
        specs.push(self.complete_definition(cluster, root));
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
                specs.push(self.complete_definition(cluster, spec));
            }
        }
        specs
    }

    /// Returns the parent in the tree: the root where the named parent does not exist or the quota is in a cycle.
    fn parent(&self, name: &str) -> &str {
        match self.quotas.get(name) {
            Some(quota) if !keys::is_builtin(name) && self.exists(&quota.parent) && !self.is_in_cycle(name) => {
                &quota.parent
            }
            _ => keys::ROOT_QUOTA,
        }
    }

    fn exists(&self, name: &str) -> bool {
        self.quotas.contains_key(name) || keys::is_builtin(name)
    }

    fn is_in_cycle(&self, name: &str) -> bool {
        self.ancestry(name).last() == Some(&name) && self.ancestry(name).len() > 1
    }

    fn complete_definition(&self, cluster: &Cluster, mut spec: QueueDefinition) -> QueueDefinition {
        if let Some(quota) = self.quotas.get(&spec.name) {
            let (guaranteed, max) = (bound(cluster, &quota.min), bound(cluster, &quota.max));
            spec.bounds = Bounds { guaranteed, max, ..Bounds::default() };
        }
        spec
    }

    /// Checks the quotas as a whole.
    fn check(&self, findings: &mut Findings) {
        let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, quota) in &self.quotas {
            for namespace in &quota.namespaces {
                let first = *listed.entry(namespace).or_insert(name);
                if first != name {
                    let path = annotation_path(keys::NAMESPACES);
                    let message = format!("quota `{first}` lists namespace `{namespace}` as well and gets its pods");
                    let remedy = "list a namespace in one quota only";
                    findings.push(title(name, quota).finding(Severity::Warning, &path, message, remedy));
                }
            }
            if keys::is_builtin(name) {
                continue;
            }
            let (path, parent) = (label_path(keys::PARENT), &quota.parent);
            if !self.exists(parent) {
                let message = format!("its parent `{parent}` does not exist; the quota is placed below the root");
                let remedy = "create the parent, or name another parent";
                findings.push(title(name, quota).finding(Severity::Warning, &path, message, remedy));
            } else if self.is_in_cycle(name) {
                let message = format!("its parents form a cycle: {}", self.ancestry(name).join(" -> "));
                let remedy = "remove the parent label of one of them, or set it to the root quota";
                findings.push(title(name, quota).finding(Severity::Error, &path, message, remedy));
            }
        }
    }

    /// Returns the chain of parents from a quota up to the first name that occurs twice.
    fn ancestry<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut chain = vec![name];
        while let Some(quota) = chain.last().and_then(|last| self.quotas.get(*last)) {
            let again = chain.contains(&quota.parent.as_str());
            chain.push(&quota.parent);
            if again {
                break;
            }
        }
        chain
    }
}

/// Converts amounts by name into a bound, without resources that no node has and no pod requests.
fn bound<K: AmountKind>(cluster: &Cluster, amounts: &NamedAmounts) -> ResourceBound<K> {
    ResourceBound::new(amounts.iter().filter_map(|(name, amount)| Some((cluster.resource_named(name)?, *amount))))
}

/// Returns a quota as the subject of a finding.
fn title(name: &str, quota: &KoordinatorQuotaSpec) -> ParsedObject {
    ParsedObject::named("ElasticQuota", &quota.namespace, name)
}

/// Reads an ElasticQuota. One invalid amount makes the whole quota unusable.
fn read(object: &ParsedObject, findings: &mut Findings) -> Result<KoordinatorQuotaSpec, Finding> {
    let (min, max) = (counted(object, "/spec/min", findings)?, counted(object, "/spec/max", findings)?);
    for (resource, amount) in &min {
        let path = format!("/spec/min/{}", escape(resource));
        match max.iter().find(|(name, _)| name == resource) {
            Some((_, limit)) if limit < amount => {
                let (min, max) = (exact(resource, *amount), exact(resource, *limit));
                let message = format!("min of {resource} {min} is more than max {max}");
                let remedy = "lower min or raise max: a quota cannot use more than max";
                findings.push(object.warning(&path, message, remedy));
            }
            // A quota without any max is unbounded on purpose. One with a max on other resources may lack this by mistake.
            None if !max.is_empty() && !keys::is_builtin(&object.name) => {
                let message = format!("min sets {resource} and max does not: its use is unlimited");
                findings.push(object.warning(&path, message, "add it to max"));
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
    let keeps_min = object.label(keys::ALLOW_LENT_RESOURCE) == Some("false");
    Ok(KoordinatorQuotaSpec {
        namespace: object.namespace.clone(),
        parent: parent.to_owned(),
        min,
        max,
        namespaces,
        weight,
        keeps_min,
    })
}

/// Reads the amounts of a resource list, without `pods`: quotas do not count pods.
fn counted(object: &ParsedObject, pointer: &str, findings: &mut Findings) -> Result<NamedAmounts, Finding> {
    // Upstream writes a fifth of the largest 64-bit number as "no limit" into the quotas that it creates.
    let mut amounts = object.amounts(pointer, keys::is_builtin(&object.name))?;
    if amounts.iter().any(|(resource, _)| resource == "pods") {
        let remedy = "bound cpu, memory or an extended resource; quotas do not count pods";
        findings.push(object.warning(&format!("{pointer}/pods"), "`pods` is ignored", remedy));
        amounts.retain(|(resource, _)| resource != "pods");
    }
    Ok(amounts)
}
