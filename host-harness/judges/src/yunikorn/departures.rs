//! The rulings by which the system `yunikorn` departs from yunikorn-core, and how each is recognised.
//!
//! A ruling explains a difference by what upstream's plan does (the policy's rulings forbid it), by what upstream lacks (the policy has a
//! plan that upstream's conditions do not allow), or by room that only one of both keeps for another pod.

use super::devices::is_refused_for_devices;
use super::situations::{
    breaks_laws_of_daemon_sets, daemon_set_is_at_a_maximum, evicts_elsewhere, exceeds_the_guarantee, frees_too_little,
    gives_youngest_uselessly, has_capacity_leaving, has_parent_as_large_as_the_cluster,
    is_no_node_of_the_daemon_set_pod, is_no_worse, is_over_the_guarantee, is_promised_the_guarantee,
    is_promised_the_maximum, is_refused_for_task_groups, may_be_made, meets_large_pods, takes_leaf_below_guarantee,
    takes_more_than_an_even_share, takes_parent_below_guarantee, uses_reserved_node, victims_are_smaller,
};
use super::view::{YunikornPod, YunikornSituation, evicts};
use crate::departure::UpstreamDeparture;

/// A ruling, and what it explains.
pub(super) struct YunikornRuling {
    pub(super) departure: UpstreamDeparture,
    /// Any of these.
    pub(super) explains: &'static [YunikornDifference],
}

/// The kinds of difference that a ruling explains.
pub(super) enum YunikornDifference {
    /// That the policy does not make the plan of upstream.
    Forbids(fn(&YunikornSituation<'_>, &[YunikornPod<'_>]) -> bool),
    /// That upstream does not make the plan of the policy.
    Allows(fn(&YunikornSituation<'_>, &[YunikornPod<'_>]) -> bool),
    /// That a node has room for one of both only, or that the policy does not try the pod.
    Keeps(fn(&YunikornSituation<'_>) -> bool),
    /// That the plan of the policy is better than that of upstream, or as good.
    Prefers(fn(&YunikornSituation<'_>) -> bool),
}

impl YunikornRuling {
    /// Returns whether the ruling explains a difference.
    pub(super) fn explains(&self, it: &YunikornSituation<'_>) -> bool {
        let (policy, upstream) = (it.policy, it.upstream());
        self.explains.iter().any(|explains| match explains {
            YunikornDifference::Forbids(forbids) => evicts(upstream) && forbids(it, &it.named(&upstream.victims)),
            YunikornDifference::Allows(allows) => {
                let victims = it.named(&policy.victims);
                evicts(policy) && !evicts(upstream) && may_be_made(it, &victims) && allows(it, &victims)
            }
            YunikornDifference::Keeps(keeps) => keeps(it),
            YunikornDifference::Prefers(prefers) => evicts(policy) && evicts(upstream) && prefers(it),
        })
    }
}

/// The rulings.
pub(super) const RULES: &[YunikornRuling] = &[
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D1",
            upstream: "takes pods from a queue that is over its guarantee, and below it afterwards",
            policy: "a queue is not below its guarantee afterwards",
        },
        explains: &[YunikornDifference::Forbids(takes_leaf_below_guarantee)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D2",
            upstream: "takes pods from a parent that is below its guarantee afterwards",
            policy: "nor is a parent of a queue",
        },
        explains: &[YunikornDifference::Forbids(takes_parent_below_guarantee)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D14",
            upstream: "evicts pods of other nodes for room below a maximum",
            policy: "all victims are on the node of the pod",
        },
        explains: &[YunikornDifference::Forbids(evicts_elsewhere)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D15",
            upstream: "preempts for a DaemonSet pod that may not preempt, and pods of its application",
            policy: "a DaemonSet pod may preempt as other pods may, and none of its application",
        },
        explains: &[YunikornDifference::Forbids(breaks_laws_of_daemon_sets)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D35",
            upstream: "evicts pods for a DaemonSet pod on its node whatever else keeps the pod from that node",
            policy: "no pod is evicted for a pod that may not run there",
        },
        explains: &[YunikornDifference::Forbids(is_no_node_of_the_daemon_set_pod)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D9",
            upstream: "does not count nominated pods, neither for a guarantee nor for a maximum",
            policy: "a nominated pod counts as used",
        },
        explains: &[
            YunikornDifference::Forbids(is_promised_the_guarantee),
            YunikornDifference::Keeps(is_promised_the_maximum),
        ],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D18",
            upstream: "takes from a queue that shares its guarantee with that of the pod, and holds less of it afterwards",
            policy: "queues that share a guarantee even out",
        },
        explains: &[YunikornDifference::Forbids(takes_more_than_an_even_share)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D22",
            upstream: "preempts for a queue without a guarantee below a parent that is at or over its own",
            policy: "a queue whose nearest guarantee is used up evicts no pod elsewhere",
        },
        explains: &[YunikornDifference::Forbids(is_over_the_guarantee)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D8",
            upstream: "does not preempt for a DaemonSet pod in a full cluster or queue",
            policy: "a DaemonSet pod gets its node",
        },
        explains: &[YunikornDifference::Allows(daemon_set_is_at_a_maximum)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D3",
            upstream: "wants victims that make the room of the pod alone, whatever is free or about to be",
            policy: "free room, pods that leave and victims make the room together",
        },
        explains: &[YunikornDifference::Allows(victims_are_smaller), YunikornDifference::Forbids(has_capacity_leaving)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D5",
            upstream: "ends the search on a node when its candidates are larger than the rest of the guarantee of the pod's queue",
            policy: "the size of a candidate is no limit",
        },
        explains: &[YunikornDifference::Allows(meets_large_pods)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D34",
            upstream: "takes the youngest pods of a node while their queue is over its guarantee, and none where these make no room",
            policy: "takes those pods of the queue that make the room",
        },
        explains: &[YunikornDifference::Allows(gives_youngest_uselessly)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D6",
            upstream: "evicts no more pods when those chosen make the room in one resource",
            policy: "the victims make the room that the pod needs",
        },
        explains: &[YunikornDifference::Forbids(frees_too_little)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D7",
            upstream: "does not preempt where the pod would exceed the guarantee",
            policy: "the last pod may exceed the guarantee",
        },
        explains: &[YunikornDifference::Allows(exceeds_the_guarantee)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D32",
            upstream: "takes the size of the cluster as a maximum of every queue, and evicts only inside a parent that is full by it",
            policy: "only max of the configuration makes a parent full",
        },
        explains: &[YunikornDifference::Allows(has_parent_as_large_as_the_cluster)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D17",
            upstream: "keeps a whole node for one nominated pod",
            policy: "keeps the room of every nominated pod, and the whole node for a DaemonSet pod",
        },
        explains: &[YunikornDifference::Keeps(uses_reserved_node)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D27",
            upstream: "tries a pod of task groups of style `Hard` when the placeholders of its application are placed",
            policy: "does not try such a pod",
        },
        explains: &[YunikornDifference::Keeps(is_refused_for_task_groups)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "D33",
            upstream: "takes parts of devices, and devices by several names, for sums of the node",
            policy: "does not try a pod whose devices the sums do not say enough about",
        },
        explains: &[YunikornDifference::Keeps(is_refused_for_devices)],
    },
    YunikornRuling {
        departure: UpstreamDeparture {
            id: "A6",
            upstream: "evicts the youngest pods of the first node where that is enough",
            policy: "evicts the fewest protected pods, then the fewest pods, then those of least importance",
        },
        explains: &[YunikornDifference::Prefers(is_no_worse)],
    },
];
