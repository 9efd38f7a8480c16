//! A law out of force, or saying the contrary: what shows that the tests and scenarios prove it.
//!
//! No policy that decides over a cluster has a law switched; the component has no way to ask for it.

use std::cmp::Ordering;

use super::{
    ActiveLaw, CycleLaws, Denial, ExcessCheck, ExcessVictimCompareFn, ExcessVictimFilter, LEAST, LastResort, LawCheck,
    Laws, MaxEnforcementLaws, NodeChoice, NodeCost, NominationLaws, PlanOrders, PodComparator, Preconditions,
    QueueCompareFn, QueueOrdering, QueueSort, ReclaimRules, SearchKind, VictimCompareFn, VictimFilter,
};

/// A change to a law that is switched off or reversed by a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// The law always holds. As an order, it finds all equal.
    AlwaysHolds,
    /// The law never holds. As an order, it compares names in reverse.
    AlwaysFails,
    /// The law denies nothing in this case, such as `opted-out`. As an order, it is unchanged.
    WithoutCase(&'static str),
}

/// A change to a law as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum WholeMutation {
    /// See [`Mutation::AlwaysHolds`].
    AlwaysHolds,
    /// See [`Mutation::AlwaysFails`].
    AlwaysFails,
}

/// A place in a table that holds a law.
pub(super) trait LawSlot {
    /// Returns the law.
    fn rule(&mut self) -> &mut ActiveLaw;
    /// Switches the law as a whole.
    fn switch(&mut self, to: WholeMutation);
}

/// The denial of a law that never holds.
const ALWAYS_FAILS: Denial = Denial::Case("contrary");

impl LawSlot for LawCheck {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.holds = match to {
            WholeMutation::AlwaysHolds => |_| Ok(()),
            WholeMutation::AlwaysFails => |_| Err(ALWAYS_FAILS),
        };
    }
}

impl LawSlot for VictimFilter {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.admits = match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ok(()),
            WholeMutation::AlwaysFails => |_, _, _| Err(ALWAYS_FAILS),
        };
    }
}

impl LawSlot for PodComparator {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.compare = match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ordering::Equal,
            WholeMutation::AlwaysFails => |_, a, b| b.name.cmp(&a.name),
        };
    }
}

impl LawSlot for QueueSort {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.by = QueueOrdering::Compare(match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ordering::Equal,
            WholeMutation::AlwaysFails => |_, a, b| b.name.cmp(&a.name),
        });
    }
}

impl LawSlot for LastResort {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.penalty = match to {
            WholeMutation::AlwaysHolds => |_, _, _| 0,
            WholeMutation::AlwaysFails => |_, ix, _| i64::from(ix.0 % 2 == 0),
        };
    }
}

impl LawSlot for (ActiveLaw, QueueCompareFn) {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.0
    }
    fn switch(&mut self, to: WholeMutation) {
        self.1 = match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ordering::Equal,
            WholeMutation::AlwaysFails => |_, a, b| b.cmp(&a),
        };
    }
}

impl LawSlot for (ActiveLaw, VictimCompareFn) {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.0
    }
    fn switch(&mut self, to: WholeMutation) {
        self.1 = match to {
            WholeMutation::AlwaysHolds => |_, _, _, _| Ordering::Equal,
            WholeMutation::AlwaysFails => |_, _, a, b| b.name.cmp(&a.name),
        };
    }
}

impl LawSlot for ExcessCheck {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.holds = match to {
            WholeMutation::AlwaysHolds => |_| Ok(()),
            WholeMutation::AlwaysFails => |_| Err(ALWAYS_FAILS),
        };
    }
}

impl LawSlot for ExcessVictimFilter {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.admits = match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ok(()),
            WholeMutation::AlwaysFails => |_, _, _| Err(ALWAYS_FAILS),
        };
    }
}

impl LawSlot for (ActiveLaw, ExcessVictimCompareFn) {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.0
    }
    fn switch(&mut self, to: WholeMutation) {
        self.1 = match to {
            WholeMutation::AlwaysHolds => |_, _, _| Ordering::Equal,
            WholeMutation::AlwaysFails => |_, (_, a), (_, b)| b.name.cmp(&a.name),
        };
    }
}

impl LawSlot for NodeChoice {
    fn rule(&mut self) -> &mut ActiveLaw {
        &mut self.rule
    }
    fn switch(&mut self, to: WholeMutation) {
        self.by.cost = match to {
            WholeMutation::AlwaysHolds => |_| NodeCost::default(),
            WholeMutation::AlwaysFails => |lost| {
                let last = lost.victims.first().map_or(0, |ix| i64::from(ix.0).saturating_neg());
                [lost.count().saturating_neg(), last, 0, 0, 0, 0, 0]
            },
        };
        self.by.lower_bound = |_| LEAST;
    }
}

/// Returns each entry of a list as a seat.
fn seats<T: LawSlot>(list: &mut [T]) -> impl Iterator<Item = &mut dyn LawSlot> {
    list.iter_mut().map(|seat| seat as &mut dyn LawSlot)
}

impl Laws {
    /// Switches the law of this code wherever the table has it. Returns whether the table has the law, and the case if one is named.
    pub fn switch(&mut self, code: &str, to: Mutation) -> bool {
        let mut has_it = false;
        for seat in self.seats() {
            if seat.rule().code != code {
                continue;
            }
            has_it |= match to {
                Mutation::WithoutCase(case) => seat.rule().mute(case),
                Mutation::AlwaysHolds | Mutation::AlwaysFails => {
                    seat.switch(if to == Mutation::AlwaysHolds {
                        WholeMutation::AlwaysHolds
                    } else {
                        WholeMutation::AlwaysFails
                    });
                    true
                }
            };
        }
        has_it
    }

    /// Returns all seats of the table, in the order in which their laws are checked.
    pub(super) fn seats(&mut self) -> Vec<&mut dyn LawSlot> {
        let mut all: Vec<&mut dyn LawSlot> = Vec::new();
        let Preconditions { unresolvable, resolvable, in_flight, preemption, permit } = &mut self.preconditions;
        let checks = [unresolvable, resolvable, in_flight, preemption, &mut self.plan_invariants, permit];
        all.extend(checks.into_iter().flat_map(|gates| seats(gates)));
        all.extend(seats(&mut self.victim_filters).chain(seats(&mut self.bound_victim_filters)));
        let last_resort = match &mut self.search {
            SearchKind::SmallestGroupOnNode(group) => {
                all.extend(seats(&mut group.anti_monotone_invariants));
                Some(&mut group.last_resort)
            }
            SearchKind::RemoveAllThenReprieve | SearchKind::NodeByNode(_) | SearchKind::JobBundles => None,
        };
        all.push(&mut self.queue_order);
        all.push(&mut self.plan_orders.nodes);
        all.push(&mut self.plan_orders.reprieve);
        if let Some(PlanOrders { reprieve, nodes }) = &mut self.least_harm {
            all.push(reprieve);
            all.push(nodes);
        }
        all.extend(last_resort.map(|order| order as &mut dyn LawSlot));
        if let Some(NominationLaws { preconditions: gates, victim_filters: guards }) = &mut self.nomination_laws {
            all.extend(seats(gates).chain(seats(guards)));
        }
        all.extend(self.cycle.iter_mut().flat_map(CycleLaws::seats));
        all.extend(self.enforcement.iter_mut().flat_map(MaxEnforcementLaws::seats));
        all
    }
}

impl MaxEnforcementLaws {
    fn seats(&mut self) -> Vec<&mut dyn LawSlot> {
        let MaxEnforcementLaws { preconditions: gates, victim_filters: guards, plan_invariants: limits, order } = self;
        let mut all: Vec<&mut dyn LawSlot> = seats(gates).chain(seats(guards)).chain(seats(limits)).collect();
        all.push(order);
        all
    }
}

impl CycleLaws {
    fn seats(&mut self) -> Vec<&mut dyn LawSlot> {
        let mut all: Vec<&mut dyn LawSlot> = Vec::new();
        let own = [&mut self.admission, &mut self.normal, &mut self.growth, &mut self.elastic];
        all.extend(own.into_iter().flat_map(|gates| seats(gates)));
        all.push(&mut self.size);
        for ReclaimRules {
            preemption_preconditions: trigger,
            cross_queue_preconditions: claim,
            victim_filters: guards,
            single_victim_filters: single,
            lone_victim_filters: alone,
            plan_invariants: limits,
            order,
            serves_best_effort: _,
        } in [&mut self.reclaim, &mut self.preempt]
        {
            all.extend(seats(trigger).chain(seats(claim)).chain(seats(limits)));
            all.extend(seats(guards).chain(seats(single)).chain(seats(alone)));
            all.push(order);
        }
        all.push(&mut self.queues);
        all.push(&mut self.jobs);
        all.push(&mut self.tasks);
        all
    }
}
