//! A pod that has made others leave makes no others leave while it waits for that.
//!
//! As long as a victim of its plan holds a node, or a pod is leaving the node it is nominated to, it waits, however often it is
//! tried. A pod that found its room taken in spite of all begins from the start.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::Pod;

/// See the module.
pub const LAW: Law = Law {
    name: "its-victims-have-left",
    question: Question::Gate,
    sentence: "the victims of the preemptor have left",
    file: include_str!("its_victims_have_left.rs"),
};

/// Whether nobody is leaving for the asking pod.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if let Some((plan, left)) = case.ledger.underway(case.cluster, &case.preemptor.pods) {
        return Err(Denial::Underway { plan, left });
    }
    let nominated = case.cluster.pod(case.preemptor.pod).and_then(|pod| pod.nominated);
    let node = nominated.and_then(|node| case.cluster.node(node));
    let there = node.into_iter().flat_map(|node| &node.pods).filter_map(|ix| case.cluster.pod(*ix));
    match there.into_iter().any(Pod::is_leaving) {
        true => Err(Denial::Fact("waiting for preemption: a pod is still leaving the nominated node")),
        false => Ok(()),
    }
}
