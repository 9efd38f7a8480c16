//! The numbers of selectors, and which of them choose a pod.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::SelectorId;

use crate::cluster::eligibility::LabelTest;
use crate::cluster::inter_pod::{Namespaces, PodSelector, PodSet, SelectablePod};

/// The selectors. A selector that no content demands is kept until it is swept; then its number is given to another one.
#[derive(Debug, Default)]
pub(super) struct Selectors {
    ids: BTreeMap<Arc<PodSelector>, SelectorId>,
    free: BTreeSet<SelectorId>,
    index: SelectorIndex,
    /// The selectors that are new since the last `take_new`.
    new: SelectorIndex,
    /// The lowest number that no selector has had.
    next: SelectorId,
    /// Whether a selector depends on labels of namespaces other than their name.
    reads_namespace_labels: bool,
}

/// A selector and its number.
type NumberedSelector = (SelectorId, Arc<PodSelector>);

/// An index of selectors by a property that each chosen pod must have.
#[derive(Debug, Default)]
pub(super) struct SelectorIndex {
    /// Selectors that demand a label, by its key and value.
    labelled: BTreeMap<String, BTreeMap<String, Vec<NumberedSelector>>>,
    /// Selectors that demand a claim, by its namespace and name.
    claims: BTreeMap<String, BTreeMap<String, SelectorId>>,
    /// All other selectors.
    open: Vec<NumberedSelector>,
}

impl SelectorIndex {
    fn add(&mut self, id: SelectorId, selector: &Arc<PodSelector>) {
        match &**selector {
            PodSelector::Users(namespace, claim) => {
                self.claims.entry(namespace.clone()).or_default().insert(claim.clone(), id);
            }
            PodSelector::All(sets) => match sets.iter().find_map(anchor) {
                Some((key, values)) => {
                    let of_key = self.labelled.entry(key.clone()).or_default();
                    values.iter().for_each(|value| {
                        of_key.entry(value.clone()).or_default().push((id, selector.clone()));
                    });
                }
                None => self.open.push((id, selector.clone())),
            },
        }
    }

    /// Returns the selectors that choose a pod, ordered by number.
    pub(super) fn of(&self, pod: &SelectablePod<'_>, namespaces: &Namespaces) -> BTreeSet<SelectorId> {
        let labelled = self.labelled.iter().filter_map(|(key, values)| values.get(pod.labels.get(key)?));
        let maybe = labelled.flatten().chain(&self.open);
        let chosen = maybe.filter(|(_, selector)| selector.holds(pod, namespaces)).map(|(id, _)| *id);
        let claims = self.claims.get(pod.namespace);
        let used = claims.into_iter().flat_map(|known| pod.claims.iter().filter_map(|claim| known.get(claim)));
        chosen.chain(used.copied()).collect()
    }

    /// Removes the selectors that are not in `used`.
    fn retain(&mut self, used: &BTreeSet<SelectorId>) {
        for values in self.labelled.values_mut() {
            values.values_mut().for_each(|of_value| of_value.retain(|(id, _)| used.contains(id)));
            values.retain(|_, of_value| !of_value.is_empty());
        }
        self.labelled.retain(|_, values| !values.is_empty());
        self.claims.values_mut().for_each(|of_space| of_space.retain(|_, id| used.contains(id)));
        self.claims.retain(|_, of_space| !of_space.is_empty());
        self.open.retain(|(id, _)| used.contains(id));
    }

    /// Returns whether the index is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.labelled.is_empty() && self.claims.is_empty() && self.open.is_empty()
    }
}

/// Returns a label that all pods of a set have, and the values it may have. `None`: no requirement of the set names the values of a label.
fn anchor(set: &PodSet) -> Option<(&String, &BTreeSet<String>)> {
    set.labels.iter().flatten().find_map(|label| match &label.test {
        LabelTest::In(values) => Some((&label.key, values)),
        _ => None,
    })
}

impl Selectors {
    /// Returns the number of a selector; a new selector gets a new number.
    pub(super) fn intern(&mut self, selector: PodSelector) -> SelectorId {
        if let Some(id) = self.ids.get(&selector) {
            return *id;
        }
        let selector = Arc::new(selector);
        let id = self.free.pop_first().unwrap_or(self.next);
        self.next = self.next.max(id.saturating_add(1));
        self.reads_namespace_labels |= selector.reads_namespace_labels();
        self.index.add(id, &selector);
        self.new.add(id, &selector);
        self.ids.insert(selector, id);
        id
    }

    /// Returns the number of selectors.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Forgets the selectors that are not in `used`, and frees their numbers. Returns the freed numbers, because the contents of chosen pods still
    /// name them.
    pub(super) fn retain(&mut self, used: &BTreeSet<SelectorId>) -> BTreeSet<SelectorId> {
        let freed: BTreeSet<SelectorId> = self.ids.values().filter(|id| !used.contains(id)).copied().collect();
        self.ids.retain(|_, id| used.contains(id));
        self.index.retain(used);
        self.new.retain(used);
        self.free.extend(&freed);
        self.reads_namespace_labels = self.ids.keys().any(|selector| selector.reads_namespace_labels());
        freed
    }

    /// Returns the selectors that choose a pod, ordered by number.
    pub(super) fn of(&self, pod: &SelectablePod<'_>, namespaces: &Namespaces) -> BTreeSet<SelectorId> {
        self.index.of(pod, namespaces)
    }

    /// Returns the selectors that are new since the last call.
    pub(super) fn take_new(&mut self) -> SelectorIndex {
        std::mem::take(&mut self.new)
    }

    /// Returns whether a selector depends on labels of namespaces other than their name.
    pub(super) fn reads_namespace_labels(&self) -> bool {
        self.reads_namespace_labels
    }
}
