//! ElasticQuotas of scheduler-plugins: one for each namespace, all below one queue.
//!
//! Upstream pkg/capacityscheduling: addElasticQuota, newElasticQuotaInfo.

use std::collections::BTreeMap;

use crate::contract::{Finding, ObjectKey};
use crate::laws::quota::ALWAYS;
use crate::model::{Bound, Bounds, Cluster, Meaning, Pod, QueueDefinition, QueueIx};
use crate::systems::document::NamedAmounts;
use crate::systems::{Document, Findings};

/// The queue above all quotas. No namespace can have this name.
const ALL: &str = "all quotas";

/// What an ElasticQuota object specifies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Quota {
    min: NamedAmounts,
    /// None where there is no max at all.
    max: Option<NamedAmounts>,
}

/// All quotas read so far.
#[derive(Debug, Default)]
pub struct Quotas {
    /// Every object, by namespace and name.
    read: BTreeMap<(String, String), Quota>,
    /// The queues in the cluster are not up to date with the objects.
    changed: bool,
    /// The number of known resources at the last update: a bound on a new resource can then be added.
    resources: usize,
}

impl Quotas {
    /// Reads an ElasticQuota. An unusable one is a finding, and its last usable version stays in force.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) {
        match read(object, findings) {
            Ok(quota) => {
                let key = (object.namespace.clone(), object.name.clone());
                if let Some((_, other)) = self.read.keys().find(|(ns, name)| *ns == key.0 && *name != key.1) {
                    let message =
                        format!("namespace `{}` already has quota `{other}`; the first by name is used", key.0);
                    findings.push(object.warning("/metadata/name", message, "keep one quota in a namespace"));
                }
                self.changed |= self.read.get(&key) != Some(&quota);
                self.read.insert(key, quota);
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// Removes a quota.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.changed |= self.read.remove(&(key.namespace.clone(), key.name.clone())).is_some();
    }

    /// Updates the queues of the cluster.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        let is_known = self.read.is_empty() || self.resources == cluster.resource_count();
        if !self.changed && is_known {
            return;
        }
        (self.changed, self.resources) = (false, cluster.resource_count());
        let specs = self.specs(cluster);
        cluster.set_queues(specs, quota_of);
    }

    /// The queue above all quotas, then the quota of each namespace.
    fn specs(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        // Of several quotas of a namespace the first by name is inserted last.
        let quotas: BTreeMap<&str, &Quota> =
            self.read.iter().rev().map(|((namespace, _), quota)| (namespace.as_str(), quota)).collect();
        let mut total: BTreeMap<&str, i64> = BTreeMap::new();
        for (resource, amount) in quotas.values().flat_map(|quota| &quota.min) {
            let sum = total.entry(resource).or_default();
            *sum = sum.saturating_add(*amount);
        }
        let total: NamedAmounts = total.into_iter().map(|(resource, amount)| (resource.to_owned(), amount)).collect();
        let bounds = Bounds { guaranteed: bound(cluster, &total), ..Bounds::default() };
        let all = QueueDefinition { name: ALL.to_owned(), bounds, ..QueueDefinition::default() };
        let each = quotas.iter().map(|(namespace, quota)| {
            let max = quota.max.as_ref().map(|max| bound(cluster, max)).unwrap_or_default();
            let bounds = Bounds { guaranteed: bound(cluster, &quota.min), max, ..Bounds::default() };
            let (name, parent) = ((*namespace).to_owned(), Some(ALL.to_owned()));
            QueueDefinition { name, parent, bounds, ..QueueDefinition::default() }
        });
        let all = (!quotas.is_empty()).then_some(all);
        all.into_iter().chain(each).collect()
    }
}

/// The quota of a pod: that of its namespace.
pub fn quota_of(cluster: &Cluster, pod: &Pod) -> Option<QueueIx> {
    cluster.queue_named(pod.namespace)
}

/// Amounts by name as a bound, without resources that no node has and no pod requests.
fn bound<K: Meaning>(cluster: &Cluster, amounts: &NamedAmounts) -> Bound<K> {
    Bound::new(amounts.iter().filter_map(|(name, amount)| Some((cluster.resource_named(name)?, *amount))))
}

/// Reads an ElasticQuota. One invalid amount makes the whole quota unusable.
fn read(object: &Document, findings: &mut Findings) -> Result<Quota, Finding> {
    let min = counted(object, "/spec/min", findings)?;
    let mut max = counted(object, "/spec/max", findings)?;
    if object.at("/spec/max").is_none() {
        return Ok(Quota { min, max: None });
    }
    for resource in ALWAYS {
        if max.iter().any(|(name, _)| name == resource) {
            continue;
        }
        if ["cpu", "memory"].contains(&resource) {
            let message = format!("max does not name {resource}: it counts as 0, as in scheduler-plugins");
            findings.push(object.warning("/spec/max", message, "add it, or leave max out as a whole"));
        }
        max.push((resource.to_owned(), 0));
    }
    Ok(Quota { min, max: Some(max) })
}

/// The amounts of a resource list, without `pods`: no pod requests it, so upstream never finds it exceeded.
fn counted(object: &Document, pointer: &str, findings: &mut Findings) -> Result<NamedAmounts, Finding> {
    let mut amounts = object.amounts(pointer, false)?;
    if amounts.iter().any(|(resource, _)| resource == "pods") {
        let remedy = "bound cpu, memory or an extended resource; quotas do not count pods";
        findings.push(object.warning(&format!("{pointer}/pods"), "`pods` is ignored", remedy));
        amounts.retain(|(resource, _)| resource != "pods");
    }
    Ok(amounts)
}
