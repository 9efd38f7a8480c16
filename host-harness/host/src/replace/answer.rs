//! Answers of two policies to the same question.

use lictor_contract::*;

/// An answer of a policy to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ComparableReply {
    /// The sort keys of these pods.
    Order {
        pods: Vec<PodId>,
        keys: SortKeys,
    },
    PreFilter(PreFiltered),
    Filter(NodeVerdicts),
    /// A plan, with the plans that the host has refused before.
    PostFilter(PostFiltered, Refuted),
    /// The scores of these nodes.
    Score(Vec<NodeId>, Vec<i64>),
    Reserve(Effects),
    Unreserve(Effects),
    Permit(Permitted),
    Act(Actions),
    Enforce(Enforced),
    Marks(Vec<Mark>),
}

/// A question whose two answers decide differently.
#[derive(Debug)]
pub(crate) struct ReplyMismatch {
    /// The pod of the question.
    pub(crate) pod: Option<PodId>,
    /// The answer of the policy in force.
    pub(crate) primary: ComparableReply,
    /// The answer of the candidate policy.
    pub(crate) shadow: ComparableReply,
}

/// The nominations and evictions of a plan, sorted.
type PlanMoves = (Vec<(PodId, NodeId)>, Vec<(PodId, Eviction)>);

impl ComparableReply {
    /// Returns the function that was called.
    pub(crate) fn call(&self) -> &'static str {
        match self {
            ComparableReply::Order { .. } => "queue-keys",
            ComparableReply::PreFilter(_) => "pre-filter",
            ComparableReply::Filter(_) => "filter",
            ComparableReply::PostFilter(..) => "post-filter",
            ComparableReply::Score(..) => "score",
            ComparableReply::Reserve(_) => "reserve",
            ComparableReply::Unreserve(_) => "unreserve",
            ComparableReply::Permit(_) => "permit",
            ComparableReply::Act(_) => "act",
            ComparableReply::Enforce(_) => "enforce",
            ComparableReply::Marks(_) => "marks",
        }
    }

    /// Returns whether two answers decide the same. Reasons, hints when to try again and the numbers of plans are no decisions.
    pub(crate) fn decides_same(&self, other: &ComparableReply) -> bool {
        match (self, other) {
            (ComparableReply::Order { pods: asked, keys }, ComparableReply::Order { keys: other, .. }) => {
                keys == other || sorted_pods(asked, keys) == sorted_pods(asked, other)
            }
            (ComparableReply::PreFilter(one), ComparableReply::PreFilter(other)) => {
                let word = |answer: &PreFiltered| std::mem::discriminant(&answer.admission);
                word(one) == word(other) && one.effects == other.effects
            }
            (ComparableReply::Filter(one), ComparableReply::Filter(other)) => {
                let fits = |answer: &NodeVerdicts| answer.codes.iter().map(|code| *code == 0).collect::<Vec<_>>();
                one.codes == other.codes || fits(one) == fits(other)
            }
            (ComparableReply::PostFilter(one, _), ComparableReply::PostFilter(other, _)) => {
                let plan =
                    |answer: &PostFiltered| answer.plan.as_ref().map(|plan| (moves_of(plan), plan.marks.clone()));
                plan(one) == plan(other) && one.effects == other.effects
            }
            (ComparableReply::Score(nodes, one), ComparableReply::Score(_, other)) => {
                one == other || best(nodes, one) == best(nodes, other)
            }
            (ComparableReply::Reserve(one), ComparableReply::Reserve(other))
            | (ComparableReply::Unreserve(one), ComparableReply::Unreserve(other)) => one == other,
            (ComparableReply::Permit(one), ComparableReply::Permit(other)) => {
                let same = match (&one.permission, &other.permission) {
                    (Permission::Reject(_), Permission::Reject(_)) => true,
                    (one, other) => one == other,
                };
                same && one.effects == other.effects
            }
            (ComparableReply::Act(one), ComparableReply::Act(other)) => {
                one.more == other.more
                    && placements(&one.bindings) == placements(&other.bindings)
                    && plans(&one.plans) == plans(&other.plans)
            }
            (ComparableReply::Enforce(one), ComparableReply::Enforce(other)) => {
                let given = |answer: &Enforced| {
                    let each = answer.enforcements.iter();
                    each.map(|it| (it.queue.clone(), victims(&it.victims), it.marks.clone())).collect::<Vec<_>>()
                };
                given(one) == given(other)
            }
            (ComparableReply::Marks(one), ComparableReply::Marks(other)) => one == other,
            _ => false,
        }
    }

    /// Returns whether nothing was to be decided: the order of no pods.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, ComparableReply::Order { pods, .. } if pods.is_empty())
    }

    /// Returns whether the policy may have stored the answer as state. Orders, filters, scores and marks store nothing, and neither does a pre-filter
    /// without effects.
    pub(crate) fn may_change_state(&self) -> bool {
        match self {
            ComparableReply::PreFilter(answer) => answer.effects != Effects::default(),
            ComparableReply::Order { .. }
            | ComparableReply::Filter(_)
            | ComparableReply::Score(..)
            | ComparableReply::Marks(_) => false,
            _ => true,
        }
    }

    /// Returns the plans in the answer: their numbers, and what they move.
    pub(crate) fn proposed_plans(&self) -> Vec<(u64, PlanMoves)> {
        match self {
            ComparableReply::PostFilter(answer, _) => {
                answer.plan.iter().map(|plan| (plan.id, moves_of(plan))).collect()
            }
            ComparableReply::Act(actions) => {
                let ids = actions.plans.slices.iter().map(|slice| slice.id);
                ids.zip(plans(&actions.plans)).collect()
            }
            ComparableReply::Enforce(answer) => {
                answer.enforcements.iter().map(|it| (it.id, (Vec::new(), victims(&it.victims)))).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns the order in which pods are tried. `None`: there is not one key for each pod.
pub(crate) fn sorted_pods(asked: &[PodId], keys: &SortKeys) -> Option<Vec<PodId>> {
    (keys.keys.len() == asked.len()).then(|| keys.clone().sort(asked.to_vec()))
}

/// Returns the nodes with the highest score.
pub(crate) fn best(nodes: &[NodeId], scores: &[i64]) -> Vec<NodeId> {
    let highest = scores.iter().max();
    nodes.iter().zip(scores).filter(|(_, score)| Some(*score) == highest).map(|(node, _)| *node).collect()
}

fn placements(placements: &[Placement]) -> Vec<(PodId, NodeId)> {
    let mut sorted: Vec<_> = placements.iter().map(|placement| (placement.pod, placement.node)).collect();
    sorted.sort_unstable();
    sorted
}

fn victims(victims: &[Victim]) -> Vec<(PodId, Eviction)> {
    let mut sorted: Vec<_> = victims.iter().map(|victim| (victim.pod, victim.eviction)).collect();
    sorted.sort_unstable();
    sorted
}

fn moves_of(plan: &Plan) -> PlanMoves {
    (placements(&plan.nominations), victims(&plan.victims))
}

/// Returns the moves of each plan of a step. An invalid range counts as empty; the session detects it.
fn plans(plans: &Plans) -> Vec<PlanMoves> {
    let (mut nominated, mut evicted) = (0, 0);
    let mut each = Vec::with_capacity(plans.slices.len());
    for slice in &plans.slices {
        let ends = [slice.nominations_end, slice.victims_end].map(|end| usize::try_from(end).unwrap_or(usize::MAX));
        let [nominations_end, victims_end] = ends;
        let moved = plans.nominations.get(nominated..nominations_end).unwrap_or_default();
        let left = plans.victims.get(evicted..victims_end).unwrap_or_default();
        each.push((placements(moved), victims(left)));
        (nominated, evicted) = (nominations_end, victims_end);
    }
    each
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(codes: &[u8]) -> ComparableReply {
        ComparableReply::Filter(NodeVerdicts { codes: codes.to_vec(), obstacles: Vec::new() })
    }

    #[test]
    fn what_the_obstacle_is_called_is_no_decision_and_whether_there_is_one_is() {
        assert!(verdicts(&[0, 1, 2]).decides_same(&verdicts(&[0, 2, 1])));
        assert!(!verdicts(&[0, 1, 2]).decides_same(&verdicts(&[0, 1, 0])));
    }

    #[test]
    fn keys_that_sort_alike_decide_alike() {
        let keys = |keys: [u8; 2]| ComparableReply::Order {
            pods: vec![4, 7],
            keys: SortKeys { epoch: 0, keys: keys.iter().map(|key| vec![*key]).collect() },
        };
        assert!(keys([1, 2]).decides_same(&keys([5, 9])));
        assert!(!keys([1, 2]).decides_same(&keys([9, 5])));
    }

    #[test]
    fn scores_decide_by_the_best_of_them() {
        let score = |scores: &[i64]| ComparableReply::Score(vec![1, 2, 3], scores.to_vec());
        assert!(score(&[5, 9, 1]).decides_same(&score(&[50, 90, 80])));
        assert!(!score(&[5, 9, 1]).decides_same(&score(&[9, 9, 1])));
    }

    fn slice(id: u64, nominations_end: u32, victims_end: u32) -> PlanSlice {
        PlanSlice { id, preemptor: 0, nominations_end, victims_end, reason: 0 }
    }

    #[test]
    fn plans_of_a_step_are_compared_one_by_one_whatever_their_numbers() {
        let step = |slices: Vec<PlanSlice>| {
            let nominations = vec![Placement { pod: 1, node: 1 }, Placement { pod: 2, node: 2 }];
            let victims = vec![Victim { pod: 9, eviction: Eviction::Delete }];
            let plans = Plans { slices, nominations, victims, reasons: Vec::new() };
            let (name, bindings, retry, refusals) = Default::default();
            ComparableReply::Act(Actions { name, bindings, plans, retry, refusals, more: false })
        };
        let one = step(vec![slice(1, 1, 0), slice(2, 2, 1)]);
        assert!(one.decides_same(&step(vec![slice(8, 1, 0), slice(9, 2, 1)])));
        // The victim is evicted for the other pod.
        assert!(!one.decides_same(&step(vec![slice(1, 1, 1), slice(2, 2, 1)])));
        assert_eq!(one.proposed_plans().iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2]);
        // A range outside of the list does not panic.
        assert!(!one.decides_same(&step(vec![slice(1, 7, 0), slice(2, 2, 1)])));
    }
}
