//! Health and metrics of a host that serves kube-schedulers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lictor_controller::ops::metrics::{SessionMetrics, SessionState, labels::Build};
use lictor_controller::ops::{Status, http};
use lictor_controller::tokio::net::TcpListener;
use lictor_controller::tokio::runtime;
use lictor_controller::tokio::sync::watch;
use lictor_host::cluster::{InputError, KubernetesObject};
use lictor_host::session::{
    CommandAction, CommandId, CommandOutcome, PluginRequest, PluginResponse, Session, SessionError, StepOutput,
};
use lictor_serve::ConnectionObserver;

use crate::failure::CommandError;

/// The time between two counts over all pods, in nanoseconds.
const COUNT: i64 = 1_000_000_000;

/// The reporter that counts the events of all connections.
struct MetricsObserver<R>(Arc<SharedMetrics<R>>);

/// State that the connections share.
struct SharedMetrics<R> {
    next_observer: R,
    status: Arc<Status>,
    system: String,
    /// The open connections, by number, and the number of the next one.
    connections: Mutex<(BTreeMap<u64, ConnectionSnapshot>, u64)>,
}

/// The state of the session of one connection.
#[derive(Clone, Copy, Default)]
struct ConnectionSnapshot {
    is_synced: bool,
    state: SessionState,
}

/// The reporter that counts the events of one connection, whose session has counters of its own.
struct ConnectionMetricsObserver<R> {
    shared: Arc<SharedMetrics<R>>,
    number: u64,
    counts: Mutex<ConnectionState>,
}

/// The state between two events.
#[derive(Default)]
struct ConnectionState {
    progress: SessionMetrics,
    /// The actions of the commands under way.
    commands: BTreeMap<CommandId, &'static str>,
    counted_at: Option<i64>,
}

/// Serves health and metrics of the policy of this name at this address from now on. `then` still receives all reports.
pub(crate) fn listen(
    address: SocketAddr,
    (system, policy): (&str, &str),
    component: String,
    then: impl ConnectionObserver + 'static,
) -> Result<Arc<dyn ConnectionObserver>, CommandError> {
    let status = Arc::new(Status::default());
    let (version, policy) = (env!("CARGO_PKG_VERSION").to_owned(), policy.to_owned());
    status.metrics.build_info.get_or_create(&Build { version, policy, component }).set(1);
    // No scheduler is connected yet.
    status.set_leader(false);
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(address)).map_err(|error| CommandError::Cluster {
        message: format!("{address} cannot be listened at: {error}"),
        remedy: "name another address with `--listen`, or end what listens there",
    })?;
    let served = status.clone();
    thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        let (_stop, stopped) = watch::channel(false);
        runtime.block_on(http::serve(listener, served, stopped));
    })?;
    let shared =
        SharedMetrics { next_observer: then, status, system: system.to_owned(), connections: Mutex::default() };
    Ok(Arc::new(MetricsObserver(Arc::new(shared))))
}

impl<R> SharedMetrics<R> {
    /// Changes the figures of the connections, and shows the sum.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<u64, ConnectionSnapshot>, &mut u64)) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, next) = &mut *connections;
        change(all, next);
        let is_synced = !all.is_empty() && all.values().all(|served| served.is_synced);
        self.status.set_leader(!all.is_empty());
        self.status.set_synced(is_synced);
        self.status.metrics.set_session_state(
            all.values().map(|served| served.state).fold(SessionState::default(), SessionState::with),
        );
    }
}

impl<R: ConnectionObserver + 'static> ConnectionObserver for MetricsObserver<R> {
    fn connection(&self) -> Option<Arc<dyn ConnectionObserver>> {
        let mut number = 0;
        self.0.change(|all, next| {
            number = *next;
            *next = next.saturating_add(1);
            all.insert(number, ConnectionSnapshot::default());
        });
        Some(Arc::new(ConnectionMetricsObserver { shared: self.0.clone(), number, counts: Mutex::default() }))
    }

    fn step(&self, step: &StepOutput, session: &Session) {
        self.0.next_observer.step(step, session);
    }

    fn error(&self, error: &SessionError) {
        self.0.next_observer.error(error);
    }

    fn object_invalid(&self, mistake: &InputError) {
        self.0.next_observer.object_invalid(mistake);
    }

    fn write_line(&self, line: &str) {
        self.0.next_observer.write_line(line);
    }
}

impl<R> ConnectionMetricsObserver<R> {
    fn counts(&self) -> MutexGuard<'_, ConnectionState> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: SessionState) {
        self.shared.change(|all, _| {
            if let Some(served) = all.get_mut(&self.number) {
                *served = ConnectionSnapshot { is_synced: true, state };
            }
        });
    }
}

impl<R> Drop for ConnectionMetricsObserver<R> {
    fn drop(&mut self) {
        self.shared.change(|all, _| {
            all.remove(&self.number);
        });
    }
}

impl<R: ConnectionObserver> ConnectionObserver for ConnectionMetricsObserver<R> {
    fn objects(&self, objects: &[KubernetesObject]) {
        self.shared.next_observer.objects(objects);
    }

    fn step(&self, step: &StepOutput, session: &Session) {
        let (mut counts, shared) = (self.counts(), &self.shared);
        counts.progress.step(&shared.status.metrics, &shared.system, step, session);
        counts.commands.extend(step.commands.iter().filter_map(|command| Some((command.id, word(&command.action)?))));
        drop(counts);
        shared.next_observer.step(step, session);
    }

    fn request_handled(&self, question: &PluginRequest, answer: &PluginResponse, took: Duration) {
        self.shared.status.metrics.decided(&self.shared.system, took);
        self.shared.next_observer.request_handled(question, answer, took);
    }

    fn command_settled(&self, command: CommandId, outcome: &CommandOutcome) {
        if let Some(action) = self.counts().commands.remove(&command) {
            self.shared.status.metrics.command(action, outcome);
        }
        self.shared.next_observer.command_settled(command, outcome);
    }

    fn batch_handled(&self, session: Option<&Session>) {
        self.shared.status.record_heartbeat();
        let mut counts = self.counts();
        if let Some(session) = session {
            let now = session.mirror().now();
            if counts.counted_at.is_none_or(|at| at.saturating_add(COUNT) <= now) {
                counts.counted_at = Some(now);
                self.show(counts.progress.counted(&self.shared.status.metrics, session));
            }
        }
        drop(counts);
        self.shared.next_observer.batch_handled(session);
        self.shared.status.metrics.overdue(self.shared.next_observer.count_overdue());
    }

    fn connection_changed(&self, is: bool) {
        self.shared.next_observer.connection_changed(is);
    }

    fn error(&self, error: &SessionError) {
        self.shared.next_observer.error(error);
    }

    fn attempt_failed(&self) {
        self.shared.status.metrics.failed(&self.shared.system, 1);
        self.shared.next_observer.attempt_failed();
    }

    fn object_invalid(&self, mistake: &InputError) {
        self.shared.status.metrics.mistakes.inc();
        self.shared.next_observer.object_invalid(mistake);
    }

    fn checkpoint_failed(&self, why: &str) {
        self.shared.status.metrics.unsaved.inc();
        self.shared.next_observer.checkpoint_failed(why);
    }

    fn write_line(&self, line: &str) {
        self.shared.next_observer.write_line(line);
    }
}

/// Returns the word for the action of a command. `None`: the command only asks about another one.
fn word(action: &CommandAction) -> Option<&'static str> {
    Some(match action {
        CommandAction::Bind { .. } => "bind",
        CommandAction::Nominate { .. } => "nominate",
        CommandAction::Evict { .. } => "evict",
        CommandAction::Confirm => return None,
    })
}

#[cfg(test)]
mod tests;
