//! The host that is asked: in this process, and cut off as if it were killed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use lictor::Native;
use lictor_contract::ExtensionPoint;
use lictor_host::cluster::InputError;
use lictor_host::policy::Policy;
use lictor_host::replace::{Period, State, Terms};
use lictor_host::session::{Candidate, Happened, Session, SessionError, Step};
use lictor_serve::message::Hello;
use lictor_serve::{Offer, Offers, Opened, Report, Server, Stop, say};

/// What a host has said so far.
#[derive(Debug, Default)]
pub struct Said {
    pub happened: Happened,
    pub errors: Vec<String>,
    /// What became of the replacement of the policy.
    pub states: Vec<State>,
}

#[derive(Clone, Default)]
struct Ears(Arc<Mutex<Said>>);

impl Report for Ears {
    fn step(&self, step: &Step) {
        let mut said = self.0.lock().unwrap();
        said.happened.add(step.happened.clone());
        said.states.extend(step.replacement.iter().map(|transition| transition.to));
    }
    fn error(&self, error: &SessionError) {
        eprintln!("host: {error}");
        self.0.lock().unwrap().errors.push(error.to_string());
    }
    fn unread(&self, mistake: &InputError) {
        eprintln!("host: {}", mistake.message);
    }
    fn say(&self, line: &str) {
        eprintln!("host: {line}");
    }
}

/// A host, until this is dropped.
pub struct Host {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    said: Ears,
    offers: Offers,
    system: &'static str,
    pub socket: PathBuf,
}

impl Host {
    pub fn start(system: &'static str, folder: &Path) -> Host {
        let (said, socket) = (Ears::default(), folder.join("lictor.sock"));
        let open = move |hello: &Hello| open(system, hello);
        let server = Server::listen(&socket, Arc::new(open), Arc::new(said.clone())).unwrap();
        let (stop, offers) = (server.stop(&socket), server.offers());
        let thread = std::thread::spawn(move || server.run().unwrap());
        Host { stop, thread: Some(thread), said, offers, system, socket }
    }

    /// Offers the same policy anew: half a second in shadow, and half a second of watch.
    pub fn replace(&self) {
        let system = self.system;
        let make = move || Candidate::new(Box::new(Native::default()), system, "").map_err(|error| error.to_string());
        let half = Period::Nanoseconds(500_000_000);
        let terms = Terms { shadow: half, watch: half, ..Terms::default() };
        let name = "the same".to_owned();
        self.offers.make(Offer { name, make: Box::new(make), terms, settled: Box::new(|| ()) });
    }

    pub fn said<T>(&self, look: impl FnOnce(&Said) -> T) -> T {
        look(&self.said.0.lock().unwrap())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

fn open(system: &str, hello: &Hello) -> Result<Opened, String> {
    let mut policy: Box<dyn Policy> = Box::new(Native::default());
    let described = policy.describe().map_err(|error| error.to_string())?;
    let info = described.systems.iter().find(|info| info.name == system).ok_or("no such system")?;
    let mut session = Session::open(policy, system, "").map_err(|error| error.to_string())?;
    session.set_schedulers(hello.schedulers.iter().cloned());
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    Ok(Opened { session, recorder: None, points, welcome: say::welcome(&described, info) })
}
