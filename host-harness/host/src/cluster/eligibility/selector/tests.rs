//! Selectors as Kubernetes reads them.

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
        let requirement = LabelRequirement { key: key.to_owned(), test };
        assert_eq!(requirement.matches(&labels()), expected, "{requirement:?}");
    }
}

#[test]
fn all_of_a_term_must_hold_and_an_empty_one_never_does() {
    let zone = |value: &str| LabelRequirement { key: "zone".to_owned(), test: LabelTest::In(set([value])) };
    let term = |zones: &[&str], names: &[NameTest]| NodeTerm {
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
        assert_eq!(term.matches("n1", &labels()), expected, "{term:?}");
        assert_eq!(term.only_name(), only, "{term:?}");
    }
}
