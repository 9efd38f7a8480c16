//! The results of the model: broken laws, and counts.

use std::collections::BTreeMap;

use serde_json::Value;

/// A law that a decision breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLaw {
    /// The model's name of the law.
    pub law: &'static str,
    /// What is wrong.
    pub text: String,
    /// The expected outcome in the format of a scenario, where the model knows it.
    pub expect: Option<Value>,
}

/// The counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Decisions by result.
    pub decisions: BTreeMap<&'static str, u64>,
    /// The number of plans.
    pub plans: u64,
    /// The number of plans for several gangs of a gang group.
    pub group_plans: u64,
    /// The number of victims of all plans.
    pub victims: u64,
    /// Plans by the number of victims above the fewest of any legal plan.
    pub gaps: BTreeMap<usize, u64>,
    /// How often each excuse was accepted.
    pub excuses: BTreeMap<&'static str, u64>,
}

impl RunCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &RunCounts) {
        for (ended, count) in &other.decisions {
            *self.decisions.entry(ended).or_insert(0) += count;
        }
        self.plans += other.plans;
        self.group_plans += other.group_plans;
        self.victims += other.victims;
        for (gap, count) in &other.gaps {
            *self.gaps.entry(*gap).or_insert(0) += count;
        }
        for (excuse, count) in &other.excuses {
            *self.excuses.entry(excuse).or_insert(0) += count;
        }
    }
}

/// The findings of one step.
#[derive(Debug, Default)]
pub(crate) struct StepFindings {
    pub(crate) breaches: Vec<BrokenLaw>,
    pub(crate) tally: RunCounts,
}

impl StepFindings {
    /// Records a breach.
    pub(crate) fn breach(&mut self, law: &'static str, text: impl Into<String>) {
        self.breaches.push(BrokenLaw { law, text: text.into(), expect: None });
    }

    /// Records a breach with the expected outcome.
    pub(crate) fn breach_expecting(&mut self, law: &'static str, text: impl Into<String>, expect: Value) {
        self.breaches.push(BrokenLaw { law, text: text.into(), expect: Some(expect) });
    }

    /// Makes excuses of the breaches of some laws among those from a position on.
    pub(crate) fn excuse_from(&mut self, position: usize, is_excused: fn(&str) -> bool) {
        let rest = self.breaches.split_off(position.min(self.breaches.len()));
        for breach in rest {
            if is_excused(breach.law) {
                self.excuse(
                    "there are constraints between pods: whether there is a place, or a smaller plan, is not sought",
                );
            } else {
                self.breaches.push(breach);
            }
        }
    }

    /// Counts a decision by its result.
    pub(crate) fn decided(&mut self, ended: &'static str) {
        *self.tally.decisions.entry(ended).or_insert(0) += 1;
    }

    /// Counts a plan with its victims, and the fewest victims of any legal plan where that is known.
    pub(crate) fn planned(&mut self, victims: usize, fewest: Option<usize>) {
        self.tally.plans += 1;
        self.tally.victims += u64::try_from(victims).unwrap_or(0);
        if let Some(fewest) = fewest {
            *self.tally.gaps.entry(victims.saturating_sub(fewest)).or_insert(0) += 1;
        }
    }

    /// Counts a plan for several gangs of a gang group.
    pub(crate) fn planned_for_group(&mut self) {
        self.tally.group_plans += 1;
    }

    /// Accepts an excuse instead of a check.
    pub(crate) fn excuse(&mut self, excuse: &'static str) {
        *self.tally.excuses.entry(excuse).or_insert(0) += 1;
    }
}
