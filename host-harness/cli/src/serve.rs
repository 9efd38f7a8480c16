//! `lictor serve`: answers the questions of a kube-scheduler with a plugin, over a Unix socket.

mod fits;
mod lines;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use clap::Args;
use lictor_contract::ExtensionPoint;
use lictor_host::living::{JsonFile, only_marks};
use lictor_host::recording::Recorder;
use lictor_host::replace::ReplacementTerms;
use lictor_host::session::{CandidatePolicy, FaultRules, Session};
use lictor_serve::message::Hello;
use lictor_serve::{
    CandidateFactory, CandidateSlot, ConnectionObserver, ConnectionSetup, ExclusiveRight, Server, ShutdownHandle, say,
};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::arguments::{self, SystemArgs};
use super::choice::{LoadedPolicy, PolicyArgs};
use super::exit::Exit;
use super::failure::{CommandError, format_problem};
use super::live;
use super::recorded::{RecordingFile, header};
use super::replacing::ReplacementArgs;
use fits::SystemMatch;
use lictor_decide::UserArguments;
use lines::ConnectionLog;

/// Answer the questions of a kube-scheduler with the plugin of this project (`host-harness/kube-scheduler`), over a Unix socket
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    in_force: SystemArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    /// The Unix socket at which is listened. Each scheduler that connects has a session of its own
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// Record the messages of the scheduler, the answers of the policy and the commands for `lictor replay`; a recording that is there is
    /// appended to
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Keep what the cluster does not show in this file, and continue from it: for one scheduler
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Serve /healthz, /readyz and /metrics here, such as `127.0.0.1:8080`
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    replacing: ReplacementArgs,
}

/// The answer to a second scheduler where files are shared.
const FILES_IN_USE: &str = "a recording (`--record`) or a checkpoint is of one scheduler at a time, and another one is connected: serve each at a socket of its own";

/// The parts with which sessions are opened.
struct SchedulerSessionFactory {
    chosen: Mutex<Arc<LoadedPolicy>>,
    system: String,
    arguments: UserArguments,
    schedulers: Vec<String>,
    recorder: Option<Arc<Recorder>>,
    checkpoint: Option<Arc<JsonFile>>,
    /// The exclusive right to both of them.
    right: ExclusiveRight,
}

/// Serves until a signal ends the process (SIGINT, SIGTERM): the connections are cut, and what is recorded is written.
pub(super) fn run(asked: &ServeArgs) -> Result<Exit, CommandError> {
    let recording = asked.record.as_deref().map(RecordingFile::open).transpose()?;
    let chosen = asked.policy.load_policy()?;
    let described = chosen.start()?.describe()?;
    if asked.in_force.laws.is_empty() && described.systems.len() > 1 {
        return Err(CommandError::NoSystemNamed(described.systems.into_iter().map(|system| system.name).collect()));
    }
    let opening = Arc::new(SchedulerSessionFactory {
        chosen: Mutex::new(Arc::new(chosen)),
        system: asked.in_force.laws.clone(),
        arguments: arguments::read(asked.in_force.args.as_deref())?,
        schedulers: asked.in_force.schedulers.clone(),
        recorder: recording.as_ref().map(|recording| Arc::new(recording.recorder().clone())),
        checkpoint: asked.checkpoint.as_deref().map(|file| Arc::new(JsonFile::at(file))),
        right: ExclusiveRight::default(),
    });
    // Errors of the policy or its arguments are reported before any scheduler connects. No session uses the recording yet.
    let ConnectionSetup { points, welcome, .. } = opening.open(&[])?;
    if points.contains(&ExtensionPoint::Act) {
        return Err(CommandError::ConflictingOptions(
            "this system decides in cycles of its own, and a kube-scheduler asks about one pod at a time: use `lictor run`",
        ));
    }
    let opens = opening.clone();
    let open = move |hello: &Hello| {
        opens.open(&hello.schedulers).map_err(|failure| {
            let (message, remedy) = failure.lines();
            if remedy.is_empty() { message } else { format!("{message}; {remedy}") }
        })
    };
    if only_marks(&welcome.system, &opening.arguments.json()) {
        anstream::eprint!("{}", format_problem(&lines::marks()));
    }
    let lines = ConnectionLog::new(SystemMatch::new(described, &welcome.system));
    let report: Arc<dyn ConnectionObserver> = match asked.listen {
        Some(address) => {
            let of = (&*welcome.system, &*welcome.policy);
            live::listen(address, of, opening.chosen().source.short(), lines)?
        }
        None => Arc::new(lines),
    };
    let server = Server::listen(&asked.socket, Arc::new(open), report).map_err(CommandError::Socket)?;
    let (choice, terms, offers) = (asked.policy.clone(), asked.replacing.terms(), server.offers());
    asked.replacing.follow(&asked.policy, asked.record.is_some(), move || match choice.load_policy() {
        Ok(chosen) => opening.offer(Arc::new(chosen), terms, &offers),
        Err(failure) => {
            let _exit = failure.report();
        }
    })?;
    anstream::eprintln!("listening at {} with {}", asked.socket.display(), welcome.policy);
    let ended = ended_by_signal(server.stop(&asked.socket))?;
    server.run();
    let _gone = std::fs::remove_file(&asked.socket);
    if let Some(recording) = &recording {
        recording.finish()?;
    }
    let signal = ended.recv().unwrap_or_default();
    anstream::eprintln!("ended by {signal}");
    Ok(Exit::Success)
}

/// Stops the server at the first signal (SIGINT, SIGTERM). The channel receives the name of the signal. The next signal ends the process at once.
fn ended_by_signal(stop: ShutdownHandle) -> Result<Receiver<&'static str>, CommandError> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let (send, ended) = channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for (place, signal) in signals.forever().enumerate() {
            if place > 0 {
                std::process::exit(128_i32.saturating_add(signal));
            }
            let _waits = send.send(if signal == SIGINT { "SIGINT" } else { "SIGTERM" });
            stop.stop();
        }
    })?;
    Ok(ended)
}

impl SchedulerSessionFactory {
    /// Returns the policy that sessions are opened with now.
    fn chosen(&self) -> Arc<LoadedPolicy> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Offers another policy. Sessions are opened with it when it has taken over.
    fn offer(
        self: &Arc<SchedulerSessionFactory>,
        new: Arc<LoadedPolicy>,
        terms: ReplacementTerms,
        offers: &CandidateSlot,
    ) {
        let (chosen, system, arguments) = (new.clone(), self.system.clone(), self.arguments.json());
        let make = move || {
            let policy = chosen.start().map_err(|failure| failure.to_string())?;
            let candidate = CandidatePolicy::new(policy, &system, &arguments).map_err(|error| error.to_string())?;
            Ok(chosen.bound(candidate))
        };
        let (name, opening) = (new.source.short(), self.clone());
        let settled = move || *opening.chosen.lock().unwrap_or_else(PoisonError::into_inner) = new.clone();
        offers.offer(CandidateFactory { name, make: Box::new(make), terms, settled: Box::new(settled) });
    }

    /// Opens a session for the pods of these schedulers, unless the command names others.
    fn open(&self, schedulers: &[String]) -> Result<ConnectionSetup, CommandError> {
        let is_shared = self.recorder.is_some() || self.checkpoint.is_some();
        let right = is_shared
            .then(|| self.right.acquire().ok_or(CommandError::ConflictingOptions(FILES_IN_USE)))
            .transpose()?;
        let chosen = self.chosen();
        let mut policy = chosen.start()?;
        let json = self.arguments.json();
        let described = policy.describe()?;
        let info = described.system(&self.system).cloned();
        let schedulers = if self.schedulers.is_empty() { schedulers } else { &self.schedulers };
        if let Some(recorder) = self.recorder.as_ref().filter(|_| !schedulers.is_empty()) {
            let with = (info.as_ref().map_or(&*self.system, |info| &info.name), &*json);
            let of = vec!["a scheduler".to_owned()];
            let header = header(&described, &chosen, with, schedulers, FaultRules::default(), of);
            policy = recorder.observe(policy, &header);
        }
        let opened = Session::open(policy, &self.system, &json);
        let mut session = opened.map_err(|error| self.arguments.refused(error, &self.system, info.as_ref()))?;
        if !schedulers.is_empty() {
            session.set_schedulers(schedulers.iter().cloned());
        }
        session.set_rails(chosen.rails.clone());
        let info = info.ok_or(CommandError::ConflictingOptions("the policy describes no system"))?;
        Ok(ConnectionSetup {
            session,
            recorder: self.recorder.clone(),
            checkpoint: self.checkpoint.clone(),
            right,
            points: info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect(),
            welcome: say::welcome(&described, &info),
        })
    }
}
