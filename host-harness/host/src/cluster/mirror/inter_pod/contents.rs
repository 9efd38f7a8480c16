//! The numbers of what stands between pods, and the nodes that count for topology spread constraints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::{
    InterPod, InterPodId, NodeId, PodAffinity, SelectorId, TopologyId, TopologySpread, TopologyTerm,
};

use crate::cluster::eligibility::{NodeBitSet, NodeProperties};
use crate::cluster::inter_pod::CountedNodes;

/// The constraints between a pod and other pods. Equal values compare as equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InterPodTerms {
    /// The selectors that choose the pod.
    pub(crate) selected_by: BTreeSet<SelectorId>,
    pub(crate) affinity: Option<PodAffinity>,
    pub(crate) anti_affinity: BTreeSet<TopologyTerm>,
    pub(crate) spread: Vec<SpreadTerm>,
}

/// A topology spread constraint by numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpreadTerm {
    pub(crate) selector: SelectorId,
    pub(crate) topology: TopologyId,
    pub(crate) max_skew: u32,
    pub(crate) min_domains: u32,
    /// The nodes that count, as a number of `CountedNodes`.
    pub(crate) nodes: usize,
}

/// The contents: each is an `InterPodTerms` with a number. Pods of one template share a content. An unused content is kept for later pods until a sweep.
#[derive(Debug, Default)]
pub(super) struct InterPodTable {
    ids: BTreeMap<Arc<InterPodTerms>, InterPodId>,
    /// The contents by number. `None`: the number is free.
    all: Vec<Option<Arc<InterPodTerms>>>,
    free: BTreeSet<InterPodId>,
    counted: SpreadNodeSets,
    changed: BTreeSet<InterPodId>,
}

impl InterPodTable {
    /// Returns the number of a content; a new content gets a new number. `None`: the content is empty.
    pub(super) fn intern(&mut self, between: InterPodTerms) -> Option<InterPodId> {
        if between == InterPodTerms::default() {
            return None;
        }
        if let Some(id) = self.ids.get(&between) {
            return Some(*id);
        }
        let next = InterPodId::try_from(self.all.len()).unwrap_or(InterPodId::MAX);
        let id = self.free.pop_first().unwrap_or(next);
        between.spread.iter().for_each(|spread| self.counted.used(spread.nodes, id));
        let between = Arc::new(between);
        match self.all.get_mut(id as usize) {
            Some(free) => *free = Some(between.clone()),
            None => self.all.push(Some(between.clone())),
        }
        self.ids.insert(between, id);
        self.changed.insert(id);
        Some(id)
    }

    pub(super) fn get(&self, id: InterPodId) -> Option<&InterPodTerms> {
        self.all.get(id as usize)?.as_deref()
    }

    /// Returns the number of contents.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Forgets the contents that are not in `used`, and frees their numbers: a policy receives them as empty.
    pub(super) fn retain(&mut self, used: &BTreeSet<InterPodId>) {
        self.ids.retain(|_, id| used.contains(id));
        for (id, between) in (0..).zip(&mut self.all).filter(|(id, _)| !used.contains(id)) {
            if between.take().is_some() {
                self.free.insert(id);
                self.changed.insert(id);
            }
        }
        self.counted.retain(used);
    }

    /// Returns the selectors by which some content demands something of other pods.
    pub(super) fn demanded(&self) -> BTreeSet<SelectorId> {
        let of = |between: &Arc<InterPodTerms>| {
            let affinity = between.affinity.iter().map(|affinity| affinity.selector);
            let anti_affinity = between.anti_affinity.iter().map(|term| term.selector);
            let spread = between.spread.iter().map(|spread| spread.selector);
            affinity.chain(anti_affinity).chain(spread).collect::<Vec<_>>()
        };
        self.ids.keys().flat_map(of).collect()
    }

    /// Returns the number of this rule for nodes that count. A new rule is applied to `all` nodes.
    pub(super) fn count<'n>(
        &mut self,
        nodes: &CountedNodes,
        all: impl Iterator<Item = (NodeId, &'n NodeProperties)>,
    ) -> usize {
        self.counted.intern(nodes, all)
    }

    /// Returns whether a node counts under the rule of this number.
    pub(super) fn counts(&self, nodes: usize, node: NodeId) -> bool {
        self.counted.get(nodes).is_some_and(|group| group.members.contains(node))
    }

    /// Updates a node that is new or has changed, or removes one (`None`).
    pub(super) fn update_node(&mut self, node: NodeId, terrain: Option<&NodeProperties>) {
        for group in self.counted.all.iter_mut().flatten() {
            if group.update_node(node, terrain) {
                self.changed.extend(&group.users);
            }
        }
    }

    /// Returns the contents that are new or have changed since the last call.
    pub(super) fn drain(&mut self) -> Vec<InterPod> {
        std::mem::take(&mut self.changed).into_iter().filter_map(|id| self.to_event(id)).collect()
    }

    /// Returns all contents from this number on.
    pub(super) fn from(&self, first: InterPodId) -> impl Iterator<Item = InterPod> {
        (first..u32::MAX).map_while(|id| self.to_event(id))
    }

    /// Returns a content in the form that the policy receives. A free number gives an empty content, so that the numbers have no gaps.
    fn to_event(&self, id: InterPodId) -> Option<InterPod> {
        let nothing = InterPodTerms::default();
        let known = self.all.get(id as usize)?.as_deref();
        let InterPodTerms { selected_by, affinity, anti_affinity, spread } = known.unwrap_or(&nothing);
        let words = |nodes: usize| self.counted.get(nodes).map(|group| group.members.words()).unwrap_or_default();
        let spread = spread.iter().map(|spread| TopologySpread {
            selector: spread.selector,
            topology: spread.topology,
            max_skew: spread.max_skew,
            min_domains: spread.min_domains,
            nodes: words(spread.nodes),
        });
        Some(InterPod {
            id,
            selected_by: selected_by.iter().copied().collect(),
            affinity: affinity.clone(),
            anti_affinity: anti_affinity.iter().cloned().collect(),
            spread: spread.collect(),
        })
    }
}

/// The nodes that count, for each rule of topology spread constraints.
#[derive(Debug, Default)]
struct SpreadNodeSets {
    ids: BTreeMap<CountedNodes, usize>,
    /// The groups by number. `None`: the number is free.
    all: Vec<Option<SpreadNodeSet>>,
    free: BTreeSet<usize>,
}

#[derive(Debug)]
struct SpreadNodeSet {
    rule: CountedNodes,
    members: NodeBitSet,
    /// The contents that use the group.
    users: BTreeSet<InterPodId>,
}

impl SpreadNodeSet {
    fn update_node(&mut self, id: NodeId, node: Option<&NodeProperties>) -> bool {
        let counts = node.is_some_and(|node| self.rule.matches(node));
        self.members.set(id, counts)
    }
}

impl SpreadNodeSets {
    fn intern<'n>(&mut self, rule: &CountedNodes, nodes: impl Iterator<Item = (NodeId, &'n NodeProperties)>) -> usize {
        if let Some(number) = self.ids.get(rule) {
            return *number;
        }
        let number = self.free.pop_first().unwrap_or(self.all.len());
        let mut group = SpreadNodeSet { rule: rule.clone(), members: NodeBitSet::default(), users: BTreeSet::new() };
        for (node, terrain) in nodes {
            group.update_node(node, Some(terrain));
        }
        match self.all.get_mut(number) {
            Some(free) => *free = Some(group),
            None => self.all.push(Some(group)),
        }
        self.ids.insert(rule.clone(), number);
        number
    }

    fn get(&self, number: usize) -> Option<&SpreadNodeSet> {
        self.all.get(number)?.as_ref()
    }

    fn used(&mut self, number: usize, by: InterPodId) {
        if let Some(group) = self.all.get_mut(number).and_then(Option::as_mut) {
            group.users.insert(by);
        }
    }

    /// Forgets the groups that no content in `used` refers to, and frees their numbers.
    fn retain(&mut self, used: &BTreeSet<InterPodId>) {
        for (number, place) in self.all.iter_mut().enumerate() {
            let Some(group) = place else { continue };
            group.users.retain(|user| used.contains(user));
            if group.users.is_empty() {
                self.ids.remove(&group.rule);
                *place = None;
                self.free.insert(number);
            }
        }
    }
}
