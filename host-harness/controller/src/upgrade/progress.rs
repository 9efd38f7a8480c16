//! The progress of replacements, for the clients that ordered them.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::replace::{Report, State, Transition};
use serde::{Deserialize, Serialize};
use tracing::warn;

/// The number of replacements that are known: the last ones.
const KNOWN: usize = 16;
/// The number of differences that are reported.
const TOLD: usize = 20;

/// The stage of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// The component is read, verified, compiled and configured.
    Fetching,
    /// The policy waits until the loop takes it: until the cluster is known, and another replacement has ended.
    Waiting,
    /// See [`State::Loading`].
    Loading,
    /// See [`State::Shadow`].
    Shadow,
    /// See [`State::Switching`].
    Switching,
    /// See [`State::Watching`].
    Watching,
    /// The new policy decides.
    Done,
    /// The old policy decides, because of an observation.
    RolledBack,
    /// The old policy decides: the new one could not be tried.
    Refused,
}

impl Stage {
    /// Returns whether no other stage follows.
    pub fn is_final(self) -> bool {
        matches!(self, Stage::Done | Stage::RolledBack | Stage::Refused)
    }
}

impl From<State> for Stage {
    fn from(state: State) -> Stage {
        match state {
            State::Loading => Stage::Loading,
            State::Shadow => Stage::Shadow,
            State::Switching => Stage::Switching,
            State::Watching => Stage::Watching,
            State::Done => Stage::Done,
            State::RolledBack => Stage::RolledBack,
        }
    }
}

impl Display for Stage {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Stage::Fetching => "the component is read and compiled",
            Stage::Waiting => "waits for its turn",
            Stage::Loading => "loading",
            Stage::Shadow => "shadow",
            Stage::Switching => "switching",
            Stage::Watching => "watching",
            Stage::Done => "done",
            Stage::RolledBack => "rolled back",
            Stage::Refused => "refused",
        })
    }
}

/// The progress of a replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The number of the replacement: the process counts the orders.
    pub number: u64,
    /// The component as it was ordered; once it is read, with its digest.
    pub component: String,
    /// The stage of the replacement.
    pub stage: Stage,
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
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Progress {
    pub(super) fn new(number: u64, component: &str, stage: Stage) -> Progress {
        let (compared, different) = (0, 0);
        let (said, differences, remedy) = Default::default();
        Progress { number, component: component.to_owned(), stage, compared, different, differences, said, remedy }
    }

    /// Returns the last sentence. Empty: nothing has happened yet.
    pub fn last(&self) -> &str {
        self.said.last().map_or("", String::as_str)
    }

    /// Takes the totals and the first differences of the comparison so far.
    pub(super) fn compare(&mut self, report: &Report) {
        let totals = report.totals();
        (self.compared, self.different) = (totals.compared, totals.different);
        let known = self.differences.len();
        let new = report.differences.iter().take(TOLD).skip(known);
        self.differences.extend(new.map(ToString::to_string));
    }

    /// Takes note that one state followed another.
    pub(super) fn go(&mut self, transition: &Transition) {
        self.stage = transition.to.into();
        self.said.push(transition.to_string());
    }
}

/// All known replacements, by number. Clones share one book.
#[derive(Debug, Clone, Default)]
pub(super) struct Book(Arc<Mutex<BTreeMap<u64, Progress>>>);

impl Book {
    /// Adds a replacement. Returns its number. The oldest one beyond [`KNOWN`] is forgotten.
    pub(super) fn open(&self, component: &str, stage: Stage) -> u64 {
        self.all(|all| {
            let number = all.keys().next_back().map_or(1, |last| last.saturating_add(1));
            all.insert(number, Progress::new(number, component, stage));
            if all.len() > KNOWN {
                all.pop_first();
            }
            number
        })
    }

    /// Returns the progress of a replacement; without a number, of the last one. `None`: no replacement has the number.
    pub(super) fn read(&self, number: Option<u64>) -> Option<Progress> {
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
    pub(super) fn note(&self, number: u64, what: impl FnOnce(&mut Progress)) {
        self.all(|all| all.get_mut(&number).map(what).unwrap_or_default());
    }

    /// Records that a replacement is refused, and logs it.
    pub(super) fn refuse(&self, number: u64, refusal: Refusal) {
        let Refusal { message, remedy } = refusal;
        self.note(number, |progress| {
            let component = &progress.component;
            warn!(component, remedy, "the policy goes on: the new one is refused: {message}");
            progress.stage = Stage::Refused;
            progress.said.push(message);
            progress.remedy = remedy;
        });
    }

    fn all<T>(&self, look: impl FnOnce(&mut BTreeMap<u64, Progress>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
