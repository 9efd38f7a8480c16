//! Why jobs wait after a cycle of the policy's own.

use std::collections::BTreeMap;

use crate::contract::{Reason, Refusal};
use crate::model::PodIx;

/// The reasons why jobs wait, by the pod that stands for each.
#[derive(Debug, Default)]
pub(super) struct CycleRefusals {
    /// What refused the pod, its job or its queue, each once, in order. The last one is the reason.
    own: BTreeMap<PodIx, Vec<Reason>>,
    /// What most nodes lack, for jobs that nothing else refused.
    nodes: BTreeMap<PodIx, (Reason, u32)>,
}

impl CycleRefusals {
    /// Records what refused a pod, its job or its queue.
    pub(super) fn record(&mut self, preemptor: PodIx, reason: &Reason) {
        let own = self.own.entry(preemptor).or_default();
        if !own.contains(reason) {
            own.push(reason.clone());
        }
    }

    /// Records what most nodes lack, unless a reason is known.
    pub(super) fn record_on_nodes(&mut self, preemptor: PodIx, reason: impl FnOnce() -> Option<(Reason, u32)>) {
        if self.own.contains_key(&preemptor) || self.nodes.contains_key(&preemptor) {
            return;
        }
        if let Some(reason) = reason() {
            self.nodes.insert(preemptor, reason);
        }
    }

    /// Returns the refusals of these pods, each with the pod that stands for it: one for each job.
    pub(super) fn of(&self, pods: impl Iterator<Item = (PodIx, PodIx)>) -> Vec<Refusal> {
        let mut refusals: BTreeMap<PodIx, Refusal> = BTreeMap::new();
        for (head, pod) in pods {
            let own = self.own.get(&head).and_then(|own| own.last()).map(|reason| (reason, None));
            let lacks = || self.nodes.get(&head).map(|(reason, nodes)| (reason, Some(*nodes)));
            let Some((reason, nodes)) = own.or_else(lacks) else { continue };
            let job = refusals.entry(head);
            let job = job.or_insert_with(|| Refusal { pods: Vec::new(), reason: reason.clone(), nodes });
            job.pods.push(pod.0);
        }
        refusals.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(code: &str) -> Reason {
        Reason { code: code.to_owned(), ..Reason::default() }
    }

    /// Returns the code, the pods and the number of nodes of each refusal of these pods.
    fn of(refusals: &CycleRefusals, pods: &[(u32, u32)]) -> Vec<(String, Vec<u32>, Option<u32>)> {
        let pods = pods.iter().map(|(head, pod)| (PodIx(*head), PodIx(*pod)));
        refusals.of(pods).into_iter().map(|refusal| (refusal.reason.code, refusal.pods, refusal.nodes)).collect()
    }

    #[test]
    fn the_last_reason_that_is_new_counts_for_all_pods_of_the_job() {
        let mut refusals = CycleRefusals::default();
        ["a", "b", "a"].iter().for_each(|code| refusals.record(PodIx(1), &reason(code)));
        assert_eq!(of(&refusals, &[(1, 1), (1, 2), (3, 3)]), [("b".to_owned(), vec![1, 2], None)]);
    }

    #[test]
    fn what_nodes_lack_counts_where_nothing_else_is_known() {
        let mut refusals = CycleRefusals::default();
        refusals.record(PodIx(1), &reason("a"));
        refusals.record_on_nodes(PodIx(1), || panic!("it is computed"));
        refusals.record_on_nodes(PodIx(2), || Some((reason("n"), 7)));
        refusals.record_on_nodes(PodIx(2), || panic!("it is computed again"));
        let expected = [("a".to_owned(), vec![1], None), ("n".to_owned(), vec![2], Some(7))];
        assert_eq!(of(&refusals, &[(1, 1), (2, 2)]), expected);
        refusals.record(PodIx(2), &reason("b"));
        assert_eq!(of(&refusals, &[(2, 2)]), [("b".to_owned(), vec![2], None)]);
    }
}
