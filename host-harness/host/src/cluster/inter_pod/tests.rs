use super::*;
use crate::cluster::eligibility::LabelTest;

fn label(key: &str, test: LabelTest) -> LabelRequirement {
    LabelRequirement { key: key.to_owned(), test }
}

fn is(value: &str) -> LabelTest {
    LabelTest::In(BTreeSet::from([value.to_owned()]))
}

fn is_not(value: &str) -> LabelTest {
    LabelTest::NotIn(BTreeSet::from([value.to_owned()]))
}

/// Returns whether a set of pods, chosen by these namespaces and namespace labels, holds a pod of `known` (label `team: a`) and one of `strange`.
fn holds(named: &[&str], labels: Option<&[LabelRequirement]>, takes_unknown: bool) -> [bool; 2] {
    let set = PodSet {
        namespaces: named.iter().map(|name| (*name).to_owned()).collect(),
        namespace_labels: labels.map(|labels| labels.iter().cloned().collect()),
        labels: Some(BTreeSet::new()),
        includes_unknown: takes_unknown,
    };
    let mut namespaces = Namespaces::default();
    namespaces.set("known", Some(BTreeMap::from([("team".to_owned(), "a".to_owned())])));
    let pod_labels = BTreeMap::new();
    let pod = |namespace| SelectablePod { namespace, labels: &pod_labels, claims: &[] };
    ["known", "strange"].map(|name| set.holds(&pod(name), &namespaces))
}

#[test]
fn named_namespaces_and_selected_ones_are_united() {
    assert_eq!(holds(&["known"], None, false), [true, false]);
    assert_eq!(holds(&["strange"], Some(&[label("team", is("a"))]), false), [true, true]);
    assert_eq!(holds(&["strange"], Some(&[label("team", is("b"))]), false), [false, true]);
    // An empty selector selects all namespaces, known or not.
    assert_eq!(holds(&[], Some(&[]), false), [true, true]);
    assert_eq!(holds(&[], None, true), [false, false]);
}

#[test]
fn a_namespace_that_is_not_known_has_its_name_and_perhaps_more() {
    let [team_a, team_b] = ["a", "b"].map(|team| label("team", is(team)));
    assert_eq!(holds(&[], Some(std::slice::from_ref(&team_a)), false), [true, false]);
    assert_eq!(holds(&[], Some(std::slice::from_ref(&team_a)), true), [true, true]);
    assert_eq!(holds(&[], Some(&[team_b]), true), [false, true]);
    // It is not known either whether the unknown namespace lacks the label.
    assert_eq!(holds(&[], Some(&[label("team", is_not("a"))]), false), [false, false]);
    for takes_unknown in [false, true] {
        assert_eq!(holds(&[], Some(&[label(NAMESPACE_NAME_LABEL, is("strange"))]), takes_unknown), [false, true]);
        assert_eq!(holds(&[], Some(&[label(NAMESPACE_NAME_LABEL, is("known"))]), takes_unknown), [true, false]);
        assert_eq!(holds(&[], Some(&[label(NAMESPACE_NAME_LABEL, is_not("strange"))]), takes_unknown), [true, false]);
    }
    // The name of the namespace is known, and differs from the required one.
    assert_eq!(holds(&[], Some(&[team_a, label(NAMESPACE_NAME_LABEL, is("known"))]), true), [true, false]);
}

#[test]
fn no_selector_of_labels_holds_no_pod() {
    let set = PodSet { namespaces: BTreeSet::from(["x".to_owned()]), ..PodSet::default() };
    let labels = BTreeMap::new();
    let pod = SelectablePod { namespace: "x", labels: &labels, claims: &[] };
    assert!(!set.holds(&pod, &Namespaces::default()));
    let all = PodSet { labels: Some(BTreeSet::new()), ..set };
    assert!(all.holds(&pod, &Namespaces::default()));
}

#[test]
fn a_pod_is_chosen_where_it_is_in_every_set() {
    let set = |key: &str| PodSet {
        namespaces: BTreeSet::from(["x".to_owned()]),
        labels: Some(BTreeSet::from([label(key, LabelTest::Exists)])),
        ..PodSet::default()
    };
    let both = PodSelector::All(BTreeSet::from([set("a"), set("b")]));
    let chosen = |keys: &[&str]| {
        let labels = keys.iter().map(|key| ((*key).to_owned(), String::new())).collect();
        both.holds(&SelectablePod { namespace: "x", labels: &labels, claims: &[] }, &Namespaces::default())
    };
    assert!(chosen(&["a", "b"]));
    assert!(!chosen(&["a"]));
}
