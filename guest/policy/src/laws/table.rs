//! The table of a system: its laws in force, each in the seat where it is asked.

use super::{
    ActiveLaw, CheckFn, CycleLaws, Denial, LawContext, MaxEnforcementLaws, NodeCostModel, PodCompareFn, QueueSortKey,
    SearchKind, VictimFilterFn,
};
use crate::model::{Cluster, PodInfo, PodIx};

/// A gate or a limit in force.
#[derive(Debug, Clone, Copy)]
pub struct LawCheck {
    /// The law.
    pub rule: ActiveLaw,
    /// The function of the law.
    pub holds: CheckFn,
}

impl LawCheck {
    /// Returns why the law does not hold; `None` where it does.
    pub fn denial(&self, case: &LawContext<'_>) -> Option<Denial> {
        (self.holds)(case).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// A guard in force.
#[derive(Debug, Clone, Copy)]
pub struct VictimFilter {
    /// The law.
    pub rule: ActiveLaw,
    /// The function that says whether a pod may be evicted.
    pub admits: VictimFilterFn,
}

impl VictimFilter {
    /// Returns why the law spares a pod; `None` where it does not.
    #[inline]
    pub fn denial(&self, case: &LawContext<'_>, ix: PodIx, pod: &PodInfo) -> Option<Denial> {
        (self.admits)(case, ix, pod).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// An order of pods in force.
#[derive(Debug, Clone, Copy)]
pub struct PodComparator {
    /// The law.
    pub rule: ActiveLaw,
    /// The function that says which of two pods comes first.
    pub compare: PodCompareFn,
}

/// The order of the queue in force; names break ties.
#[derive(Debug, Clone, Copy)]
pub struct QueueSort {
    /// The law.
    pub rule: ActiveLaw,
    /// The way in which the law compares pods.
    pub by: QueueOrdering,
}

/// The way in which the order of the queue compares pods.
#[derive(Debug, Clone, Copy)]
pub enum QueueOrdering {
    /// A key of each pod.
    Key(QueueSortKey),
    /// A comparison that depends on what other pods use.
    Compare(PodCompareFn),
}

impl QueueSort {
    /// Puts pods in the order of the queue.
    pub fn sort<T>(&self, cluster: &Cluster, pods: &mut [(T, &PodInfo)]) {
        match self.by {
            QueueOrdering::Key(by) => pods.sort_by_cached_key(|(_, pod)| (by.key(cluster, pod).build(), pod.rank)),
            QueueOrdering::Compare(compare) => {
                pods.sort_by(|(_, a), (_, b)| compare(cluster, a, b).then(a.rank.cmp(&b.rank)));
            }
        }
    }

    /// Sorts pods of one job in the order of the queue.
    pub fn sort_job<T>(&self, cluster: &Cluster, pods: &mut [(T, &PodInfo)]) {
        match self.by {
            QueueOrdering::Key(by) => pods.sort_by_cached_key(|(_, pod)| (by.key_in_job(pod).build(), pod.rank)),
            QueueOrdering::Compare(_) => self.sort(cluster, pods),
        }
    }
}

/// An order of nodes in force. The name of the node decides between equal costs.
#[derive(Debug, Clone, Copy)]
pub struct NodeChoice {
    /// The law.
    pub rule: ActiveLaw,
    /// The cost by which nodes are compared.
    pub by: NodeCostModel,
}

/// The laws by which a more important pod may take a promised node. They are checked as if the nominated pod ran there and the other pod would evict
/// it. Where one of them denies, the capacity stays promised.
#[derive(Debug, Clone)]
pub struct NominationLaws {
    /// The laws about the more important pod.
    pub preconditions: Vec<LawCheck>,
    /// The laws about the nominated pod.
    pub victim_filters: Vec<VictimFilter>,
}

/// The laws that must hold before a step of an attempt, by the step.
#[derive(Debug, Clone)]
pub struct Preconditions {
    /// The laws at PreFilter against which no preemption helps.
    pub unresolvable: Vec<LawCheck>,
    /// The laws at PreFilter against which a preemption may help.
    pub resolvable: Vec<LawCheck>,
    /// The first laws at PostFilter. Where one is broken, the pod waits for its last plan, which is kept.
    pub in_flight: Vec<LawCheck>,
    /// The next laws at PostFilter, before anything is planned.
    pub preemption: Vec<LawCheck>,
    /// The laws at Permit, before a reserved pod is bound.
    pub permit: Vec<LawCheck>,
}

/// The orders by which one of several plans is chosen.
#[derive(Debug, Clone, Copy)]
pub struct PlanOrders {
    /// The order in which candidates are reprieved.
    pub reprieve: PodComparator,
    /// The order of the nodes that a pod is planned onto.
    pub nodes: NodeChoice,
}

/// The rules by which the queues of a system bound their pods and take back what they lent.
#[derive(Debug, Clone, Copy)]
pub struct QueueRules {
    /// Whether the ancestors of a queue bound its pods, too.
    pub checks_ancestors: bool,
    /// Whether quotas of namespaces take back from each other what they lent. Then candidates are judged one after the other, the least important
    /// first, each with those taken before gone.
    pub reclaims_within_min: bool,
}

/// The table of a system: the laws in force, by kind and by the moment at which they are checked.
#[derive(Debug, Clone)]
pub struct Laws {
    /// The order in which pending pods are tried.
    pub queue_order: QueueSort,
    /// The laws that must hold before a step of an attempt.
    pub preconditions: Preconditions,
    /// The guards of each candidate.
    pub victim_filters: Vec<VictimFilter>,
    /// The guards of each candidate, on any node, in a queue that bounds the preemptor, where a limit does not hold without its eviction.
    pub bound_victim_filters: Vec<VictimFilter>,
    /// The laws that must hold with the plan carried out.
    pub plan_invariants: Vec<LawCheck>,
    /// The orders of plans.
    pub plan_orders: PlanOrders,
    /// The orders of plans without an order in the source: of a preemptor with a queue, and for several pods. `None`: none.
    pub least_harm: Option<PlanOrders>,
    /// The way in which a plan is searched.
    pub search: SearchKind,
    /// The rules by which queues bound their pods and take back what they lent.
    pub queue_rules: QueueRules,
    /// The laws about promises that are closed to a more important pod. `None`: no promise is closed.
    pub nomination_laws: Option<NominationLaws>,
    /// The cycle of the system's own. `None`: it has none.
    pub cycle: Option<CycleLaws>,
    /// The laws by which queues give back what they use over their maximum. `None`: they do not.
    pub enforcement: Option<MaxEnforcementLaws>,
}

/// Defines the table of a system. The line of a law has its seat, its name in the table, its code, the law and its source. After `exempt` it names
/// the preemptors that the law does not apply to.
macro_rules! laws {
    ($system:literal: $($seat:ident $name:ident = $code:literal, $law:path, $source:literal $(, exempt $exemption:path)?;)+) => {
        $(laws! { @$seat $name, concat!($system, "/", $code), $law, $source $(, $exemption)? })+
    };
    (@rule $code:expr, $law:path, $source:literal $(, $exemption:path)?) => {
        $crate::laws::ActiveLaw {
            code: $code,
            source: $source,
            about: &$law.about,
            exemption: laws! { @exemption $($exemption)? },
            muted: None,
        }
    };
    (@exemption) => { None };
    (@exemption $exemption:path) => { Some(&$exemption) };
    (@Gate $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::LawCheck =
            $crate::laws::LawCheck { rule: laws! { @rule $code, $law, $source }, holds: $law.function };
    };
    (@Gate $name:ident, $code:expr, $law:path, $source:literal, $exemption:path) => {
        const $name: $crate::laws::LawCheck = $crate::laws::LawCheck {
            rule: laws! { @rule $code, $law, $source, $exemption },
            holds: |case| if ($exemption.applies)(case) { Ok(()) } else { ($law.function)(case) },
        };
    };
    (@Guard $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::VictimFilter =
            $crate::laws::VictimFilter { rule: laws! { @rule $code, $law, $source }, admits: $law.function };
    };
    (@Guard $name:ident, $code:expr, $law:path, $source:literal, $exemption:path) => {
        const $name: $crate::laws::VictimFilter = $crate::laws::VictimFilter {
            rule: laws! { @rule $code, $law, $source, $exemption },
            admits: |case, ix, pod| if ($exemption.applies)(case) { Ok(()) } else { ($law.function)(case, ix, pod) },
        };
    };
    (@Order $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::PodComparator =
            $crate::laws::PodComparator { rule: laws! { @rule $code, $law, $source }, compare: $law.function };
    };
    (@PendingByKey $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::QueueSort = $crate::laws::QueueSort {
            rule: laws! { @rule $code, $law, $source },
            by: $crate::laws::QueueOrdering::Key($law.function),
        };
    };
    (@PendingByCompare $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::QueueSort = $crate::laws::QueueSort {
            rule: laws! { @rule $code, $law, $source },
            by: $crate::laws::QueueOrdering::Compare($law.function),
        };
    };
    (@NodeChoice $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::NodeChoice =
            $crate::laws::NodeChoice { rule: laws! { @rule $code, $law, $source }, by: $law.function };
    };
    (@LastResort $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::LastResort =
            $crate::laws::LastResort { rule: laws! { @rule $code, $law, $source }, penalty: $law.function };
    };
    (@SurplusGate $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::ExcessCheck =
            $crate::laws::ExcessCheck { rule: laws! { @rule $code, $law, $source }, holds: $law.function };
    };
    (@SurplusGuard $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::ExcessVictimFilter =
            $crate::laws::ExcessVictimFilter { rule: laws! { @rule $code, $law, $source }, admits: $law.function };
    };
    (@SurplusOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::ActiveLaw, $crate::laws::ExcessVictimCompareFn) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
    (@QueueOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::ActiveLaw, $crate::laws::QueueCompareFn) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
    (@VictimOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::ActiveLaw, $crate::laws::VictimCompareFn) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
}
pub(crate) use laws;
