use lictor_contract::{Eligibility, NodeId};

use super::*;
use crate::sweep::UNUSED_TOLERANCE;

fn pick(key: &str, value: &str) -> LabelRequirement {
    LabelRequirement { key: key.to_owned(), test: LabelTest::In([value.to_owned()].into()) }
}

fn node(name: &str, labels: &[(&str, &str)]) -> NodeProperties {
    let labels = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    NodeProperties { name: name.to_owned(), labels, ..NodeProperties::default() }
}

fn on(names: &[&str]) -> Constraints {
    let term = |name: &&str| NodeTerm { names: [NameTest::Is((*name).to_owned())].into(), ..NodeTerm::default() };
    Constraints { affinity: Some(names.iter().map(term).collect()), ..Constraints::default() }
}

fn tolerating(key: &str) -> Constraints {
    let toleration = PodToleration { key: Some(key.to_owned()), test: ValueTest::Exists, effect: None };
    Constraints { tolerations: [toleration].into(), ..Constraints::default() }
}

fn reason(constraints: &Constraints, node: &NodeProperties) -> String {
    constraints.check(node).map_or_else(|reason| reason.to_string(), |()| "fits".to_owned())
}

#[test]
fn on_an_unschedulable_node_only_tolerating_pods_fit() {
    let cordoned = NodeProperties { unschedulable: true, ..node("n1", &[]) };
    assert_eq!(reason(&Constraints::default(), &cordoned), "node(s) were unschedulable");
    assert_eq!(reason(&tolerating("gpu"), &cordoned), "node(s) were unschedulable");
    assert_eq!(reason(&tolerating("node.kubernetes.io/unschedulable"), &cordoned), "fits");
}

#[test]
fn the_first_untolerated_taint_is_named() {
    let taint = |key: &str, value: &str, effect| NodeTaint { key: key.to_owned(), value: value.to_owned(), effect };
    let taints = vec![taint("gpu", "a100", Effect::NoSchedule), taint("broken", "", Effect::NoExecute)];
    let tainted = NodeProperties { taints, ..node("n1", &[]) };
    assert_eq!(reason(&Constraints::default(), &tainted), "node(s) had untolerated taint {gpu: a100}");
    assert_eq!(reason(&tolerating("gpu"), &tainted), "node(s) had untolerated taint {broken: }");
    let mut both = tolerating("gpu");
    both.tolerations.extend(tolerating("broken").tolerations);
    assert_eq!(reason(&both, &tainted), "fits");
}

#[test]
fn selector_and_affinity_must_both_hold_and_one_term_is_enough() {
    let mismatch = "node(s) didn't match Pod's node affinity/selector";
    let term = |value| NodeTerm { labels: [pick("zone", value)].into(), ..NodeTerm::default() };
    let constraints = Constraints {
        selector: [pick("disk", "ssd")].into(),
        affinity: Some([term("a"), term("b")].into()),
        ..Constraints::default()
    };
    assert_eq!(reason(&constraints, &node("n1", &[("disk", "ssd"), ("zone", "b")])), "fits");
    assert_eq!(reason(&constraints, &node("n1", &[("disk", "ssd"), ("zone", "c")])), mismatch);
    assert_eq!(reason(&constraints, &node("n1", &[("disk", "hdd"), ("zone", "a")])), mismatch);
    let nothing = Constraints { affinity: Some(BTreeSet::new()), ..Constraints::default() };
    assert_eq!(reason(&nothing, &node("n1", &[])), mismatch);
}

#[test]
fn only_an_affinity_for_one_node_requires_it() {
    assert_eq!(on(&["n1"]).required_name(), Some("n1"));
    assert_eq!(on(&["n1", "n2"]).required_name(), None);
    assert_eq!(on(&[]).required_name(), None);
    assert_eq!(Constraints::default().required_name(), None);
    let mut mixed = on(&["n1"]);
    mixed.affinity = mixed.affinity.map(|mut terms| {
        terms.insert(NodeTerm { labels: [pick("zone", "a")].into(), ..NodeTerm::default() });
        terms
    });
    assert_eq!(mixed.required_name(), None);
}

fn intern(shapes: &mut Shapes, constraints: Constraints, nodes: &[NodeProperties]) -> u32 {
    let all = (0..).zip(nodes);
    shapes.intern(constraints, all, |name| {
        let index = nodes.iter().position(|node| node.name == name)?;
        Some((NodeId::try_from(index).ok()?, &nodes[index]))
    })
}

#[test]
fn equal_constraints_share_a_shape_and_changed_nodes_change_it() {
    let mut nodes = vec![node("n0", &[("zone", "a")]), node("n1", &[])];
    let zone = || Constraints { selector: [pick("zone", "a")].into(), ..Constraints::default() };
    let mut shapes = Shapes::default();
    assert_eq!(intern(&mut shapes, zone(), &nodes), 0);
    assert_eq!(intern(&mut shapes, on(&["n1", "n7"]), &nodes), 1);
    assert_eq!(intern(&mut shapes, zone(), &nodes), 0);
    let report = |shape, nodes: &[u64]| Eligibility { shape, nodes: nodes.to_vec() };
    assert_eq!(shapes.drain(), [report(0, &[0b01]), report(1, &[0b10])]);
    nodes[1].labels.insert("zone".to_owned(), "a".to_owned());
    shapes.update_node(1, "n1", Some(&nodes[1]));
    assert_eq!(shapes.drain(), [report(0, &[0b11])]);
    shapes.update_node(70, "n7", Some(&node("n7", &[])));
    assert_eq!(shapes.drain(), [report(1, &[0b10, 0b100_0000])]);
    shapes.update_node(0, "n0", None);
    shapes.update_node(70, "n7", None);
    assert_eq!(shapes.drain(), [report(0, &[0b10]), report(1, &[0b10])]);
    assert_eq!(shapes.drain(), []);
    assert_eq!(shapes.from(0).collect::<Vec<_>>(), [report(0, &[0b10]), report(1, &[0b10])]);
}

#[test]
fn shapes_without_pods_are_forgotten_and_their_numbers_given_to_others() {
    let nodes = [node("n0", &[]), node("n1", &[])];
    let mut shapes = Shapes::default();
    let kept = intern(&mut shapes, on(&["n1"]), &nodes);
    for round in 0..200 {
        // As the pods of a DaemonSet on nodes that come and go, and pods with a selector of their own.
        for at in 0..10 {
            intern(&mut shapes, on(&[&format!("gone-{round}-{at}")]), &nodes);
            let selector = [pick("run", &format!("{round}-{at}"))].into();
            intern(&mut shapes, Constraints { selector, ..Constraints::default() }, &nodes);
        }
        shapes.drain();
        shapes.sweep(|| [kept].into());
        assert!(shapes.from(0).count() <= 2 * UNUSED_TOLERANCE, "round {round}: {} shapes", shapes.from(0).count());
    }
    assert_eq!(intern(&mut shapes, on(&["n1"]), &nodes), kept);
    assert!(shapes.is_eligible(kept, 1) && !shapes.is_eligible(kept, 0));
    // The number of a shape that is gone has no nodes, and then those of the next shape.
    let free = shapes.from(0).find(|told| told.nodes.is_empty() && shapes.constraints(told.shape).is_none()).unwrap();
    let next = intern(&mut shapes, on(&["n0"]), &nodes);
    assert_eq!(next, free.shape, "the first number that is free");
    assert_eq!(shapes.drain(), [Eligibility { shape: next, nodes: vec![0b01] }]);
    shapes.update_node(0, "n0", None);
    assert_eq!(shapes.drain(), [Eligibility { shape: next, nodes: vec![] }]);
}
