//! What an attempt must end with: a node, a refusal, or a plan.

use std::collections::BTreeSet;

use serde_json::json;

use super::{KoordinatorAttemptCheck, devices, fitting_nodes, job, unplaced_pods};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::systems::rounds::{GangTurn, check_rejected, holds_no_node};
use crate::tally::StepFindings;
use crate::world::ModelPod;

impl KoordinatorAttemptCheck<'_> {
    /// Judges the attempt.
    pub(super) fn judge(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let KoordinatorAttemptCheck { world, pod, .. } = self;
        if !self.gangs.have_members(pod) {
            if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
                let text =
                    format!("`{}` is of a gang that has too few members; it ended {:?}", pod.name, outcome.ended);
                verdict.breach_expecting("gang-has-its-members", text, json!({"result": "Rejected", "victims": []}));
            }
            // The group cannot start: it holds no room.
            let ended = self.turn.clone().map(GangTurn::at_last);
            return self.gangs.check_held(pod, ended.as_ref(), outcome, verdict);
        }
        if self.gangs.is_one_too_many(pod) {
            check_rejected(pod, outcome, verdict);
            return self.gangs.check_held(pod, None, outcome, verdict);
        }
        if !devices::are_decidable(world, &unplaced_pods(world, &job(pod))) {
            if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
                let text = format!("nobody knows the device of `{}`; it ended {:?}", pod.name, outcome.ended);
                verdict.breach_expecting("devices-are-judged", text, json!({"result": "Rejected", "victims": []}));
            }
            return self.gangs.check_held(pod, self.turn.as_ref(), outcome, verdict);
        }
        if self.turn.as_ref().is_some_and(|turn| turn.is_over) {
            check_rejected(pod, outcome, verdict);
            return self.gangs.check_held(pod, None, outcome, verdict);
        }
        let admitted = self.is_admitted();
        let fitting_nodes: Vec<String> = fitting_nodes(world, pod);
        let placed = matches!(outcome.ended, Some(AttemptStatus::Scheduled | AttemptStatus::Waiting));
        if admitted && !fitting_nodes.is_empty() {
            return self.check_fitting(&fitting_nodes, outcome, verdict);
        }
        if placed {
            let law = if admitted { "bound-where-there-is-room" } else { "job-fits-quota" };
            let text =
                format!("`{}` was placed; quota admits: {admitted}, nodes with room: {fitting_nodes:?}", pod.name);
            return verdict.breach(law, text);
        }
        let wanted = if admitted { AttemptStatus::Unschedulable } else { AttemptStatus::Rejected };
        let together = |other: &ModelPod| self.gangs.share_group(pod, other);
        if self.turn.as_ref().is_some_and(|turn| turn.gets_other_nodes((world, pod), &together, outcome, verdict)) {
            return;
        }
        if outcome.ended == Some(AttemptStatus::Nominated) {
            self.gangs.check_held(pod, None, outcome, verdict);
            return self.plan(outcome, verdict);
        }
        if outcome.ended != Some(wanted) {
            verdict.breach(
                "attempt-is-reported-completely",
                format!("`{}`: {:?}, not {wanted:?}", pod.name, outcome.ended),
            );
        }
        if let Some(turn) = self.turn.as_ref().filter(|_| !self.waits_for_plan()) {
            turn.has_no_other_nodes((world, pod), &together, verdict);
        }
        self.gangs.check_held(pod, self.turn.as_ref().filter(|_| !self.waits_for_plan()), outcome, verdict);
        self.complete(outcome, verdict);
    }

    /// Returns whether the quotas hold with the job of the pod.
    pub(super) fn is_admitted(&self) -> bool {
        let own = self.parts.first();
        own.is_none_or(|own| self.bounds.iter().all(|books| books.admits(own.is_non_preemptible, &self.demand)))
    }

    /// Checks an attempt of a pod that is admitted and fits: the pod is bound, or held until its gang is complete.
    fn check_fitting(&self, fitting_nodes: &[String], outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let pod = self.pod;
        if let Some(turn) = self.turn.as_ref().filter(|turn| turn.is_in_vain) {
            holds_no_node(pod, outcome, verdict);
            return self.gangs.check_held(pod, Some(&turn.clone().at_last()), outcome, verdict);
        }
        let enough = self.gangs.are_complete_with(pod);
        let wanted = if enough { AttemptStatus::Scheduled } else { AttemptStatus::Waiting };
        let there = outcome.node.as_ref().is_some_and(|node| fitting_nodes.contains(node));
        if outcome.ended != Some(wanted) || !there {
            let text = format!(
                "`{}` is admitted and fits {fitting_nodes:?}; it ended {:?} {:?}",
                pod.name, outcome.ended, outcome.node
            );
            let expect = json!({"result": format!("{wanted:?}"), "nodeIn": fitting_nodes});
            return verdict.breach_expecting("bound-where-there-is-room", text, expect);
        }
        if pod
            .nominated
            .as_ref()
            .is_some_and(|node| fitting_nodes.contains(node) && outcome.node.as_ref() != Some(node))
        {
            verdict.breach("nominated-node-first", format!("`{}` was not given its nominated node", pod.name));
        }
        let bound = if enough { self.gangs.bound_with(pod) } else { BTreeSet::new() };
        if !outcome.bound.keys().map(String::as_str).eq(bound.iter().copied()) {
            let text = format!("bound were {:?}, not {bound:?}", outcome.bound);
            verdict.breach("gang-is-complete", text);
        }
        self.gangs.check_held(pod, None, outcome, verdict);
    }
}
