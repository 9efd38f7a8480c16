//! Notes: what the laws said during an attempt, kept only when somebody wants to be told.

use std::collections::BTreeMap;

use crate::contract::{Note, Outcome, Subject};
use crate::laws::{Breach, Rule};
use crate::model::{Cluster, PodIx};

/// The notes of the last attempt of each pod.
#[derive(Debug, Default)]
pub struct Notes {
    on: bool,
    asker: Option<PodIx>,
    kept: BTreeMap<PodIx, Vec<Note>>,
}

impl Notes {
    /// Turns recording on or off; what was recorded is forgotten.
    pub fn switch(&mut self, on: bool) {
        *self = Notes { on, ..Notes::default() };
    }

    /// An attempt of a pod begins.
    pub fn begin(&mut self, asker: PodIx) {
        if self.on {
            self.asker = Some(asker);
            self.kept.insert(asker, Vec::new());
        }
    }

    /// An attempt goes on with another question.
    pub fn resume(&mut self, asker: PodIx) {
        self.asker = self.on.then_some(asker);
    }

    /// A pod is gone; its number may come to name another.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.kept.remove(&pod);
    }

    /// What was recorded for a pod.
    pub fn of(&self, pod: PodIx) -> Vec<Note> {
        self.kept.get(&pod).cloned().unwrap_or_default()
    }

    /// Records that a law was broken.
    pub fn breach(&mut self, cluster: &Cluster, subject: Subject, outcome: Outcome, rule: &Rule, breach: &Breach) {
        self.note(subject, outcome, rule, || breach.sentence(cluster));
    }

    /// Records what a law said; the sentence is made only when it is kept.
    pub fn note(&mut self, subject: Subject, outcome: Outcome, rule: &Rule, message: impl FnOnce() -> String) {
        if !self.on {
            return;
        }
        if let Some(notes) = self.asker.and_then(|asker| self.kept.get_mut(&asker)) {
            notes.push(Note { subject, outcome, law: rule.code.to_owned(), message: message() });
        }
    }
}
