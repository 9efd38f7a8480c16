//! Notes: the explanations of an attempt, recorded only on request.

mod noted;
mod refusal;

use std::collections::{BTreeMap, BTreeSet};

use super::refusals::RetryHints;
use crate::contract::{Note, NotedPods, Outcome, Reason, Refusal, Subject};
use crate::laws::{ActiveLaw, Denial, ReasonFacts};
use crate::model::{Cluster, PodIx};
use noted::NotedSet;
use refusal::CycleRefusals;

/// The notes of the last attempt of each pod.
#[derive(Debug, Default)]
pub struct DecisionTrace {
    noted: NotedSet,
    preemptor: Option<PodIx>,
    /// Whether the attempt is one of a noted pod, or of its job.
    is_noted_attempt: bool,
    attempts: BTreeMap<PodIx, AttemptTrace>,
    /// Pods whose explanations are recorded under another pod of their job, by that pod.
    recorded_under: BTreeMap<PodIx, PodIx>,
    /// Why the jobs of the policy's own cycle wait. They are recorded whether explanations are on or off. `None`: no such cycle runs.
    refusals: Option<CycleRefusals>,
    /// The refusals during the current request. They are recorded whether explanations are on or off.
    pub retry_hints: RetryHints,
}

/// The notes of an attempt, each once.
#[derive(Debug, Default)]
struct AttemptTrace {
    in_order: Vec<Note>,
    seen: BTreeSet<Note>,
    /// The number of notes before the search for a plan. `None`: no search has run.
    before_plan: Option<usize>,
}

impl DecisionTrace {
    /// Sets the pods about which notes are recorded, and forgets all notes.
    pub fn set_noted(&mut self, noted: &NotedPods, cluster: &Cluster) {
        let noted = NotedSet::of(noted, cluster);
        *self = DecisionTrace { noted, ..DecisionTrace::default() };
    }

    /// Returns whether it matters which pod an attempt is for.
    fn is_enabled(&self) -> bool {
        self.noted != NotedSet::None || self.refusals.is_some()
    }

    /// Checks whether explanations are recorded in the current attempt. Otherwise, nothing is computed for explanations only.
    pub fn is_recording(&self) -> bool {
        self.noted.is_recording(self.is_noted_attempt)
    }

    /// Begins a cycle of the policy's own, an attempt for every pending pod: forgets all notes.
    pub fn begin_cycle(&mut self) {
        let noted = std::mem::take(&mut self.noted);
        *self = DecisionTrace { noted, refusals: Some(CycleRefusals::default()), ..DecisionTrace::default() };
    }

    /// Begins an attempt for a pod: forgets its notes.
    pub fn begin(&mut self, preemptor: PodIx) {
        if self.is_enabled() {
            self.recorded_under.remove(&preemptor);
            self.attempts.remove(&preemptor);
            self.set_preemptor(preemptor);
        }
    }

    /// Continues an attempt at another extension point: new notes are about this pod, or about the pod that stands for its job.
    pub fn resume(&mut self, preemptor: PodIx) {
        if self.is_enabled() {
            self.set_preemptor(self.recorded_under.get(&preemptor).copied().unwrap_or(preemptor));
        }
    }

    fn set_preemptor(&mut self, preemptor: PodIx) {
        self.preemptor = Some(preemptor);
        self.is_noted_attempt = self.noted.notes_attempt(preemptor, &self.recorded_under);
    }

    /// Continues an attempt with the search for a plan. Removes the notes of an earlier search, whose plan the host refused.
    pub fn plan(&mut self, preemptor: PodIx) {
        self.resume(preemptor);
        if let Some(kept) = self.attempt() {
            let length = *kept.before_plan.get_or_insert(kept.in_order.len());
            kept.in_order.truncate(length);
            kept.seen = kept.in_order.iter().cloned().collect();
        }
    }

    /// Makes new notes be about all these pods of a job.
    pub fn resume_job(&mut self, pods: &[PodIx]) {
        if !self.is_enabled() {
            return;
        }
        let known = pods.iter().find_map(|pod| self.recorded_under.get(pod)).copied();
        let Some(head) = known.or(pods.first().copied()) else { return };
        self.recorded_under.extend(pods.iter().map(|pod| (*pod, head)));
        self.set_preemptor(head);
    }

    /// Removes a pod; its number may be used again.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.attempts.remove(&pod);
        self.recorded_under.retain(|spoken_for, head| *spoken_for != pod && *head != pod);
    }

    /// Returns the notes on a pod, in the order in which they were recorded; empty where there are none.
    pub fn of(&self, pod: PodIx) -> Vec<Note> {
        let head = self.recorded_under.get(&pod).unwrap_or(&pod);
        self.attempts.get(head).map(|kept| kept.in_order.clone()).unwrap_or_default()
    }

    /// Records a broken law that refuses the preemptor or spares a candidate. The law also counts for when the request is worth repeating, even where
    /// explanations are off.
    pub fn record_denial_and_hint(
        &mut self,
        cluster: &Cluster,
        subject: Subject,
        outcome: Outcome,
        rule: &ActiveLaw,
        denial: &Denial,
    ) {
        self.retry_hints.add_denial(rule, denial, cluster.now());
        self.record_denial(cluster, subject, outcome, rule, denial);
    }

    /// Records that a law was broken. If the denial is about a queue, and the subject is the preemptor, the note is about the queue.
    pub fn record_denial(
        &mut self,
        cluster: &Cluster,
        subject: Subject,
        outcome: Outcome,
        rule: &ActiveLaw,
        denial: &Denial,
    ) {
        let is_refusal = self.refusals.is_some() && subject == Subject::Preemptor;
        if !(self.is_recording() || is_refusal) {
            return;
        }
        let queue = denial.queue().filter(|_| subject == Subject::Preemptor).and_then(|queue| cluster.queue(queue));
        let subject = queue.map_or(subject, |queue| Subject::Queue(queue.name.clone()));
        self.record(subject, outcome, rule, || denial.detail(cluster));
    }

    /// Records what a law, or the engine, found. The detail is computed only if it is recorded.
    pub fn record(
        &mut self,
        subject: Subject,
        outcome: Outcome,
        rule: &ActiveLaw,
        detail: impl FnOnce() -> ReasonFacts,
    ) {
        self.add(subject, outcome, || rule.reason(detail()));
    }

    /// Records a reason.
    pub fn add(&mut self, subject: Subject, outcome: Outcome, reason: impl FnOnce() -> Reason) {
        let records = self.noted.records(&subject, self.is_noted_attempt);
        let is_refusal = outcome == Outcome::Barred && matches!(subject, Subject::Preemptor | Subject::Queue(_));
        let refusals = self.refusals.as_mut().filter(|_| is_refusal).zip(self.preemptor);
        if !records && refusals.is_none() {
            return;
        }
        let reason = reason();
        if let Some((refusals, preemptor)) = refusals {
            refusals.record(preemptor, &reason);
        }
        if let Some(kept) = self.attempt().filter(|_| records) {
            let note = Note { subject, outcome, reason };
            if kept.seen.insert(note.clone()) {
                kept.in_order.push(note);
            }
        }
    }

    /// Records what most nodes lack for a pod, and how many they are, where nothing else says why the pod waits.
    pub fn refuse_on_nodes(&mut self, reason: impl FnOnce() -> Option<(Reason, u32)>) {
        if let Some((refusals, preemptor)) = self.refusals.as_mut().zip(self.preemptor) {
            refusals.record_on_nodes(preemptor, reason);
        }
    }

    /// Returns why pods wait after a cycle of the policy's own, a refusal for each job, and forgets it.
    pub fn take_refusals(&mut self, waiting: impl Iterator<Item = PodIx>) -> Vec<Refusal> {
        let refusals = self.refusals.take().unwrap_or_default();
        let head = |pod: PodIx| self.recorded_under.get(&pod).copied().unwrap_or(pod);
        refusals.of(waiting.map(|pod| (head(pod), pod)))
    }

    /// Checks whether the attempt has a note with this outcome on the subject, by whatever law.
    pub fn has_entry(&self, subject: &Subject, outcome: Outcome) -> bool {
        let first = Note { subject: subject.clone(), outcome, reason: Reason::default() };
        let kept = self.preemptor.and_then(|preemptor| self.attempts.get(&preemptor));
        let next = kept.and_then(|kept| kept.seen.range(first..).next());
        next.is_some_and(|note| note.subject == *subject && note.outcome == outcome)
    }

    fn attempt(&mut self) -> Option<&mut AttemptTrace> {
        self.preemptor.map(|preemptor| self.attempts.entry(preemptor).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reasons;

    const RULE: ActiveLaw = reasons::NO_NODE;

    fn note(notes: &mut DecisionTrace, message: &str) {
        notes.record(Subject::Preemptor, Outcome::Barred, &RULE, || ReasonFacts::default().text("text", message));
    }

    fn lines_of(notes: &DecisionTrace, pod: u32) -> Vec<String> {
        notes
            .of(PodIx(pod))
            .iter()
            .map(|note| crate::testing::render_reason(&note.reason).replace("text ", ""))
            .collect()
    }

    #[test]
    fn no_sentence_is_made_while_nobody_wants_to_be_told() {
        let mut notes = DecisionTrace::default();
        notes.begin(PodIx(1));
        notes.resume_job(&[PodIx(1), PodIx(2)]);
        notes.record(Subject::Preemptor, Outcome::Barred, &RULE, || panic!("it is made"));
        assert!(notes.attempts.is_empty() && notes.recorded_under.is_empty() && notes.preemptor.is_none());
    }

    #[test]
    fn only_the_attempts_of_noted_pods_are_explained_and_what_others_find_about_them() {
        let mut notes = DecisionTrace::default();
        notes.set_noted(&NotedPods::These(vec![2]), &Cluster::default());
        assert!(!notes.is_recording());
        notes.begin(PodIx(1));
        assert!(!notes.is_recording());
        notes.record(Subject::Node(0), Outcome::Barred, &RULE, || panic!("it is made"));
        notes.record(Subject::Pod(3), Outcome::Spared, &RULE, || panic!("it is made"));
        notes.record(Subject::Pod(2), Outcome::Spared, &RULE, ReasonFacts::default);
        assert_eq!(notes.of(PodIx(1)).len(), 1);
        notes.begin(PodIx(2));
        assert!(notes.is_recording());
        note(&mut notes, "a");
        assert_eq!(lines_of(&notes, 2), ["a"]);
        // The job of a noted pod is explained, whichever of its pods stands for it.
        notes.resume_job(&[PodIx(5), PodIx(2)]);
        assert!(notes.is_recording());
        note(&mut notes, "b");
        assert_eq!(lines_of(&notes, 2), ["b"]);
        notes.begin_cycle();
        notes.resume_job(&[PodIx(5), PodIx(6)]);
        assert!(!notes.is_recording());
    }

    #[test]
    fn a_job_has_one_set_of_notes_whoever_of_it_is_first() {
        let mut notes = DecisionTrace::default();
        notes.set_noted(&NotedPods::All, &Cluster::default());
        notes.resume_job(&[PodIx(1), PodIx(2)]);
        note(&mut notes, "a");
        notes.resume(PodIx(2));
        note(&mut notes, "b");
        note(&mut notes, "b");
        notes.resume_job(&[PodIx(3), PodIx(2)]);
        note(&mut notes, "c");
        for pod in 1..=3 {
            assert_eq!(lines_of(&notes, pod), ["a", "b", "c"], "{pod}");
        }
        notes.begin(PodIx(2));
        note(&mut notes, "d");
        assert_eq!((lines_of(&notes, 2), lines_of(&notes, 3)), (vec!["d".to_owned()], lines_of(&notes, 1)));
        notes.forget_pod(PodIx(1));
        assert_eq!(lines_of(&notes, 3), [""; 0], "the notes went with the pod they stood under");
        notes.begin_cycle();
        assert_eq!(lines_of(&notes, 2), [""; 0]);
    }

    #[test]
    fn what_is_known_of_a_subject_is_found_whatever_the_law() {
        let mut notes = DecisionTrace::default();
        notes.set_noted(&NotedPods::All, &Cluster::default());
        notes.begin(PodIx(0));
        notes.record(Subject::Pod(5), Outcome::Reprieved, &RULE, || ReasonFacts::default().text("text", "z"));
        for (subject, outcome, known) in [
            (Subject::Pod(5), Outcome::Reprieved, true),
            (Subject::Pod(5), Outcome::Unneeded, false),
            (Subject::Pod(5), Outcome::Needed, false),
            (Subject::Pod(4), Outcome::Reprieved, false),
            (Subject::Node(5), Outcome::Reprieved, false),
        ] {
            assert_eq!(notes.has_entry(&subject, outcome), known, "{subject:?} {outcome:?}");
        }
    }
}
