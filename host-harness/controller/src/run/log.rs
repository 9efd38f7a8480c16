//! What goes on, as structured log lines.

use std::collections::BTreeMap;

use lictor_host::cluster::InputError;
use lictor_host::session::{CommandOutcome, ObjectRef, Session, Step};
use tracing::{debug, error, info, warn};

use super::listener::Listener;
use crate::carry_out::{Finished, word};
use crate::decide::Turn;
use crate::decide::foreign::{By, Foreign};
use crate::decide::lives::GivenUp;
use crate::decide::refused::Refusal;
use crate::decide::victims::Standing;
use crate::ops::rights;
use crate::report::STANDS;
use crate::watch::Kind;
use crate::watch::store::News;

/// Writes log lines. What is decided the same way again and again is said once.
#[derive(Debug, Default)]
pub struct Log {
    /// What was said last of each pod.
    said: BTreeMap<String, String>,
    missing: usize,
}

impl Log {
    fn step(&mut self, step: &Step) {
        for plan in &step.happened.plans {
            let victims: Vec<&str> = plan.victims.iter().map(String::as_str).collect();
            let text = format!("{:?} {victims:?}", plan.nominated);
            if self.is_new(&plan.for_whom.to_string(), text) {
                info!(plan = plan.plan, preemptor = %plan.for_whom, nominated = ?plan.nominated, ?victims, "plan");
            }
        }
        for (pod, node) in &step.happened.bound {
            if self.is_new(pod, node.clone()) {
                info!(pod, node, "let go");
            }
        }
        for attempt in &step.happened.attempts {
            let message = attempt.message();
            if attempt.node.is_none() && !message.is_empty() && self.is_new(&attempt.pod, message.clone()) {
                info!(pod = attempt.pod, result = %attempt.result, reason = message, "refused");
            }
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

    /// Whether this was not the last thing said about it.
    fn is_new(&mut self, about: &str, text: String) -> bool {
        self.said.insert(about.to_owned(), text.clone()).is_none_or(|before| before != text)
    }
}

impl Listener for Log {
    fn syncing(&mut self, missing: &[Kind]) {
        if std::mem::replace(&mut self.missing, missing.len()) == missing.len() {
            return;
        }
        let kinds: Vec<String> = missing.iter().map(ToString::to_string).collect();
        debug!(?kinds, "not listed yet");
        if missing.is_empty() {
            info!("the cluster was listed");
        }
    }

    fn turned(&mut self, turn: &Turn, session: &Session, cycle: Option<i64>) {
        turn.steps.iter().for_each(|step| self.step(step));
        for fault in &turn.errors {
            // While the policy is not asked, every attempt to ask it fails alike.
            if self.is_new("", fault.to_string()) {
                error!(input = fault.input, "nothing was decided: {}", fault.cause);
            }
        }
        for GivenUp { plan, pods, reason, .. } in &turn.given_up {
            let pods: Vec<String> = pods.iter().map(ObjectRef::pod_name).collect();
            warn!(plan, ?pods, reason, "plan given up");
        }
        if let Some(took) = cycle {
            debug!(took_us = took.checked_div(1000), pending = session.pending().count(), "cycle");
        }
    }

    fn saw(&mut self, news: &News) {
        if let News::Gone(key) = news
            && let Some(pod) = key.strip_prefix("Pod/")
        {
            self.said.remove(pod);
            for about in ["bind", "nominate", "evict", "plan for"] {
                self.said.remove(&format!("{about} {pod}"));
            }
        }
    }

    fn finished(&mut self, finished: &Finished) {
        let object = finished.task.object().key();
        match (&finished.task, &finished.done.outcome) {
            (task, CommandOutcome::Failed(why)) => debug!(object, action = task.word(), error = why, "failed"),
            (task, CommandOutcome::Refused { reason, .. }) => {
                debug!(object, action = task.word(), error = reason, "refused by the API server");
                // A right that is missing is said once, whatever objects the requests are about.
                let missing = rights::missing(reason);
                if missing != *reason && self.is_new(&missing, String::new()) {
                    warn!(action = task.word(), remedy = missing, "the API server forbids what must be done");
                }
            }
            (task, outcome) => debug!(object, action = task.word(), ?outcome, "done"),
        }
    }

    fn blocked(&mut self, victim: &ObjectRef, why: &str) {
        let pod = victim.pod_name();
        if self.is_new(&format!("evict {pod}"), why.to_owned()) {
            warn!(pod, reason = why, "a victim is not evicted; it is tried again");
        }
    }

    fn stands(&mut self, victim: &Standing) {
        let (pod, evicted_for) = (victim.pod.pod_name(), &victim.evicted_for);
        warn!(pod, evicted_for, remedy = STANDS, "a victim still runs a minute after it was marked");
    }

    fn unreadable(&mut self, kind: &Kind, why: &str) {
        match why {
            "" => info!(%kind, "the objects of this kind can be read again"),
            why => warn!(%kind, reason = why, "the objects of this kind cannot be read"),
        }
    }

    fn refused(&mut self, refusal: &Refusal, deleted: bool) {
        let (pod, node, reason) = (refusal.pod.pod_name(), &refusal.node, &refusal.message);
        match deleted {
            true => warn!(pod, node, reason, "kube-scheduler refuses a pod that was let go; it is deleted"),
            false => warn!(pod, node, reason, "kube-scheduler refuses a pod that was let go"),
        }
    }

    fn foreign(&mut self, foreign: &Foreign) {
        let Foreign { pod, node, by, message } = foreign;
        match by {
            By::Scheduler => {
                warn!(
                    pod,
                    node,
                    reason = message,
                    "kube-scheduler preempts a pod by its own rules; see preemptionPolicy"
                )
            }
            By::EvictionApi => info!(pod, node, reason = message, "somebody else evicts a pod"),
        }
    }

    fn unread(&mut self, key: &str, mistake: &InputError) {
        warn!(object = key, remedy = mistake.remedy, "not read: {}", mistake.message);
    }

    fn unsaved(&mut self, why: &str) {
        error!(error = why, "the checkpoint is not stored, going on without");
    }
}
