//! What the model has to say: broken laws, and numbers.

use std::collections::BTreeMap;

use serde_json::Value;

/// A law that a decision breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The law, as the model names it.
    pub law: &'static str,
    /// What is wrong.
    pub text: String,
    /// What a scenario would expect of the step, where the model knows.
    pub expect: Option<Value>,
}

/// Numbers of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Decisions by how they ended.
    pub decisions: BTreeMap<&'static str, u64>,
    /// Plans.
    pub plans: u64,
    /// Victims of all plans.
    pub victims: u64,
    /// Plans by how many victims they have beyond the fewest that any legal plan has.
    pub gaps: BTreeMap<usize, u64>,
    /// Why a legal plan was passed over, or a grade was not given, by excuse.
    pub excuses: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: &Tally) {
        for (ended, count) in &other.decisions {
            *self.decisions.entry(ended).or_insert(0) += count;
        }
        self.plans += other.plans;
        self.victims += other.victims;
        for (gap, count) in &other.gaps {
            *self.gaps.entry(*gap).or_insert(0) += count;
        }
        for (excuse, count) in &other.excuses {
            *self.excuses.entry(excuse).or_insert(0) += count;
        }
    }
}

/// What is found in one step.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) breaches: Vec<Breach>,
    pub(crate) tally: Tally,
}

impl Verdict {
    /// A law is broken.
    pub(crate) fn breach(&mut self, law: &'static str, text: impl Into<String>) {
        self.breaches.push(Breach { law, text: text.into(), expect: None });
    }

    /// A law is broken, and this should have come of the step.
    pub(crate) fn breach_expecting(&mut self, law: &'static str, text: impl Into<String>, expect: Value) {
        self.breaches.push(Breach { law, text: text.into(), expect: Some(expect) });
    }

    /// A decision ended so.
    pub(crate) fn decided(&mut self, ended: &'static str) {
        *self.tally.decisions.entry(ended).or_insert(0) += 1;
    }

    /// A plan with so many victims, where this many would have done.
    pub(crate) fn planned(&mut self, victims: usize, fewest: Option<usize>) {
        self.tally.plans += 1;
        self.tally.victims += u64::try_from(victims).unwrap_or(0);
        if let Some(fewest) = fewest {
            *self.tally.gaps.entry(victims.saturating_sub(fewest)).or_insert(0) += 1;
        }
    }

    /// A grade is not given, for this reason.
    pub(crate) fn excuse(&mut self, excuse: &'static str) {
        *self.tally.excuses.entry(excuse).or_insert(0) += 1;
    }
}
