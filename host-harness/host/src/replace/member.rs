//! A policy in a session: the one in force, or the one beside it.

use std::collections::BTreeSet;

use lictor_contract::*;

use super::answer::{Answer, Unlike};
use super::aside::Busy;
use super::machine::{Memory, Reason};
use super::numbers::Numbers;
use super::report::Report;
use super::worker::Worker;
use crate::cluster::Reached;
use crate::policy::{CallError, Policy, Usage};
use crate::reason::Templates;

/// How many steps a cycle of the policy's own may have that is run to its end in shadow.
const STEPS: usize = 64;

/// A policy, how it counts its plans, and what it remembered last.
pub(crate) struct Member {
    pub(super) policy: Box<dyn Policy>,
    pub(super) numbers: Numbers,
    pub(super) saved: Option<Saved>,
}

/// A checkpoint of a policy, and how it counted its plans then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saved {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) numbers: Numbers,
}

/// With what a policy is configured, and what follows from it.
pub(crate) struct Configuration {
    pub(crate) system: String,
    pub(crate) arguments: String,
    pub(crate) points: BTreeSet<ExtensionPoint>,
    pub(crate) judges_room: bool,
    pub(crate) templates: Templates,
}

/// The policy beside the one in force: it is told and asked the same, and what it answers is compared, never carried out.
pub(crate) struct Shadow {
    pub(super) member: Member,
    pub(crate) configuration: Configuration,
    /// The points at which its answers can be compared.
    pub(super) points: BTreeSet<ExtensionPoint>,
    /// How far it was told the cluster.
    pub(crate) reached: Reached,
    pub(super) worker: Worker,
    /// What it was given to do that nobody has waited for yet.
    pub(super) busy: Option<Busy>,
    /// What has happened to the part of the cluster that it was told. It is told that with the next part.
    pub(super) backlog: Vec<Event>,
    /// What it had used when it was asked last.
    pub(super) usage: Usage,
    /// What became of the memory of the policy in force; none until everything was told.
    pub(crate) memory: Option<Memory>,
    /// It may remember something that did not happen.
    pub(super) astray: bool,
    /// The numbers of plans that this instance has used.
    pub(super) used: BTreeSet<u64>,
    /// Its cycle has ended, that of the policy in force has not.
    pub(super) ahead: bool,
    /// What it did wrong. It is not asked any more.
    pub(crate) wrong: Option<Reason>,
    /// Answers that decide otherwise, to be looked at.
    pub(super) unlike: Vec<Unlike>,
    /// What it found in the objects.
    pub(crate) findings: Vec<Finding>,
    /// When it wants to be asked what queues give back.
    pub(crate) enforce_at: Option<i64>,
    pub(crate) report: Report,
}

impl Member {
    pub(super) fn new(policy: Box<dyn Policy>, numbers: Numbers) -> Member {
        Member { policy, numbers, saved: None }
    }

    /// Takes a checkpoint and keeps it. None where the policy keeps no memory.
    pub(super) fn save(&mut self) -> Result<Option<Checkpoint>, CallError> {
        match self.policy.save() {
            Ok(checkpoint) => {
                self.keep(&checkpoint);
                Ok(Some(checkpoint))
            }
            Err(CallError::Lacks(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Keeps a checkpoint that was taken.
    pub(super) fn keep(&mut self, checkpoint: &Checkpoint) {
        self.saved = Some(Saved { checkpoint: checkpoint.clone(), numbers: self.numbers.clone() });
    }

    /// Gives it what was remembered; what it says of it.
    pub(super) fn recall(&mut self, saved: &Saved) -> Result<Result<(), StateError>, CallError> {
        let taken = self.policy.restore(&saved.checkpoint)?;
        if taken.is_ok() {
            self.numbers = saved.numbers.clone();
        }
        Ok(taken)
    }
}

impl Shadow {
    pub(crate) fn new(policy: Box<dyn Policy>, configuration: Configuration) -> Shadow {
        Shadow {
            member: Member::new(policy, Numbers::apart()),
            points: configuration.points.clone(),
            configuration,
            reached: Reached::Nothing,
            worker: Worker::start(),
            busy: None,
            backlog: Vec::new(),
            usage: Usage::default(),
            memory: None,
            astray: false,
            used: BTreeSet::new(),
            ahead: false,
            wrong: None,
            unlike: Vec::new(),
            findings: Vec::new(),
            enforce_at: None,
            report: Report::default(),
        }
    }

    /// Leaves out of the comparison where only one of the two decides.
    pub(crate) fn compare_with(&mut self, points: &BTreeSet<ExtensionPoint>, judges_room: bool) {
        let mine = &self.configuration.points;
        let mut left_out: Vec<String> =
            mine.symmetric_difference(points).map(|point| point.name().to_owned()).collect();
        self.points = mine.intersection(points).copied().collect();
        if self.configuration.judges_room != judges_room && self.points.remove(&ExtensionPoint::Filter) {
            left_out.push(ExtensionPoint::Filter.name().to_owned());
        }
        self.report.not_compared = left_out;
    }

    /// Whether it was told of the pods that are held whenever the other policy was.
    pub(crate) fn is_in_step(&self, points: &BTreeSet<ExtensionPoint>) -> bool {
        let reserve = &ExtensionPoint::Reserve;
        self.wrong.is_none() && self.configuration.points.contains(reserve) == points.contains(reserve)
    }

    /// Gives it pods that are held, as a fact.
    pub(super) fn reserve(&mut self, held: &[(PodId, NodeId)]) {
        for (pod, node) in held {
            self.ask(|policy| policy.reserve(*pod, *node));
        }
    }

    /// Whether it is still told the cluster.
    fn is_loading(&self) -> bool {
        self.memory.is_none() && !matches!(self.busy, Some(Busy::Settles(..)))
    }

    /// Whether it was told everything and answers.
    pub(super) fn is_up(&self) -> bool {
        self.memory.is_some() && self.wrong.is_none()
    }

    /// It could not answer.
    pub(super) fn fault(&mut self, error: &CallError) {
        let (call, message) = (error.call().to_owned(), error.to_string());
        self.wrong.get_or_insert(Reason::Fault { call, message });
    }

    /// It gave an answer that cannot be.
    pub(crate) fn lie(&mut self, call: &str, message: String) {
        self.wrong.get_or_insert(Reason::Lie { call: call.to_owned(), message });
    }

    /// Asks it, where it answers.
    pub(super) fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>) -> Option<T> {
        self.fetch();
        if self.wrong.is_some() {
            return None;
        }
        let answer = question(self.member.policy.as_mut());
        self.answered(answer)
    }

    /// What it answered, where it did.
    pub(super) fn answered<T>(&mut self, answer: Result<T, CallError>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(CallError::Lacks(_)) => None,
            Err(fault) => {
                self.fault(&fault);
                None
            }
        }
    }

    /// A checkpoint of it that was taken is kept.
    pub(super) fn keep(&mut self, checkpoint: Option<Checkpoint>) -> Option<Checkpoint> {
        let checkpoint = checkpoint?;
        self.member.keep(&checkpoint);
        Some(checkpoint)
    }

    /// What it is told now of events that happen. While it is told the cluster, that comes with the next part, as far as it has come; the
    /// plans it gets with the memory of the policy in force.
    pub(super) fn hears(&mut self, events: &[Event]) -> Vec<Event> {
        if self.is_loading() {
            let is_known = |event: &&Event| Reached::of(event).is_some_and(|place| place <= self.reached);
            self.backlog.extend(events.iter().filter(is_known).cloned());
            return Vec::new();
        }
        // What it remembers comes before what happens next.
        self.fetch();
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            match event {
                Event::PlanAccepted(plan) => match self.member.numbers.matched(*plan) {
                    Some(own) => told.push(Event::PlanAccepted(own)),
                    None => self.astray = true,
                },
                Event::PlanRefused(plan) => {
                    told.extend(self.member.numbers.inward(*plan).map(Event::PlanRefused));
                }
                other => told.push(other.clone()),
            }
        }
        told
    }

    /// Tells it events as they are.
    pub(super) fn tell(&mut self, events: Vec<Event>) {
        if events.is_empty() {
            return;
        }
        if let Some(applied) = self.ask(|policy| policy.apply(events)) {
            self.findings.extend(applied.findings);
        }
    }

    /// Compares its answer with that of the policy in force. Where they are alike, its plans are those of the other; what it proposes
    /// beyond them is refused.
    pub(super) fn compare(&mut self, pod: Option<PodId>, primary: Answer, own: Answer) {
        let call = primary.call();
        if !primary.is_about_nothing() {
            self.report.count(call);
        }
        let alike = primary.decides_like(&own);
        let mut theirs = primary.proposed();
        let mut refused = Vec::new();
        for (number, moves) in own.proposed() {
            self.member.numbers.note(number);
            if !self.used.insert(number) {
                self.lie(call, format!("the number {number} was given to an earlier plan"));
            }
            match theirs.iter().position(|(_, other)| *other == moves) {
                Some(place) => self.member.numbers.pair(theirs.remove(place).0, number),
                None => refused.push(Event::PlanRefused(number)),
            }
        }
        self.tell(refused);
        if let Answer::Enforce(answer) = &own {
            self.enforce_at = answer.retry.at;
        }
        if !alike {
            self.astray |= primary.may_last() || own.may_last();
            self.unlike.push(Unlike { pod, primary, shadow: own });
        }
    }

    /// Brings its own cycle to where the other's is, which has a next step or has none.
    pub(super) fn follow_cycle(&mut self, more: bool, own_more: bool) {
        self.ahead = more && !own_more;
        let mut own_more = own_more && !more;
        for _ in 0..STEPS {
            if !own_more {
                return;
            }
            let Some(step) = self.ask(|policy| policy.act()) else { return };
            own_more = step.more;
            let refused = step.plans.slices.iter().map(|slice| Event::PlanRefused(slice.id));
            self.tell(refused.collect());
        }
        self.lie("act", format!("the cycle has more than {STEPS} steps"));
    }
}
