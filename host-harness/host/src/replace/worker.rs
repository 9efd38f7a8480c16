//! A thread on which the policy in shadow answers, while the one in force answers the caller.

use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lictor_contract::*;

use crate::policy::{CallError, Policy};

/// How long each side looks for what is to come before it sleeps: questions of one input follow each other at once, and to be woken takes
/// longer than most answers.
const AWAKE: Duration = Duration::from_micros(100);

type Job = Box<dyn FnOnce() + Send>;

/// The thread. It holds nothing between two questions.
#[derive(Debug)]
pub(super) struct Worker {
    /// None where there is no thread: the caller does all of it.
    jobs: Option<Sender<Job>>,
}

/// An answer that is to come, with the policy that gives it.
pub(super) struct Pending<T> {
    /// Told when the answer is there. It is not sent itself: a channel for each type of answer is much code.
    given: Receiver<()>,
    answer: Slot<T>,
}

/// Where the answer is put.
type Slot<T> = Arc<Mutex<Option<Done<T>>>>;

/// The policy and its answer.
pub(super) type Done<T> = (Box<dyn Policy>, Result<T, CallError>);

impl Worker {
    /// A thread, on a machine that can run more than one.
    pub(super) fn start() -> Worker {
        let several = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let jobs = several.then(|| {
            let (jobs, todo) = mpsc::channel();
            let thread = thread::Builder::new().name("lictor-shadow".to_owned());
            thread.spawn(move || run(&todo)).ok().map(|_| jobs)
        });
        Worker { jobs: jobs.flatten() }
    }

    /// Asks a policy, which comes back with its answer.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        mut policy: Box<dyn Policy>,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError> + Send + 'static,
    ) -> Pending<T> {
        let (give, given) = mpsc::channel();
        let answer: Slot<T> = Arc::default();
        let slot = answer.clone();
        self.run(Box::new(move || {
            let answer = question(policy.as_mut());
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((policy, answer));
            let _ = give.send(());
        }));
        Pending { given, answer }
    }

    /// Gives a policy up.
    pub(super) fn drop(&self, policy: Box<dyn Policy>) {
        self.run(Box::new(move || drop(policy)));
    }

    fn run(&self, job: Job) {
        let left = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        left.into_iter().for_each(|job| job());
    }
}

impl<T> Pending<T> {
    /// The policy and its answer; none where the thread broke.
    pub(super) fn wait(self) -> Option<Done<T>> {
        next(&self.given)?;
        take(&self.answer)
    }

    /// The same where it is there already; otherwise this is what is still to come.
    pub(super) fn poll(self) -> Result<Option<Done<T>>, Pending<T>> {
        match self.given.try_recv() {
            Ok(()) => Ok(take(&self.answer)),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => Err(self),
        }
    }
}

fn take<T>(slot: &Slot<T>) -> Option<Done<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn run(jobs: &Receiver<Job>) {
    while let Some(job) = next(jobs) {
        job();
    }
}

/// What comes next; none where nobody can send anything any more.
fn next<T>(from: &Receiver<T>) -> Option<T> {
    let since = Instant::now();
    loop {
        match from.try_recv() {
            Ok(it) => return Some(it),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if since.elapsed() > AWAKE => return from.recv().ok(),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
}

/// Stands for a policy that is being asked. It answers nothing.
pub(super) struct Absent;

impl Absent {
    /// The error of a policy that did not come back.
    pub(super) fn fault(call: &'static str) -> CallError {
        CallError::Broke { call, cause: "the thread that asked it is gone".into() }
    }
}

impl Policy for Absent {
    fn restart(&mut self) -> Result<(), CallError> {
        Err(Absent::fault("restart"))
    }
    fn has(&self, _interface: Interface) -> bool {
        false
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        Err(Absent::fault("describe"))
    }
    fn configure(&mut self, _system: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Err(Absent::fault("configure"))
    }
    fn apply(&mut self, _events: Vec<Event>) -> Result<Applied, CallError> {
        Err(Absent::fault("apply"))
    }
}
