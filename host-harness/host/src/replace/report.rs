//! What was compared, and where the two policies decide otherwise, in names.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// The maximum number of differences that are kept whole. Further differences are only counted.
const MAX_DIFFERENCES: usize = 100;

/// The numbers of compared and of different answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ComparisonTotals {
    /// The number of compared answers.
    pub compared: u64,
    /// The number of answers that decide differently.
    pub different: u64,
}

/// The decision of one answer, in names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DecisionSummary {
    /// The decision in a word or two, such as `refused` or `plan`.
    pub verdict: String,
    /// The code of the law of the decision; empty where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub law: String,
    /// Pods, each with the node of the decision.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub placements: BTreeMap<String, String>,
    /// Pods that are to be evicted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub victims: BTreeSet<String>,
    /// Nodes that only this policy accepts, or that it scores best, ten at most; or pods, in the order of attempts, from the first
    /// difference on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The effects on other pods, such as `releases default/a`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
}

/// A pair of answers that decide differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplyDifference {
    /// The session's time, nanoseconds since 1970.
    pub at: i64,
    /// The function that was called.
    pub call: &'static str,
    /// The pod of the call, where the call has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// The decision of the old policy.
    pub old: DecisionSummary,
    /// The decision of the new policy.
    pub new: DecisionSummary,
}

/// The comparison since the beginning of a replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonReport {
    /// The numbers of compared and of different answers, by function.
    pub calls: BTreeMap<&'static str, ComparisonTotals>,
    /// The first hundred differences.
    pub differences: Vec<ReplyDifference>,
    /// The number of different answers, by the laws of the old and the new policy. An answer without a law counts by its verdict.
    pub laws: BTreeMap<String, u64>,
    /// The extension points that were not compared, because only one policy decides there.
    pub not_compared: Vec<String>,
    /// How often the instances were restarted and received everything again, because the one in force broke.
    pub restarts: u64,
}

impl ComparisonReport {
    /// Creates an empty report.
    pub const fn new() -> ComparisonReport {
        ComparisonReport {
            calls: BTreeMap::new(),
            differences: Vec::new(),
            laws: BTreeMap::new(),
            not_compared: Vec::new(),
            restarts: 0,
        }
    }

    /// Counts a compared answer.
    pub(crate) fn count(&mut self, call: &'static str) {
        let totals = self.calls.entry(call).or_default();
        totals.compared = totals.compared.saturating_add(1);
    }

    /// Counts a different answer, and keeps one of the first hundred.
    pub(crate) fn add(&mut self, difference: ReplyDifference) {
        let totals = self.calls.entry(difference.call).or_default();
        totals.different = totals.different.saturating_add(1);
        let law = |decided: &DecisionSummary| match decided.law.as_str() {
            "" => decided.verdict.clone(),
            law => law.to_owned(),
        };
        let laws = format!("{} -> {}", law(&difference.old), law(&difference.new));
        let count = self.laws.entry(laws).or_default();
        *count = count.saturating_add(1);
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(difference);
        }
    }

    /// Returns the sums over all functions.
    pub fn totals(&self) -> ComparisonTotals {
        self.calls.values().fold(ComparisonTotals::default(), |sum, totals| ComparisonTotals {
            compared: sum.compared.saturating_add(totals.compared),
            different: sum.different.saturating_add(totals.different),
        })
    }
}

impl ComparisonTotals {
    /// Returns the numbers since an earlier total.
    pub(crate) fn since(self, before: ComparisonTotals) -> ComparisonTotals {
        ComparisonTotals {
            compared: self.compared.saturating_sub(before.compared),
            different: self.different.saturating_sub(before.different),
        }
    }
}
