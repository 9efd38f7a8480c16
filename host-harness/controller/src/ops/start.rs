//! The parts around the loop, started and ended together: the election, health and metrics, reports, and the socket for questions.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kube::Client;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::{info, warn};

use super::explain::SocketServer;
use super::listen::{ObserverConfig, OperationsObserver};
use super::{Status, http, outbox, review};
use crate::lease::{ElectionConfig, run_election};
use crate::mark::StandingMarker;
use crate::report::{EventSource, ReportMode};
use crate::upgrade::ReplacementService;

/// How long giving back the lease may take when the process ends.
const LEASE_RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// The parts to start, with their settings.
#[derive(Debug, Clone)]
pub struct OperationsConfig {
    /// The election. `None`: this process leads without one.
    pub lease: Option<ElectionConfig>,
    /// The address of health and metrics. `None`: they are not served.
    pub listen: Option<SocketAddr>,
    /// The path of the socket for questions. `None`: questions are not answered.
    pub socket: Option<PathBuf>,
    /// The desk at which replacements of the policy are ordered over the socket. `None`: they cannot be ordered.
    pub replacements: Option<ReplacementService>,
    /// Whether events, conditions and status are written.
    pub reports: bool,
    /// Whether running pods are marked with their standing. In a dry run they are not.
    pub standing: bool,
    /// Whether decisions are carried out.
    pub mode: ReportMode,
    /// Whether every attempt is explained in full.
    pub explains: bool,
    /// The system whose laws are in force.
    pub system: String,
    /// The policy and its version, and the digest of its component.
    pub policy: (String, String),
    /// The name of this process, which no other process has.
    pub identity: String,
}

/// The parts that were started.
pub struct RunningOperations {
    /// The listener for the loop.
    pub observer: (OperationsObserver, StandingMarker),
    /// Whether this process leads.
    pub leads: watch::Receiver<bool>,
    /// Ends what was started.
    pub handle: OperationsHandle,
}

/// The handle that ends the parts that were started.
pub struct OperationsHandle {
    status: Arc<Status>,
    stop: watch::Sender<bool>,
    lease: Option<JoinHandle<()>>,
    tasks: JoinSet<()>,
    /// The server of the socket. It listens as long as this value exists.
    socket: Option<SocketServer>,
}

/// Why a part could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened at.
    #[error("{0} cannot be listened at: {1}")]
    Address(SocketAddr, io::Error),
    /// The socket cannot be listened at.
    #[error("{} cannot be listened at: {}", .0.display(), .1)]
    Socket(PathBuf, io::Error),
}

/// Returns a unique name for this process: that of its pod or machine, with the process number and the time in nanoseconds.
pub fn identity() -> String {
    let named = ["POD_NAME", "HOSTNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let file = || std::fs::read_to_string("/etc/hostname").ok().map(|name| name.trim().to_owned());
    let name = named.or_else(file).filter(|name| !name.is_empty()).unwrap_or_else(|| "lictor".to_owned());
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{name}_{:x}-{nanoseconds:x}", std::process::id())
}

/// Starts the parts. Must be called within a runtime.
///
/// # Errors
/// An address or a socket is in use.
pub async fn start(client: Client, wanted: OperationsConfig) -> Result<RunningOperations, StartError> {
    let (status, mut tasks) = (Arc::new(Status::default()), JoinSet::new());
    let (stop, stopped) = watch::channel(false);
    let (version, (policy, component)) = (env!("CARGO_PKG_VERSION").to_owned(), wanted.policy.clone());
    let build = super::metrics::labels::Build { version, policy, component };
    status.metrics.build_info.get_or_create(&build).set(1);
    let origin = EventSource { controller: "lictor.dev/lictor".to_owned(), instance: wanted.identity.clone() };
    if let Some(address) = wanted.listen {
        let listener = TcpListener::bind(address).await.map_err(|error| StartError::Address(address, error))?;
        tasks.spawn(http::serve(listener, status.clone(), stopped.clone()));
    }
    let (lead, leads) = watch::channel(wanted.lease.is_none());
    tasks.spawn(follow(leads.clone(), status.clone(), wanted.lease.as_ref().map(|lease| lease.name.clone())));
    let lease =
        wanted.lease.clone().map(|lease| tokio::spawn(run_election(client.clone(), lease, lead.clone(), stopped)));
    // Without an election the sender must live as long as the process leads.
    if lease.is_none() {
        tasks.spawn(async move { lead.closed().await });
    }
    if wanted.mode == ReportMode::Enforce {
        if wanted.lease.is_none() {
            warn!(
                remedy = "--lease namespace/name",
                "no Lease is named: another `lictor run` would decide at the same time"
            );
        }
        tasks.spawn(review::follow(client.clone(), status.clone(), wanted.reports));
    }
    let marks = wanted.standing && wanted.mode == ReportMode::Enforce;
    let mut writes = || outbox::writing(client.clone(), &mut tasks, leads.clone(), status.clone());
    let (writes, marks) = (wanted.reports.then(&mut writes), marks.then(&mut writes));
    let OperationsConfig { mode, explains, system, socket, replacements: desk, .. } = wanted;
    let (listener, hand_on) =
        OperationsObserver::new(ObserverConfig { status: status.clone(), mode, system, origin, explains, writes });
    let socket = match socket {
        None => None,
        Some(path) => Some(
            SocketServer::listen_with_upgrades(&path, desk, hand_on)
                .map_err(|error| StartError::Socket(path, error))?,
        ),
    };
    let listener = (listener, StandingMarker::new(marks));
    Ok(RunningOperations { observer: listener, leads, handle: OperationsHandle { status, stop, lease, tasks, socket } })
}

impl OperationsHandle {
    /// Ends all parts after the loop has ended, and gives the lease back.
    pub async fn shut_down(mut self) {
        self.status.set_stopping();
        let _receivers = self.stop.send_replace(true);
        // This comes first: another process may lead, whatever still hangs here.
        if let Some(lease) = self.lease.take() {
            let _late = tokio::time::timeout(LEASE_RELEASE_TIMEOUT, lease).await;
        }
        self.tasks.abort_all();
        self.socket = None;
        info!("the process ends; a Lease that it held is given back");
    }
}

/// Keeps the status up to date with whether this process leads.
async fn follow(mut leads: watch::Receiver<bool>, status: Arc<Status>, lease: Option<String>) {
    if lease.is_some() {
        // The Lease was not read yet: this process is neither leader nor standby.
        if leads.changed().await.is_err() {
            return;
        }
    }
    loop {
        let now = *leads.borrow_and_update();
        status.set_leader(now);
        if let Some(name) = lease.clone() {
            let election = super::metrics::labels::Election { name };
            status.metrics.leader.get_or_create(&election).set(i64::from(now));
        }
        if leads.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn the_lease_is_given_back_while_questions_are_still_taken() {
        let path = std::env::temp_dir().join(format!("lictor-ender-{}.sock", std::process::id()));
        let socket = Some(SocketServer::listen(&path, |_, _| true).unwrap());
        let (stop, mut stopped) = watch::channel(false);
        let (listens, seen) = (Arc::new(AtomicBool::default()), path.clone());
        let flag = listens.clone();
        let lease = tokio::spawn(async move {
            let _stops = stopped.wait_for(|stop| *stop).await;
            flag.store(seen.exists(), Ordering::SeqCst);
        });
        let ender = OperationsHandle {
            status: Arc::new(Status::default()),
            stop,
            lease: Some(lease),
            tasks: JoinSet::new(),
            socket,
        };
        ender.shut_down().await;
        assert!(listens.load(Ordering::SeqCst) && !path.exists());
    }
}
