//! Ties the outputs for operators to the loop: a [`Listener`] that updates the status, reports, and answers questions.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::session::{Cause, CommandOutcome, ObjectRef, Session, Step};
use tracing::info;

use super::explain::{Answered, Question, Reply};
use super::known::{self, Known};
use super::metrics::Progress;
use super::{Outbox, Status};
use crate::carry_out::Finished;
use crate::decide::foreign::Foreign;
use crate::decide::lives::GivenUp;
use crate::decide::refused::Refusal;
use crate::decide::victims::Standing;
use crate::decide::{Talk, Turn};
use crate::names::EVICTED_FOR;
use crate::report::{Mode, Origin, Reporter, STANDS, Seen, Warning, Write};
use crate::run::listener::{Listener, Wake, Waker};
use crate::view::annotation;
use crate::watch::Kind;
use crate::watch::store::News;

/// The time between two counts over all pods, in nanoseconds.
const COUNT: i64 = 1_000_000_000;

/// The parts of a listener for operators.
pub struct Listening {
    /// The status that is served.
    pub status: Arc<Status>,
    /// Whether decisions are carried out.
    pub mode: Mode,
    /// The system whose laws are in force.
    pub system: String,
    /// The origin of the reports.
    pub origin: Origin,
    /// Whether every attempt is explained in full: that costs time.
    pub explains: bool,
    /// Takes reports to be written. `None`: nothing is reported.
    pub writes: Option<Outbox>,
}

/// The listener of operators.
pub struct Operations {
    with: Listening,
    reporter: Reporter,
    seen: Seen,
    known: Known,
    questions: Receiver<(Question, Reply)>,
    waker: Waker,
    progress: Progress,
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

impl Operations {
    /// Makes a listener, and the function that passes questions to it: see [`super::explain::Server::listen`].
    pub fn new(with: Listening) -> (Operations, impl Fn(Question, Reply) -> bool + Send + 'static) {
        let (send, questions) = channel();
        let waker = Waker::default();
        let wakes = waker.clone();
        let hand_on = move |question, reply| wakes.wake() && send.send((question, reply)).is_ok() && wakes.wake();
        let keeps_books = with.writes.is_some();
        let operations = Operations {
            reporter: Reporter::new(with.mode, with.system.clone(), with.origin.clone()),
            seen: Seen::default(),
            known: Known::new(with.system.clone()),
            questions,
            waker,
            progress: Progress::default(),
            dropped: 0,
            counted_at: None,
            is_stale: false,
            keeps_books,
            warnings: Vec::new(),
            asks_why: with.explains,
            with,
        };
        (operations, hand_on)
    }

    fn write(&self, writes: Vec<Write>) {
        if let Some(to) = &self.with.writes {
            writes.into_iter().for_each(|write| to.send(write));
        }
    }

    fn step(&mut self, now: i64, step: &Step, session: &Session) {
        self.progress.step(&self.with.status.metrics, &self.with.system, step, session);
        self.known.note(now, step);
        self.reporter.step(now, step, &self.seen.with(session.mirror()));
    }

    fn given_up(&mut self, given_up: &GivenUp) {
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
    fn books(&mut self, now: i64, talk: &mut Talk) {
        match talk.accounts() {
            Ok(accounts) => {
                let mirror = talk.session().mirror();
                let objects = self.seen.with(mirror);
                let writes = self.reporter.accounts(now, &accounts, mirror.resources(), &objects);
                self.write(writes);
            }
            Err(error) if matches!(error.cause, Cause::CallError(CallError::Lacks(_))) => self.keeps_books = false,
            // The loop reports the error with the next decision; then the accounts are asked for again.
            Err(_) => {}
        }
    }
}

impl Listener for Operations {
    fn status(&self) -> Option<Arc<Status>> {
        Some(self.with.status.clone())
    }

    fn begins(&mut self, wake: Wake) {
        self.waker.set(wake);
        let (mode, system, origin) = (self.with.mode, self.with.system.clone(), self.with.origin.clone());
        self.known = Known::new(system.clone());
        self.reporter = Reporter::new(mode, system, origin);
        self.seen = Seen::default();
        self.progress = Progress::default();
        self.asks_why = self.with.explains;
        self.keeps_books = self.with.writes.is_some();
        self.dropped = 0;
        self.warnings.clear();
        self.with.status.begins();
        self.with.status.synced(false);
    }

    fn saw(&mut self, news: &News) {
        if let News::Gone(key) = news
            && let Some(name) = self.seen.named(key)
        {
            self.reporter.forget_object(name);
        }
        if let News::Shown(shown) = news
            && let Some(pod) = shown.key.strip_prefix("Pod/")
        {
            self.known.marked(pod, annotation(&shown.object, EVICTED_FOR));
        }
        let group = self.seen.take(news);
        if let News::Gone(key) = news
            && let Some(pod) = key.strip_prefix("Pod/")
        {
            self.known.forget(pod);
            self.reporter.forget(pod);
            self.progress.forget(pod);
        }
        let enqueued = group.and_then(|group| self.reporter.group_told(&group));
        self.write(enqueued.into_iter().collect());
    }

    fn syncing(&mut self, missing: &[Kind]) {
        self.with.status.synced(missing.is_empty());
    }

    fn turned(&mut self, turn: &Turn, session: &Session, cycle: Option<i64>) {
        let now = session.mirror().now();
        turn.steps.iter().for_each(|step| self.step(now, step, session));
        self.is_stale |= !turn.steps.is_empty();
        self.with.status.metrics.failed(&self.with.system, turn.failed_attempts);
        for given_up in &turn.given_up {
            self.given_up(given_up);
        }
        if let Some(took) = cycle {
            self.with
                .status
                .metrics
                .decided(&self.with.system, Duration::from_nanos(u64::try_from(took).unwrap_or_default()));
        }
    }

    fn tick(&mut self, now: i64, talk: Option<&mut Talk>) {
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
            if let Answered::Answer(answer) = &mut answered {
                answer.standing = known::standing(talk, answer);
            }
            reply.send(answered);
        }
    }

    fn due(&self) -> Option<i64> {
        let books = self.counted_at.filter(|_| self.is_stale).map(|at| at.saturating_add(COUNT));
        self.reporter.wake_at().into_iter().chain(books).min()
    }

    fn finished(&mut self, finished: &Finished) {
        let (task, outcome) = (&finished.task, &finished.done.outcome);
        if task.evicts() && matches!(outcome, CommandOutcome::Accepted | CommandOutcome::Done) {
            self.reporter.evicted(&task.object().pod_name());
        }
        self.with.status.metrics.command(task.word(), outcome);
    }

    fn refused(&mut self, refusal: &Refusal, deleted: bool) {
        let name = refusal.pod.pod_name();
        self.known.refused(&name, Some((&refusal.node, &refusal.message)));
        let note = format!("It was let go for {}, and kube-scheduler refuses it: {}", refusal.node, refusal.message);
        let after = if deleted { "; it is deleted, because its owner makes another" } else { "" };
        self.warnings.push(Warning { pod: name, reason: "RoomTaken", action: "Binding", note: note + after });
    }

    fn placed(&mut self, refusal: &Refusal) {
        let name = refusal.pod.pod_name();
        self.known.refused(&name, None);
        self.reporter.placed(&name);
    }

    fn blocked(&mut self, victim: &ObjectRef, why: &str) {
        let note = format!("It is not evicted: {why}; it is tried again");
        let pod = victim.pod_name();
        self.warnings.push(Warning { pod, reason: "FailedEviction", action: "Preempting", note });
    }

    fn stands(&mut self, victim: &Standing) {
        let note = format!("It is to be evicted ({}) and still runs after a minute: {STANDS}", victim.evicted_for);
        let pod = victim.pod.pod_name();
        self.warnings.push(Warning { pod, reason: "VictimStillRuns", action: "Preempting", note });
    }

    fn counted(&mut self, refused: usize, overdue: usize) {
        self.with.status.metrics.stand(refused, overdue);
    }

    fn unreadable(&mut self, kind: &Kind, why: &str) {
        self.with.status.unreadable(&kind.to_string(), why);
    }

    fn foreign(&mut self, foreign: &Foreign) {
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
