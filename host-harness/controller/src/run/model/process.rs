//! One process of `run`: the parts that [`super::super::run`] ties together, turned by hand in the time of the test.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use lictor::Native;
use lictor_contract::{ExtensionPoint, SystemInfo};
use lictor_host::living::SessionClock;
use lictor_host::policy::Policy;
use lictor_host::session::Session;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::client::ProcessClient;
use super::server::{ApiServerHandle, SECOND};
use super::teller::StoryObserver;
use crate::carry_out::{Backoff, Executor};
use crate::decide::lives::PlanTimeouts;
use crate::decide::{DeciderCheckpoint, RecordableSession, RunMode};
use crate::names::DEFAULT_SCHEDULER;
use crate::ops::listen::{ObserverConfig, OperationsObserver};
use crate::ops::{Outbox, Status};
use crate::report::{ApiWrite, EventSource, ReportMode};
use crate::run::inbox::LoopEvent;
use crate::run::listener::LoopObserver;
use crate::run::log::LogObserver;
use crate::run::reign::LeaderLoop;
use crate::run::{SessionSetup, Settings};
use crate::state::{CheckpointStore, StoreError};
use crate::view::ManagedPods;
use crate::watch::store::ObjectCache;
use crate::watch::{GroupKind, kinds};
use lictor_host::living::only_marks;

/// A checkpoint in memory, which may not be written.
#[derive(Clone, Default)]
pub(super) struct MemoryCheckpointStore(Arc<Mutex<MemoryCheckpointState>>);

#[derive(Default)]
struct MemoryCheckpointState {
    text: Option<String>,
    /// Whether it cannot be written.
    is_full: bool,
    /// Whether it cannot be read the next time that a process takes it over.
    is_unreadable: bool,
    /// Whether another process has taken it over from the one that leads.
    is_taken_over: bool,
    /// Counts what would be requests that write.
    writes: usize,
}

impl MemoryCheckpointStore {
    /// Sets whether the checkpoint cannot be written from now on.
    pub(super) fn set_full(&self, is_full: bool) {
        self.0.lock().unwrap().is_full = is_full;
    }

    /// Lets the next process fail to read the checkpoint.
    pub(super) fn fail_to_read(&self) {
        self.0.lock().unwrap().is_unreadable = true;
    }

    /// Returns how often a process has taken it over, or wanted to store it.
    pub(super) fn writes(&self) -> usize {
        self.0.lock().unwrap().writes
    }

    /// Lets another process, which does nothing more, take the checkpoint over.
    pub(super) fn lose(&self) {
        self.0.lock().unwrap().is_taken_over = true;
    }
}

impl CheckpointStore for MemoryCheckpointStore {
    fn load(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        let kept = self.0.lock().unwrap();
        kept.text.as_ref().map(|text| serde_json::from_str(text)).transpose().map_err(|error| error.to_string())
    }

    fn take_over(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        let mut kept = self.0.lock().unwrap();
        (kept.is_taken_over, kept.writes) = (false, kept.writes + 1);
        if std::mem::take(&mut kept.is_unreadable) {
            return Err("the disk is slow".to_owned());
        }
        drop(kept);
        self.load()
    }

    fn store(&mut self, saved: &DeciderCheckpoint) -> Result<(), StoreError> {
        let mut kept = self.0.lock().unwrap();
        kept.writes += 1;
        if kept.is_taken_over {
            return Err(StoreError::TakenOver("another process has taken it over".to_owned()));
        }
        if kept.is_full {
            return Err(StoreError::Failed("the disk is full".to_owned()));
        }
        kept.text = Some(serde_json::to_string(saved).map_err(|error| StoreError::Failed(error.to_string()))?);
        Ok(())
    }
}

/// The settings with which a process is started.
#[derive(Clone)]
pub(super) struct ProcessSettings {
    pub(super) system: &'static str,
    pub(super) arguments: &'static str,
    /// How much its clock is ahead of that of the cluster, in nanoseconds.
    pub(super) skew: i64,
    /// How long a job may be refused after its victims have left, in seconds.
    pub(super) refused: i64,
    pub(super) checkpoint: Option<MemoryCheckpointStore>,
    pub(super) mode: RunMode,
}

type ProcessObservers = ((LogObserver, OperationsObserver), StoryObserver);

/// A process that leads.
pub(super) struct Process {
    leader_loop: LeaderLoop<ProcessObservers>,
    server: ApiServerHandle,
    number: u64,
    works: JoinHandle<()>,
    inbox: UnboundedReceiver<LoopEvent>,
    /// When the loop turns at the latest.
    due: Instant,
    /// Whether another process leads.
    has_lost_lead: bool,
    pub(super) writes: Receiver<ApiWrite>,
    pub(super) kinds: BTreeSet<GroupKind>,
}

fn open(how: &ProcessSettings) -> SessionSetup {
    let policy = Native::default();
    // Each system is described once: the texts are long.
    static DESCRIBED: OnceLock<Vec<SystemInfo>> = OnceLock::new();
    let described = DESCRIBED.get_or_init(|| Native::default().describe().unwrap().systems);
    let info = described.iter().find(|info| info.name == how.system).unwrap();
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    let mut session = Session::open(Box::new(policy), how.system, how.arguments).unwrap();
    session.set_schedulers([DEFAULT_SCHEDULER.to_owned()]);
    let deletes_victims = !only_marks(how.system, how.arguments);
    SessionSetup {
        session: RecordableSession::new(session, None),
        interests: info.interests.clone(),
        points,
        deletes_victims,
    }
}

impl Process {
    /// Starts the process of this number. Its watches begin with a list.
    pub(super) fn start(server: &ApiServerHandle, process: u64, how: &ProcessSettings) -> Process {
        let opened = open(how);
        let settings = Settings {
            mode: how.mode,
            plan_timeouts: PlanTimeouts { refused: how.refused * SECOND, ..PlanTimeouts::default() },
            ..Settings::default()
        };
        let kinds = kinds::watched_kinds(&opened.interests);
        let ours = ManagedPods { schedulers: settings.schedulers.clone(), ungated: false };
        let store = ObjectCache::new(ours, kinds.clone(), &opened.interests.placed_kinds);
        let (send, inbox) = unbounded_channel();
        let status = Arc::new(Status::default());
        let (writes, written) = Outbox::new(status.clone());
        let origin = EventSource { controller: "lictor.dev/lictor".to_owned(), instance: format!("p{process}") };
        let (operations, _questions) = OperationsObserver::new(ObserverConfig {
            status,
            mode: ReportMode::Enforce,
            system: how.system.to_owned(),
            origin,
            explains: false,
            writes: Some(writes),
        });
        let mut listener = (
            (LogObserver::default(), operations),
            StoryObserver { server: server.clone(), process, pods: Default::default() },
        );
        let wake = send.clone();
        listener.leadership_started(Box::new(move || wake.send(LoopEvent::Wake).is_ok()));
        let client = ProcessClient { server: server.clone(), process };
        let tell = move |report| drop(send.send(LoopEvent::Report(report)));
        let (executor, works) = Executor::start(client, settings.max_concurrent_requests, Backoff::default(), tell);
        let works = tokio::spawn(works);
        let mut state = server.state();
        state.leader = Some((process, works.abort_handle()));
        state.feed.clear();
        kinds.iter().for_each(|kind| state.list(kind));
        let keep = how.checkpoint.clone().map(|kept| Box::new(kept) as Box<dyn CheckpointStore>);
        let clock = SessionClock::reading(|| Instant::now().into_std(), state.now() + how.skew);
        let reign = LeaderLoop::new(settings, opened, store, executor, listener, keep, clock);
        let (server, due) = (server.clone(), Instant::now());
        Process {
            leader_loop: reign,
            server,
            number: process,
            works,
            inbox,
            due,
            has_lost_lead: false,
            writes: written,
            kinds,
        }
    }

    /// Ends the process at once: nothing more is sent. What was sent may still be served.
    pub(super) fn kill(self) {
        self.works.abort();
    }

    /// Returns whether the process has ended by itself: in the middle of a request, or because another one leads.
    pub(super) fn has_ended(&self) -> bool {
        self.has_lost_lead || self.server.state().leader.as_ref().is_none_or(|(leader, _)| *leader != self.number)
    }

    /// Hands the process the messages of its watches.
    pub(super) fn receive(&mut self, came: Vec<LoopEvent>) {
        if !came.is_empty() {
            self.turn(came);
        }
    }

    fn turn(&mut self, mut came: Vec<LoopEvent>) {
        while let Ok(more) = self.inbox.try_recv() {
            came.push(more);
        }
        // The process gets no signal to stop: it stops where another process has taken its checkpoint over.
        if self.leader_loop.turn(came).is_some() {
            self.has_lost_lead = true;
        }
        self.due = Instant::now() + self.leader_loop.wait();
    }

    /// Runs until `until`, as the loop does: it turns when a message arrives, and when something is due. Returns false where it spins.
    pub(super) async fn run_until(&mut self, until: Instant) -> bool {
        let mut turns = 0;
        loop {
            let next = until.min(self.due);
            let came = tokio::time::timeout_at(next, self.inbox.recv()).await.ok().flatten();
            if self.has_ended() {
                // Its thread needs a moment to end, and its tasks could still be sent.
                tokio::time::sleep_until(until.min(Instant::now() + Duration::from_secs(1))).await;
                self.works.abort();
                tokio::time::sleep_until(until).await;
                return true;
            }
            if came.is_some() || Instant::now() >= self.due {
                self.turn(came.into_iter().collect());
                turns += 1;
            }
            if Instant::now() >= until {
                return true;
            }
            if turns > 10_000 {
                return false;
            }
        }
    }

    /// Ends the process by a signal: the tasks under way end, within 5 s.
    pub(super) async fn end(mut self) {
        let until = Instant::now() + Duration::from_secs(5);
        let mut came = vec![LoopEvent::Stop(true)];
        loop {
            if self.has_ended() {
                return;
            }
            let _graceful = self.leader_loop.turn(came);
            if self.leader_loop.is_idle() || Instant::now() >= until {
                break;
            }
            let next = tokio::time::timeout_at(until, self.inbox.recv()).await.ok().flatten();
            came = next.into_iter().chain([LoopEvent::Stop(true)]).collect();
        }
        self.leader_loop.save_last();
        self.works.abort();
    }
}
