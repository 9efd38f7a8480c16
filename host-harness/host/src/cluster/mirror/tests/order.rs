//! The order in which objects are read makes no difference but to the numbers.

use proptest::prelude::*;

use super::random::{a_node, a_pod, another};
use super::*;

/// Returns what the mirror knows of each pod, with names in place of numbers.
fn pods_by_name(mirror: &Mirror) -> BTreeMap<String, String> {
    let node = |id: Option<NodeId>| id.and_then(|id| mirror.node(id)).map(|node| node.name.clone());
    let describe = |pod: &Pod| {
        let suits = mirror.nodes().filter(|node| mirror.eligible(pod.id, node.id).is_ok());
        let mut suits: Vec<_> = suits.map(|node| node.name.clone()).collect();
        suits.sort();
        let mut requests: Vec<_> = pod
            .template
            .requests
            .iter()
            .map(|amount| (&mirror.resources()[amount.resource as usize].name, amount.value))
            .collect();
        requests.sort();
        let nodes = [node(pod.node), node(pod.nominated), node(pod.required_node)];
        format!(
            "{nodes:?} {:?} {:?} {:?} {requests:?} {suits:?}",
            pod.template.priority, pod.template.never_preempts, pod.phase
        )
    };
    mirror.pods().map(|pod| (mirror.pod_name(pod.id).unwrap().to_owned(), describe(pod))).collect()
}

/// Returns whether the node bits that the policy received match `eligible`.
fn bits_are_right(mirror: &mut Mirror) -> bool {
    let mut told = BTreeMap::new();
    for event in mirror.drain_events() {
        if let Event::Eligibility(Eligibility { shape, nodes }) = event {
            told.insert(shape, nodes);
        }
    }
    let bit =
        |words: &[u64], node: NodeId| words.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1);
    mirror.pods().all(|pod| {
        mirror.nodes().all(|node| bit(&told[&pod.shape], node.id) == mirror.eligible(pod.id, node.id).is_ok())
    })
}

/// Generates objects with distinct names, in two orders.
fn in_two_orders() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let one = prop_oneof![a_node(), a_pod(), a_pod(), another()];
    proptest::collection::vec(one, 1..25).prop_flat_map(|texts| {
        let by_key: BTreeMap<_, _> = texts.into_iter().map(|text| (objects(&text)[0].key(), text)).collect();
        let texts: Vec<_> = by_key.into_values().collect();
        (Just(texts.clone()), Just(texts).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn order_makes_no_difference((one, other) in in_two_orders()) {
        let (mut first, mut second) = (mirror(), mirror());
        one.iter().for_each(|text| apply(&mut first, text));
        other.iter().for_each(|text| apply(&mut second, text));
        prop_assert_eq!(pods_by_name(&first), pods_by_name(&second));
        prop_assert!(bits_are_right(&mut first));
        prop_assert!(bits_are_right(&mut second));
    }
}
