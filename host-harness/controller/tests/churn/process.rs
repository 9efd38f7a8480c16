//! The controller that is measured: the command that the environment names in `LICTOR_BINARY`, else in this process.

use std::alloc::System;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lictor_contract::ExtensionPoint;
use lictor_controller::cluster::{ClusterAccess, connect};
use lictor_controller::decide::RecordableSession;
use lictor_controller::ops::start::{OperationsConfig, identity, start};
use lictor_controller::report::ReportMode;
use lictor_controller::run::log::LogObserver;
use lictor_controller::run::{LoopDependencies, SessionSetup, Settings, run};
use lictor_host::policy::Policy;
use lictor_host::sandbox::{LoadedComponent, Sandbox, SandboxLimits};
use lictor_host::session::Session;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::sync::watch;

use crate::get::{free_address, get};

const SYSTEM: &str = "koordinator";

/// The allocator of the process of the tests. What it has allocated and not freed is exact, while the memory that a process holds also depends on how
/// full its pages are.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The arguments: the controller deletes victims.
const ARGUMENTS: &str = r#"{"podShouldBeDeletedWhenPreempted": true}"#;

/// How long the controller may take until it has listed the cluster, unoptimised.
const START: Duration = Duration::from_secs(120);

/// A controller that runs, until it is dropped.
pub struct Controller {
    how: How,
    folder: PathBuf,
    /// Where health and metrics are served.
    address: SocketAddr,
}

enum How {
    Here(watch::Sender<bool>),
    There(Child),
}

/// Amounts that a controller holds or has taken.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Bytes of memory of the process.
    pub resident: u64,
    /// Bytes that this process has allocated and not freed, with those of the stand-in.
    pub allocated: usize,
    /// Bytes of memory of the policy.
    pub policy: u64,
    pub descriptors: usize,
    /// Time of processors since the process began.
    pub busy: Duration,
}

impl Figures {
    /// Returns the smaller of each amount of two measurements, with the time of the later one.
    pub fn least(self, later: Figures) -> Figures {
        Figures {
            resident: self.resident.min(later.resident),
            allocated: self.allocated.min(later.allocated),
            policy: self.policy.min(later.policy),
            descriptors: self.descriptors.min(later.descriptors),
            busy: later.busy,
        }
    }
}

impl Controller {
    /// Starts a controller for the API server at this address, and waits until it has listed the cluster.
    pub async fn start(server: SocketAddr) -> Controller {
        let folder = std::env::temp_dir().join(format!("lictor-churn-{}-{}", std::process::id(), server.port()));
        std::fs::create_dir_all(&folder).unwrap();
        let (kubeconfig, arguments) = (folder.join("kubeconfig"), folder.join("arguments.yaml"));
        let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "churn",
            "clusters": [{"name": "churn", "cluster": {"server": format!("http://{server}")}}],
            "users": [{"name": "churn", "user": {}}],
            "contexts": [{"name": "churn", "context": {"cluster": "churn", "user": "churn"}}]});
        std::fs::write(&kubeconfig, config.to_string()).unwrap();
        std::fs::write(&arguments, ARGUMENTS).unwrap();
        let address = free_address();
        let how = match std::env::var_os("LICTOR_BINARY") {
            Some(binary) => {
                let mut command = Command::new(binary);
                command.args(["run", "--system", SYSTEM, "--listen", &address.to_string()]);
                command.arg("--args").arg(&arguments).arg("--kubeconfig").arg(&kubeconfig);
                // At the level `info` the log has lines for each pod.
                let log = std::fs::File::create(folder.join("log")).unwrap();
                // As the Deployment has it.
                command.env("MIMALLOC_ALLOW_THP", "0");
                How::There(command.env("RUST_LOG", "warn").stderr(Stdio::from(log)).spawn().unwrap())
            }
            None => How::Here(here(kubeconfig, address)),
        };
        let controller = Controller { how, folder, address };
        let ready = async {
            while !controller.get("/readyz").ends_with("ok: leads\n") {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(START, ready).await.unwrap();
        controller
    }

    pub fn figures(&self) -> Figures {
        let process = match &self.how {
            How::Here(_) => PathBuf::from("/proc/self"),
            How::There(child) => Path::new("/proc").join(child.id().to_string()),
        };
        let read = |name: &str| std::fs::read_to_string(process.join(name)).unwrap();
        let number = |text: &str| text.parse::<u64>().unwrap();
        let resident = number(read("statm").split(' ').nth(1).unwrap()) * 4096;
        let stat = read("stat");
        // After the name of the program, in parentheses, user and system time are fields 12 and 13, in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let busy = Duration::from_millis(10 * (number(fields[11]) + number(fields[12])));
        let descriptors = std::fs::read_dir(process.join("fd")).unwrap().count();
        let stats = ALLOCATOR.stats();
        let allocated = stats.bytes_allocated - stats.bytes_deallocated;
        Figures { resident, allocated, policy: self.metric("lictor_policy_memory_bytes"), descriptors, busy }
    }

    /// Returns a metric without labels.
    pub fn metric(&self, name: &str) -> u64 {
        let metrics = self.get("/metrics");
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}:\n{metrics}")).parse().unwrap()
    }

    fn get(&self, path: &str) -> String {
        get(self.address, path)
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        match &mut self.how {
            How::Here(stop) => drop(stop.send_replace(true)),
            How::There(child) => {
                let _gone = child.kill();
                let _gone = child.wait();
            }
        }
        let _gone = std::fs::remove_dir_all(&self.folder);
    }
}

/// Runs what `lictor run` runs, with the component.
fn here(kubeconfig: PathBuf, address: SocketAddr) -> watch::Sender<bool> {
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        let client = connect(&ClusterAccess { kubeconfig: Some(kubeconfig), context: None }).await.unwrap();
        let wanted = OperationsConfig {
            lease: None,
            listen: Some(address),
            socket: None,
            replacements: None,
            reports: true,
            standing: false,
            mode: ReportMode::Enforce,
            explains: false,
            system: SYSTEM.to_owned(),
            policy: ("lictor 1".to_owned(), String::new()),
            identity: identity(),
        };
        let started = start(client.clone(), wanted).await.unwrap();
        let loaded = Sandbox::new(SandboxLimits::default()).unwrap().load(lictor::embedded()).unwrap();
        let (listener, leads) = ((LogObserver::default(), started.observer), started.leads);
        let with = LoopDependencies {
            client,
            open: || open(&loaded),
            observer: listener,
            checkpoint_store: None,
            leads,
            stop: stopped,
        };
        run(Settings::default(), with).await.unwrap();
        started.handle.shut_down().await;
    });
    stop
}

fn open(loaded: &LoadedComponent) -> Result<SessionSetup, String> {
    let mut policy = loaded.start().map_err(|error| error.to_string())?;
    let described = policy.describe().map_err(|error| error.to_string())?;
    let info = described.systems.into_iter().find(|info| info.name == SYSTEM).ok_or("no such system")?;
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    let mut session = Session::open(Box::new(policy), SYSTEM, ARGUMENTS).map_err(|error| error.to_string())?;
    session.set_schedulers(Settings::default().schedulers);
    Ok(SessionSetup {
        session: RecordableSession::new(session, None),
        interests: info.interests,
        points,
        deletes_victims: true,
    })
}
