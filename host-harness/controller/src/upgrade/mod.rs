//! Replaces the policy of a running loop: the new one is compared in shadow, takes over between two decisions, and is watched.
//!
//! Replacements are ordered at the [`ReplacementService`]: by the file that is followed, a ConfigMap, or a client of the socket. There the component is read,
//! compiled and configured, and then offered to the loop ([`ReplacementSender`]), which takes one at a time. Its transitions come with the steps of the session
//! ([`StepOutput::replacement`](lictor_host::session::StepOutput)), and its [`ReplacementProgress`] collects them.

mod desk;
pub mod follow;
pub mod map;
mod progress;
#[cfg(test)]
mod tests;
mod wish;

use std::sync::{Arc, Mutex, PoisonError};

use lictor_host::replace::{ReplacementState, ReplacementTerms};
use lictor_host::session::{CandidatePolicy, Session};
use tracing::info;

use crate::decide::{DeciderOutput, RecordableSession};
use crate::run::listener::{LoopObserver, LoopWaker, WakeFunction};

pub use desk::ReplacementService;
use progress::ReplacementLog;
pub use progress::{ReplacementProgress, ReplacementRefusal, ReplacementStage};
pub use wish::{DefaultTerms, ReplacementRequest, TermOverrides};

/// The time between two turns of the loop while the new policy receives the cluster, one part per turn: 10 ms.
const LOADING_INTERVAL: i64 = 10_000_000;
/// The time between two turns of the loop in the states that follow: 100 ms.
const TURN_INTERVAL: i64 = 100_000_000;

/// A policy that is to replace the one in force.
pub struct ReplacementCandidate {
    /// The name of the policy for people, such as its file and digest.
    pub name: String,
    /// The policy, configured.
    pub candidate: CandidatePolicy,
    /// The terms of its comparison and its watch.
    pub terms: ReplacementTerms,
    /// Whether victims are deleted under the policy, by its system and its arguments; false: another controller deletes the marked ones.
    pub deletes_victims: bool,
    /// Called when the policy has taken over for good.
    pub settled: Box<dyn FnOnce() + Send>,
}

/// A request to the loop.
enum ReplacementCommand {
    /// Take this offer.
    Offer(u64, Box<ReplacementCandidate>),
    /// Give this replacement up, and why.
    GiveUp(u64, String),
}

/// The requests that the loop has not taken yet: at most one offer, and each replacement that is to be given up once. A process that does not lead
/// takes none, however many arrive.
#[derive(Clone, Default)]
struct Inbox(Arc<Mutex<Vec<ReplacementCommand>>>);

impl Inbox {
    /// Adds an offer. Returns the number of the offer that it replaces. `None`: no offer was waiting.
    fn offer(&self, number: u64, offer: ReplacementCandidate) -> Option<u64> {
        self.with(|all| {
            let is_offer = |asked: &ReplacementCommand| matches!(asked, ReplacementCommand::Offer(..));
            let before = all.iter().position(is_offer).map(|place| all.remove(place));
            all.push(ReplacementCommand::Offer(number, Box::new(offer)));
            if let Some(ReplacementCommand::Offer(before, _)) = before { Some(before) } else { None }
        })
    }

    /// Adds a request to give a replacement up. The oldest of more than [`MOST_GIVEN_UP`] such requests is dropped.
    fn give_up(&self, number: u64, why: &str) {
        self.with(|all| {
            all.retain(|asked| !matches!(asked, ReplacementCommand::GiveUp(known, _) if *known == number));
            all.push(ReplacementCommand::GiveUp(number, why.to_owned()));
            let given_up = all.iter().filter(|asked| matches!(asked, ReplacementCommand::GiveUp(..))).count();
            if given_up > MOST_GIVEN_UP
                && let Some(oldest) = all.iter().position(|asked| matches!(asked, ReplacementCommand::GiveUp(..)))
            {
                all.remove(oldest);
            }
        });
    }

    /// Takes all requests.
    fn take(&self) -> Vec<ReplacementCommand> {
        self.with(std::mem::take)
    }

    fn with<T>(&self, change: impl FnOnce(&mut Vec<ReplacementCommand>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The most requests to give up that wait: no more replacements are known either.
const MOST_GIVEN_UP: usize = 16;

/// The way by which offers reach the loop.
#[derive(Clone)]
pub struct ReplacementSender {
    inbox: Inbox,
    waker: LoopWaker,
    log: ReplacementLog,
}

impl ReplacementSender {
    /// Offers a policy. Returns the number of its replacement. The offer is taken when this process leads; another replacement under way is given up.
    pub fn offer(&self, offer: ReplacementCandidate) -> u64 {
        let number = self.log.add(&offer.name, ReplacementStage::Waiting);
        self.submit(number, offer);
        number
    }

    /// Returns the progress of a replacement; without a number, of the last one. `None`: no replacement has the number.
    pub fn progress(&self, number: Option<u64>) -> Option<ReplacementProgress> {
        self.log.read(number)
    }

    /// Gives a replacement up.
    pub fn give_up(&self, number: u64, why: &str) {
        self.inbox.give_up(number, why);
        // A process that does not lead takes the request when it leads.
        let _leads = self.wake();
    }

    fn submit(&self, number: u64, offer: ReplacementCandidate) {
        if self.log.is_outdated(number) {
            self.log.refuse(number, outdated());
            return;
        }
        self.log.update(number, |progress| {
            progress.component.clone_from(&offer.name);
            progress.stage = ReplacementStage::Waiting;
        });
        if let Some(before) = self.inbox.offer(number, offer) {
            self.log.refuse(before, outdated());
        }
        // A process that does not lead takes the request when it leads.
        let _leads = self.wake();
    }

    /// Makes the loop turn. Returns false where there is no loop.
    fn wake(&self) -> bool {
        self.waker.wake()
    }
}

fn outdated() -> ReplacementRefusal {
    ReplacementRefusal { message: OUTDATED.to_owned(), remedy: "order it again, if it is the one you want".to_owned() }
}

/// Why an earlier replacement is given up.
const OUTDATED: &str = "another replacement was ordered after it";

/// A replacement that the session knows of.
struct ActiveReplacement {
    number: u64,
    state: ReplacementState,
    deletes_victims: bool,
    settled: Box<dyn FnOnce() + Send>,
}

/// The listener that replaces the policy of its loop.
#[derive(Default)]
pub struct ReplacementObserver {
    inbox: Inbox,
    waker: LoopWaker,
    log: ReplacementLog,
    waiting: Option<(u64, Box<ReplacementCandidate>)>,
    active: Option<ActiveReplacement>,
    /// Why the replacement under way is to be given up. `None`: the replacement continues.
    give_up_reason: Option<String>,
    /// Whether the loop must decide once more about the pods that wait.
    needs_cycle: bool,
    /// Whether victims are deleted from now on, until the loop has been informed.
    deletes_victims: Option<bool>,
    now: i64,
}

impl ReplacementObserver {
    /// Makes a listener that takes offers, and the way to it.
    pub fn new() -> (ReplacementObserver, ReplacementSender) {
        let observer = ReplacementObserver::default();
        let (inbox, waker, log) = (observer.inbox.clone(), observer.waker.clone(), observer.log.clone());
        (observer, ReplacementSender { inbox, waker, log })
    }

    fn take_commands(&mut self) {
        for asked in self.inbox.take() {
            match asked {
                ReplacementCommand::Offer(number, offer) => {
                    if let Some((before, _)) = self.waiting.replace((number, offer)) {
                        self.log.refuse(before, outdated());
                    }
                    self.give_up_reason.get_or_insert_with(|| OUTDATED.to_owned());
                }
                ReplacementCommand::GiveUp(number, why) => {
                    if self.waiting.take_if(|(waiting, _)| *waiting == number).is_some() {
                        let remedy = "order it again".to_owned();
                        self.log.refuse(number, ReplacementRefusal { message: why, remedy });
                    } else if self.active.as_ref().is_some_and(|it| it.number == number) {
                        self.give_up_reason = Some(why);
                    }
                }
            }
        }
    }

    fn begin(&mut self, session: &mut Session, number: u64, offer: ReplacementCandidate) {
        let ReplacementCandidate { name, candidate, terms, deletes_victims, settled } = offer;
        match session.replace(candidate, terms) {
            Ok(()) => {
                info!(component = name, "a new policy is compared with the one in force");
                self.log.update(number, |progress| progress.stage = ReplacementStage::Loading);
                self.active =
                    Some(ActiveReplacement { number, state: ReplacementState::Loading, deletes_victims, settled });
            }
            Err(error) => {
                let remedy = "mend the component, or end this process and start it with that component".to_owned();
                self.log.refuse(number, ReplacementRefusal { message: error.to_string(), remedy });
            }
        }
    }
}

impl LoopObserver for ReplacementObserver {
    fn leadership_started(&mut self, wake: WakeFunction) {
        // A replacement that was under way when this process led before has ended with that session.
        if let Some(ActiveReplacement { number, .. }) = self.active.take() {
            let message = "this process led no more".to_owned();
            self.log.refuse(number, ReplacementRefusal { message, remedy: "order it again".to_owned() });
        }
        self.waker.set(wake);
    }

    fn tick(&mut self, now: i64, talk: Option<&mut RecordableSession>) {
        self.now = now;
        self.take_commands();
        let Some(talk) = talk else { return };
        let gives_up = self.give_up_reason.take();
        if let Some(under_way) = &self.active {
            let session = talk.session_mut();
            if let Some(progress) = session.replacement() {
                self.log.update(under_way.number, |known| known.compare(progress.report));
            }
            if let Some(why) = gives_up {
                session.abort_replacement(&why);
            }
        } else if let Some((number, offer)) = self.waiting.take() {
            self.begin(talk.session_mut(), number, *offer);
        }
    }

    fn wants_decision(&mut self) -> bool {
        std::mem::take(&mut self.needs_cycle)
    }

    fn deletes_victims(&mut self) -> Option<bool> {
        self.deletes_victims.take()
    }

    fn due(&self) -> Option<i64> {
        let under_way = self.active.as_ref()?;
        let turn = if under_way.state == ReplacementState::Loading { LOADING_INTERVAL } else { TURN_INTERVAL };
        Some(self.now.saturating_add(turn))
    }

    fn output_applied(&mut self, turn: &DeciderOutput, session: &Session, _: Option<i64>) {
        for transition in turn.steps.iter().flat_map(|step| &step.replacement) {
            let Some(mut under_way) = self.active.take() else { return };
            under_way.state = transition.to;
            // Both policies are compared about the pods that wait. Where another policy decides from now on, it may decide differently.
            self.needs_cycle |= matches!(
                transition.to,
                ReplacementState::Shadow | ReplacementState::Watching | ReplacementState::RolledBack
            );
            let report = session.replacement().map(|progress| progress.report);
            if transition.to == ReplacementState::Done {
                (under_way.settled)();
                under_way.settled = Box::new(|| {});
                self.deletes_victims = Some(under_way.deletes_victims);
            }
            self.log.update(under_way.number, |known| {
                report.into_iter().for_each(|report| known.compare(report));
                known.record_transition(transition);
            });
            if !transition.to.is_final() {
                self.active = Some(under_way);
            }
        }
    }
}
