//! The decisions that differ from those before a change.

use std::collections::BTreeSet;

use super::jobs::LanePodState;
use super::results::pending_results;
use crate::data::CycleView;

/// A pod whose state differs from before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDifference {
    /// The pod.
    pub pod: String,
    /// The state before, as a word of `State`, or why the pod had none.
    pub before: &'static str,
    /// The state now.
    pub after: &'static str,
}

/// Returns the pods whose state has changed, by name.
pub fn compare(before: &CycleView, after: &CycleView) -> Vec<StateDifference> {
    let (was, is) = (pending_results(before), pending_results(after));
    let victims = before.victims.keys().chain(after.victims.keys()).map(String::as_str);
    let pods: BTreeSet<&str> = was.keys().chain(is.keys()).copied().chain(victims).collect();
    let word = |cycle: &CycleView, pod: &str, fate: Option<&super::results::PendingPodResult>| match fate {
        _ if cycle.victims.contains_key(pod) => LanePodState::Evicted.word(),
        Some(fate) => fate.word(),
        None => "not pending",
    };
    let differ = |pod: &str| {
        let (before, after) = (word(before, pod, was.get(pod)), word(after, pod, is.get(pod)));
        (before != after).then(|| StateDifference { pod: pod.to_owned(), before, after })
    };
    pods.into_iter().filter_map(differ).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::data::{PendingPodsView, VictimView};

    #[test]
    fn pods_are_listed_whose_fate_has_changed() {
        let nodes = |pods: &[&str]| pods.iter().map(|pod| ((*pod).to_owned(), "n".to_owned())).collect();
        let pending = PendingPodsView { still_pending: vec!["c".to_owned()], ..PendingPodsView::default() };
        let before = CycleView { bound: nodes(&["a", "b"]), pending, ..CycleView::default() };
        let victims = BTreeMap::from([("v".to_owned(), VictimView::default())]);
        let after = CycleView { bound: nodes(&["a"]), nominated: nodes(&["c"]), victims, ..CycleView::default() };
        let found: Vec<(String, &str, &str)> =
            compare(&before, &after).into_iter().map(|it| (it.pod, it.before, it.after)).collect();
        let expected = [("b", "bound", "not pending"), ("c", "pending", "nominated"), ("v", "not pending", "evicted")];
        assert_eq!(found, expected.map(|(pod, before, after)| (pod.to_owned(), before, after)));
        assert!(compare(&before, &before).is_empty());
    }
}
