//! PodDisruptionBudgets: which pods each one covers, and how many of them may be disrupted.
//!
//! A budget covers the pods of its namespace that its selector matches: an empty selector matches every pod, a missing one none
//! (PodDisruptionBudgetSpec of `policy/v1`). A pod without labels is covered by an empty selector alone (K30).
//! A pod in `status.disruptedPods` is already being disrupted and does not count again (upstream FilterVictimsWithPDBViolation).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::{self, Finding, ObjectKey};
use crate::model::{BudgetIx, Cluster, DisruptionBudget, PodIx};
use crate::systems::{Findings, Labels, ParsedObject, Selector};

/// A disruption budget as the PodDisruptionBudget object specifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DisruptionBudgetSpec {
    /// The selector. `None`: the budget covers no pod.
    selector: Option<Selector>,
    disrupted: BTreeSet<String>,
}

impl DisruptionBudgetSpec {
    /// Returns whether the budget covers a pod of its namespace.
    fn covers(&self, name: &str, labels: &Labels) -> bool {
        let Some(selector) = &self.selector else { return false };
        // Upstream looks at no selector for a pod without labels (`len(pod.Labels) == 0`), but for an empty one (PR 141785).
        let is_read = selector.is_empty() || !labels.is_empty();
        is_read && selector.matches(labels) && !self.disrupted.contains(name)
    }
}

/// All budgets, and the pod labels that they select by.
#[derive(Debug, Default)]
pub struct Budgets {
    /// The budgets by namespace and name. Only the budgets of its own namespace can cover a pod.
    specs: BTreeMap<String, BTreeMap<String, (BudgetIx, DisruptionBudgetSpec)>>,
    /// The name and labels of every pod.
    pods: BTreeMap<PodIx, (Box<str>, Labels)>,
    /// The namespaces in which other pods may be covered since the last [`Budgets::sync`].
    changed: BTreeSet<String>,
}

impl Budgets {
    /// Stores the labels of a pod for selectors, and returns the budgets that cover the pod.
    pub fn read_pod(&mut self, pod: &contract::Pod) -> Vec<BudgetIx> {
        self.pods.insert(PodIx(pod.id), (pod.name.as_str().into(), Labels::of(pod)));
        self.covering(PodIx(pod.id))
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.pods.remove(&pod);
    }

    /// Reads a budget. Most changes concern only the number of allowed disruptions; the budget then covers the same pods as before.
    pub fn read(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        let (spec, budget) = match read(object) {
            Ok(read) => read,
            Err(finding) => return findings.push(finding),
        };
        let known = self.specs.entry(object.namespace.clone()).or_default();
        if let Some((ix, old)) = known.get_mut(&object.name) {
            cluster.set_budget(*ix, budget);
            if *old == spec {
                return;
            }
            *old = spec;
        } else if let Some(ix) = cluster.add_budget(budget) {
            known.insert(object.name.clone(), (ix, spec));
        }
        self.changed.insert(object.namespace.clone());
    }

    /// Removes a budget.
    pub fn remove(&mut self, cluster: &mut Cluster, key: &ObjectKey) {
        let known = self.specs.get_mut(&key.namespace);
        if let Some((ix, _)) = known.and_then(|known| known.remove(&key.name)) {
            cluster.remove_budget(ix);
            self.changed.insert(key.namespace.clone());
        }
    }

    /// Updates which pods of the cluster are covered.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return;
        }
        for (ix, _) in self.pods.iter().filter(|(_, (_, labels))| changed.contains(labels.namespace())) {
            cluster.set_pod_budgets(*ix, self.covering(*ix));
        }
    }

    fn covering(&self, ix: PodIx) -> Vec<BudgetIx> {
        let Some((name, labels)) = self.pods.get(&ix) else { return Vec::new() };
        let of_namespace = self.specs.get(labels.namespace()).into_iter().flat_map(BTreeMap::values);
        of_namespace.filter(|(_, spec)| spec.covers(name, labels)).map(|(ix, _)| *ix).collect()
    }
}

fn read(object: &ParsedObject) -> Result<(DisruptionBudgetSpec, DisruptionBudget), Finding> {
    let path = "/status/disruptionsAllowed";
    let allowed = match object.at(path) {
        None => 0,
        Some(value) => value.as_i64().ok_or_else(|| {
            object.error(path, format!("`{value}` is not a number of disruptions"), "write a whole number")
        })?,
    };
    let disrupted = object.at("/status/disruptedPods").and_then(Value::as_object);
    let disrupted = disrupted.map(|pods| pods.keys().cloned().collect()).unwrap_or_default();
    let path = "/spec/selector";
    let selector = object.at(path).map(|_| Selector::read(object, path)).transpose()?;
    // Of the former `policy/v1beta1`, an empty selector selects no pod.
    let is_former = object.at("/apiVersion").and_then(Value::as_str) == Some("policy/v1beta1");
    let selector = selector.filter(|selector| !(is_former && selector.is_empty()));
    Ok((DisruptionBudgetSpec { selector, disrupted }, DisruptionBudget { allowed }))
}
