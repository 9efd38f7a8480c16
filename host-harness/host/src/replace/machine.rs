//! The state machine of a replacement. It is pure: it gets observations, and returns the next state.

use super::report::ComparisonTotals;
use super::terms::{Period, ReplacementTerms};
use super::transition::{ReplacementState, StateTransfer, Transition, TransitionReason};

/// The observations after an input was served, or failed.
#[derive(Debug)]
pub(crate) struct MachineInput {
    /// The session's time.
    pub(crate) now: i64,
    /// How many cycles were served since the replacement began.
    pub(crate) cycles: u64,
    /// The result for the memory of the old policy. `None`: the new policy has not received everything yet.
    pub(crate) loaded: Option<StateTransfer>,
    /// The numbers of compared and of different answers in this state.
    pub(crate) totals: ComparisonTotals,
    /// The fault or lie of the new policy.
    pub(crate) fault: Option<TransitionReason>,
}

/// The state of a replacement, and its history.
#[derive(Debug)]
pub(crate) struct Machine {
    terms: ReplacementTerms,
    state: ReplacementState,
    /// The time and the number of cycles at which the state was entered.
    since: (i64, u64),
    history: Vec<Transition>,
}

impl Machine {
    pub(crate) fn new(terms: ReplacementTerms, now: i64) -> Machine {
        Machine { terms, state: ReplacementState::Loading, since: (now, 0), history: Vec::new() }
    }

    pub(crate) fn state(&self) -> ReplacementState {
        self.state
    }

    pub(crate) fn history(&self) -> &[Transition] {
        &self.history
    }

    /// Returns whether this state is over: its time has passed, and in shadow enough answers were compared.
    pub(crate) fn is_due(&self, now: i64, cycles: u64, compared: u64) -> bool {
        match self.state {
            ReplacementState::Shadow => {
                self.has_lasted(self.terms.shadow, (now, cycles)) && compared >= self.terms.answers
            }
            ReplacementState::Watching => self.has_lasted(self.terms.watch, (now, cycles)),
            _ => false,
        }
    }

    /// Returns whether this state has lasted this period.
    fn has_lasted(&self, period: Period, (now, cycles): (i64, u64)) -> bool {
        let (since, before) = self.since;
        period.is_over(cycles.saturating_sub(before), now.saturating_sub(since))
    }

    /// Returns whether the shadow has lasted its maximum time, however few answers were compared.
    fn has_exceeded_maximum(&self, seen: &MachineInput) -> bool {
        let longest = [self.terms.shadow, self.terms.at_most];
        longest.into_iter().all(|period| self.has_lasted(period, (seen.now, seen.cycles)))
    }

    /// Returns the next state and the reason. `None`: the state stays.
    pub(crate) fn next(&self, seen: &MachineInput) -> Option<(ReplacementState, TransitionReason)> {
        if self.state.is_final() {
            return None;
        }
        if let Some(wrong) = &seen.fault {
            return Some((ReplacementState::RolledBack, wrong.clone()));
        }
        let (totals, allowed) = (seen.totals, self.terms.allowed);
        if totals.different > allowed && allowed != u64::MAX {
            return Some((ReplacementState::RolledBack, TransitionReason::Different { totals, allowed }));
        }
        let due = self.is_due(seen.now, seen.cycles, totals.compared);
        match (self.state, seen.loaded.clone()) {
            (ReplacementState::Loading, Some(memory)) => {
                Some((ReplacementState::Shadow, TransitionReason::Loaded { memory }))
            }
            (ReplacementState::Shadow, Some(memory)) if due => {
                Some((ReplacementState::Switching, TransitionReason::Compared { totals, memory }))
            }
            (ReplacementState::Shadow, _) if !due && self.has_exceeded_maximum(seen) => {
                Some((ReplacementState::RolledBack, TransitionReason::TooFew { totals, demanded: self.terms.answers }))
            }
            (ReplacementState::Watching, _) if due => {
                Some((ReplacementState::Done, TransitionReason::Watched { totals }))
            }
            _ => None,
        }
    }

    /// Enters a state.
    pub(crate) fn enter(&mut self, to: ReplacementState, reason: TransitionReason, (now, cycles): (i64, u64)) {
        self.history.push(Transition { at: now, from: self.state, to, reason });
        (self.state, self.since) = (to, (now, cycles));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(now: i64, cycles: u64, different: u64) -> MachineInput {
        let totals = ComparisonTotals { compared: 9, different };
        MachineInput { now, cycles, loaded: Some(StateTransfer::Same), totals, fault: None }
    }

    /// Returns a machine that entered a state at 100 ns, after 5 cycles.
    fn at(state: ReplacementState, terms: ReplacementTerms) -> Machine {
        let mut machine = Machine::new(terms, 0);
        machine.enter(state, TransitionReason::Switched, (100, 5));
        machine
    }

    fn leads(machine: &Machine, seen: &MachineInput) -> Option<ReplacementState> {
        machine.next(seen).map(|(state, _)| state)
    }

    #[test]
    fn it_loads_until_everything_was_told() {
        let machine = Machine::new(ReplacementTerms::default(), 0);
        assert_eq!(leads(&machine, &MachineInput { loaded: None, ..input(0, 99, 0) }), None);
        assert_eq!(leads(&machine, &input(0, 0, 0)), Some(ReplacementState::Shadow));
    }

    #[test]
    fn periods_are_counted_from_the_beginning_of_their_state() {
        let cycles =
            at(ReplacementState::Shadow, ReplacementTerms { shadow: Period::Cycles(3), ..ReplacementTerms::default() });
        assert_eq!(leads(&cycles, &input(i64::MAX, 7, 0)), None);
        assert_eq!(leads(&cycles, &input(100, 8, 0)), Some(ReplacementState::Switching));
        let time = at(
            ReplacementState::Watching,
            ReplacementTerms { watch: Period::Nanoseconds(30), ..ReplacementTerms::default() },
        );
        assert_eq!(leads(&time, &input(129, 99, 0)), None);
        assert_eq!(leads(&time, &input(130, 5, 0)), Some(ReplacementState::Done));
    }

    #[test]
    fn one_difference_more_than_may_be_ends_it_before_its_time() {
        for state in [ReplacementState::Shadow, ReplacementState::Watching] {
            let machine = at(state, ReplacementTerms { allowed: 2, ..ReplacementTerms::default() });
            assert_eq!(leads(&machine, &input(100, 5, 2)), None);
            assert_eq!(leads(&machine, &input(100, 5, 3)), Some(ReplacementState::RolledBack));
            let unbound = at(state, ReplacementTerms { allowed: u64::MAX, ..ReplacementTerms::default() });
            assert_eq!(leads(&unbound, &input(100, 5, u64::MAX)), None);
        }
    }

    #[test]
    fn what_is_wrong_ends_it_in_every_state_but_the_last_ones() {
        let wrong = || Some(TransitionReason::Fault { call: "filter".to_owned(), message: "trap".to_owned() });
        for state in [
            ReplacementState::Loading,
            ReplacementState::Shadow,
            ReplacementState::Switching,
            ReplacementState::Watching,
        ] {
            let machine = at(state, ReplacementTerms::default());
            assert_eq!(
                leads(&machine, &MachineInput { fault: wrong(), ..input(100, 99, 0) }),
                Some(ReplacementState::RolledBack)
            );
        }
        for state in [ReplacementState::Done, ReplacementState::RolledBack] {
            assert_eq!(
                leads(
                    &at(state, ReplacementTerms::default()),
                    &MachineInput { fault: wrong(), ..input(i64::MAX, 99, 9) }
                ),
                None
            );
        }
    }

    #[test]
    fn the_shadow_goes_on_until_enough_was_compared_and_not_for_ever() {
        // Nine answers were compared.
        let machine = |answers| {
            let (shadow, at_most) = (Period::Nanoseconds(30), Period::Nanoseconds(50));
            at(ReplacementState::Shadow, ReplacementTerms { shadow, at_most, answers, ..ReplacementTerms::default() })
        };
        assert_eq!(leads(&machine(9), &input(129, 9, 0)), None);
        assert_eq!(leads(&machine(9), &input(130, 9, 0)), Some(ReplacementState::Switching));
        assert_eq!(leads(&machine(10), &input(149, 9, 0)), None, "the time is over, one answer is missing");
        let (state, reason) = machine(10).next(&input(150, 9, 0)).unwrap();
        let totals = ComparisonTotals { compared: 9, different: 0 };
        assert_eq!((state, reason), (ReplacementState::RolledBack, TransitionReason::TooFew { totals, demanded: 10 }));
        // The maximum does not shorten a shadow that is to last longer.
        let long = ReplacementTerms { shadow: Period::Nanoseconds(90), ..machine(10).terms };
        assert_eq!(leads(&at(ReplacementState::Shadow, long), &input(189, 9, 0)), None);
    }

    #[test]
    fn a_policy_that_was_told_everything_too_late_for_the_shadow_is_not_switched_to() {
        let machine = at(
            ReplacementState::Shadow,
            ReplacementTerms { shadow: Period::Nanoseconds(30), ..ReplacementTerms::default() },
        );
        assert_eq!(leads(&machine, &MachineInput { loaded: None, ..input(130, 5, 0) }), None);
    }

    #[test]
    fn nothing_but_the_next_input_ends_switching() {
        assert_eq!(
            leads(&at(ReplacementState::Switching, ReplacementTerms::default()), &input(i64::MAX, u64::MAX, 0)),
            None
        );
    }
}
