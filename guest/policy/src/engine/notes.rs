//! Notes: the explanations of an attempt, recorded only on request.

use std::collections::{BTreeMap, BTreeSet};

use super::refusals::Refusals;
use crate::contract::{Note, Outcome, Reason, Subject};
use crate::laws::{Denial, Detail, Rule};
use crate::model::{Cluster, PodIx};

/// The notes of the last attempt of each pod.
#[derive(Debug, Default)]
pub struct Notes {
    on: bool,
    preemptor: Option<PodIx>,
    kept: BTreeMap<PodIx, Kept>,
    /// Pods for which the notes of another pod of their job stand.
    spoken_for: BTreeMap<PodIx, PodIx>,
    /// What was refused in answer to the question, whether anybody wants to be told or not.
    pub refusals: Refusals,
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

    /// Whether explanations are recorded. What is needed for explanations only is not computed otherwise.
    pub fn are_on(&self) -> bool {
        self.on
    }

    /// A cycle of the policy's own begins: an attempt for every pending pod.
    pub fn begin_cycle(&mut self) {
        if self.on {
            *self = Notes { on: true, ..Notes::default() };
        }
    }

    /// An attempt of a pod begins.
    pub fn begin(&mut self, preemptor: PodIx) {
        if self.on {
            self.preemptor = Some(preemptor);
            self.spoken_for.remove(&preemptor);
            self.kept.insert(preemptor, Kept::default());
        }
    }

    /// An attempt continues at another extension point.
    pub fn resume(&mut self, preemptor: PodIx) {
        if self.on {
            self.preemptor = Some(self.spoken_for.get(&preemptor).copied().unwrap_or(preemptor));
        }
    }

    /// An attempt continues with the search for a plan. Notes of a plan that the host refused are removed.
    pub fn plan(&mut self, preemptor: PodIx) {
        self.resume(preemptor);
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
        self.preemptor = Some(head);
    }

    /// Removes a pod; its number may be used again.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.kept.remove(&pod);
        self.spoken_for.retain(|spoken_for, head| *spoken_for != pod && *head != pod);
    }

    /// What was recorded for a pod.
    pub fn of(&self, pod: PodIx) -> Vec<Note> {
        let head = self.spoken_for.get(&pod).unwrap_or(&pod);
        self.kept.get(head).map(|kept| kept.in_order.clone()).unwrap_or_default()
    }

    /// A law was broken, and that refuses the preemptor or spares a candidate: recorded, and it counts for when to ask again.
    pub fn refused(&mut self, cluster: &Cluster, subject: Subject, outcome: Outcome, rule: &Rule, denial: &Denial) {
        self.refusals.denied(rule, denial, cluster.now());
        self.denial(cluster, subject, outcome, rule, denial);
    }

    /// Records that a law was broken. Where a queue stands in the way of the preemptor, the note is about the queue.
    pub fn denial(&mut self, cluster: &Cluster, subject: Subject, outcome: Outcome, rule: &Rule, denial: &Denial) {
        if !self.on {
            return;
        }
        let queue = denial.queue().filter(|_| subject == Subject::Preemptor).and_then(|queue| cluster.queue(queue));
        let subject = queue.map_or(subject, |queue| Subject::Queue(queue.name.clone()));
        self.note(subject, outcome, rule, || denial.detail(cluster));
    }

    /// Records what a law, or the engine, found; nothing is worked out unless it is kept.
    pub fn note(&mut self, subject: Subject, outcome: Outcome, rule: &Rule, detail: impl FnOnce() -> Detail) {
        self.add(subject, outcome, || rule.reason(detail()));
    }

    /// Records a reason.
    pub fn add(&mut self, subject: Subject, outcome: Outcome, reason: impl FnOnce() -> Reason) {
        if let Some(kept) = self.kept() {
            let note = Note { subject, outcome, reason: reason() };
            if kept.seen.insert(note.clone()) {
                kept.in_order.push(note);
            }
        }
    }

    /// Whether this was noted of the subject in the attempt, by whatever law.
    pub fn tell_of(&self, subject: &Subject, outcome: Outcome) -> bool {
        let first = Note { subject: subject.clone(), outcome, reason: Reason::default() };
        let kept = self.preemptor.and_then(|preemptor| self.kept.get(&preemptor));
        let next = kept.and_then(|kept| kept.seen.range(first..).next());
        next.is_some_and(|note| note.subject == *subject && note.outcome == outcome)
    }

    fn kept(&mut self) -> Option<&mut Kept> {
        if !self.on {
            return None;
        }
        self.preemptor.map(|preemptor| self.kept.entry(preemptor).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reasons;

    const RULE: Rule = reasons::NO_NODE;

    fn note(notes: &mut Notes, message: &str) {
        notes.note(Subject::Preemptor, Outcome::Barred, &RULE, || Detail::default().text("text", message));
    }

    fn said(notes: &Notes, pod: u32) -> Vec<String> {
        notes.of(PodIx(pod)).iter().map(|note| crate::testing::shown(&note.reason).replace("text ", "")).collect()
    }

    #[test]
    fn no_sentence_is_made_while_nobody_wants_to_be_told() {
        let mut notes = Notes::default();
        notes.begin(PodIx(1));
        notes.resume_job(&[PodIx(1), PodIx(2)]);
        notes.note(Subject::Preemptor, Outcome::Barred, &RULE, || panic!("it is made"));
        assert!(notes.kept.is_empty() && notes.spoken_for.is_empty() && notes.preemptor.is_none());
    }

    #[test]
    fn a_job_has_one_set_of_notes_whoever_of_it_is_first() {
        let mut notes = Notes::default();
        notes.switch(true);
        notes.resume_job(&[PodIx(1), PodIx(2)]);
        note(&mut notes, "a");
        notes.resume(PodIx(2));
        note(&mut notes, "b");
        note(&mut notes, "b");
        notes.resume_job(&[PodIx(3), PodIx(2)]);
        note(&mut notes, "c");
        for pod in 1..=3 {
            assert_eq!(said(&notes, pod), ["a", "b", "c"], "{pod}");
        }
        notes.begin(PodIx(2));
        note(&mut notes, "d");
        assert_eq!((said(&notes, 2), said(&notes, 3)), (vec!["d".to_owned()], said(&notes, 1)));
        notes.forget_pod(PodIx(1));
        assert_eq!(said(&notes, 3), [""; 0], "the notes went with the pod they stood under");
        notes.begin_cycle();
        assert_eq!(said(&notes, 2), [""; 0]);
    }

    #[test]
    fn what_is_known_of_a_subject_is_found_whatever_the_law() {
        let mut notes = Notes::default();
        notes.switch(true);
        notes.begin(PodIx(0));
        notes.note(Subject::Pod(5), Outcome::Reprieved, &RULE, || Detail::default().text("text", "z"));
        for (subject, outcome, known) in [
            (Subject::Pod(5), Outcome::Reprieved, true),
            (Subject::Pod(5), Outcome::Unneeded, false),
            (Subject::Pod(5), Outcome::Needed, false),
            (Subject::Pod(4), Outcome::Reprieved, false),
            (Subject::Node(5), Outcome::Reprieved, false),
        ] {
            assert_eq!(notes.tell_of(&subject, outcome), known, "{subject:?} {outcome:?}");
        }
    }
}
