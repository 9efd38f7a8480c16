//! PodDisruptionBudgets: which pods each one covers, and how many of them may be disrupted.
//!
//! A budget covers the pods of its namespace that its selector matches. Without a selector, or with an empty one, it covers no pod.
//! A pod in `status.disruptedPods` is already being disrupted and does not count again (upstream filterPodsWithPDBViolation).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::{self, Finding, ObjectKey};
use crate::model::{Budget, BudgetIx, Cluster, PodIx};
use crate::systems::{Document, Findings, Labels, Selector, every_label};

/// What a PodDisruptionBudget object specifies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spec {
    selector: Selector,
    allowed: i64,
    disrupted: BTreeSet<String>,
}

/// All budgets, and the pod labels that they select by.
#[derive(Debug, Default)]
pub struct Budgets {
    /// By namespace and name.
    specs: BTreeMap<(String, String), Spec>,
    /// The namespace, name and labels of every pod.
    pods: BTreeMap<PodIx, (String, String, Labels)>,
    /// A budget has changed since the last [`Budgets::sync`].
    changed: bool,
}

impl Budgets {
    /// Stores what selectors match of a pod, and returns the budgets that cover it.
    pub fn read_pod(&mut self, pod: &contract::Pod) -> Vec<BudgetIx> {
        self.pods.insert(PodIx(pod.id), (pod.namespace.clone(), pod.name.clone(), every_label(pod)));
        self.covering(PodIx(pod.id))
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.pods.remove(&pod);
    }

    /// Reads a budget.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) {
        match read(object) {
            Ok(spec) => {
                self.specs.insert((object.namespace.clone(), object.name.clone()), spec);
                self.changed = true;
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// Removes a budget.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.changed |= self.specs.remove(&(key.namespace.clone(), key.name.clone())).is_some();
    }

    /// Updates the budgets of the cluster.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let budgets = self.specs.values().map(|spec| Budget { allowed: spec.allowed }).collect();
        cluster.set_budgets(budgets, |ix, _| self.covering(ix));
    }

    fn covering(&self, ix: PodIx) -> Vec<BudgetIx> {
        let Some((namespace, name, labels)) = self.pods.get(&ix) else { return Vec::new() };
        let numbered = (0u32..).map(BudgetIx).zip(&self.specs);
        let covers = |(of, _): &(String, String), spec: &Spec| {
            of == namespace
                && !spec.selector.is_empty()
                && spec.selector.matches(labels)
                && !spec.disrupted.contains(name)
        };
        numbered.filter(|(_, (key, spec))| covers(key, spec)).map(|(ix, _)| ix).collect()
    }
}

fn read(object: &Document) -> Result<Spec, Finding> {
    let path = "/status/disruptionsAllowed";
    let allowed = match object.at(path) {
        None => 0,
        Some(value) => value.as_i64().ok_or_else(|| {
            object.error(path, format!("`{value}` is not a number of disruptions"), "write a whole number")
        })?,
    };
    let disrupted = object.at("/status/disruptedPods").and_then(Value::as_object);
    let disrupted = disrupted.map(|pods| pods.keys().cloned().collect()).unwrap_or_default();
    Ok(Spec { selector: Selector::read(object, "/spec/selector")?, allowed, disrupted })
}
