//! What pods demand of other pods, by the rules of kube-scheduler (plugins InterPodAffinity, PodTopologySpread and VolumeRestrictions).

use std::collections::{BTreeMap, BTreeSet};

use super::eligibility::{Constraints, Requirement, Terrain};

/// The label of a namespace that has its name. The API server writes it on every namespace.
pub(crate) const NAME: &str = "kubernetes.io/metadata.name";

/// The hard constraints of a pod on where it is, seen from other pods. Preferences are not among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Demands {
    /// The required pod affinity: a pod that matches all of these, in each of their topologies.
    pub(crate) affinity: BTreeSet<PodTerm>,
    /// The required pod anti-affinity: no pod that matches one of these, in its topology.
    pub(crate) anti_affinity: BTreeSet<PodTerm>,
    /// The topology spread constraints that forbid.
    pub(crate) spread: Vec<Spread>,
}

/// Pods, and the label of nodes whose values are the domains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodTerm {
    pub(crate) pods: PodSet,
    pub(crate) topology: String,
}

/// A topology spread constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) pods: PodSet,
    pub(crate) topology: String,
    /// At least 1.
    pub(crate) max_skew: u32,
    /// At least 1.
    pub(crate) min_domains: u32,
    /// The nodes that count.
    pub(crate) nodes: CountedNodes,
}

/// The nodes whose pods and domains count for a topology spread constraint. Equal ones compare as equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CountedNodes {
    /// The labels that a node must have: the topology keys of all constraints of the pod.
    pub(crate) keys: BTreeSet<String>,
    /// What a node must be: the node selector and affinity where they count, the tolerations where taints count.
    pub(crate) constraints: Constraints,
    /// Nodes with taints that the pod does not tolerate do not count.
    pub(crate) honors_taints: bool,
}

impl CountedNodes {
    /// Whether a node counts.
    pub(crate) fn holds(&self, node: &Terrain) -> bool {
        self.keys.iter().all(|key| node.labels.contains_key(key))
            && self.constraints.attracts(node)
            && (!self.honors_taints || self.constraints.admits(node).is_ok())
    }
}

/// A set of pods, by namespace and labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodSet {
    /// Pods of these namespaces.
    pub(crate) namespaces: BTreeSet<String>,
    /// Pods of the namespaces with these labels, too.
    pub(crate) namespace_labels: Option<BTreeSet<Requirement>>,
    /// The labels of the pods; none: no pod at all.
    pub(crate) labels: Option<BTreeSet<Requirement>>,
    /// Whether a namespace of which nobody knows the labels is one of those above. A hard constraint is never broken for want of a
    /// Namespace object: true where a pod of the set forbids (anti-affinity), false where it permits (affinity).
    pub(crate) takes_unknown: bool,
}

/// What a selector is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) labels: &'a BTreeMap<String, String>,
    /// The claims of its volumes.
    pub(crate) claims: &'a [String],
}

/// What chooses pods. Equal selectors compare as equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Selector {
    /// Pods that are in all of these sets.
    All(BTreeSet<PodSet>),
    /// Pods that use the claim of this namespace and name.
    Users(String, String),
}

/// The labels of the namespaces that are known.
#[derive(Debug, Default)]
pub(crate) struct Namespaces(BTreeMap<String, BTreeMap<String, String>>);

impl PodSet {
    /// Whether the set has a selector of namespaces whose answer depends on their labels.
    pub(crate) fn asks_for_labels(&self) -> bool {
        self.namespace_labels.as_ref().is_some_and(|labels| labels.iter().any(|label| label.key != NAME))
    }

    fn holds(&self, pod: &Selected<'_>, namespaces: &Namespaces) -> bool {
        let labelled = |labels: &BTreeSet<Requirement>| namespaces.match_all(pod.namespace, labels, self.takes_unknown);
        let is_there =
            || self.namespaces.contains(pod.namespace) || self.namespace_labels.as_ref().is_some_and(labelled);
        let labels = self.labels.as_ref();
        labels.is_some_and(|labels| labels.iter().all(|label| label.holds(pod.labels))) && is_there()
    }
}

impl Selector {
    /// Whether a pod is chosen.
    pub(crate) fn holds(&self, pod: &Selected<'_>, namespaces: &Namespaces) -> bool {
        match self {
            Selector::All(sets) => sets.iter().all(|set| set.holds(pod, namespaces)),
            Selector::Users(namespace, claim) => pod.namespace == namespace && pod.claims.contains(claim),
        }
    }

    /// Whether the labels of namespaces matter.
    pub(crate) fn asks_for_labels(&self) -> bool {
        matches!(self, Selector::All(sets) if sets.iter().any(PodSet::asks_for_labels))
    }
}

impl Namespaces {
    /// Creates or replaces a namespace, or removes it; whether its labels are others now.
    pub(crate) fn set(&mut self, name: &str, labels: Option<BTreeMap<String, String>>) -> bool {
        let before = match labels.clone() {
            Some(labels) => self.0.insert(name.to_owned(), labels),
            None => self.0.remove(name),
        };
        before != labels
    }

    /// Whether a namespace is known.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether no namespace is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a namespace has these labels. Of one that is not known, the name is all that is known: `unknown` is the answer to
    /// whatever asks for another label.
    fn match_all(&self, name: &str, labels: &BTreeSet<Requirement>, unknown: bool) -> bool {
        let own_name = || BTreeMap::from([(NAME.to_owned(), name.to_owned())]);
        match self.0.get(name) {
            Some(known) => labels.iter().all(|label| match label.key == NAME && !known.contains_key(NAME) {
                true => label.holds(&own_name()),
                false => label.holds(known),
            }),
            None => labels.iter().all(|label| if label.key == NAME { label.holds(&own_name()) } else { unknown }),
        }
    }
}

#[cfg(test)]
mod tests;
