//! A law out of force, or saying the contrary: what shows that the tests and scenarios prove it.
//!
//! No policy that decides over a cluster has a law switched; the component has no way to ask for it.

use std::cmp::Ordering;

use super::{
    CompareQueues, CompareVictims, Cycle, Denial, Enforcement, Gate, GivesFirst, Guard, LEAST, LastResort, Laws,
    NodeChoice, NodeCost, Order, OrderBy, PendingOrder, Promises, ReclaimRules, Rule, Search, SurplusGate,
    SurplusGuard,
};

/// A change to a law that is switched off or reversed by a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// The law always holds. As an order, it finds all equal.
    Silent,
    /// The law never holds. As an order, it compares names in reverse.
    Contrary,
    /// The law denies nothing in this case, such as `opted-out`. As an order, it is unchanged.
    Without(&'static str),
}

/// A change to a law as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Whole {
    /// See [`Switch::Silent`].
    Silent,
    /// See [`Switch::Contrary`].
    Contrary,
}

/// A place in a table that holds a law.
pub(super) trait Seat {
    /// Returns the law.
    fn rule(&mut self) -> &mut Rule;
    /// Switches the law as a whole.
    fn switch(&mut self, to: Whole);
}

/// The denial of a law that never holds.
const CONTRARY: Denial = Denial::Case("contrary");

impl Seat for Gate {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.holds = match to {
            Whole::Silent => |_| Ok(()),
            Whole::Contrary => |_| Err(CONTRARY),
        };
    }
}

impl Seat for Guard {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.admits = match to {
            Whole::Silent => |_, _, _| Ok(()),
            Whole::Contrary => |_, _, _| Err(CONTRARY),
        };
    }
}

impl Seat for Order {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.compare = match to {
            Whole::Silent => |_, _, _| Ordering::Equal,
            Whole::Contrary => |_, a, b| b.name.cmp(&a.name),
        };
    }
}

impl Seat for PendingOrder {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.by = OrderBy::Compare(match to {
            Whole::Silent => |_, _, _| Ordering::Equal,
            Whole::Contrary => |_, a, b| b.name.cmp(&a.name),
        });
    }
}

impl Seat for LastResort {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.reasons = match to {
            Whole::Silent => |_, _, _| 0,
            Whole::Contrary => |_, ix, _| i64::from(ix.0 % 2 == 0),
        };
    }
}

impl Seat for (Rule, CompareQueues) {
    fn rule(&mut self) -> &mut Rule {
        &mut self.0
    }
    fn switch(&mut self, to: Whole) {
        self.1 = match to {
            Whole::Silent => |_, _, _| Ordering::Equal,
            Whole::Contrary => |_, a, b| b.cmp(&a),
        };
    }
}

impl Seat for (Rule, CompareVictims) {
    fn rule(&mut self) -> &mut Rule {
        &mut self.0
    }
    fn switch(&mut self, to: Whole) {
        self.1 = match to {
            Whole::Silent => |_, _, _, _| Ordering::Equal,
            Whole::Contrary => |_, _, a, b| b.name.cmp(&a.name),
        };
    }
}

impl Seat for SurplusGate {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.holds = match to {
            Whole::Silent => |_| Ok(()),
            Whole::Contrary => |_| Err(CONTRARY),
        };
    }
}

impl Seat for SurplusGuard {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.admits = match to {
            Whole::Silent => |_, _, _| Ok(()),
            Whole::Contrary => |_, _, _| Err(CONTRARY),
        };
    }
}

impl Seat for (Rule, GivesFirst) {
    fn rule(&mut self) -> &mut Rule {
        &mut self.0
    }
    fn switch(&mut self, to: Whole) {
        self.1 = match to {
            Whole::Silent => |_, _, _| Ordering::Equal,
            Whole::Contrary => |_, (_, a), (_, b)| b.name.cmp(&a.name),
        };
    }
}

impl Seat for NodeChoice {
    fn rule(&mut self) -> &mut Rule {
        &mut self.rule
    }
    fn switch(&mut self, to: Whole) {
        self.by.loss = match to {
            Whole::Silent => |_| NodeCost::default(),
            Whole::Contrary => |lost| {
                let last = lost.victims.first().map_or(0, |ix| i64::from(ix.0).saturating_neg());
                [lost.count().saturating_neg(), last, 0, 0, 0, 0, 0]
            },
        };
        self.by.least = |_| LEAST;
    }
}

/// Returns each entry of a list as a seat.
fn seats<T: Seat>(list: &mut [T]) -> impl Iterator<Item = &mut dyn Seat> {
    list.iter_mut().map(|seat| seat as &mut dyn Seat)
}

impl Laws {
    /// Switches the law of this code wherever the table has it. Returns whether the table has the law, and the case if one is named.
    pub fn switch(&mut self, code: &str, to: Switch) -> bool {
        let mut has_it = false;
        for seat in self.seats() {
            if seat.rule().code != code {
                continue;
            }
            has_it |= match to {
                Switch::Without(case) => seat.rule().mute(case),
                Switch::Silent | Switch::Contrary => {
                    seat.switch(if to == Switch::Silent { Whole::Silent } else { Whole::Contrary });
                    true
                }
            };
        }
        has_it
    }

    /// Returns all seats of the table, in the order in which their laws are checked.
    pub(super) fn seats(&mut self) -> Vec<&mut dyn Seat> {
        let mut all: Vec<&mut dyn Seat> = Vec::new();
        let asked = [&mut self.final_gates, &mut self.gates, &mut self.under_way, &mut self.trigger];
        all.extend(asked.into_iter().flat_map(|gates| seats(gates)));
        all.extend([&mut self.limits, &mut self.permit].into_iter().flat_map(|gates| seats(gates)));
        all.extend(seats(&mut self.guards).chain(seats(&mut self.bound_guards)));
        let last_resort = match &mut self.search {
            Search::GroupOnOneNode(group) => {
                all.extend(seats(&mut group.floors));
                Some(&mut group.last_resort)
            }
            Search::RemoveAllThenReprieve | Search::NodeByNode(_) | Search::Bundles => None,
        };
        all.push(&mut self.queue_order);
        all.push(&mut self.node_choice);
        all.push(&mut self.reprieve_order);
        if let Some((reprieve_order, node_choice)) = &mut self.least_harm {
            all.push(reprieve_order);
            all.push(node_choice);
        }
        all.extend(last_resort.map(|order| order as &mut dyn Seat));
        if let Some(Promises { gates, guards }) = &mut self.promises {
            all.extend(seats(gates).chain(seats(guards)));
        }
        all.extend(self.cycle.iter_mut().flat_map(Cycle::seats));
        all.extend(self.enforcement.iter_mut().flat_map(Enforcement::seats));
        all
    }
}

impl Enforcement {
    fn seats(&mut self) -> Vec<&mut dyn Seat> {
        let Enforcement { gates, guards, limits, order } = self;
        let mut all: Vec<&mut dyn Seat> = seats(gates).chain(seats(guards)).chain(seats(limits)).collect();
        all.push(order);
        all
    }
}

impl Cycle {
    fn seats(&mut self) -> Vec<&mut dyn Seat> {
        let mut all: Vec<&mut dyn Seat> = Vec::new();
        let own = [&mut self.admission, &mut self.normal, &mut self.growth, &mut self.elastic];
        all.extend(own.into_iter().flat_map(|gates| seats(gates)));
        all.push(&mut self.size);
        for ReclaimRules { trigger, claim, guards, single, alone, limits, order, for_places: _ } in
            [&mut self.reclaim, &mut self.preempt]
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
