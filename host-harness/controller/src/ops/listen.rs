//! Ties the outputs for operators to the loop: a [`LoopObserver`] that updates the status, reports, and answers questions.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::session::{CommandOutcome, FailureCause, ObjectRef, Session, StepOutput};
use tracing::info;

use super::counts::CountSchedule;
use super::explain::{ExplainRequest, ResponseSender, SocketResponse};
use super::known::{self, PodReasons};
use super::metrics::SessionMetrics;
use super::{Outbox, Status};
use crate::carry_out::FinishedTask;
use crate::decide::foreign::ExternalEviction;
use crate::decide::lives::GivenUpPlan;
use crate::decide::refused::UnschedulablePod;
use crate::decide::victims::RunningVictim;
use crate::decide::{DeciderOutput, RecordableSession};
use crate::names::EVICTED_FOR;
use crate::report::{ApiWrite, EventSource, OVERDUE_HINT, ReportIndex, ReportMode, Reporter, Warning};
use crate::run::listener::{LoopObserver, LoopWaker, WakeFunction};
use crate::view::annotation;
use crate::watch::GroupKind;
use crate::watch::store::ObjectChange;

/// The parts of a listener for operators.
pub struct ObserverConfig {
    /// The status that is served.
    pub status: Arc<Status>,
    /// Whether decisions are carried out.
    pub mode: ReportMode,
    /// The system whose laws are in force.
    pub system: String,
    /// The origin of the reports.
    pub origin: EventSource,
    /// Whether every attempt is explained in full: that costs time.
    pub explains: bool,
    /// Takes reports to be written. `None`: nothing is reported.
    pub writes: Option<Outbox>,
}

/// The listener of operators.
pub struct OperationsObserver {
    config: ObserverConfig,
    reporter: Reporter,
    report_index: ReportIndex,
    pod_reasons: PodReasons,
    requests: Receiver<(ExplainRequest, ResponseSender)>,
    waker: LoopWaker,
    progress: SessionMetrics,
    dropped: u64,
    counts: CountSchedule,
    /// Whether the policy may keep accounts of queues; false once it has refused.
    has_accounts: bool,
    /// The warnings about pods for the next turn of the loop.
    warnings: Vec<Warning>,
    /// Whether the session must still be set to explain.
    must_enable_explanations: bool,
}

impl OperationsObserver {
    /// Makes a listener, and the function that passes questions to it: see [`super::explain::SocketServer::listen`].
    pub fn new(
        with: ObserverConfig,
    ) -> (OperationsObserver, impl Fn(ExplainRequest, ResponseSender) -> bool + Send + 'static) {
        let (send, questions) = channel();
        let waker = LoopWaker::default();
        let wakes = waker.clone();
        let hand_on = move |question, reply| wakes.wake() && send.send((question, reply)).is_ok() && wakes.wake();
        let operations = OperationsObserver {
            reporter: Reporter::new(with.mode, with.system.clone(), with.origin.clone()),
            report_index: ReportIndex::default(),
            pod_reasons: PodReasons::new(with.system.clone()),
            requests: questions,
            waker,
            progress: SessionMetrics::default(),
            dropped: 0,
            counts: CountSchedule::default(),
            has_accounts: with.writes.is_some(),
            warnings: Vec::new(),
            must_enable_explanations: with.explains,
            config: with,
        };
        (operations, hand_on)
    }

    fn write(&self, writes: Vec<ApiWrite>) {
        if let Some(to) = &self.config.writes {
            writes.into_iter().for_each(|write| to.send(write));
        }
    }

    fn step(&mut self, now: i64, step: &StepOutput, session: &Session) {
        self.progress.step(&self.config.status.metrics, &self.config.system, step, session);
        self.pod_reasons.record_step(now, step);
        self.reporter.step(now, step, &self.report_index.with(session.mirror()));
    }

    fn given_up(&mut self, given_up: &GivenUpPlan) {
        if given_up.counts {
            self.config.status.metrics.given_up(given_up.why.word());
        }
        for pod in &given_up.pods {
            let note = format!("Plan {} is given up: {}", given_up.plan, given_up.reason);
            let pod = pod.pod_name();
            self.progress.forget(&pod);
            self.warnings.push(Warning { pod, reason: "PlanGivenUp", action: "Preempting", note });
        }
    }

    /// Updates the metrics that are counted over all pods.
    fn count(&mut self, session: &Session) {
        let metrics = &self.config.status.metrics;
        self.progress.count(metrics, session);
        metrics.events_dropped.inc_by(self.reporter.dropped().saturating_sub(self.dropped));
        self.dropped = self.reporter.dropped();
    }

    /// Reports the accounts of quotas and queues. A policy without accounts is not asked again.
    fn report_accounts(&mut self, now: i64, talk: &mut RecordableSession) {
        match talk.accounts() {
            Ok(accounts) => {
                let mirror = talk.session().mirror();
                let objects = self.report_index.with(mirror);
                let writes = self.reporter.accounts(now, &accounts, mirror.resources(), &objects);
                self.write(writes);
            }
            Err(why) if matches!(why.cause, FailureCause::CallError(CallError::MissingInterface(_))) => {
                self.has_accounts = false
            }
            // The loop reports the error with the next decision; then the accounts are asked for again.
            Err(_) => {}
        }
    }
}

impl LoopObserver for OperationsObserver {
    fn status(&self) -> Option<Arc<Status>> {
        Some(self.config.status.clone())
    }

    fn leadership_started(&mut self, wake: WakeFunction) {
        self.waker.set(wake);
        let (mode, system, origin) = (self.config.mode, self.config.system.clone(), self.config.origin.clone());
        self.pod_reasons = PodReasons::new(system.clone());
        self.reporter = Reporter::new(mode, system, origin);
        self.report_index = ReportIndex::default();
        self.progress = SessionMetrics::default();
        self.must_enable_explanations = self.config.explains;
        self.has_accounts = self.config.writes.is_some();
        self.dropped = 0;
        self.warnings.clear();
        self.config.status.clear_unreadable();
        self.config.status.set_synced(false);
    }

    fn object_changed(&mut self, news: &ObjectChange) {
        if let ObjectChange::Deleted(key) = news
            && let Some(name) = self.report_index.named(key)
        {
            self.reporter.forget_object(name);
        }
        if let ObjectChange::Upserted(shown) = news
            && let Some(pod) = shown.key.strip_prefix("Pod/")
        {
            self.pod_reasons.marked(pod, annotation(&shown.object, EVICTED_FOR));
        }
        let group = self.report_index.take(news);
        if let ObjectChange::Deleted(key) = news
            && let Some(pod) = key.strip_prefix("Pod/")
        {
            self.pod_reasons.forget(pod);
            self.reporter.forget(pod);
            self.progress.forget(pod);
        }
        let enqueued = group.and_then(|group| self.reporter.group_changed(&group));
        self.write(enqueued.into_iter().collect());
    }

    fn syncing(&mut self, missing: &[GroupKind]) {
        self.config.status.set_synced(missing.is_empty());
    }

    fn output_applied(&mut self, turn: &DeciderOutput, session: &Session, cycle: Option<i64>) {
        let now = session.mirror().now();
        turn.steps.iter().for_each(|step| self.step(now, step, session));
        self.counts.is_stale |= !turn.steps.is_empty();
        self.config.status.metrics.failed(&self.config.system, turn.failed_attempts);
        turn.given_up.iter().for_each(|given_up| self.given_up(given_up));
        if let Some(took) = cycle {
            let took = Duration::from_nanos(u64::try_from(took).unwrap_or_default());
            self.config.status.metrics.decided(&self.config.system, took);
        }
    }

    fn tick(&mut self, now: i64, talk: Option<&mut RecordableSession>) {
        self.config.status.record_heartbeat();
        let Some(talk) = talk else { return };
        if std::mem::replace(&mut self.must_enable_explanations, false) && !matches!(talk.explain(), Ok(true)) {
            info!("the policy does not explain its decisions");
        }
        if let Some(has_changed) = self.counts.begin(now) {
            self.count(talk.session());
            if has_changed && self.has_accounts && self.reporter.writes_quota_status() {
                self.report_accounts(now, talk);
            }
        }
        for warning in std::mem::take(&mut self.warnings) {
            self.reporter.warn(now, &warning, &self.report_index.with(talk.session().mirror()));
        }
        let writes = self.reporter.due(now, &self.report_index.with(talk.session().mirror()));
        self.write(writes);
        while let Ok((question, reply)) = self.requests.try_recv() {
            let mut answered = self.pod_reasons.explain(talk.session(), &question);
            if let SocketResponse::Answer(answer) = &mut answered {
                answer.standing = known::standing(talk, answer);
            }
            reply.send(answered);
        }
    }

    fn due(&self) -> Option<i64> {
        self.reporter.wake_at().into_iter().chain(self.counts.next()).min()
    }

    fn task_finished(&mut self, finished: &FinishedTask) {
        let (task, outcome) = (&finished.task, &finished.done.outcome);
        if task.evicts() && matches!(outcome, CommandOutcome::Accepted | CommandOutcome::Done) {
            self.reporter.evicted(&task.object().pod_name());
        }
        self.config.status.metrics.command(task.word(), outcome);
    }

    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        let name = refusal.pod.pod_name();
        self.pod_reasons.refused(&name, Some((&refusal.node, &refusal.message)));
        let note = format!("It was let go for {}, and kube-scheduler refuses it: {}", refusal.node, refusal.message);
        let after = if deleted { "; it is deleted, because its owner makes another" } else { "" };
        self.warnings.push(Warning { pod: name, reason: "RoomTaken", action: "Binding", note: note + after });
    }

    fn refusal_ended(&mut self, refusal: &UnschedulablePod) {
        let name = refusal.pod.pod_name();
        self.pod_reasons.refused(&name, None);
        self.reporter.refusal_ended(&name);
    }

    fn eviction_blocked(&mut self, victim: &ObjectRef, why: &str) {
        let note = format!("It is not evicted: {why}; it is tried again");
        let pod = victim.pod_name();
        self.warnings.push(Warning { pod, reason: "FailedEviction", action: "Preempting", note });
    }

    fn victim_overdue(&mut self, victim: &RunningVictim) {
        let why = &victim.evicted_for;
        let note = format!("It is to be evicted ({why}) and still runs: {OVERDUE_HINT}");
        let pod = victim.pod.pod_name();
        self.warnings.push(Warning { pod, reason: "VictimStillRuns", action: "Preempting", note });
    }

    fn overdue_counted(&mut self, refused: usize, overdue: usize) {
        self.config.status.metrics.set_overdue_counts(refused, overdue);
    }

    fn kind_unreadable(&mut self, kind: &GroupKind, why: &str) {
        self.config.status.set_unreadable(&kind.to_string(), why);
    }

    fn external_eviction(&mut self, foreign: &ExternalEviction) {
        self.config.status.metrics.record_external_eviction(foreign.by.word());
    }

    fn checkpoint_failed(&mut self, why: &str) {
        if !why.is_empty() {
            self.config.status.metrics.unsaved.inc();
        }
    }

    fn other_controller(&mut self, _manager: &str) {
        self.config.status.metrics.rivals.inc();
    }

    fn object_invalid(&mut self, _key: &str, _mistake: &InputError) {
        self.config.status.metrics.mistakes.inc();
    }
}
