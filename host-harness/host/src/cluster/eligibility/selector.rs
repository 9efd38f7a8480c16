//! Node selectors and required node affinity.

use std::collections::{BTreeMap, BTreeSet};

/// The condition of a requirement on a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LabelTest {
    /// It exists with one of these values.
    In(BTreeSet<String>),
    /// It does not exist with one of these values.
    NotIn(BTreeSet<String>),
    /// It exists.
    Exists,
    /// It does not exist.
    DoesNotExist,
    /// It exists with a number greater than this.
    Greater(i64),
    /// It exists with a number less than this.
    Less(i64),
}

/// A requirement on a label of the node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Requirement {
    pub(crate) key: String,
    pub(crate) test: LabelTest,
}

impl Requirement {
    /// Whether these labels satisfy the requirement.
    pub(crate) fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
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
pub(crate) struct Term {
    pub(crate) labels: BTreeSet<Requirement>,
    pub(crate) names: BTreeSet<NameTest>,
}

impl Term {
    /// Whether a node satisfies the term.
    pub(super) fn holds(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        !(self.labels.is_empty() && self.names.is_empty())
            && self.labels.iter().all(|requirement| requirement.holds(labels))
            && self.names.iter().all(|test| match test {
                NameTest::Is(required) => required == name,
                NameTest::IsNot(excluded) => excluded != name,
            })
    }

    /// The only node name that the term allows, if it requires one.
    pub(super) fn only_name(&self) -> Option<&str> {
        self.names.iter().find_map(|test| match test {
            NameTest::Is(name) => Some(&**name),
            NameTest::IsNot(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> BTreeMap<String, String> {
        [("zone", "a"), ("cores", "64"), ("empty", "")].map(|(k, v)| (k.to_owned(), v.to_owned())).into()
    }

    fn set<const N: usize>(values: [&str; N]) -> BTreeSet<String> {
        values.map(str::to_owned).into()
    }

    #[test]
    fn every_operator_holds_and_fails() {
        for (key, test, expected) in [
            ("zone", LabelTest::In(set(["a", "b"])), true),
            ("zone", LabelTest::In(set(["b"])), false),
            ("none", LabelTest::In(set(["a"])), false),
            ("zone", LabelTest::NotIn(set(["b"])), true),
            ("zone", LabelTest::NotIn(set(["a"])), false),
            ("none", LabelTest::NotIn(set(["a"])), true),
            ("empty", LabelTest::Exists, true),
            ("none", LabelTest::Exists, false),
            ("none", LabelTest::DoesNotExist, true),
            ("empty", LabelTest::DoesNotExist, false),
            ("cores", LabelTest::Greater(63), true),
            ("cores", LabelTest::Greater(64), false),
            ("cores", LabelTest::Less(65), true),
            ("cores", LabelTest::Less(64), false),
            ("zone", LabelTest::Greater(0), false),
            ("none", LabelTest::Less(99), false),
        ] {
            let requirement = Requirement { key: key.to_owned(), test };
            assert_eq!(requirement.holds(&labels()), expected, "{requirement:?}");
        }
    }

    #[test]
    fn all_of_a_term_must_hold_and_an_empty_one_never_does() {
        let zone = |value: &str| Requirement { key: "zone".to_owned(), test: LabelTest::In(set([value])) };
        let term = |zones: &[&str], names: &[NameTest]| Term {
            labels: zones.iter().map(|value| zone(value)).collect(),
            names: names.iter().cloned().collect(),
        };
        let is = |name: &str| NameTest::Is(name.to_owned());
        let is_not = |name: &str| NameTest::IsNot(name.to_owned());
        for (term, expected, only) in [
            (term(&[], &[]), false, None),
            (term(&["a"], &[]), true, None),
            (term(&["a", "b"], &[]), false, None),
            (term(&[], &[is("n1")]), true, Some("n1")),
            (term(&[], &[is("n2")]), false, Some("n2")),
            (term(&["b"], &[is("n1")]), false, Some("n1")),
            (term(&["a"], &[is_not("n2")]), true, None),
            (term(&[], &[is_not("n1")]), false, None),
            (term(&[], &[is_not("n2"), is("n1")]), true, Some("n1")),
        ] {
            assert_eq!(term.holds("n1", &labels()), expected, "{term:?}");
            assert_eq!(term.only_name(), only, "{term:?}");
        }
    }
}
