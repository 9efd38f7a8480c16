//! The table of a system: its laws in force, each in the seat where it is asked.

use super::{Admits, Case, Compare, Cycle, Denial, Enforcement, Holds, Preemptor, Reluctance, Rule, SortBy, Weigh};
use crate::model::{Cluster, Pod, PodIx};

/// A gate or a limit in force.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The law.
    pub rule: Rule,
    /// Whether it holds.
    pub holds: Holds,
}

impl Gate {
    /// Returns why the law does not hold; `None` where it does.
    pub fn denial(&self, case: &Case<'_>) -> Option<Denial> {
        (self.holds)(case).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// A guard in force.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// The law.
    pub rule: Rule,
    /// Whether this pod may be evicted.
    pub admits: Admits,
}

impl Guard {
    /// Returns why the law spares a pod; `None` where it does not.
    #[inline]
    pub fn denial(&self, case: &Case<'_>, ix: PodIx, pod: &Pod) -> Option<Denial> {
        (self.admits)(case, ix, pod).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// An order of pods in force.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    /// The law.
    pub rule: Rule,
    /// Which of two pods comes first.
    pub compare: Compare,
}

/// The order of the queue in force; names break ties.
#[derive(Debug, Clone, Copy)]
pub struct PendingOrder {
    /// The law.
    pub rule: Rule,
    /// How it compares pods.
    pub by: OrderBy,
}

/// How the order of the queue compares pods.
#[derive(Debug, Clone, Copy)]
pub enum OrderBy {
    /// A key of each pod.
    Key(SortBy),
    /// A comparison that depends on what other pods hold.
    Compare(Compare),
}

impl PendingOrder {
    /// Puts pods in the order of the queue.
    pub fn sort<T>(&self, cluster: &Cluster, pods: &mut [(T, &Pod)]) {
        match self.by {
            OrderBy::Key(by) => pods.sort_by_cached_key(|(_, pod)| (by.key(cluster, pod).build(), pod.rank)),
            OrderBy::Compare(compare) => {
                pods.sort_by(|(_, a), (_, b)| compare(cluster, a, b).then(a.rank.cmp(&b.rank)));
            }
        }
    }

    /// Puts pods of one job in the order of the queue.
    pub fn sort_job<T>(&self, cluster: &Cluster, pods: &mut [(T, &Pod)]) {
        match self.by {
            OrderBy::Key(by) => pods.sort_by_cached_key(|(_, pod)| (by.key_in_job(pod).build(), pod.rank)),
            OrderBy::Compare(_) => self.sort(cluster, pods),
        }
    }
}

/// An order of nodes in force: the name decides between equal losses.
#[derive(Debug, Clone, Copy)]
pub struct NodeChoice {
    /// The law.
    pub rule: Rule,
    /// How much is lost.
    pub by: Weigh,
}

/// How a system looks for a plan.
#[derive(Debug, Clone)]
pub enum Search {
    /// Remove every candidate, place the whole job, reprieve the candidates that still fit.
    RemoveAllThenReprieve,
    /// Node by node: remove every candidate, reprieve those that still fit; then choose a node.
    NodeByNode(Sample),
    /// Bundles of victims, job by job; within the system's own cycle.
    Bundles,
    /// Node by node: gather the smallest group whose going makes the room, protecting pods where possible.
    GroupOnOneNode(Group),
}

/// How many nodes that offer a plan are looked at, at most.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Of the nodes that could take the pod, so many per hundred.
    pub percentage: u32,
    /// But no fewer than this.
    pub absolute: u32,
}

impl Default for Sample {
    /// As many as kube-scheduler looks at where it is not told.
    fn default() -> Sample {
        Sample { percentage: 10, absolute: 100 }
    }
}

impl Sample {
    /// The number out of so many nodes.
    pub fn of(self, nodes: usize) -> usize {
        let size = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let share = nodes.saturating_mul(size(self.percentage)).checked_div(100).unwrap_or(0);
        share.max(size(self.absolute)).min(nodes)
    }
}

/// What a group of victims is gathered by.
#[derive(Debug, Clone)]
pub struct Group {
    /// Hold of a group if they hold of a larger one: the more go, the sooner they are broken.
    pub floors: Vec<Gate>,
    /// Which victims are taken only where others do not suffice.
    pub last_resort: LastResort,
}

/// An order by reluctance in force.
#[derive(Debug, Clone, Copy)]
pub struct LastResort {
    /// The law.
    pub rule: Rule,
    /// How reluctantly a pod is taken.
    pub reasons: Reluctance,
}

/// The laws by which a promise gives way to a more important pod: as if the nominated pod ran there already, and the other one wanted to evict
/// it. Where one of them denies, the room stays promised.
#[derive(Debug, Clone)]
pub struct Promises {
    /// Asked of the more important pod.
    pub gates: Vec<Gate>,
    /// Asked about the nominated pod.
    pub guards: Vec<Guard>,
}

/// The table of a system: the laws in force, by the question and the moment at which it is asked.
#[derive(Debug, Clone)]
pub struct Laws {
    /// Which pending pod is tried first.
    pub queue_order: PendingOrder,
    /// Asked at PreFilter; no preemption helps against these.
    pub final_gates: Vec<Gate>,
    /// Asked at PreFilter; a preemption may help.
    pub gates: Vec<Gate>,
    /// Asked at PostFilter first: where one is broken, what was planned before is awaited and kept.
    pub under_way: Vec<Gate>,
    /// Asked at PostFilter then, before anything is planned.
    pub trigger: Vec<Gate>,
    /// Asked of each candidate.
    pub guards: Vec<Guard>,
    /// Asked of each candidate in a queue that bounds the preemptor, on whatever node, where a limit does not hold without its eviction.
    pub bound_guards: Vec<Guard>,
    /// Must hold with the plan carried out.
    pub limits: Vec<Gate>,
    /// Must hold for a reserved pod to be bound.
    pub permit: Vec<Gate>,
    /// Which candidate is reprieved first.
    pub reprieve_order: Order,
    /// Which node a pod is planned onto.
    pub node_choice: NodeChoice,
    /// The order of reprieve and of nodes for plans of which the source says no order: those of a preemptor with a queue, and those for
    /// several pods. None where the two orders above hold for every plan.
    pub least_harm: Option<(Order, NodeChoice)>,
    /// How a plan is looked for.
    pub search: Search,
    /// The ancestors of a queue bound its pods, too.
    pub parents_bind: bool,
    /// Quotas of namespaces take back from each other what they lent: candidates are asked about one after the other, the least important
    /// first, each beside those taken before.
    pub quotas_take_back: bool,
    /// Which promises are closed to a more important pod, where that is asked.
    pub promises: Option<Promises>,
    /// The cycle of the system's own, where it has one.
    pub cycle: Option<Cycle>,
    /// How queues give back what they hold over their maximum, where they do.
    pub enforcement: Option<Enforcement>,
}

impl Laws {
    /// Returns the same laws with the orders of least harm; none where the source orders the plans for this preemptor.
    pub fn by_least_harm(&self, preemptor: &Preemptor) -> Option<Laws> {
        let (reprieve_order, node_choice) = self.least_harm.filter(|_| self.seeks_least_harm(preemptor))?;
        Some(Laws { reprieve_order, node_choice, ..self.clone() })
    }

    /// Returns whether the plan of a preemptor is the one that does least harm.
    pub fn seeks_least_harm(&self, preemptor: &Preemptor) -> bool {
        self.least_harm.is_some() && (preemptor.queue.is_some() || preemptor.pods.len() > 1)
    }
}

/// The table of a system: a line for each law, with the seat it has, its name in the table, its code, the law and its source; and, behind
/// `exempt`, which preemptors it does not apply to.
macro_rules! laws {
    ($system:literal: $($seat:ident $name:ident = $code:literal, $law:path, $source:literal $(, exempt $exemption:path)?;)+) => {
        $(laws! { @$seat $name, concat!($system, "/", $code), $law, $source $(, $exemption)? })+
    };
    (@rule $code:expr, $law:path, $source:literal $(, $exemption:path)?) => {
        $crate::laws::Rule {
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
        const $name: $crate::laws::Gate =
            $crate::laws::Gate { rule: laws! { @rule $code, $law, $source }, holds: $law.function };
    };
    (@Gate $name:ident, $code:expr, $law:path, $source:literal, $exemption:path) => {
        const $name: $crate::laws::Gate = $crate::laws::Gate {
            rule: laws! { @rule $code, $law, $source, $exemption },
            holds: |case| if ($exemption.applies)(case) { Ok(()) } else { ($law.function)(case) },
        };
    };
    (@Guard $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::Guard =
            $crate::laws::Guard { rule: laws! { @rule $code, $law, $source }, admits: $law.function };
    };
    (@Guard $name:ident, $code:expr, $law:path, $source:literal, $exemption:path) => {
        const $name: $crate::laws::Guard = $crate::laws::Guard {
            rule: laws! { @rule $code, $law, $source, $exemption },
            admits: |case, ix, pod| if ($exemption.applies)(case) { Ok(()) } else { ($law.function)(case, ix, pod) },
        };
    };
    (@Order $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::Order =
            $crate::laws::Order { rule: laws! { @rule $code, $law, $source }, compare: $law.function };
    };
    (@PendingByKey $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::PendingOrder = $crate::laws::PendingOrder {
            rule: laws! { @rule $code, $law, $source },
            by: $crate::laws::OrderBy::Key($law.function),
        };
    };
    (@PendingByCompare $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::PendingOrder = $crate::laws::PendingOrder {
            rule: laws! { @rule $code, $law, $source },
            by: $crate::laws::OrderBy::Compare($law.function),
        };
    };
    (@NodeChoice $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::NodeChoice =
            $crate::laws::NodeChoice { rule: laws! { @rule $code, $law, $source }, by: $law.function };
    };
    (@LastResort $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::LastResort =
            $crate::laws::LastResort { rule: laws! { @rule $code, $law, $source }, reasons: $law.function };
    };
    (@SurplusGate $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::SurplusGate =
            $crate::laws::SurplusGate { rule: laws! { @rule $code, $law, $source }, holds: $law.function };
    };
    (@SurplusGuard $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: $crate::laws::SurplusGuard =
            $crate::laws::SurplusGuard { rule: laws! { @rule $code, $law, $source }, admits: $law.function };
    };
    (@SurplusOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::Rule, $crate::laws::GivesFirst) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
    (@QueueOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::Rule, $crate::laws::CompareQueues) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
    (@VictimOrder $name:ident, $code:expr, $law:path, $source:literal) => {
        const $name: ($crate::laws::Rule, $crate::laws::CompareVictims) =
            (laws! { @rule $code, $law, $source }, $law.function);
    };
}
pub(crate) use laws;
