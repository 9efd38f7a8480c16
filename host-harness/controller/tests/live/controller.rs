//! The controller of a step: in this process, but with a runtime of its own, so that it can be killed.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use lictor::Native;
use lictor_contract::ExtensionPoint;
use lictor_controller::cluster::{ClusterAccess, connect};
use lictor_controller::decide::foreign::ExternalEviction;
use lictor_controller::decide::lives::GivenUpPlan;
use lictor_controller::decide::refused::UnschedulablePod;
use lictor_controller::decide::{DeciderOutput, RecordableSession, RunMode};
use lictor_controller::ops::start::{OperationsConfig, identity, start};
use lictor_controller::report::ReportMode;
use lictor_controller::run::listener::LoopObserver;
use lictor_controller::run::{LoopDependencies, SessionSetup, Settings, run};
use lictor_controller::state::{CheckpointStore, ConfigMapStore, FileStore};
use lictor_controller::upgrade::{ReplacementObserver, ReplacementSender};
use lictor_host::living::only_marks;
use lictor_host::policy::Policy;
use lictor_host::rails::Rails;
use lictor_host::session::{Session, SessionReport};
use tokio::sync::watch;

/// The reports of a controller so far. With `LICTOR_SAY=1` in the environment, they are also printed.
#[derive(Debug, Default)]
pub struct Said {
    pub happened: SessionReport,
    pub refused: Vec<(UnschedulablePod, bool)>,
    pub foreign: Vec<ExternalEviction>,
    pub errors: Vec<String>,
    pub unsaved: Vec<String>,
    pub taken_over: Vec<String>,
    pub given_up: Vec<GivenUpPlan>,
    pub rivals: Vec<String>,
}

#[derive(Clone, Default)]
struct Ears(Arc<Mutex<Said>>);

impl LoopObserver for Ears {
    fn output_applied(&mut self, turn: &DeciderOutput, _: &Session, _: Option<i64>) {
        let mut said = self.0.lock().unwrap();
        if std::env::var_os("LICTOR_SAY").is_some() {
            let news =
                turn.steps.iter().filter(|step| step.happened != SessionReport::default() || !step.findings.is_empty());
            news.for_each(|step| eprintln!("{:?} {:?} {:?}", step.happened, step.findings, step.commands));
        }
        turn.steps.iter().for_each(|step| said.happened.add(step.happened.clone()));
        said.given_up.extend(turn.given_up.iter().cloned());
        said.errors.extend(turn.errors.iter().map(ToString::to_string));
    }
    fn refused(&mut self, refusal: &UnschedulablePod, deleted: bool) {
        self.0.lock().unwrap().refused.push((refusal.clone(), deleted));
    }
    fn external_eviction(&mut self, foreign: &ExternalEviction) {
        self.0.lock().unwrap().foreign.push(foreign.clone());
    }
    fn checkpoint_failed(&mut self, why: &str) {
        self.0.lock().unwrap().unsaved.push(why.to_owned());
    }
    fn checkpoint_taken_over(&mut self, why: &str) {
        self.0.lock().unwrap().taken_over.push(why.to_owned());
    }
    fn other_controller(&mut self, manager: &str) {
        self.0.lock().unwrap().rivals.push(manager.to_owned());
    }
}

/// The configuration with which a test starts a controller.
#[derive(Clone)]
pub struct How {
    pub kubeconfig: PathBuf,
    pub system: String,
    pub arguments: String,
    pub settings: Settings,
    pub checkpoint: Option<PathBuf>,
    /// A ConfigMap for checkpoints in the namespace `default`, in place of a file, and the bytes that it takes.
    pub map: Option<(String, usize)>,
    /// Where questions are answered.
    pub socket: Option<PathBuf>,
    /// Where health and metrics are served.
    pub listen: Option<SocketAddr>,
    pub standing: bool,
    pub rails: Rails,
}

impl How {
    pub fn new(kubeconfig: &Path, system: &str) -> How {
        // Ten seconds instead of a minute.
        let settings = Settings { refused_grace: Some(Duration::from_secs(4)), ..Settings::default() };
        let [kubeconfig, system, arguments] = [kubeconfig.to_str().unwrap(), system, ""].map(str::to_owned);
        let (kubeconfig, checkpoint, map, socket, listen) = (kubeconfig.into(), None, None, None, None);
        let rails = Rails::default();
        How { kubeconfig, system, arguments, settings, checkpoint, map, socket, listen, standing: true, rails }
    }

    /// Returns the settings of a command that writes events, conditions and status.
    fn reports(&self) -> OperationsConfig {
        let mode = if self.settings.mode == RunMode::Enforce { ReportMode::Enforce } else { ReportMode::DryRun };
        let (system, identity) = (self.system.clone(), "live".to_owned());
        let (lease, listen, socket, reports, explains) = (None, self.listen, self.socket.clone(), true, false);
        let standing = self.standing;
        let policy = ("lictor".to_owned(), String::new());
        OperationsConfig {
            lease,
            listen,
            socket,
            reports,
            standing,
            mode,
            explains,
            system,
            policy,
            identity,
            replacements: None,
        }
    }

    pub fn mode(mut self, mode: RunMode) -> How {
        self.settings.mode = mode;
        self
    }
}

/// A controller that runs.
pub struct Controller {
    stop: watch::Sender<bool>,
    pub leads: watch::Sender<bool>,
    kill: watch::Sender<bool>,
    pub offers: ReplacementSender,
    thread: Option<JoinHandle<()>>,
    said: Ears,
}

impl Controller {
    pub fn start(how: &How) -> Controller {
        Controller::with(how, || Box::new(Native::default()))
    }

    /// Starts a controller with this policy.
    pub fn with(how: &How, policy: impl Fn() -> Box<dyn Policy> + Send + 'static) -> Controller {
        let (stop, stopped) = watch::channel(false);
        let (leads, leading) = watch::channel(true);
        let (kill, mut killed) = watch::channel(false);
        let (upgrades, offers) = ReplacementObserver::new();
        let (said, how) = (Ears::default(), how.clone());
        let ears = said.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async {
                let access = ClusterAccess { kubeconfig: Some(how.kubeconfig.clone()), context: None };
                let client = connect(&access).await.unwrap();
                let open = || open(policy(), &how);
                // Two controllers of a test are two processes.
                let settings = Settings { identity: identity(), ..how.settings.clone() };
                let in_map = |(name, bytes): &(String, usize)| {
                    let map = ConfigMapStore::new(client.clone(), ("default", name), &settings.identity);
                    Box::new(map.limited_to(*bytes)) as Box<dyn CheckpointStore>
                };
                let in_file = how.checkpoint.clone().map(|file| Box::new(FileStore(file)) as Box<dyn CheckpointStore>);
                let keep = in_file.or_else(|| how.map.as_ref().map(in_map));
                let reports = start(client.clone(), how.reports()).await.unwrap();
                let listener = ((ears, upgrades), reports.observer);
                let with = LoopDependencies {
                    client,
                    open,
                    observer: listener,
                    checkpoint_store: keep,
                    leads: leading,
                    stop: stopped,
                };
                tokio::select! {
                    ran = run(settings, with) => {
                        ran.unwrap();
                        reports.handle.shut_down().await;
                    }
                    _ = killed.wait_for(|killed| *killed) => {}
                }
            });
            runtime.shutdown_background();
        });
        Controller { stop, leads, kill, offers, thread: Some(thread), said }
    }

    pub fn said<T>(&self, look: impl FnOnce(&Said) -> T) -> T {
        look(&self.said.0.lock().unwrap())
    }

    /// Tells it to end, and waits until it has.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        self.join().await;
    }

    /// Kills it.
    pub async fn kill(mut self) {
        self.kill.send_replace(true);
        self.join().await;
    }

    async fn join(&mut self) {
        let thread = self.thread.take().unwrap();
        tokio::task::spawn_blocking(move || thread.join()).await.unwrap().unwrap();
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.kill.send_replace(true);
    }
}

fn open(mut policy: Box<dyn Policy>, how: &How) -> Result<SessionSetup, String> {
    let described = policy.describe().map_err(|error| error.to_string())?;
    let info = described.systems.into_iter().find(|info| info.name == how.system).ok_or("no such system")?;
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    let mut session = Session::open(policy, &how.system, &how.arguments).map_err(|error| error.to_string())?;
    session.set_schedulers(how.settings.schedulers.iter().cloned());
    session.set_rails(how.rails.clone());
    let deletes_victims = !only_marks(&how.system, &how.arguments);
    Ok(SessionSetup {
        session: RecordableSession::new(session, None),
        interests: info.interests,
        points,
        deletes_victims,
    })
}
