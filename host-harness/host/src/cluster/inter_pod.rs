//! What pods demand of other pods, by the rules of kube-scheduler (plugins InterPodAffinity, PodTopologySpread and VolumeRestrictions).

use std::collections::{BTreeMap, BTreeSet};

use super::eligibility::{Constraints, LabelRequirement, NodeProperties};

/// The label of a namespace that has its name. The API server writes it on every namespace.
pub(crate) const NAMESPACE_NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The hard constraints of a pod on where it is, seen from other pods. Preferences are not among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PodDemands {
    /// The required pod affinity: a pod that matches all of these, in each of their topologies.
    pub(crate) affinity: BTreeSet<PodTerm>,
    /// The required pod anti-affinity: no pod that matches one of these, in its topology.
    pub(crate) anti_affinity: BTreeSet<PodTerm>,
    /// The topology spread constraints that forbid.
    pub(crate) spread: Vec<TopologySpreadRule>,
}

/// Pods, and the label of nodes whose values are the domains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodTerm {
    pub(crate) pods: PodSet,
    pub(crate) topology: String,
}

/// A topology spread constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TopologySpreadRule {
    pub(crate) pods: PodSet,
    pub(crate) topology: String,
    /// At least 1.
    pub(crate) max_skew: u32,
    /// At least 1.
    pub(crate) min_domains: u32,
    /// The nodes that count.
    pub(crate) nodes: CountedNodes,
}

/// The nodes whose pods and domains count for a topology spread constraint. Equal values compare as equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CountedNodes {
    /// The labels that a node must have: the topology keys of all constraints of the pod.
    pub(crate) keys: BTreeSet<String>,
    /// The constraints on a node: the node selector and affinity where the policy honors them, the tolerations where it honors taints.
    pub(crate) constraints: Constraints,
    /// Nodes with taints that the pod does not tolerate do not count.
    pub(crate) honors_taints: bool,
}

impl CountedNodes {
    /// Returns whether a node counts for the topology spread constraint.
    pub(crate) fn matches(&self, node: &NodeProperties) -> bool {
        self.keys.iter().all(|key| node.labels.contains_key(key))
            && self.constraints.matches_affinity(node)
            && (!self.honors_taints || self.constraints.check_taints(node).is_ok())
    }
}

/// A set of pods, by namespace and labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodSet {
    /// Pods of these namespaces.
    pub(crate) namespaces: BTreeSet<String>,
    /// Pods of the namespaces with these labels are in the set as well.
    pub(crate) namespace_labels: Option<BTreeSet<LabelRequirement>>,
    /// The labels of the pods. `None`: the set has no pod.
    pub(crate) labels: Option<BTreeSet<LabelRequirement>>,
    /// Whether a namespace with unknown labels is in the set. A missing Namespace object must never break a hard constraint. So the value is true
    /// where a pod of the set forbids a node (anti-affinity), and false where such a pod permits a node (affinity).
    pub(crate) includes_unknown: bool,
}

/// A pod as a selector sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectablePod<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) labels: &'a BTreeMap<String, String>,
    /// The claims of its volumes.
    pub(crate) claims: &'a [String],
}

/// A selector of pods. Equal selectors compare as equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PodSelector {
    /// Pods that are in all of these sets.
    All(BTreeSet<PodSet>),
    /// Pods that use the claim of this namespace and name.
    Users(String, String),
}

/// The labels of the namespaces that are known.
#[derive(Debug, Default)]
pub(crate) struct Namespaces(BTreeMap<String, BTreeMap<String, String>>);

impl PodSet {
    /// Returns whether the set selects namespaces by a label other than their name.
    pub(crate) fn reads_namespace_labels(&self) -> bool {
        self.namespace_labels
            .as_ref()
            .is_some_and(|labels| labels.iter().any(|label| label.key != NAMESPACE_NAME_LABEL))
    }

    fn holds(&self, pod: &SelectablePod<'_>, namespaces: &Namespaces) -> bool {
        let labelled =
            |labels: &BTreeSet<LabelRequirement>| namespaces.match_all(pod.namespace, labels, self.includes_unknown);
        let is_there =
            || self.namespaces.contains(pod.namespace) || self.namespace_labels.as_ref().is_some_and(labelled);
        let labels = self.labels.as_ref();
        labels.is_some_and(|labels| labels.iter().all(|label| label.matches(pod.labels))) && is_there()
    }
}

impl PodSelector {
    /// Returns whether the selector chooses a pod.
    pub(crate) fn holds(&self, pod: &SelectablePod<'_>, namespaces: &Namespaces) -> bool {
        match self {
            PodSelector::All(sets) => sets.iter().all(|set| set.holds(pod, namespaces)),
            PodSelector::Users(namespace, claim) => pod.namespace == namespace && pod.claims.contains(claim),
        }
    }

    /// Returns whether the selector depends on labels of namespaces other than their name.
    pub(crate) fn reads_namespace_labels(&self) -> bool {
        matches!(self, PodSelector::All(sets) if sets.iter().any(PodSet::reads_namespace_labels))
    }
}

impl Namespaces {
    /// Creates or replaces a namespace, or removes it (`None`). Returns whether its labels have changed.
    pub(crate) fn set(&mut self, name: &str, labels: Option<BTreeMap<String, String>>) -> bool {
        let before = match labels.clone() {
            Some(labels) => self.0.insert(name.to_owned(), labels),
            None => self.0.remove(name),
        };
        before != labels
    }

    /// Returns whether the Namespace object of this name is known.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns whether no namespace is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a namespace has these labels. Only the name of an unknown namespace is known: `unknown` is the result for every other label of
    /// it.
    fn match_all(&self, name: &str, labels: &BTreeSet<LabelRequirement>, unknown: bool) -> bool {
        let own_name = || BTreeMap::from([(NAMESPACE_NAME_LABEL.to_owned(), name.to_owned())]);
        match self.0.get(name) {
            Some(known) => labels.iter().all(|label| {
                match label.key == NAMESPACE_NAME_LABEL && !known.contains_key(NAMESPACE_NAME_LABEL) {
                    true => label.matches(&own_name()),
                    false => label.matches(known),
                }
            }),
            None => labels
                .iter()
                .all(|label| if label.key == NAMESPACE_NAME_LABEL { label.matches(&own_name()) } else { unknown }),
        }
    }
}

#[cfg(test)]
mod tests;
