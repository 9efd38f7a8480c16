//! What was compared, and where the two policies decide otherwise, in names.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// How many differences are kept whole; of the others only the number is.
const KEPT: usize = 100;

/// How many answers were compared, and how many of them decide otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// How many answers were compared.
    pub compared: u64,
    /// How many of them decide otherwise.
    pub different: u64,
}

/// What one answer decides, in names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// The decision in a word or two, such as `refused` or `plan`.
    pub verdict: String,
    /// The code of the law that says so, where there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub law: String,
    /// Pods and the nodes that they are to have.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub placements: BTreeMap<String, String>,
    /// Pods that are to be evicted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub victims: BTreeSet<String>,
    /// Nodes that only this policy accepts, or likes best, ten at most; or pods, in the order in which they are tried, from the first
    /// difference on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What it means for other pods: such as `releases default/a`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
}

/// An answer that decides otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The session's time, nanoseconds since 1970.
    pub at: i64,
    /// The function that was called.
    pub call: &'static str,
    /// The pod that it was about, where it was about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// What the old policy decides.
    pub old: Decided,
    /// What the new policy decides.
    pub new: Decided,
}

/// What was compared from the beginning of a replacement on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// By function: how many answers were compared, and how many of them decide otherwise.
    pub calls: BTreeMap<&'static str, Totals>,
    /// The first hundred differences.
    pub differences: Vec<Difference>,
    /// By law of the old policy and law of the new one: how many answers decide otherwise. An answer without a law counts by its verdict.
    pub laws: BTreeMap<String, u64>,
    /// What was not compared, because only one of them decides there.
    pub not_compared: Vec<String>,
    /// How often the instances were told everything anew, because the one in force broke.
    pub restarts: u64,
}

impl Report {
    /// Nothing was compared.
    pub const fn new() -> Report {
        Report {
            calls: BTreeMap::new(),
            differences: Vec::new(),
            laws: BTreeMap::new(),
            not_compared: Vec::new(),
            restarts: 0,
        }
    }

    /// An answer was compared.
    pub(crate) fn count(&mut self, call: &'static str) {
        let totals = self.calls.entry(call).or_default();
        totals.compared = totals.compared.saturating_add(1);
    }

    /// An answer decides otherwise.
    pub(crate) fn add(&mut self, difference: Difference) {
        let totals = self.calls.entry(difference.call).or_default();
        totals.different = totals.different.saturating_add(1);
        let law = |decided: &Decided| match decided.law.as_str() {
            "" => decided.verdict.clone(),
            law => law.to_owned(),
        };
        let laws = format!("{} -> {}", law(&difference.old), law(&difference.new));
        let count = self.laws.entry(laws).or_default();
        *count = count.saturating_add(1);
        if self.differences.len() < KEPT {
            self.differences.push(difference);
        }
    }

    /// All answers together.
    pub fn totals(&self) -> Totals {
        self.calls.values().fold(Totals::default(), |sum, totals| Totals {
            compared: sum.compared.saturating_add(totals.compared),
            different: sum.different.saturating_add(totals.different),
        })
    }
}

impl Totals {
    /// What came after this.
    pub(crate) fn since(self, before: Totals) -> Totals {
        Totals {
            compared: self.compared.saturating_sub(before.compared),
            different: self.different.saturating_sub(before.different),
        }
    }
}
