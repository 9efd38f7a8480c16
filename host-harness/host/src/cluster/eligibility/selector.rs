//! Node selectors and required node affinity.

use std::collections::{BTreeMap, BTreeSet};

/// The condition of a requirement on a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LabelTest {
    /// The label exists with one of these values.
    In(BTreeSet<String>),
    /// The label does not exist with one of these values.
    NotIn(BTreeSet<String>),
    /// The label exists.
    Exists,
    /// The label does not exist.
    DoesNotExist,
    /// The label exists with a number greater than this.
    Greater(i64),
    /// The label exists with a number less than this.
    Less(i64),
}

/// A requirement on a label of the node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LabelRequirement {
    pub(crate) key: String,
    pub(crate) test: LabelTest,
}

impl LabelRequirement {
    /// Returns whether these labels satisfy the requirement.
    pub(crate) fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        let label = labels.get(&self.key);
        let number = || label.and_then(|value| value.parse::<i64>().ok());
        match &self.test {
            LabelTest::In(values) => label.is_some_and(|value| values.contains(value)),
            LabelTest::NotIn(values) => !label.is_some_and(|value| values.contains(value)),
            LabelTest::Exists => label.is_some(),
            LabelTest::DoesNotExist => label.is_none(),
            LabelTest::Greater(bound) => number().is_some_and(|value| value > *bound),
            LabelTest::Less(bound) => number().is_some_and(|value| value < *bound),
        }
    }
}

/// A requirement on the name of the node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameTest {
    /// Equal to this.
    Is(String),
    /// Different from this.
    IsNot(String),
}

/// A term of a required node affinity: all of its requirements must hold. An empty term never holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeTerm {
    pub(crate) labels: BTreeSet<LabelRequirement>,
    pub(crate) names: BTreeSet<NameTest>,
}

impl NodeTerm {
    /// Returns whether a node with this name and these labels satisfies all requirements of the term. An empty term matches no node.
    pub(crate) fn matches(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        !(self.labels.is_empty() && self.names.is_empty())
            && self.labels.iter().all(|requirement| requirement.matches(labels))
            && self.names.iter().all(|test| match test {
                NameTest::Is(required) => required == name,
                NameTest::IsNot(excluded) => excluded != name,
            })
    }

    /// Returns the node name that the term requires. `None`: the term requires no name.
    pub(super) fn only_name(&self) -> Option<&str> {
        self.names.iter().find_map(|test| match test {
            NameTest::Is(name) => Some(&**name),
            NameTest::IsNot(_) => None,
        })
    }
}

#[cfg(test)]
mod tests;
