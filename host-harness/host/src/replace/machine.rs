//! The states of a replacement, and the transitions between them. The machine is pure: it gets observations, and returns the next state.

use serde::Serialize;

use super::report::Totals;
use super::terms::{Period, Terms};

/// A state of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// The new policy receives the cluster, a part with every input. The old one decides.
    Loading,
    /// The new policy gets the same calls as the old one. The old one decides.
    Shadow,
    /// The new policy has the memory of the old one. It takes over before the next input.
    Switching,
    /// The new policy decides. The old one gets the same calls, and can take over again.
    Watching,
    /// The new policy decides, and the old one was dropped.
    Done,
    /// The old policy decides, and the new one was dropped.
    RolledBack,
}

impl State {
    /// Returns whether no state follows.
    pub fn is_final(self) -> bool {
        matches!(self, State::Done | State::RolledBack)
    }
}

/// The result of handing over the memory of the policy in force: the state that the cluster does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Memory {
    /// The policy in force has no memory.
    None,
    /// Both policies have the same memory.
    Same,
    /// The other policy has restored the memory.
    Restored,
    /// The other policy does not take the memory. It has what the cluster shows, and what it has seen since it was loaded.
    Rebuilt {
        /// Why, such as a format that it does not know.
        why: String,
    },
}

/// The reason of a transition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Reason {
    /// The new policy has received everything.
    Loaded {
        /// The result for the memory of the old policy.
        memory: Memory,
    },
    /// The time in shadow is over, within the bound.
    Compared {
        /// The numbers of compared and of different answers.
        totals: Totals,
        /// The result for the memory of the old policy.
        memory: Memory,
    },
    /// The new policy took over between two inputs.
    Switched,
    /// The watch is over, within the bound.
    Watched {
        /// The numbers of compared and of different answers.
        totals: Totals,
    },
    /// More answers differ than are allowed.
    Different {
        /// The numbers of compared and of different answers.
        totals: Totals,
        /// The number of allowed differences.
        allowed: u64,
    },
    /// The shadow has lasted its maximum time, and too few answers were compared.
    TooFew {
        /// The numbers of compared and of different answers.
        totals: Totals,
        /// The number of demanded answers.
        demanded: u64,
    },
    /// The new policy broke, or could not answer.
    Fault {
        /// The function that was called.
        call: String,
        /// The error message.
        message: String,
    },
    /// The new policy gave an invalid answer.
    Lie {
        /// The function that was called.
        call: String,
        /// What is wrong with the answer.
        message: String,
    },
    /// The replacement was aborted from outside.
    GivenUp {
        /// The cause.
        why: String,
    },
}

/// A transition from one state to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// The session's time, nanoseconds since 1970.
    pub at: i64,
    /// The state before.
    pub from: State,
    /// The state after.
    pub to: State,
    /// The reason.
    pub reason: Reason,
}

/// The observations after an input was served, or failed.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The session's time.
    pub(crate) now: i64,
    /// How many cycles were served since the replacement began.
    pub(crate) cycles: u64,
    /// The result for the memory of the old policy. `None`: the new policy has not received everything yet.
    pub(crate) loaded: Option<Memory>,
    /// The numbers of compared and of different answers in this state.
    pub(crate) totals: Totals,
    /// The fault or lie of the new policy.
    pub(crate) wrong: Option<Reason>,
}

/// The state of a replacement, and its history.
#[derive(Debug)]
pub(crate) struct Machine {
    terms: Terms,
    state: State,
    /// The time and the number of cycles at which the state was entered.
    since: (i64, u64),
    history: Vec<Transition>,
}

impl Machine {
    pub(crate) fn new(terms: Terms, now: i64) -> Machine {
        Machine { terms, state: State::Loading, since: (now, 0), history: Vec::new() }
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    pub(crate) fn history(&self) -> &[Transition] {
        &self.history
    }

    /// Returns whether this state is over: its time has passed, and in shadow enough answers were compared.
    pub(crate) fn is_due(&self, now: i64, cycles: u64, compared: u64) -> bool {
        match self.state {
            State::Shadow => self.has_lasted(self.terms.shadow, (now, cycles)) && compared >= self.terms.answers,
            State::Watching => self.has_lasted(self.terms.watch, (now, cycles)),
            _ => false,
        }
    }

    /// Returns whether this state has lasted this period.
    fn has_lasted(&self, period: Period, (now, cycles): (i64, u64)) -> bool {
        let (since, before) = self.since;
        period.is_over(cycles.saturating_sub(before), now.saturating_sub(since))
    }

    /// Returns whether the shadow has lasted its maximum time, however few answers were compared.
    fn is_out_of_patience(&self, seen: &Seen) -> bool {
        let longest = [self.terms.shadow, self.terms.at_most];
        longest.into_iter().all(|period| self.has_lasted(period, (seen.now, seen.cycles)))
    }

    /// Returns the next state and the reason. `None`: the state stays.
    pub(crate) fn next(&self, seen: &Seen) -> Option<(State, Reason)> {
        if self.state.is_final() {
            return None;
        }
        if let Some(wrong) = &seen.wrong {
            return Some((State::RolledBack, wrong.clone()));
        }
        let (totals, allowed) = (seen.totals, self.terms.allowed);
        if totals.different > allowed && allowed != u64::MAX {
            return Some((State::RolledBack, Reason::Different { totals, allowed }));
        }
        let due = self.is_due(seen.now, seen.cycles, totals.compared);
        match (self.state, seen.loaded.clone()) {
            (State::Loading, Some(memory)) => Some((State::Shadow, Reason::Loaded { memory })),
            (State::Shadow, Some(memory)) if due => Some((State::Switching, Reason::Compared { totals, memory })),
            (State::Shadow, _) if !due && self.is_out_of_patience(seen) => {
                Some((State::RolledBack, Reason::TooFew { totals, demanded: self.terms.answers }))
            }
            (State::Watching, _) if due => Some((State::Done, Reason::Watched { totals })),
            _ => None,
        }
    }

    /// Enters a state.
    pub(crate) fn enter(&mut self, to: State, reason: Reason, (now, cycles): (i64, u64)) {
        self.history.push(Transition { at: now, from: self.state, to, reason });
        (self.state, self.since) = (to, (now, cycles));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(now: i64, cycles: u64, different: u64) -> Seen {
        let totals = Totals { compared: 9, different };
        Seen { now, cycles, loaded: Some(Memory::Same), totals, wrong: None }
    }

    /// Returns a machine that entered a state at 100 ns, after 5 cycles.
    fn at(state: State, terms: Terms) -> Machine {
        let mut machine = Machine::new(terms, 0);
        machine.enter(state, Reason::Switched, (100, 5));
        machine
    }

    fn leads(machine: &Machine, seen: &Seen) -> Option<State> {
        machine.next(seen).map(|(state, _)| state)
    }

    #[test]
    fn it_loads_until_everything_was_told() {
        let machine = Machine::new(Terms::default(), 0);
        assert_eq!(leads(&machine, &Seen { loaded: None, ..seen(0, 99, 0) }), None);
        assert_eq!(leads(&machine, &seen(0, 0, 0)), Some(State::Shadow));
    }

    #[test]
    fn periods_are_counted_from_the_beginning_of_their_state() {
        let cycles = at(State::Shadow, Terms { shadow: Period::Cycles(3), ..Terms::default() });
        assert_eq!(leads(&cycles, &seen(i64::MAX, 7, 0)), None);
        assert_eq!(leads(&cycles, &seen(100, 8, 0)), Some(State::Switching));
        let time = at(State::Watching, Terms { watch: Period::Nanoseconds(30), ..Terms::default() });
        assert_eq!(leads(&time, &seen(129, 99, 0)), None);
        assert_eq!(leads(&time, &seen(130, 5, 0)), Some(State::Done));
    }

    #[test]
    fn one_difference_more_than_may_be_ends_it_before_its_time() {
        for state in [State::Shadow, State::Watching] {
            let machine = at(state, Terms { allowed: 2, ..Terms::default() });
            assert_eq!(leads(&machine, &seen(100, 5, 2)), None);
            assert_eq!(leads(&machine, &seen(100, 5, 3)), Some(State::RolledBack));
            let unbound = at(state, Terms { allowed: u64::MAX, ..Terms::default() });
            assert_eq!(leads(&unbound, &seen(100, 5, u64::MAX)), None);
        }
    }

    #[test]
    fn what_is_wrong_ends_it_in_every_state_but_the_last_ones() {
        let wrong = || Some(Reason::Fault { call: "filter".to_owned(), message: "trap".to_owned() });
        for state in [State::Loading, State::Shadow, State::Switching, State::Watching] {
            let machine = at(state, Terms::default());
            assert_eq!(leads(&machine, &Seen { wrong: wrong(), ..seen(100, 99, 0) }), Some(State::RolledBack));
        }
        for state in [State::Done, State::RolledBack] {
            assert_eq!(leads(&at(state, Terms::default()), &Seen { wrong: wrong(), ..seen(i64::MAX, 99, 9) }), None);
        }
    }

    #[test]
    fn the_shadow_goes_on_until_enough_was_compared_and_not_for_ever() {
        // Nine answers were compared.
        let machine = |answers| {
            let (shadow, at_most) = (Period::Nanoseconds(30), Period::Nanoseconds(50));
            at(State::Shadow, Terms { shadow, at_most, answers, ..Terms::default() })
        };
        assert_eq!(leads(&machine(9), &seen(129, 9, 0)), None);
        assert_eq!(leads(&machine(9), &seen(130, 9, 0)), Some(State::Switching));
        assert_eq!(leads(&machine(10), &seen(149, 9, 0)), None, "the time is over, one answer is missing");
        let (state, reason) = machine(10).next(&seen(150, 9, 0)).unwrap();
        let totals = Totals { compared: 9, different: 0 };
        assert_eq!((state, reason), (State::RolledBack, Reason::TooFew { totals, demanded: 10 }));
        // The maximum does not shorten a shadow that is to last longer.
        let long = Terms { shadow: Period::Nanoseconds(90), ..machine(10).terms };
        assert_eq!(leads(&at(State::Shadow, long), &seen(189, 9, 0)), None);
    }

    #[test]
    fn a_policy_that_was_told_everything_too_late_for_the_shadow_is_not_switched_to() {
        let machine = at(State::Shadow, Terms { shadow: Period::Nanoseconds(30), ..Terms::default() });
        assert_eq!(leads(&machine, &Seen { loaded: None, ..seen(130, 5, 0) }), None);
    }

    #[test]
    fn nothing_but_the_next_input_ends_switching() {
        assert_eq!(leads(&at(State::Switching, Terms::default()), &seen(i64::MAX, u64::MAX, 0)), None);
    }
}
