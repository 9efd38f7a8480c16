//! What was refused in answer to one question, as far as it says when it is worth asking again.

use std::collections::BTreeSet;

use crate::contract::{ChangeKind, Retry};
use crate::laws::{ActiveLaw, Denial};

/// The refusals during one request: when the laws that denied something may hold.
#[derive(Debug, Default)]
pub struct RetryHints {
    at: Option<i64>,
    after: BTreeSet<ChangeKind>,
    /// The changes of the last law. It avoids most insertions, as the same few laws deny most candidates of a search.
    last: &'static [ChangeKind],
}

impl RetryHints {
    /// Records that a law was broken at this time, in nanoseconds.
    pub fn add_denial(&mut self, rule: &ActiveLaw, denial: &Denial, now: i64) {
        if let Some(at) = denial.retry_at(now) {
            self.at = Some(self.at.map_or(at, |known| known.min(at)));
        }
        self.add_reason(rule);
    }

    /// Records that this rule of the engine refused something.
    pub fn add_reason(&mut self, rule: &ActiveLaw) {
        // Laws have constant lists, so equal lists have equal addresses. This function runs for every candidate.
        if !std::ptr::eq(self.last, rule.about.retry_after) {
            self.last = rule.about.retry_after;
            self.after.extend(self.last);
        }
    }

    /// Returns the moment from which on time alone may help.
    pub fn at(&self) -> Option<i64> {
        self.at
    }

    /// Returns when the request is worth repeating, for a policy that reads objects of these kinds.
    pub fn retry(&self, kinds: &BTreeSet<String>) -> Retry {
        let named = |change: &ChangeKind| match change {
            ChangeKind::ObjectUpserted | ChangeKind::ObjectRemoved => {
                kinds.iter().map(|kind| format!("{change}/{kind}")).collect()
            }
            change => vec![change.name().to_owned()],
        };
        Retry { at: self.at, after: self.after.iter().flat_map(named).collect() }
    }
}
