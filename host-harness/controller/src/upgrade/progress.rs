//! How replacements stand, for those who ordered them.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::replace::{Report, State, Transition};
use serde::{Deserialize, Serialize};
use tracing::warn;

/// So many replacements are known: those that were ordered last.
const KNOWN: usize = 16;
/// So many differences are told.
const TOLD: usize = 20;

/// Where a replacement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// The component is read, verified, compiled and configured.
    Fetching,
    /// It waits until the loop takes it: until the cluster is known, and another replacement has come to its end.
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
    /// The old policy decides, because of what was seen.
    RolledBack,
    /// The old policy decides: the new one could not be tried.
    Refused,
}

impl Stage {
    /// Whether nothing follows.
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

/// How a replacement stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Its number: the process counts what was ordered.
    pub number: u64,
    /// The component as it was ordered; after it was read, with its digest.
    pub component: String,
    /// Where it stands.
    pub stage: Stage,
    /// How many answers were compared.
    pub compared: u64,
    /// How many of them decide otherwise.
    pub different: u64,
    /// The first differences, in words.
    pub differences: Vec<String>,
    /// What happened, in its order, in sentences.
    pub said: Vec<String>,
    /// What to do, where it was refused.
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

    /// What was seen last.
    pub fn last(&self) -> &str {
        self.said.last().map_or("", String::as_str)
    }

    /// What was compared so far.
    pub(super) fn compare(&mut self, report: &Report) {
        let totals = report.totals();
        (self.compared, self.different) = (totals.compared, totals.different);
        let known = self.differences.len();
        let new = report.differences.iter().take(TOLD).skip(known);
        self.differences.extend(new.map(ToString::to_string));
    }

    /// One state followed another.
    pub(super) fn go(&mut self, transition: &Transition) {
        self.stage = transition.to.into();
        self.said.push(transition.to_string());
    }
}

/// All replacements that are known. Clones are of one book.
#[derive(Debug, Clone, Default)]
pub(super) struct Book(Arc<Mutex<BTreeMap<u64, Progress>>>);

impl Book {
    /// Another one was ordered; its number.
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

    /// How one stands; of no number: the last one.
    pub(super) fn read(&self, number: Option<u64>) -> Option<Progress> {
        self.all(|all| match number {
            Some(number) => all.get(&number).cloned(),
            None => all.values().next_back().cloned(),
        })
    }

    /// Whether another one was ordered after it.
    pub(super) fn is_outdated(&self, number: u64) -> bool {
        self.all(|all| all.keys().next_back().is_some_and(|last| *last > number))
    }

    /// Takes note of something.
    pub(super) fn note(&self, number: u64, what: impl FnOnce(&mut Progress)) {
        self.all(|all| all.get_mut(&number).map(what).unwrap_or_default());
    }

    /// It is not tried.
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
