//! The progress of replacements, for the clients that ordered them.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::replace::{ComparisonReport, ReplacementState, Transition};
use serde::{Deserialize, Serialize};
use tracing::warn;

/// The number of replacements that are known: the last ones.
const MAX_RECORDS: usize = 16;
/// The number of differences that are reported.
const MAX_DIFFERENCES: usize = 20;

/// The stage of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplacementStage {
    /// The component is read, verified, compiled and configured.
    Fetching,
    /// The policy waits until the loop takes it: until the cluster is known, and another replacement has ended.
    Waiting,
    /// See [`ReplacementState::Loading`].
    Loading,
    /// See [`ReplacementState::Shadow`].
    Shadow,
    /// See [`ReplacementState::Switching`].
    Switching,
    /// See [`ReplacementState::Watching`].
    Watching,
    /// The new policy decides.
    Done,
    /// The old policy decides, because of an observation.
    RolledBack,
    /// The old policy decides: the new one could not be tried.
    Refused,
}

impl ReplacementStage {
    /// Returns whether no other stage follows.
    pub fn is_final(self) -> bool {
        matches!(self, ReplacementStage::Done | ReplacementStage::RolledBack | ReplacementStage::Refused)
    }
}

impl From<ReplacementState> for ReplacementStage {
    fn from(state: ReplacementState) -> ReplacementStage {
        match state {
            ReplacementState::Loading => ReplacementStage::Loading,
            ReplacementState::Shadow => ReplacementStage::Shadow,
            ReplacementState::Switching => ReplacementStage::Switching,
            ReplacementState::Watching => ReplacementStage::Watching,
            ReplacementState::Done => ReplacementStage::Done,
            ReplacementState::RolledBack => ReplacementStage::RolledBack,
        }
    }
}

impl Display for ReplacementStage {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            ReplacementStage::Fetching => "the component is read and compiled",
            ReplacementStage::Waiting => "waits for its turn",
            ReplacementStage::Loading => "loading",
            ReplacementStage::Shadow => "shadow",
            ReplacementStage::Switching => "switching",
            ReplacementStage::Watching => "watching",
            ReplacementStage::Done => "done",
            ReplacementStage::RolledBack => "rolled back",
            ReplacementStage::Refused => "refused",
        })
    }
}

/// The progress of a replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplacementProgress {
    /// The number of the replacement: the process counts the orders.
    pub number: u64,
    /// The component as it was ordered; once it is read, with its digest.
    pub component: String,
    /// The stage of the replacement.
    pub stage: ReplacementStage,
    /// How many answers were compared.
    pub compared: u64,
    /// How many of those answers decide differently.
    pub different: u64,
    /// The first differences, in words.
    pub differences: Vec<String>,
    /// The sentences about what happened, in order.
    pub said: Vec<String>,
    /// What to do about a refusal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// Why a policy is not tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacementRefusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl ReplacementProgress {
    pub(super) fn new(number: u64, component: &str, stage: ReplacementStage) -> ReplacementProgress {
        let (compared, different) = (0, 0);
        let (said, differences, remedy) = Default::default();
        ReplacementProgress {
            number,
            component: component.to_owned(),
            stage,
            compared,
            different,
            differences,
            said,
            remedy,
        }
    }

    /// Returns the last sentence. Empty: nothing has happened yet.
    pub fn last(&self) -> &str {
        self.said.last().map_or("", String::as_str)
    }

    /// Takes the totals and the first differences of the comparison so far.
    pub(super) fn compare(&mut self, report: &ComparisonReport) {
        let totals = report.totals();
        (self.compared, self.different) = (totals.compared, totals.different);
        let known = self.differences.len();
        let new = report.differences.iter().take(MAX_DIFFERENCES).skip(known);
        self.differences.extend(new.map(ToString::to_string));
    }

    /// Takes note that one state followed another.
    pub(super) fn record_transition(&mut self, transition: &Transition) {
        self.stage = transition.to.into();
        self.said.push(transition.to_string());
    }
}

/// All known replacements, by number. Clones share one book.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplacementLog(Arc<Mutex<BTreeMap<u64, ReplacementProgress>>>);

impl ReplacementLog {
    /// Adds a replacement. Returns its number. The oldest one beyond [`MAX_RECORDS`] is forgotten.
    pub(super) fn add(&self, component: &str, stage: ReplacementStage) -> u64 {
        self.all(|all| {
            let number = all.keys().next_back().map_or(1, |last| last.saturating_add(1));
            all.insert(number, ReplacementProgress::new(number, component, stage));
            if all.len() > MAX_RECORDS {
                all.pop_first();
            }
            number
        })
    }

    /// Returns the progress of a replacement; without a number, of the last one. `None`: no replacement has the number.
    pub(super) fn read(&self, number: Option<u64>) -> Option<ReplacementProgress> {
        self.all(|all| match number {
            Some(number) => all.get(&number).cloned(),
            None => all.values().next_back().cloned(),
        })
    }

    /// Returns whether another replacement was ordered after this one.
    pub(super) fn is_outdated(&self, number: u64) -> bool {
        self.all(|all| all.keys().next_back().is_some_and(|last| *last > number))
    }

    /// Changes the progress of a replacement, where it is known.
    pub(super) fn update(&self, number: u64, what: impl FnOnce(&mut ReplacementProgress)) {
        self.all(|all| all.get_mut(&number).map(what).unwrap_or_default());
    }

    /// Records that a replacement is refused, and logs it.
    pub(super) fn refuse(&self, number: u64, refusal: ReplacementRefusal) {
        let ReplacementRefusal { message, remedy } = refusal;
        self.update(number, |progress| {
            let component = &progress.component;
            warn!(component, remedy, "the policy goes on: the new one is refused: {message}");
            progress.stage = ReplacementStage::Refused;
            progress.said.push(message);
            progress.remedy = remedy;
        });
    }

    fn all<T>(&self, look: impl FnOnce(&mut BTreeMap<u64, ReplacementProgress>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
