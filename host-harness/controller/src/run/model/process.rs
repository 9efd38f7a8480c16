//! One process of `run`: the parts that [`super::super::run`] ties together, turned by hand in the time of the test.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lictor::Native;
use lictor_contract::{ExtensionPoint, SystemInfo};
use lictor_host::living::SessionClock;
use lictor_host::policy::Policy;
use lictor_host::session::Session;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::checkpoint::MemoryCheckpointStore;
use super::client::ProcessClient;
use super::server::{ApiServerHandle, SECOND};
use super::teller::StoryObserver;
use super::trouble;
use crate::carry_out::{Backoff, Executor};
use crate::decide::lives::PlanTimeouts;
use crate::decide::{RecordableSession, RunMode};
use crate::names::DEFAULT_SCHEDULER;
use crate::ops::listen::{ObserverConfig, OperationsObserver};
use crate::ops::{Outbox, Status};
use crate::report::{ApiWrite, EventSource, ReportMode};
use crate::run::inbox::LoopEvent;
use crate::run::listener::LoopObserver;
use crate::run::log::LogObserver;
use crate::run::reign::LeaderLoop;
use crate::run::{SessionSetup, Settings};
use crate::state::CheckpointStore;
use crate::view::ManagedPods;
use crate::watch::store::ObjectCache;
use crate::watch::{GroupKind, kinds};
use lictor_host::living::only_marks;

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

/// A process that leads, or has lost the lead and does not know that yet.
pub(super) struct Process {
    leader_loop: LeaderLoop<ProcessObservers>,
    server: ApiServerHandle,
    pub(super) number: u64,
    inbox: UnboundedReceiver<LoopEvent>,
    /// When the loop turns at the latest.
    due: Instant,
    /// Whether another process leads.
    has_lost_lead: bool,
    writes: Receiver<ApiWrite>,
    pub(super) checkpoint: Option<MemoryCheckpointStore>,
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
        state.connect(process, works.abort_handle(), &kinds);
        let keep = how.checkpoint.clone().map(|kept| Box::new(kept) as Box<dyn CheckpointStore>);
        let clock = SessionClock::reading(|| Instant::now().into_std(), state.now() + how.skew);
        let reign = LeaderLoop::new(settings, opened, store, executor, listener, keep, clock);
        let (server, due) = (server.clone(), Instant::now());
        Process {
            leader_loop: reign,
            server,
            number: process,
            inbox,
            due,
            has_lost_lead: false,
            writes: written,
            checkpoint: how.checkpoint.clone(),
            kinds,
        }
    }

    /// Ends the process at once: nothing more is sent. What was sent may still be served.
    pub(super) fn kill(self) {
        self.server.state().end(self.number);
    }

    /// Returns whether the process has ended by itself: in the middle of a request, or because another one leads.
    pub(super) fn has_ended(&self) -> bool {
        self.has_lost_lead || !self.server.state().processes.contains_key(&self.number)
    }

    /// Returns whether another process is to lead, and this one does not know that.
    pub(super) fn is_deposed(&self) -> bool {
        self.server.state().processes.get(&self.number).is_some_and(|process| process.is_deposed)
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

    /// Runs until `until`, as the loop does: it turns when a message arrives, and when something is due. A process that is deposed meanwhile returns
    /// at its next turn, so that another one can be started. Returns false where the loop spins.
    pub(super) async fn run_until(&mut self, until: Instant) -> bool {
        let (was_deposed, mut turns) = (self.is_deposed(), 0);
        loop {
            let next = until.min(self.due);
            let came = tokio::time::timeout_at(next, self.inbox.recv()).await.ok().flatten();
            if self.has_ended() {
                // Its thread needs a moment to end, and its tasks could still be sent.
                tokio::time::sleep_until(until.min(Instant::now() + Duration::from_secs(1))).await;
                self.server.state().end(self.number);
                tokio::time::sleep_until(until).await;
                return true;
            }
            if self.is_deposed() && !was_deposed {
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

    /// Lets time pass, and hands the API server what the process reports.
    pub(super) async fn pass(&mut self, until: Instant) {
        let rests = self.run_until(until).await;
        let mut state = self.server.state();
        if !rests {
            state.observer.violations.push("the loop spins".to_owned());
        }
        while let Ok(write) = self.writes.try_recv() {
            trouble::report(&mut state, write);
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
        self.server.state().end(self.number);
    }
}
