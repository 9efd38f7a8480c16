//! The loop: watches and outcomes into the session, its commands into the cluster.

pub mod inbox;
pub mod listener;
pub mod log;
#[cfg(test)]
mod model;
mod pace;
mod portion;
mod reign;
pub(crate) mod rivals;

use std::collections::BTreeSet;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kube::Client;
use lictor_contract::{ExtensionPoint, Interests};
use lictor_host::living::{MARKS, SessionClock};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::warn;

use crate::carry_out::{Backoff, Executor, KubeApi};
use crate::decide::lives::PlanTimeouts;
use crate::decide::{RecordableSession, RunMode};
use crate::ops::start::identity;
use crate::state::CheckpointStore;
use crate::view::ManagedPods;
use crate::watch::store::ObjectCache;
use crate::watch::{GroupKind, kinds, stream};
use inbox::LoopEvent;
use listener::LoopObserver;
use reign::{LeaderLoop, LeaderLoopParts};

/// The settings of the loop.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How much of the decisions is carried out.
    pub mode: RunMode,
    /// The schedulers whose pods are decided about.
    pub schedulers: Vec<String>,
    /// The most requests that are under way at once.
    pub max_concurrent_requests: usize,
    /// How long changes are collected before the session receives them.
    pub batch_window: Duration,
    /// How long kube-scheduler may refuse a pod that was let go before the pod is deleted, where a ReplicaSet or StatefulSet makes another. `None`:
    /// refused pods are never deleted.
    pub refused_grace: Option<Duration>,
    /// How long a plan may take before it is given up.
    pub plan_timeouts: PlanTimeouts,
    /// How long a victim may run on after it was marked before that is reported.
    pub victim_patience: Duration,
    /// How long requests that are under way may take when the process is to end.
    pub shutdown_timeout: Duration,
    /// The name of this process, which no other has.
    pub identity: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            mode: RunMode::Enforce,
            schedulers: vec![crate::names::DEFAULT_SCHEDULER.to_owned()],
            max_concurrent_requests: 32,
            batch_window: Duration::from_millis(20),
            refused_grace: None,
            plan_timeouts: PlanTimeouts::default(),
            victim_patience: Duration::from_secs(60),
            shutdown_timeout: Duration::from_secs(5),
            identity: identity(),
        }
    }
}

/// A session without inputs.
pub struct SessionSetup {
    /// The session.
    pub session: RecordableSession,
    /// The kinds and fields that its policy reads.
    pub interests: Interests,
    /// The extension points at which its policy decides.
    pub points: Vec<ExtensionPoint>,
    /// Whether this process deletes victims; false: another controller deletes the marked ones. A process that deletes victims also evicts those that
    /// an earlier process has only marked.
    pub deletes_victims: bool,
}

/// Why the loop ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The session could not be opened.
    #[error("{0}")]
    Open(String),
    /// The thread of the session could not be started.
    #[error("the thread of the session cannot be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The thread of the session broke.
    #[error("the thread of the session has ended before its time")]
    Ended,
}

/// The surroundings of the loop.
pub struct LoopDependencies<O, L> {
    /// The cluster.
    pub client: Client,
    /// Opens a session, each time that this process begins to lead.
    pub open: O,
    /// The listener of the loop.
    pub observer: L,
    /// The store of the state that another process needs to go on. `None`: the cluster alone holds that state.
    pub checkpoint_store: Option<Box<dyn CheckpointStore>>,
    /// Whether this process leads; only the leader writes.
    pub leads: watch::Receiver<bool>,
    /// Whether the process is to end.
    pub stop: watch::Receiver<bool>,
}

/// Runs until `stop` becomes true. While this process does not lead, it waits, watches nothing and writes nothing.
///
/// # Errors
/// The session cannot be opened, or its thread breaks.
pub async fn run<O, L>(settings: Settings, mut with: LoopDependencies<O, L>) -> Result<(), RunError>
where
    O: FnMut() -> Result<SessionSetup, String>,
    L: LoopObserver,
{
    let (mut listener, mut keep) = (Some(with.observer), with.checkpoint_store);
    loop {
        tokio::select! {
            () = wait_until(&mut with.stop, true) => return Ok(()),
            () = wait_until(&mut with.leads, true) => {}
        }
        let opened = (with.open)().map_err(RunError::Open)?;
        if settings.mode == RunMode::Enforce && !opened.deletes_victims {
            warn!(remedy = MARKS, "victims are only marked: another controller must delete them");
        }
        let Some(told) = listener.take() else { return Err(RunError::Ended) };
        let reigned =
            run_leader_loop(&settings, &with.client, opened, told, keep.take(), &mut with.leads, &mut with.stop)
                .await?;
        (listener, keep) = (Some(reigned.observer), reigned.checkpoint_store);
        if *with.stop.borrow() {
            return Ok(());
        }
        if reigned.is_taken_over {
            tokio::select! {
                () = wait_until(&mut with.stop, true) => return Ok(()),
                () = wait_until(&mut with.leads, false) => {}
                () = tokio::time::sleep(TAKEOVER_PAUSE) => {}
            }
        }
    }
}

/// Runs one time of leading: from the first list to the loss of the lead, or the end of the process.
async fn run_leader_loop<L: LoopObserver>(
    settings: &Settings,
    client: &Client,
    opened: SessionSetup,
    mut listener: L,
    keep: Option<Box<dyn CheckpointStore>>,
    leads: &mut watch::Receiver<bool>,
    stop: &mut watch::Receiver<bool>,
) -> Result<LeaderLoopParts<L>, RunError> {
    let (send, inbox) = channel();
    let kinds = kinds::watched_kinds(&opened.interests);
    let watches = start_watches(client, &kinds, &send);
    let ours = ManagedPods { schedulers: settings.schedulers.clone(), ungated: settings.mode == RunMode::Observe };
    let store = ObjectCache::new(ours, kinds, &opened.interests.placed_kinds);
    let back = send.clone();
    let told = move |report| drop(back.send(LoopEvent::Report(report)));
    let wake = send.clone();
    listener.leadership_started(Box::new(move || wake.send(LoopEvent::Wake).is_ok()));
    let placed = kinds::placed_kinds(&opened.interests);
    let manager = rivals::field_manager(&settings.identity);
    let api = KubeApi::new(client.clone())
        .with_status(listener.status())
        .with_placed_kinds(placed)
        .with_field_manager(&manager);
    let (executor, works) = Executor::start(api, settings.max_concurrent_requests, Backoff::default(), told);
    // The task ends with this function, however that ends: then nothing is written any more.
    let mut works_alone = JoinSet::new();
    let works = works_alone.spawn(works);
    let reign = LeaderLoop::new(settings.clone(), opened, store, executor, listener, keep, SessionClock::start());
    let (ended, mut end) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("session".to_owned()).spawn(move || {
        let _nobody_waits = ended.send(reign.run(&inbox));
    })?;
    let graceful = tokio::select! {
        () = wait_until(stop, true) => true,
        () = wait_until(leads, false) => false,
        reigned = &mut end => return reigned.map_err(|_| RunError::Ended),
    };
    // Another process may lead already: no request may be sent any more.
    if !graceful {
        works.abort();
    }
    drop(watches);
    let _ended = send.send(LoopEvent::Stop(graceful));
    let reigned = end.await.map_err(|_| RunError::Ended);
    works.abort();
    reigned
}

/// How long a process waits before it begins to lead again, after another process has taken its checkpoint over. Where this process has lost the
/// lead, it knows by then: a Lease lasts 15 s. Where it still leads, the other one has lost the lead.
const TAKEOVER_PAUSE: Duration = Duration::from_secs(15);

/// Waits until the value is `what`. Where no sender is left, the last value stays.
async fn wait_until(said: &mut watch::Receiver<bool>, what: bool) {
    if said.wait_for(|now| *now == what).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Starts one watch for each kind. The watches end when the returned set is dropped.
fn start_watches(client: &Client, kinds: &BTreeSet<GroupKind>, send: &Sender<LoopEvent>) -> JoinSet<()> {
    let mut watches = JoinSet::new();
    for kind in kinds {
        let (send, seen_kind) = (send.clone(), kind.clone());
        let tell = move |seen| send.send(LoopEvent::Watch(seen_kind.clone(), seen)).is_ok();
        watches.spawn(stream::watch_kind(client.clone(), kind.clone(), tell));
    }
    watches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_said_last_stays_so_when_nobody_says_anything_any_more() {
        let (say, mut said) = watch::channel(true);
        wait_until(&mut said, true).await;
        drop(say);
        wait_until(&mut said, true).await;
        let short = Duration::from_millis(20);
        assert!(tokio::time::timeout(short, wait_until(&mut said, false)).await.is_err());
    }
}
