//! The events of the loop, as structured log lines.

use std::collections::BTreeMap;

use lictor_host::cluster::InputError;
use lictor_host::session::{AttemptResult, CommandOutcome, ObjectRef, Session, StepOutput};
use tracing::{debug, error, info, warn};

use super::listener::{LoopObserver, WakeFunction};
use crate::carry_out::{FinishedTask, word};
use crate::decide::foreign::{ExternalEviction, ExternalEvictionCause};
use crate::decide::lives::GivenUpPlan;
use crate::decide::refused::UnschedulablePod;
use crate::decide::victims::RunningVictim;
use crate::decide::{DeciderOutput, RecordableSession};
use crate::ops::rights;
use crate::report::OVERDUE_HINT;
use crate::watch::GroupKind;
use crate::watch::store::ObjectChange;

/// The time after which a refused pod is logged as refused: a second, in nanoseconds. Until then the lines are for debugging.
const SETTLED: i64 = 1_000_000_000;

/// The listener that writes log lines. A decision that repeats is logged once.
#[derive(Debug, Default)]
pub struct LogObserver {
    /// The last line about each pod.
    last_lines: BTreeMap<String, String>,
    /// The pods that were refused and not reported yet: since when, how the attempt ended, and why.
    refused: BTreeMap<String, (i64, AttemptResult, String)>,
    missing: usize,
    /// Whether it was logged in this reign that the checkpoint cannot be read or stored.
    is_checkpoint_failing: bool,
}

impl LogObserver {
    /// Logs the pods that have been refused for a second: most are placed before, or receive their node when the others of their gang exist.
    fn log_refused(&mut self, now: i64) {
        let is_due = |_: &String, refused: &mut (i64, AttemptResult, String)| refused.0.saturating_add(SETTLED) <= now;
        let due: Vec<_> = self.refused.extract_if(.., is_due).collect();
        for (pod, (_, result, reason)) in due {
            if self.is_new(&pod, reason.clone()) {
                info!(pod, %result, reason, "refused");
            }
        }
    }

    fn step(&mut self, step: &StepOutput, now: i64) {
        for plan in &step.happened.plans {
            let victims: Vec<&str> = plan.victims.iter().map(String::as_str).collect();
            let text = format!("{:?} {victims:?}", plan.nominated);
            if self.is_new(&plan.for_whom.to_string(), text) {
                let nominated: Vec<String> =
                    plan.nominated.iter().map(|(pod, node)| format!("{pod} on {node}")).collect();
                let (nominated, victims) = (nominated.join(", "), victims.join(", "));
                if plan.victims.is_empty() {
                    info!(plan = plan.plan, preemptor = %plan.for_whom, nominated, "nomination to free capacity");
                } else {
                    info!(plan = plan.plan, preemptor = %plan.for_whom, nominated, victims, "plan");
                }
            }
        }
        for pod in step.happened.bound.keys().chain(step.happened.nominated.keys()) {
            self.refused.remove(pod);
        }
        for (pod, node) in &step.happened.bound {
            if self.is_new(pod, node.clone()) {
                info!(pod, node, "let go");
            }
        }
        for attempt in &step.happened.attempts {
            let message = attempt.message();
            if attempt.node.is_some() || message.is_empty() {
                self.refused.remove(&attempt.pod);
                continue;
            }
            debug!(pod = attempt.pod, result = %attempt.result, reason = message, "refused");
            let since = self.refused.get(&attempt.pod).map_or(now, |(since, ..)| *since);
            self.refused.insert(attempt.pod.clone(), (since, attempt.result, message));
        }
        for refused in &step.happened.refused {
            let text = format!("refused: {}", refused.reason.message);
            if self.is_new(&format!("plan for {}", refused.for_whom), text) {
                warn!(plan = refused.plan, preemptor = %refused.for_whom, reason = refused.reason.message, "plan refused");
            }
        }
        for failed in &step.happened.failed {
            let action = word(&failed.action);
            if self.is_new(&format!("{action} {}", failed.pod), failed.reason.clone()) {
                warn!(pod = failed.pod, action, reason = failed.reason, "command failed");
            }
        }
        for finding in &step.findings {
            warn!(object = finding.object, path = finding.path, remedy = finding.remedy, "{}", finding.message);
        }
        for transition in &step.replacement {
            info!(from = %transition.from, to = %transition.to, reason = %transition.reason, "replacement of the policy");
        }
    }

    /// Returns whether a text differs from the last one about the same thing, and remembers it.
    fn is_new(&mut self, about: &str, text: String) -> bool {
        self.last_lines.insert(about.to_owned(), text.clone()).is_none_or(|before| before != text)
    }
}

impl LoopObserver for LogObserver {
    fn leadership_started(&mut self, _wake: WakeFunction) {
        // Each reign begins with the checkpoint that it reads.
        self.is_checkpoint_failing = false;
    }

    fn tick(&mut self, now: i64, _talk: Option<&mut RecordableSession>) {
        self.log_refused(now);
    }

    fn due(&self) -> Option<i64> {
        self.refused.values().map(|(since, ..)| since.saturating_add(SETTLED)).min()
    }

    fn syncing(&mut self, missing: &[GroupKind]) {
        if std::mem::replace(&mut self.missing, missing.len()) == missing.len() {
            return;
        }
        let kinds: Vec<String> = missing.iter().map(ToString::to_string).collect();
        debug!(?kinds, "not listed yet");
        if missing.is_empty() {
            info!("the cluster was listed");
        }
    }

    fn output_applied(&mut self, turn: &DeciderOutput, session: &Session, cycle: Option<i64>) {
        let now = session.mirror().now();
        turn.steps.iter().for_each(|step| self.step(step, now));
        for fault in &turn.errors {
            // While the policy is not called, every attempt to call it fails in the same way.
            if self.is_new("", fault.to_string()) {
                error!(input = fault.input, "nothing was decided: {}", fault.cause);
            }
        }
        for GivenUpPlan { plan, pods, reason, .. } in &turn.given_up {
            let pods: Vec<String> = pods.iter().map(ObjectRef::pod_name).collect();
            warn!(plan, pods = pods.join(", "), reason, "plan given up");
        }
        if let Some(took) = cycle {
            debug!(took_us = took.checked_div(1000), pending = session.pending().count(), "cycle");
        }
    }

    fn object_changed(&mut self, news: &ObjectChange) {
        if let ObjectChange::Deleted(key) = news
            && let Some(pod) = key.strip_prefix("Pod/")
        {
            self.last_lines.remove(pod);
            self.refused.remove(pod);
            for about in ["bind", "nominate", "evict", "plan for"] {
                self.last_lines.remove(&format!("{about} {pod}"));
            }
        }
    }

    fn task_finished(&mut self, finished: &FinishedTask) {
        let object = finished.task.object().key();
        match (&finished.task, &finished.done.outcome) {
            (task, CommandOutcome::Failed(why)) => debug!(object, action = task.word(), error = why, "failed"),
            (task, CommandOutcome::Refused { reason, .. }) => {
                debug!(object, action = task.word(), error = reason, "refused by the API server");
                // A right that is missing is logged once, whatever objects the requests are about.
                let missing = rights::missing(reason);
                if missing != *reason && self.is_new(&missing, String::new()) {
                    warn!(action = task.word(), remedy = missing, "the API server forbids what must be done");
                }
            }
            (task, outcome) => debug!(object, action = task.word(), ?outcome, "done"),
        }
    }

    fn eviction_blocked(&mut self, victim: &ObjectRef, why: &str) {
        let pod = victim.pod_name();
        if self.is_new(&format!("evict {pod}"), why.to_owned()) {
            warn!(pod, reason = why, "a victim is not evicted; it is tried again");
        }
    }

    fn victim_overdue(&mut self, victim: &RunningVictim) {
        let (pod, evicted_for) = (victim.pod.pod_name(), &victim.evicted_for);
        warn!(pod, evicted_for, remedy = OVERDUE_HINT, "a victim still runs");
    }

    fn kind_unreadable(&mut self, kind: &GroupKind, why: &str) {
        match why {
            "" => info!(%kind, "the objects of this kind can be read again"),
            why => warn!(%kind, reason = why, "the objects of this kind cannot be read"),
        }
    }

    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        let (pod, node, reason) = (refusal.pod.pod_name(), &refusal.node, &refusal.message);
        match deleted {
            true => warn!(pod, node, reason, "kube-scheduler refuses a pod that was let go; it is deleted"),
            false => warn!(pod, node, reason, "kube-scheduler refuses a pod that was let go"),
        }
    }

    fn external_eviction(&mut self, foreign: &ExternalEviction) {
        let ExternalEviction { pod, node, by, message } = foreign;
        match by {
            ExternalEvictionCause::Scheduler => {
                warn!(
                    pod,
                    node,
                    reason = message,
                    "kube-scheduler preempts a pod by its own rules; see preemptionPolicy"
                )
            }
            ExternalEvictionCause::EvictionApi => info!(pod, node, reason = message, "somebody else evicts a pod"),
        }
    }

    fn object_invalid(&mut self, key: &str, mistake: &InputError) {
        warn!(object = key, remedy = mistake.remedy, "not read: {}", mistake.message);
    }

    fn checkpoint_failed(&mut self, why: &str) {
        // The checkpoint is tried again with each command: a failure is logged once.
        match (why, std::mem::replace(&mut self.is_checkpoint_failing, !why.is_empty())) {
            ("", _) => info!("the checkpoint is stored again"),
            (why, false) => warn!(
                reason = why,
                "the checkpoint cannot be read or stored: the process runs on, and the next one takes up plans from the cluster alone"
            ),
            (_, true) => {}
        }
    }

    fn checkpoint_taken_over(&mut self, why: &str) {
        warn!(
            reason = why,
            remedy = "name one Lease with --lease for all processes of this checkpoint",
            "another process leads: nothing more is carried out"
        );
    }

    fn other_controller(&mut self, manager: &str) {
        warn!(
            manager,
            remedy = "name one Lease with --lease for both, or end one of them",
            "another `lictor run` decides about this cluster at the same time"
        );
    }
}

#[cfg(test)]
mod tests {
    use lictor_host::session::testing::{ALL, Scripted, ScriptedReply};
    use lictor_host::session::{Session, SessionInput};
    use lictor_host::verify::testing::{node, object, pod};

    use super::*;

    #[test]
    fn a_pod_that_is_refused_is_said_when_it_has_been_for_a_second() {
        let policy = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[]));
        let mut session = Session::open(Box::new(policy), "test", "").unwrap();
        let cluster = [node("n1", 4), pod("p", 1, 0)].map(object).into();
        session.handle(SessionInput::InitialList(cluster)).unwrap();
        let mut log = LogObserver::default();
        let mut cycle = |log: &mut LogObserver, at: i64| {
            session.handle(SessionInput::Clock(at)).unwrap();
            let steps = vec![session.handle(SessionInput::Cycle).unwrap()];
            log.output_applied(&DeciderOutput { steps, ..DeciderOutput::default() }, &session, None);
            log.tick(at, None);
        };
        cycle(&mut log, 5);
        assert_eq!((log.last_lines.len(), log.due()), (0, Some(5 + SETTLED)));
        log.tick(5 + SETTLED, None);
        assert_eq!(
            (log.last_lines.keys().cloned().collect::<Vec<_>>(), log.due()),
            (vec!["default/p".to_owned()], None)
        );
        // The pod is placed: nothing is left to log about the refusal.
        cycle(&mut log, 6 + SETTLED);
        assert!(log.refused.is_empty() && log.due().is_none());
    }

    #[test]
    fn each_reign_logs_anew_that_the_checkpoint_fails() {
        let mut log = LogObserver::default();
        log.checkpoint_failed("the disk is full");
        log.leadership_started(Box::new(|| true));
        assert!(!log.is_checkpoint_failing);
    }
}
