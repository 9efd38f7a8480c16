//! ElasticQuotas of scheduler-plugins: one for each namespace, all below one queue.
//!
//! Upstream pkg/capacityscheduling: addElasticQuota, newElasticQuotaInfo.

use std::collections::BTreeMap;

use crate::contract::{Finding, ObjectKey};
use crate::laws::quota::ALWAYS_COMPARED;
use crate::model::{AmountKind, Bounds, Cluster, PodInfo, QueueDefinition, QueueIx, ResourceBound};
use crate::systems::document::NamedAmounts;
use crate::systems::{Findings, ParsedObject};

/// The queue above all quotas. No namespace can have this name.
const ALL: &str = "all quotas";

/// A quota as the ElasticQuota object specifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CoschedulingQuotaSpec {
    min: NamedAmounts,
    /// The maximum. `None`: the object has none.
    max: Option<NamedAmounts>,
}

/// All quotas read so far.
#[derive(Debug, Default)]
pub struct CoschedulingQuotas {
    /// Every object, by namespace and name.
    read: BTreeMap<(String, String), CoschedulingQuotaSpec>,
    /// Whether the queues in the cluster are older than the objects.
    changed: bool,
    /// The number of known resources at the last update. A bound on a resource can be added only once the resource is known.
    resources: usize,
}

impl CoschedulingQuotas {
    /// Reads an ElasticQuota. An unusable one is a finding, and its last usable version stays in force.
    pub fn read(&mut self, object: &ParsedObject, findings: &mut Findings) {
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
        let specs = self.queue_definitions(cluster);
        cluster.set_queues(specs, quota_of);
    }

    /// Returns the queue above all quotas, then the quota of each namespace.
    fn queue_definitions(&self, cluster: &Cluster) -> Vec<QueueDefinition> {
        // Of several quotas of a namespace the first by name is inserted last.
        let quotas: BTreeMap<&str, &CoschedulingQuotaSpec> =
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

/// Returns the quota of a pod: that of its namespace. `None`: the namespace has none.
pub fn quota_of(cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
    cluster.queue_named(pod.namespace)
}

/// Converts amounts by name into a bound, without resources that no node has and no pod requests.
fn bound<K: AmountKind>(cluster: &Cluster, amounts: &NamedAmounts) -> ResourceBound<K> {
    ResourceBound::new(amounts.iter().filter_map(|(name, amount)| Some((cluster.resource_named(name)?, *amount))))
}

/// Reads an ElasticQuota. One invalid amount makes the whole quota unusable.
fn read(object: &ParsedObject, findings: &mut Findings) -> Result<CoschedulingQuotaSpec, Finding> {
    let min = counted(object, "/spec/min", findings)?;
    let mut max = counted(object, "/spec/max", findings)?;
    if object.at("/spec/max").is_none() {
        return Ok(CoschedulingQuotaSpec { min, max: None });
    }
    for resource in ALWAYS_COMPARED {
        if max.iter().any(|(name, _)| name == resource) {
            continue;
        }
        if ["cpu", "memory"].contains(&resource) {
            let message = format!("max does not name {resource}: it counts as 0, as in scheduler-plugins");
            findings.push(object.warning("/spec/max", message, "add it, or leave max out as a whole"));
        }
        max.push((resource.to_owned(), 0));
    }
    Ok(CoschedulingQuotaSpec { min, max: Some(max) })
}

/// Reads the amounts of a resource list, without `pods`: no pod requests it, so upstream never finds it exceeded.
fn counted(object: &ParsedObject, pointer: &str, findings: &mut Findings) -> Result<NamedAmounts, Finding> {
    let mut amounts = object.amounts(pointer, false)?;
    if amounts.iter().any(|(resource, _)| resource == "pods") {
        let remedy = "bound cpu, memory or an extended resource; quotas do not count pods";
        findings.push(object.warning(&format!("{pointer}/pods"), "`pods` is ignored", remedy));
        amounts.retain(|(resource, _)| resource != "pods");
    }
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::contract::{Admission, Amount, Event, Object, Severity};
    use crate::systems::coscheduling::pod_groups::GROUP;
    use crate::testing::{PolicyHarness, amounts, key, object, pod};

    fn quota(name: &str, spec: Value) -> Object {
        Object { group: GROUP.to_owned(), ..object("ElasticQuota", name, [&[], &[]], json!({ "spec": spec })) }
    }

    /// Creates a cluster with these quotas.
    fn world(quotas: &[(&str, Value)]) -> PolicyHarness {
        let mut world = PolicyHarness::of("coscheduling", "{}");
        quotas.iter().for_each(|(name, spec)| world.object(quota(name, spec.clone())));
        world
    }

    fn found(world: &PolicyHarness) -> Vec<(Severity, &str)> {
        world.findings.iter().map(|one| (one.severity, one.path.as_str())).collect()
    }

    fn bound(world: &PolicyHarness, quota: &str, name: &str) -> Vec<Amount> {
        let bounds = world.account(quota).bounds.into_iter();
        bounds.filter(|bound| bound.name == name).flat_map(|bound| bound.amounts).collect()
    }

    #[test]
    fn all_minimums_together_stand_above_the_quotas() {
        let world = world(&[("a/q", json!({"min": {"cpu": 2, "memory": 3}})), ("b/q", json!({"min": {"cpu": 5}}))]);
        assert_eq!(bound(&world, ALL, "min"), amounts("cpu=7 memory=3"));
        assert_eq!(bound(&world, "b", "min"), amounts("cpu=5"));
        assert_eq!((world.account("b").parent.as_deref(), found(&world)), (Some(ALL), vec![]));
    }

    #[test]
    fn a_max_that_is_there_bounds_cpu_and_memory_and_one_that_is_not_bounds_nothing() {
        let world = world(&[("a/q", json!({"max": {"memory": 4}})), ("b/q", json!({"max": null}))]);
        assert_eq!(bound(&world, "b", "max"), []);
        let max: Vec<(u32, i64)> =
            bound(&world, "a", "max").iter().map(|amount| (amount.resource, amount.value)).collect();
        let memory = amounts("memory=4").first().map(|amount| (amount.resource, amount.value));
        assert_eq!(max, [Some((0, 0)), memory].into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(found(&world), [(Severity::Warning, "/spec/max")]);
    }

    #[test]
    fn of_two_quotas_of_a_namespace_the_first_by_name_is_used() {
        let mut world = world(&[("a/r", json!({"min": {"cpu": 1}})), ("a/q", json!({"min": {"cpu": 2}}))]);
        assert_eq!(bound(&world, "a", "min"), amounts("cpu=2"));
        assert_eq!(found(&world), [(Severity::Warning, "/metadata/name")]);
        world.apply(vec![Event::ObjectRemoved(key(&quota("a/q", json!({}))))]);
        assert_eq!(bound(&world, "a", "min"), amounts("cpu=1"));
    }

    #[test]
    fn an_invalid_amount_is_a_finding_and_the_last_usable_version_stays() {
        let min = json!({"min": {"cpu": 3, "pods": 9}});
        let world = world(&[("a/q", min), ("a/q", json!({"min": {"cpu": "many"}}))]);
        assert_eq!(bound(&world, "a", "min"), amounts("cpu=3"));
        assert_eq!(found(&world), [(Severity::Warning, "/spec/min/pods"), (Severity::Error, "/spec/min/cpu")]);
    }

    #[test]
    fn without_its_quota_a_namespace_is_not_bounded() {
        let mut world = world(&[("default/q", json!({"min": {"cpu": 1}}))]);
        world.node("n", "cpu=9");
        world.pod(pod("p").requests("cpu=2"));
        assert!(matches!(world.pre_filter("p"), Admission::Refused(_)));
        world.apply(vec![Event::ObjectRemoved(key(&quota("default/q", json!({}))))]);
        assert!(matches!(world.pre_filter("p"), Admission::Pass));
        assert_eq!(world.engine.queues().map(|queues| queues.len()), Ok(0));
    }
}
