//! The host that is asked: in this process, and cut off as if it were killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lictor::Native;
use lictor_contract::ExtensionPoint;
use lictor_host::cluster::InputError;
use lictor_host::policy::Policy;
use lictor_host::recording::Recorder;
use lictor_host::replace::{Period, ReplacementState, ReplacementTerms};
use lictor_host::session::{
    CandidatePolicy, CommandAction, PermitDecision, PluginRequest, PluginResponse, Session, SessionError,
    SessionReport, StepOutput,
};
use lictor_serve::message::Hello;
use lictor_serve::{CandidateFactory, CandidateSlot, ConnectionObserver, ConnectionSetup, Server, ShutdownHandle, say};

use crate::recorded;

/// The reports of a host so far.
#[derive(Debug, Default)]
pub struct Said {
    pub happened: SessionReport,
    pub errors: Vec<String>,
    /// How often it was asked whether a pod may be tried.
    pub tried: BTreeMap<String, u32>,
    /// The pods that wait at Permit.
    pub waiting: BTreeSet<String>,
    /// The time of the last step that the host has reported.
    pub last: Option<Instant>,
    /// What became of the replacement of the policy.
    pub states: Vec<ReplacementState>,
    /// How many schedulers are connected.
    connected: u32,
}

#[derive(Clone, Default)]
struct Ears {
    said: Arc<Mutex<Said>>,
    ahead: Arc<Mutex<(i64, Arc<AtomicI64>)>>,
}

impl Ears {
    fn go_on(&self) {
        let ahead = self.ahead.lock().unwrap();
        ahead.1.store(ahead.0, Ordering::Relaxed);
    }
}

impl ConnectionObserver for Ears {
    fn step(&self, step: &StepOutput, _: &Session) {
        let mut said = self.said.lock().unwrap();
        said.last = Some(Instant::now());
        for released in &step.happened.released {
            said.waiting.remove(&released.pod);
        }
        for command in step.commands.iter().filter(|command| matches!(command.action, CommandAction::Bind { .. })) {
            said.waiting.remove(&command.object.pod_name());
        }
        said.happened.add(step.happened.clone());
        said.states.extend(step.replacement.iter().map(|transition| transition.to));
    }
    fn request_handled(&self, question: &PluginRequest, answer: &PluginResponse, _: Duration) {
        // The first question is about keys of the queue. The pods that the host received before it have waited for so long when they are tried.
        self.go_on();
        let mut said = self.said.lock().unwrap();
        match (question, answer) {
            (PluginRequest::Try(pod), _) => *said.tried.entry(pod.clone()).or_default() += 1,
            (PluginRequest::Permit(pod), PluginResponse::PermitResult(allowed))
                if matches!(allowed.verdict, PermitDecision::Wait(_)) =>
            {
                said.waiting.insert(pod.clone());
            }
            (PluginRequest::Unreserve(pod), _) => drop(said.waiting.remove(pod)),
            _ => {}
        }
    }
    fn connection_changed(&self, is: bool) {
        let mut said = self.said.lock().unwrap();
        said.connected = if is { said.connected + 1 } else { said.connected - 1 };
    }
    fn error(&self, error: &SessionError) {
        eprintln!("host: {error}");
        self.said.lock().unwrap().errors.push(error.to_string());
    }
    fn object_invalid(&self, mistake: &InputError) {
        eprintln!("host: {}", mistake.message);
    }
    fn write_line(&self, line: &str) {
        eprintln!("host: {line}");
    }
}

/// Makes the policy of a host.
type Make = fn() -> Box<dyn Policy>;

fn native() -> Box<dyn Policy> {
    Box::new(Native::default())
}

/// A host, until this is dropped.
pub struct Host {
    stop: ShutdownHandle,
    thread: Option<JoinHandle<()>>,
    said: Ears,
    offers: CandidateSlot,
    system: &'static str,
    recording: Option<PathBuf>,
    pub socket: PathBuf,
}

impl Host {
    /// Starts a host that records its requests and answers; in the end the recording is replayed, and must be the same.
    pub fn start(system: &'static str, folder: &Path) -> Host {
        let file = folder.join("lictor.rec");
        let recorder = Recorder::begin(Box::new(File::create(&file).unwrap()));
        let mut host = Host::open(native, system, "", 0, folder, Some(Arc::new(recorder)));
        host.recording = Some(file);
        host
    }

    /// Starts a host with arguments, for pods that have waited so many nanoseconds when they are first tried.
    pub fn start_with(system: &'static str, arguments: &str, ahead: i64, folder: &Path) -> Host {
        Host::open(native, system, arguments, ahead, folder, None)
    }

    /// Starts a host with another policy.
    pub fn start_other(make: Make, system: &'static str, folder: &Path) -> Host {
        Host::open(make, system, "", 0, folder, None)
    }

    fn open(
        make: Make,
        system: &'static str,
        arguments: &str,
        ahead: i64,
        folder: &Path,
        recorder: Option<Arc<Recorder>>,
    ) -> Host {
        let (said, socket, arguments) = (Ears::default(), folder.join("lictor.sock"), arguments.to_owned());
        let open = move |hello: &Hello| open(make(), system, &arguments, hello, recorder.clone());
        let server = Server::listen(&socket, Arc::new(open), Arc::new(said.clone())).unwrap();
        *said.ahead.lock().unwrap() = (ahead, server.clock_offset());
        let (stop, offers) = (server.stop(&socket), server.offers());
        let thread = std::thread::spawn(move || server.run());
        Host { stop, thread: Some(thread), said, offers, system, recording: None, socket }
    }

    /// Offers the same policy anew: half a second in shadow, and half a second of watch.
    pub fn replace(&self) {
        let system = self.system;
        let make = move || CandidatePolicy::new(native(), system, "").map_err(|error| error.to_string());
        let half = Period::Nanoseconds(500_000_000);
        let terms = ReplacementTerms { shadow: half, watch: half, ..ReplacementTerms::default() };
        let name = "the same".to_owned();
        self.offers.offer(CandidateFactory { name, make: Box::new(make), terms, settled: Box::new(|| ()) });
    }

    /// Lets the clock go on, because the pods have waited as long as they are to have.
    pub fn go_on(&self) {
        self.said.go_on();
    }

    /// Returns whether a scheduler is connected.
    pub fn is_connected(&self) -> bool {
        self.said(|said| said.connected > 0)
    }

    pub fn said<T>(&self, look: impl FnOnce(&Said) -> T) -> T {
        look(&self.said.said.lock().unwrap())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
        while self.is_connected() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // One that is killed at once may not have met a scheduler: then it has recorded nothing.
        let was_told = self.said(|said| said.last.is_some());
        if let Some(file) = self.recording.take().filter(|_| was_told && !std::thread::panicking()) {
            recorded::is_repeated(&file);
        }
    }
}

fn open(
    mut policy: Box<dyn Policy>,
    system: &str,
    arguments: &str,
    hello: &Hello,
    recorder: Option<Arc<Recorder>>,
) -> Result<ConnectionSetup, String> {
    let described = policy.describe().map_err(|error| error.to_string())?;
    let info = described.systems.iter().find(|info| info.name == system).ok_or("no such system")?;
    if let Some(recorder) = &recorder {
        policy = recorder.observe(policy, &recorded::header(&described, system, arguments, &hello.schedulers));
    }
    let mut session = Session::open(policy, system, arguments).map_err(|error| error.to_string())?;
    session.set_schedulers(hello.schedulers.iter().cloned());
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    Ok(ConnectionSetup {
        session,
        recorder,
        checkpoint: None,
        right: None,
        points,
        welcome: say::welcome(&described, info),
    })
}
