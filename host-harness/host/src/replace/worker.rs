//! A thread on which the policy in shadow answers, while the one in force answers the caller.

use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lictor_contract::*;

use crate::policy::{CallError, Policy};

/// How long each side spins before it sleeps. Questions of one input follow each other at once, and a wake-up takes longer than most answers.
const SPIN_TIME: Duration = Duration::from_micros(100);

type ShadowCall = Box<dyn FnOnce() + Send>;

/// The thread of the shadow policy. The thread holds nothing between two questions.
#[derive(Debug)]
pub(super) struct ShadowThread {
    /// The queue of the thread. `None`: there is no thread, and the caller does all work.
    jobs: Option<Sender<ShadowCall>>,
}

/// A pending answer, with the policy that gives it.
pub(super) struct PendingReply<T> {
    /// Signals that the answer is in its slot. The answer itself is not sent, because a channel for each type of answer would add much code.
    ready: Receiver<()>,
    answer: ReplySlot<T>,
}

/// The slot for an answer.
type ReplySlot<T> = Arc<Mutex<Option<ReturnedPolicy<T>>>>;

/// The policy and its answer.
pub(super) type ReturnedPolicy<T> = (Box<dyn Policy>, Result<T, CallError>);

impl ShadowThread {
    /// Starts a thread, on a machine with more than one core.
    pub(super) fn start() -> ShadowThread {
        let several = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let jobs = several.then(|| {
            let (jobs, todo) = mpsc::channel();
            let thread = thread::Builder::new().name("lictor-shadow".to_owned());
            thread.spawn(move || run(&todo)).ok().map(|_| jobs)
        });
        ShadowThread { jobs: jobs.flatten() }
    }

    /// Moves a policy to the thread and calls it there. The policy is returned with its answer.
    pub(super) fn call<T: Send + 'static>(
        &self,
        mut policy: Box<dyn Policy>,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError> + Send + 'static,
    ) -> PendingReply<T> {
        let (give, given) = mpsc::channel();
        let answer: ReplySlot<T> = Arc::default();
        let slot = answer.clone();
        self.run(Box::new(move || {
            let answer = question(policy.as_mut());
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((policy, answer));
            let _ = give.send(());
        }));
        PendingReply { ready: given, answer }
    }

    /// Drops a policy on the thread.
    pub(super) fn drop(&self, policy: Box<dyn Policy>) {
        self.run(Box::new(move || drop(policy)));
    }

    fn run(&self, job: ShadowCall) {
        let left = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        left.into_iter().for_each(|job| job());
    }
}

impl<T> PendingReply<T> {
    /// Waits for the policy and its answer. `None`: the thread broke.
    pub(super) fn wait(self) -> Option<ReturnedPolicy<T>> {
        next(&self.ready)?;
        take(&self.answer)
    }

    /// Returns the policy and its answer without waiting. `None`: the thread broke.
    ///
    /// # Errors
    /// The answer is not there yet; the error is the pending answer.
    pub(super) fn poll(self) -> Result<Option<ReturnedPolicy<T>>, PendingReply<T>> {
        match self.ready.try_recv() {
            Ok(()) => Ok(take(&self.answer)),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => Err(self),
        }
    }
}

fn take<T>(slot: &ReplySlot<T>) -> Option<ReturnedPolicy<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn run(jobs: &Receiver<ShadowCall>) {
    while let Some(job) = next(jobs) {
        job();
    }
}

/// Waits for the next message, spinning at first. `None`: all senders are gone.
fn next<T>(from: &Receiver<T>) -> Option<T> {
    let since = Instant::now();
    loop {
        match from.try_recv() {
            Ok(it) => return Some(it),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if since.elapsed() > SPIN_TIME => return from.recv().ok(),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
}

/// A placeholder for a policy that is on the thread. Its calls fail.
pub(super) struct DetachedPolicy;

impl DetachedPolicy {
    /// Returns the error of a policy that did not come back.
    pub(super) fn fault(call: &'static str) -> CallError {
        CallError::Broke { call, cause: "the thread that asked it is gone".into() }
    }
}

impl Policy for DetachedPolicy {
    fn restart(&mut self) -> Result<(), CallError> {
        Err(DetachedPolicy::fault("restart"))
    }
    fn has(&self, _interface: Interface) -> bool {
        false
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        Err(DetachedPolicy::fault("describe"))
    }
    fn configure(&mut self, _system: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Err(DetachedPolicy::fault("configure"))
    }
    fn apply(&mut self, _events: Vec<Event>) -> Result<Applied, CallError> {
        Err(DetachedPolicy::fault("apply"))
    }
}
