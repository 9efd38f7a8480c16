//! A policy in a session: the policy in force, or the shadow policy.

use std::collections::BTreeSet;

use lictor_contract::*;

use super::answer::{ComparableReply, ReplyMismatch};
use super::aside::ShadowTask;
use super::numbers::PlanNumberMap;
use super::report::ComparisonReport;
use super::slot::PolicySlot;
use super::transition::{StateTransfer, TransitionReason};
use super::worker::ShadowThread;
use crate::cluster::ReplayPosition;
use crate::policy::{CallError, Policy, PolicyUsage};
use crate::reason::MessageTemplates;

/// The maximum steps of the shadow policy's own cycle that are run after the cycle of the policy in force has ended.
const MAX_FOLLOWING_STEPS: usize = 64;

/// The configuration of a policy, and what follows from it.
pub(crate) struct Configuration {
    pub(crate) system: String,
    pub(crate) arguments: String,
    pub(crate) points: BTreeSet<ExtensionPoint>,
    pub(crate) judges_room: bool,
    /// Whether the system declares rules by which a victim may have a higher priority than the preemptor.
    pub(crate) evicts_higher_priority: bool,
    pub(crate) templates: MessageTemplates,
    /// The objects and fields that the policy reads.
    pub(crate) interests: Interests,
}

/// The policy in shadow. It receives the same events and calls as the policy in force. Its answers are compared and never carried out.
pub(crate) struct Shadow {
    pub(super) slot: PolicySlot,
    pub(crate) configuration: Configuration,
    pub(super) thread: ShadowThread,
    pub(crate) progress: ShadowProgress,
    pub(crate) comparison: ShadowComparison,
    /// The usage before its last call.
    pub(super) usage: PolicyUsage,
    /// Whether the policy may remember decisions that were not carried out.
    pub(super) diverged: bool,
    /// The plan numbers that this instance has used.
    pub(super) used_plan_numbers: BTreeSet<u64>,
    /// Whether the cycle of the shadow policy has ended before that of the policy in force.
    pub(super) cycle_finished: bool,
    /// The fault or lie of the policy. It gets no more calls.
    pub(crate) fault: Option<TransitionReason>,
    /// The findings of the policy in the objects.
    pub(crate) findings: Vec<Finding>,
    /// The time of the next call of `enforce` that the policy has requested, in nanoseconds since 1970.
    pub(crate) enforce_at: Option<i64>,
}

/// The parts of the cluster and of the state that the policy in shadow has received.
pub(crate) struct ShadowProgress {
    /// The position up to which the policy has received the cluster.
    pub(crate) position: ReplayPosition,
    /// The changes to those parts of the cluster that the policy already has. They are sent with the next part.
    pub(super) backlog: Vec<Event>,
    /// The work in progress on its thread.
    pub(super) task: Option<ShadowTask>,
    /// The result for the memory of the policy in force. `None`: the policy has not received everything yet.
    pub(crate) state_transfer: Option<StateTransfer>,
}

/// The comparison of the policy in shadow with the policy in force.
pub(crate) struct ShadowComparison {
    /// The extension points at which the answers of both policies are compared.
    pub(super) points: BTreeSet<ExtensionPoint>,
    /// The pairs of answers that decide differently, since they were last taken.
    pub(super) mismatches: Vec<ReplyMismatch>,
    pub(crate) report: ComparisonReport,
}

impl Shadow {
    pub(crate) fn new(policy: Box<dyn Policy>, configuration: Configuration) -> Shadow {
        Shadow {
            slot: PolicySlot::new(policy, PlanNumberMap::detached()),
            comparison: ShadowComparison {
                points: configuration.points.clone(),
                mismatches: Vec::new(),
                report: ComparisonReport::default(),
            },
            configuration,
            progress: ShadowProgress {
                position: ReplayPosition::Nothing,
                backlog: Vec::new(),
                task: None,
                state_transfer: None,
            },
            thread: ShadowThread::start(),
            usage: PolicyUsage::default(),
            diverged: false,
            used_plan_numbers: BTreeSet::new(),
            cycle_finished: false,
            fault: None,
            findings: Vec::new(),
            enforce_at: None,
        }
    }

    /// Restricts the comparison to the extension points of both policies. Filter is left out where only one policy judges the free capacity of nodes.
    pub(crate) fn compare_with(&mut self, points: &BTreeSet<ExtensionPoint>, judges_room: bool) {
        let mine = &self.configuration.points;
        let mut left_out: Vec<String> =
            mine.symmetric_difference(points).map(|point| point.name().to_owned()).collect();
        self.comparison.points = mine.intersection(points).copied().collect();
        if self.configuration.judges_room != judges_room && self.comparison.points.remove(&ExtensionPoint::Filter) {
            left_out.push(ExtensionPoint::Filter.name().to_owned());
        }
        self.comparison.report.not_compared = left_out;
    }

    /// Returns whether this policy got the same calls of Reserve as the other one.
    pub(crate) fn has_same_reserves(&self, points: &BTreeSet<ExtensionPoint>) -> bool {
        let reserve = &ExtensionPoint::Reserve;
        self.fault.is_none() && self.configuration.points.contains(reserve) == points.contains(reserve)
    }

    /// Reserves pods that are held already.
    pub(super) fn reserve(&mut self, held: &[(PodId, NodeId)]) {
        for (pod, node) in held {
            self.call(|policy| policy.reserve(*pod, *node));
        }
    }

    /// Returns whether the policy still receives the cluster.
    fn is_loading(&self) -> bool {
        self.progress.state_transfer.is_none() && !matches!(self.progress.task, Some(ShadowTask::TransferState(..)))
    }

    /// Returns whether the policy has received everything and works.
    pub(super) fn is_ready(&self) -> bool {
        self.progress.state_transfer.is_some() && self.fault.is_none()
    }

    /// Records that a call of the policy failed. Only the first fault or lie is kept.
    pub(super) fn record_fault(&mut self, error: &CallError) {
        let (call, message) = (error.call().to_owned(), error.to_string());
        self.fault.get_or_insert(TransitionReason::Fault { call, message });
    }

    /// Records that the policy gave an invalid answer. Only the first fault or lie is kept.
    pub(crate) fn record_invalid_reply(&mut self, call: &str, message: String) {
        self.fault.get_or_insert(TransitionReason::Lie { call: call.to_owned(), message });
    }

    /// Calls the policy, after waiting for its work in progress. `None`: the policy has failed or lacks the interface.
    pub(super) fn call<T>(&mut self, question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>) -> Option<T> {
        self.wait_for_task();
        if self.fault.is_some() {
            return None;
        }
        let answer = question(self.slot.policy.as_mut());
        self.check_reply(answer)
    }

    /// Returns the answer of a call, and records its failure. `None`: the call failed or the policy lacks the interface.
    pub(super) fn check_reply<T>(&mut self, answer: Result<T, CallError>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(CallError::MissingInterface(_)) => None,
            Err(fault) => {
                self.record_fault(&fault);
                None
            }
        }
    }

    /// Stores a checkpoint of the policy, where there is one, and returns it.
    pub(super) fn store_checkpoint(&mut self, checkpoint: Option<Checkpoint>) -> Option<Checkpoint> {
        let checkpoint = checkpoint?;
        self.slot.store_checkpoint(&checkpoint);
        Some(checkpoint)
    }

    /// Returns the events that the policy receives now. While the policy is loading, events about its parts are stored for the next part, and nothing
    /// is returned. Numbers of plans become those of the policy.
    pub(super) fn translate_events(&mut self, events: &[Event]) -> Vec<Event> {
        if self.is_loading() {
            let is_known =
                |event: &&Event| ReplayPosition::of(event).is_some_and(|place| place <= self.progress.position);
            self.progress.backlog.extend(events.iter().filter(is_known).cloned());
            return Vec::new();
        }
        // The checkpoint of the other policy must be restored before the next events.
        self.wait_for_task();
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            match event {
                Event::PlanAccepted(plan) => match self.slot.plan_numbers.matched(*plan) {
                    Some(own) => told.push(Event::PlanAccepted(own)),
                    None => self.diverged = true,
                },
                Event::PlanRefused(plan) => {
                    told.extend(self.slot.plan_numbers.to_instance(*plan).map(Event::PlanRefused));
                }
                other => told.push(other.clone()),
            }
        }
        told
    }

    /// Sends events to the policy unchanged.
    pub(super) fn send_events(&mut self, events: Vec<Event>) {
        if events.is_empty() {
            return;
        }
        if let Some(applied) = self.call(|policy| policy.apply(events)) {
            self.findings.extend(applied.findings);
        }
    }

    /// Compares the answer with that of the policy in force. Plans with the same moves are paired by their numbers. The policy's further plans are
    /// refused to it.
    pub(super) fn compare(&mut self, pod: Option<PodId>, primary: ComparableReply, own: ComparableReply) {
        let call = primary.call();
        if !primary.is_empty() {
            self.comparison.report.count(call);
        }
        let alike = primary.decides_same(&own);
        let mut theirs = primary.proposed_plans();
        let mut refused = Vec::new();
        for (number, moves) in own.proposed_plans() {
            self.slot.plan_numbers.record_used(number);
            if !self.used_plan_numbers.insert(number) {
                self.record_invalid_reply(call, format!("the number {number} was given to an earlier plan"));
            }
            match theirs.iter().position(|(_, other)| *other == moves) {
                Some(place) => self.slot.plan_numbers.record_match(theirs.remove(place).0, number),
                None => refused.push(Event::PlanRefused(number)),
            }
        }
        self.send_events(refused);
        if let ComparableReply::Enforce(answer) = &own {
            self.enforce_at = answer.retry.at;
        }
        if !alike {
            self.diverged |= primary.may_change_state() || own.may_change_state();
            self.comparison.mismatches.push(ReplyMismatch { pod, primary, shadow: own });
        }
    }

    /// Runs the policy's own cycle until it is as far as that of the policy in force. `more`: the latter has a next step.
    pub(super) fn follow_cycle(&mut self, more: bool, own_more: bool) {
        self.cycle_finished = more && !own_more;
        let mut own_more = own_more && !more;
        for _ in 0..MAX_FOLLOWING_STEPS {
            if !own_more {
                return;
            }
            let Some(step) = self.call(|policy| policy.act()) else { return };
            own_more = step.more;
            let refused = step.plans.slices.iter().map(|slice| Event::PlanRefused(slice.id));
            self.send_events(refused.collect());
        }
        self.record_invalid_reply("act", format!("the cycle has more than {MAX_FOLLOWING_STEPS} steps"));
    }
}
