//! Which nodes a pod may run on, independent of other pods, by the rules of kube-scheduler.

mod bits;
mod need;
mod selector;
mod shapes;
mod taint;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::reason::{NamedFact, NamedReason, render};
pub(crate) use bits::NodeBitSet;
pub(crate) use need::{VolumeDemand, ZONES};
pub(crate) use selector::{LabelRequirement, LabelTest, NameTest, NodeTerm};
pub(crate) use shapes::Shapes;
pub(crate) use taint::{Effect, NodeTaint, PodToleration, ValueTest};

impl fmt::Display for Ineligible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason().message)
    }
}

/// The constraints of a pod on its node. Equal constraints compare as equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Constraints {
    /// The node selector: all must hold.
    pub(crate) selector: BTreeSet<LabelRequirement>,
    /// The required node affinity: one of the terms must hold.
    pub(crate) affinity: Option<BTreeSet<NodeTerm>>,
    pub(crate) tolerations: BTreeSet<PodToleration>,
    /// What its volumes demand: all must hold.
    pub(crate) volume_demands: BTreeSet<VolumeDemand>,
    /// The resource claims of the pod, by name. The host does not know where claims are allocated, so no node takes a pod with a claim.
    pub(crate) resource_claims: BTreeSet<String>,
}

/// The properties of a node that `Constraints` check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NodeProperties {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) taints: Vec<NodeTaint>,
    pub(crate) unschedulable: bool,
}

/// Why a node can never take a pod, whatever runs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ineligible {
    /// The node is unschedulable.
    Unschedulable,
    /// The pod does not tolerate a taint, which is shown as `{key: value}`.
    Taint(String),
    /// The labels of the node do not match.
    Selector,
    /// A volume of the pod cannot be used on the node, or on any node: the case of the reason, and the claim. The claim is empty where the case names
    /// none.
    Volume(&'static str, String),
    /// The pod has resource claims, by name. The host does not check whether the node can allocate the claims.
    ResourceClaims(String),
    /// The named thing (a pod, a node or a shape) does not exist.
    Unknown(&'static str),
}

impl Ineligible {
    /// Returns the reason `host/eligible` for this case, in the words of kube-scheduler.
    pub fn reason(&self) -> NamedReason {
        let (case, facts) = match self {
            Ineligible::Unschedulable => ("unschedulable", Vec::new()),
            Ineligible::Taint(taint) => ("taint", vec![NamedFact::name("taint", taint)]),
            Ineligible::Selector => ("selector", Vec::new()),
            Ineligible::Volume(case, claim) if claim.is_empty() => (*case, Vec::new()),
            Ineligible::Volume(case, claim) => (*case, vec![NamedFact::name("claim", claim)]),
            Ineligible::ResourceClaims(claims) => ("resource-claims", vec![NamedFact::name("claims", claims)]),
            Ineligible::Unknown(what) => ("unknown", vec![NamedFact::name("what", *what)]),
        };
        render("host/eligible", case, facts)
    }
}

impl Constraints {
    /// Checks whether a node satisfies the constraints.
    ///
    /// # Errors
    /// The first reason that kube-scheduler would find.
    pub(crate) fn check(&self, node: &NodeProperties) -> Result<(), Ineligible> {
        self.check_taints(node)?;
        if !self.matches_affinity(node) {
            return Err(Ineligible::Selector);
        }
        if !self.resource_claims.is_empty() {
            let claims: Vec<&str> = self.resource_claims.iter().map(String::as_str).collect();
            return Err(Ineligible::ResourceClaims(claims.join(", ")));
        }
        self.volume_demands.iter().try_for_each(|need| need.check(node))
    }

    /// Checks whether the pod tolerates the taints of a node. An unschedulable node counts as tainted (`node.kubernetes.io/unschedulable`).
    ///
    /// # Errors
    /// `Unschedulable` where the pod does not tolerate an unschedulable node; else the first taint that the pod does not tolerate.
    pub(crate) fn check_taints(&self, node: &NodeProperties) -> Result<(), Ineligible> {
        if node.unschedulable && !self.tolerates(&unschedulable()) {
            return Err(Ineligible::Unschedulable);
        }
        match node.taints.iter().find(|taint| !self.tolerates(taint)) {
            Some(taint) => Err(Ineligible::Taint(format!("{{{}: {}}}", taint.key, taint.value))),
            None => Ok(()),
        }
    }

    /// Returns whether a node matches the node selector and one term of the required node affinity.
    pub(crate) fn matches_affinity(&self, node: &NodeProperties) -> bool {
        let selected = self.selector.iter().all(|requirement| requirement.matches(&node.labels));
        let attracted = |terms: &BTreeSet<NodeTerm>| terms.iter().any(|term| term.matches(&node.name, &node.labels));
        selected && self.affinity.as_ref().is_none_or(attracted)
    }

    /// Returns the names of the only possible nodes. `None`: a term of the affinity requires no name, or the pod has no required affinity.
    fn only_names(&self) -> Option<BTreeSet<&str>> {
        self.affinity.as_ref()?.iter().map(NodeTerm::only_name).collect()
    }

    /// Returns the name of the only node that the required affinity allows. `None`: the affinity does not require a single node.
    pub(crate) fn required_name(&self) -> Option<&str> {
        let names = self.only_names()?;
        if names.len() == 1 { names.first().copied() } else { None }
    }

    fn tolerates(&self, taint: &NodeTaint) -> bool {
        self.tolerations.iter().any(|toleration| toleration.covers(taint))
    }
}

/// Returns the taint that a pod must tolerate to run on an unschedulable node.
fn unschedulable() -> NodeTaint {
    NodeTaint { key: "node.kubernetes.io/unschedulable".to_owned(), value: String::new(), effect: Effect::NoSchedule }
}

#[cfg(test)]
mod tests;
