//! Notes: what the laws said during an attempt, kept only when somebody wants to be told.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Note, Outcome, Subject};
use crate::laws::{Breach, Rule};
use crate::model::{Cluster, PodIx};

/// The notes of the last attempt of each pod.
#[derive(Debug, Default)]
pub struct Notes {
    on: bool,
    asker: Option<PodIx>,
    kept: BTreeMap<PodIx, Kept>,
    /// Pods for which the notes of another pod of their job stand.
    spoken_for: BTreeMap<PodIx, PodIx>,
}

/// The notes of an attempt, each once.
#[derive(Debug, Default)]
struct Kept {
    in_order: Vec<Note>,
    seen: BTreeSet<Note>,
    /// How many there were before a plan was looked for.
    before_plan: Option<usize>,
}

impl Notes {
    /// Turns recording on or off; what was recorded is forgotten.
    pub fn switch(&mut self, on: bool) {
        *self = Notes { on, ..Notes::default() };
    }

    /// Whether somebody wants to be told: what is worked out only to be noted is not worked out else.
    pub fn are_on(&self) -> bool {
        self.on
    }

    /// A cycle of the policy's own begins: an attempt for everybody who waits.
    pub fn begin_cycle(&mut self) {
        if self.on {
            *self = Notes { on: true, ..Notes::default() };
        }
    }

    /// An attempt of a pod begins.
    pub fn begin(&mut self, asker: PodIx) {
        if self.on {
            self.asker = Some(asker);
            self.spoken_for.remove(&asker);
            self.kept.insert(asker, Kept::default());
        }
    }

    /// An attempt goes on with another question.
    pub fn resume(&mut self, asker: PodIx) {
        if self.on {
            self.asker = Some(self.spoken_for.get(&asker).copied().unwrap_or(asker));
        }
    }

    /// An attempt goes on with the search for a plan, perhaps for another than the host refused: what was noted of that is
    /// forgotten.
    pub fn plan(&mut self, asker: PodIx) {
        self.resume(asker);
        if let Some(kept) = self.kept() {
            let length = *kept.before_plan.get_or_insert(kept.in_order.len());
            kept.in_order.truncate(length);
            kept.seen = kept.in_order.iter().cloned().collect();
        }
    }

    /// What is noted from here on is about all these pods of a job.
    pub fn resume_job(&mut self, pods: &[PodIx]) {
        if !self.on {
            return;
        }
        let known = pods.iter().find_map(|pod| self.spoken_for.get(pod)).copied();
        let Some(head) = known.or(pods.first().copied()) else { return };
        self.spoken_for.extend(pods.iter().map(|pod| (*pod, head)));
        self.asker = Some(head);
    }

    /// A pod is gone; its number may come to name another.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.kept.remove(&pod);
        self.spoken_for.retain(|spoken_for, head| *spoken_for != pod && *head != pod);
    }

    /// What was recorded for a pod.
    pub fn of(&self, pod: PodIx) -> Vec<Note> {
        let head = self.spoken_for.get(&pod).unwrap_or(&pod);
        self.kept.get(head).map(|kept| kept.in_order.clone()).unwrap_or_default()
    }

    /// Records that a law was broken. Where a queue stands in the way of the asker, the note is about the queue.
    pub fn breach(&mut self, cluster: &Cluster, subject: Subject, outcome: Outcome, rule: &Rule, breach: &Breach) {
        if !self.on {
            return;
        }
        let queue = breach.queue().filter(|_| subject == Subject::Asker).and_then(|queue| cluster.queue(queue));
        let subject = queue.map_or(subject, |queue| Subject::Queue(queue.name.clone()));
        self.note(subject, outcome, rule, || breach.sentence(cluster));
    }

    /// Records what a law said; the sentence is made only when it is kept.
    pub fn note(&mut self, subject: Subject, outcome: Outcome, rule: &Rule, message: impl FnOnce() -> String) {
        self.say(subject, outcome, rule.code, message);
    }

    /// Records what is no law's, under this code.
    pub fn say(&mut self, subject: Subject, outcome: Outcome, code: &str, message: impl FnOnce() -> String) {
        if !self.on {
            return;
        }
        if let Some(kept) = self.kept() {
            let note = Note { subject, outcome, law: code.to_owned(), message: message() };
            if kept.seen.insert(note.clone()) {
                kept.in_order.push(note);
            }
        }
    }

    /// Whether this was noted of the subject in the attempt, by whatever law.
    pub fn tell_of(&self, subject: &Subject, outcome: Outcome) -> bool {
        let first = Note { subject: subject.clone(), outcome, law: String::new(), message: String::new() };
        let kept = self.asker.and_then(|asker| self.kept.get(&asker));
        let next = kept.and_then(|kept| kept.seen.range(first..).next());
        next.is_some_and(|note| note.subject == *subject && note.outcome == outcome)
    }

    fn kept(&mut self) -> Option<&mut Kept> {
        if !self.on {
            return None;
        }
        self.asker.map(|asker| self.kept.entry(asker).or_default())
    }
}
