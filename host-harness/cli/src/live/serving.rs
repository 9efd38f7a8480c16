//! Health and metrics of a host that a kube-scheduler asks.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lictor_controller::ops::metrics::{Progress, labels::Build};
use lictor_controller::ops::{Status, http};
use lictor_controller::tokio::net::TcpListener;
use lictor_controller::tokio::runtime;
use lictor_controller::tokio::sync::watch;
use lictor_host::cluster::{InputError, Object};
use lictor_host::session::{Action, Answer, CommandId, CommandOutcome, Question, Session, SessionError, Step};
use lictor_serve::Report;

use crate::failure::Failure;

/// How often what is counted over all pods is counted, in nanoseconds.
const COUNT: i64 = 1_000_000_000;

/// Says what happens to metrics as well as to somebody else.
struct Metered<R> {
    then: R,
    status: Arc<Status>,
    system: String,
    counts: Mutex<Counts>,
}

/// What is kept between two things that happen.
#[derive(Default)]
struct Counts {
    progress: Progress,
    /// What the commands do that are under way.
    commands: BTreeMap<CommandId, &'static str>,
    counted_at: Option<i64>,
}

/// Serves health and metrics of the policy of this name at this address from now on. Who reports is told as before.
pub(crate) fn listen(
    address: SocketAddr,
    (system, policy): (&str, &str),
    component: String,
    then: impl Report + 'static,
) -> Result<Arc<dyn Report>, Failure> {
    let status = Arc::new(Status::default());
    let (version, policy) = (env!("CARGO_PKG_VERSION").to_owned(), policy.to_owned());
    status.metrics.build_info.get_or_create(&Build { version, policy, component }).set(1);
    // Nobody is connected.
    status.leads(false);
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(address)).map_err(|error| Failure::Cluster {
        message: format!("{address} cannot be listened at: {error}"),
        remedy: "name another address with `--listen`, or end what listens there",
    })?;
    let served = status.clone();
    thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        let (_stop, stopped) = watch::channel(false);
        runtime.block_on(http::serve(listener, served, stopped));
    })?;
    Ok(Arc::new(Metered { then, status, system: system.to_owned(), counts: Mutex::default() }))
}

impl<R> Metered<R> {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Report> Report for Metered<R> {
    fn objects(&self, objects: &[Object]) {
        self.then.objects(objects);
    }

    fn step(&self, step: &Step, session: &Session) {
        let mut counts = self.counts();
        counts.progress.step(&self.status.metrics, &self.system, step, session);
        counts.commands.extend(step.commands.iter().filter_map(|command| Some((command.id, word(&command.action)?))));
        drop(counts);
        self.then.step(step, session);
    }

    fn answered(&self, question: &Question, answer: &Answer, took: Duration) {
        self.status.metrics.decided(&self.system, took);
        self.then.answered(question, answer, took);
    }

    fn settled(&self, command: CommandId, outcome: &CommandOutcome) {
        if let Some(action) = self.counts().commands.remove(&command) {
            self.status.metrics.command(action, outcome);
        }
        self.then.settled(command, outcome);
    }

    fn turned(&self, session: Option<&Session>) {
        self.status.beat();
        self.status.synced(session.is_some());
        let Some(session) = session else { return self.then.turned(None) };
        let (mut counts, now) = (self.counts(), session.mirror().now());
        if counts.counted_at.is_none_or(|at| at.saturating_add(COUNT) <= now) {
            counts.counted_at = Some(now);
            counts.progress.count(&self.status.metrics, session);
        }
        drop(counts);
        self.then.turned(Some(session));
    }

    fn connected(&self, is: bool) {
        *self.counts() = Counts::default();
        self.status.leads(is);
        self.then.connected(is);
    }

    fn error(&self, error: &SessionError) {
        self.status.metrics.failed(&self.system);
        self.then.error(error);
    }

    fn unread(&self, mistake: &InputError) {
        self.status.metrics.mistakes.inc();
        self.then.unread(mistake);
    }

    fn say(&self, line: &str) {
        self.then.say(line);
    }
}

/// What a command does; none where it only asks about another one.
fn word(action: &Action) -> Option<&'static str> {
    Some(match action {
        Action::Bind { .. } => "bind",
        Action::Nominate { .. } => "nominate",
        Action::Evict { .. } => "evict",
        Action::Confirm => return None,
    })
}
