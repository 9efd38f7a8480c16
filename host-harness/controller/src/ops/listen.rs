//! Ties the outputs for operators to the loop: a [`LoopObserver`] that updates the status, reports, and answers questions.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::session::{CommandOutcome, FailureCause, ObjectRef, Session, StepOutput};
use tracing::info;

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
use crate::report::{ApiWrite, EventSource, ReportIndex, ReportMode, Reporter, STANDS, Warning};
use crate::run::listener::{LoopObserver, LoopWaker, WakeFunction};
use crate::view::annotation;
use crate::watch::GroupKind;
use crate::watch::store::ObjectChange;

/// The time between two counts over all pods, in nanoseconds.
const COUNT: i64 = 1_000_000_000;

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
    with: ObserverConfig,
    reporter: Reporter,
    seen: ReportIndex,
    known: PodReasons,
    questions: Receiver<(ExplainRequest, ResponseSender)>,
    waker: LoopWaker,
    progress: SessionMetrics,
    dropped: u64,
    counted_at: Option<i64>,
    /// Whether something has happened since the last count.
    is_stale: bool,
    /// Whether the policy may keep accounts of queues; false once it has refused.
    keeps_books: bool,
    /// The warnings about pods for the next turn of the loop.
    warnings: Vec<Warning>,
    /// Whether the session must still be set to explain.
    asks_why: bool,
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
            seen: ReportIndex::default(),
            known: PodReasons::new(with.system.clone()),
            questions,
            waker,
            progress: SessionMetrics::default(),
            dropped: 0,
            counted_at: None,
            is_stale: false,
            keeps_books: with.writes.is_some(),
            warnings: Vec::new(),
            asks_why: with.explains,
            with,
        };
        (operations, hand_on)
    }

    fn write(&self, writes: Vec<ApiWrite>) {
        if let Some(to) = &self.with.writes {
            writes.into_iter().for_each(|write| to.send(write));
        }
    }

    fn step(&mut self, now: i64, step: &StepOutput, session: &Session) {
        self.progress.step(&self.with.status.metrics, &self.with.system, step, session);
        self.known.note(now, step);
        self.reporter.step(now, step, &self.seen.with(session.mirror()));
    }

    fn given_up(&mut self, given_up: &GivenUpPlan) {
        if given_up.counts {
            self.with.status.metrics.given_up(given_up.why.word());
        }
        for pod in &given_up.pods {
            let note = format!("Plan {} is given up: {}", given_up.plan, given_up.reason);
            let pod = pod.pod_name();
            self.progress.forget(&pod);
            self.warnings.push(Warning { pod, reason: "PlanGivenUp", action: "Preempting", note });
        }
    }

    /// Updates the metrics that are counted over all pods.
    fn count(&mut self, now: i64, session: &Session) {
        self.counted_at = Some(now);
        let metrics = &self.with.status.metrics;
        self.progress.count(metrics, session);
        metrics.events_dropped.inc_by(self.reporter.dropped().saturating_sub(self.dropped));
        self.dropped = self.reporter.dropped();
    }

    /// Reports the accounts of quotas and queues. A policy without accounts is not asked again.
    fn books(&mut self, now: i64, talk: &mut RecordableSession) {
        match talk.accounts() {
            Ok(accounts) => {
                let mirror = talk.session().mirror();
                let objects = self.seen.with(mirror);
                let writes = self.reporter.accounts(now, &accounts, mirror.resources(), &objects);
                self.write(writes);
            }
            Err(why) if matches!(why.cause, FailureCause::CallError(CallError::Lacks(_))) => self.keeps_books = false,
            // The loop reports the error with the next decision; then the accounts are asked for again.
            Err(_) => {}
        }
    }
}

impl LoopObserver for OperationsObserver {
    fn status(&self) -> Option<Arc<Status>> {
        Some(self.with.status.clone())
    }

    fn begins(&mut self, wake: WakeFunction) {
        self.waker.set(wake);
        let (mode, system, origin) = (self.with.mode, self.with.system.clone(), self.with.origin.clone());
        self.known = PodReasons::new(system.clone());
        self.reporter = Reporter::new(mode, system, origin);
        self.seen = ReportIndex::default();
        self.progress = SessionMetrics::default();
        self.asks_why = self.with.explains;
        self.keeps_books = self.with.writes.is_some();
        self.dropped = 0;
        self.warnings.clear();
        self.with.status.begins();
        self.with.status.synced(false);
    }

    fn saw(&mut self, news: &ObjectChange) {
        if let ObjectChange::Gone(key) = news
            && let Some(name) = self.seen.named(key)
        {
            self.reporter.forget_object(name);
        }
        if let ObjectChange::Shown(shown) = news
            && let Some(pod) = shown.key.strip_prefix("Pod/")
        {
            self.known.marked(pod, annotation(&shown.object, EVICTED_FOR));
        }
        let group = self.seen.take(news);
        if let ObjectChange::Gone(key) = news
            && let Some(pod) = key.strip_prefix("Pod/")
        {
            self.known.forget(pod);
            self.reporter.forget(pod);
            self.progress.forget(pod);
        }
        let enqueued = group.and_then(|group| self.reporter.group_told(&group));
        self.write(enqueued.into_iter().collect());
    }

    fn syncing(&mut self, missing: &[GroupKind]) {
        self.with.status.synced(missing.is_empty());
    }

    fn turned(&mut self, turn: &DeciderOutput, session: &Session, cycle: Option<i64>) {
        let now = session.mirror().now();
        turn.steps.iter().for_each(|step| self.step(now, step, session));
        self.is_stale |= !turn.steps.is_empty();
        self.with.status.metrics.failed(&self.with.system, turn.failed_attempts);
        turn.given_up.iter().for_each(|given_up| self.given_up(given_up));
        if let Some(took) = cycle {
            let took = Duration::from_nanos(u64::try_from(took).unwrap_or_default());
            self.with.status.metrics.decided(&self.with.system, took);
        }
    }

    fn tick(&mut self, now: i64, talk: Option<&mut RecordableSession>) {
        self.with.status.beat();
        let Some(talk) = talk else { return };
        if std::mem::replace(&mut self.asks_why, false) && !matches!(talk.explain(), Ok(true)) {
            info!("the policy does not explain its decisions");
        }
        let is_time = self.counted_at.is_none_or(|at| at.saturating_add(COUNT) <= now);
        if is_time {
            self.count(now, talk.session());
        }
        if is_time && std::mem::replace(&mut self.is_stale, false) && self.keeps_books && self.reporter.keeps_books() {
            self.books(now, talk);
        }
        for warning in std::mem::take(&mut self.warnings) {
            self.reporter.warn(now, &warning, &self.seen.with(talk.session().mirror()));
        }
        let writes = self.reporter.due(now, &self.seen.with(talk.session().mirror()));
        self.write(writes);
        while let Ok((question, reply)) = self.questions.try_recv() {
            let mut answered = self.known.answer(talk.session(), &question);
            if let SocketResponse::Answer(answer) = &mut answered {
                answer.standing = known::standing(talk, answer);
            }
            reply.send(answered);
        }
    }

    fn due(&self) -> Option<i64> {
        let books = self.counted_at.filter(|_| self.is_stale).map(|at| at.saturating_add(COUNT));
        self.reporter.wake_at().into_iter().chain(books).min()
    }

    fn finished(&mut self, finished: &FinishedTask) {
        let (task, outcome) = (&finished.task, &finished.done.outcome);
        if task.evicts() && matches!(outcome, CommandOutcome::Accepted | CommandOutcome::Done) {
            self.reporter.evicted(&task.object().pod_name());
        }
        self.with.status.metrics.command(task.word(), outcome);
    }

    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        let name = refusal.pod.pod_name();
        self.known.refused(&name, Some((&refusal.node, &refusal.message)));
        let note = format!("It was let go for {}, and kube-scheduler refuses it: {}", refusal.node, refusal.message);
        let after = if deleted { "; it is deleted, because its owner makes another" } else { "" };
        self.warnings.push(Warning { pod: name, reason: "RoomTaken", action: "Binding", note: note + after });
    }

    fn placed(&mut self, refusal: &UnschedulablePod) {
        let name = refusal.pod.pod_name();
        self.known.refused(&name, None);
        self.reporter.placed(&name);
    }

    fn blocked(&mut self, victim: &ObjectRef, why: &str) {
        let note = format!("It is not evicted: {why}; it is tried again");
        let pod = victim.pod_name();
        self.warnings.push(Warning { pod, reason: "FailedEviction", action: "Preempting", note });
    }

    fn stands(&mut self, victim: &RunningVictim) {
        let note = format!("It is to be evicted ({}) and still runs after a minute: {STANDS}", victim.evicted_for);
        let pod = victim.pod.pod_name();
        self.warnings.push(Warning { pod, reason: "VictimStillRuns", action: "Preempting", note });
    }

    fn counted(&mut self, refused: usize, overdue: usize) {
        self.with.status.metrics.stand(refused, overdue);
    }

    fn unreadable(&mut self, kind: &GroupKind, why: &str) {
        self.with.status.unreadable(&kind.to_string(), why);
    }

    fn foreign(&mut self, foreign: &ExternalEviction) {
        self.with.status.metrics.foreign(foreign.by.word());
    }

    fn unsaved(&mut self, why: &str) {
        if !why.is_empty() {
            self.with.status.metrics.unsaved.inc();
        }
    }

    fn rival(&mut self, _manager: &str) {
        self.with.status.metrics.rivals.inc();
    }

    fn unread(&mut self, _key: &str, _mistake: &InputError) {
        self.with.status.metrics.mistakes.inc();
    }
}
