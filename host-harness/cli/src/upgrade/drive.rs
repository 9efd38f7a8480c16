//! Drives a session through the replacement of its policy.

use std::path::Path;

use lictor_contract::SystemInfo;
use lictor_host::driver::Virtual;
use lictor_host::policy::Policy;
use lictor_host::recording::{Entry, Follow, Header, Told};
use lictor_host::session::{Candidate, Cause, Input, OpenError, ReplaceError, SessionError};

use super::super::arguments;
use super::super::decide::Source;
use super::super::failure::Failure;
use super::super::recorded;
use super::Question;
use lictor_decide::Arguments;
use lictor_decide::record::newest;

/// The most cycles after the inputs, beyond those of the terms.
const BEYOND: u64 = 100;

/// The time between two of those cycles: a second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A session whose policy was replaced, or was not.
pub(super) struct Driven {
    pub(super) session: Virtual,
    /// The system of the old policy.
    pub(super) system: String,
    /// Inputs that could not be served.
    pub(super) failed: Vec<String>,
}

impl Driven {
    /// Hands an input to the session. A fault of a policy does not stop the session: the fault may be why the policy is rolled back.
    fn tell(&mut self, input: Input) -> Result<(), Failure> {
        self.keep(|session| session.tell(input))
    }

    fn keep(&mut self, tell: impl FnOnce(&mut Virtual) -> Result<(), SessionError>) -> Result<(), Failure> {
        match tell(&mut self.session) {
            Ok(()) => Ok(()),
            Err(error) => match error.cause {
                Cause::CallError(_) | Cause::ProtocolError { .. } | Cause::NotPending { .. } | Cause::NoSuchPod(_) => {
                    self.failed.push(error.to_string());
                    Ok(())
                }
                _ => Err(error.into()),
            },
        }
    }

    fn is_at_its_end(&self) -> bool {
        self.session.session().replacement().is_some_and(|progress| progress.state.is_final())
    }
}

/// Reads the inputs, begins the replacement, and runs cycles until the replacement has ended.
pub(super) fn drive(question: &Question<'_>, arguments: Arguments) -> Result<Driven, Failure> {
    let mut driven = match question.asked.inputs.as_slice() {
        [one] if recorded::is_recording(one) => recording(question, one, &arguments)?,
        snapshots => {
            let (laws, json) = (&question.asked.in_force.laws, arguments.json());
            let (session, system) = opened(question, laws, &arguments, |policy| Virtual::open(policy, laws, &json))?;
            let mut driven = Driven { session, system, failed: Vec::new() };
            let schedulers = &question.asked.in_force.schedulers;
            if !schedulers.is_empty() {
                driven.session.set_schedulers(schedulers.iter().cloned());
            }
            lictor_decide::load(Source::Files(snapshots.to_vec()).read()?, &mut driven.session)?;
            let now = newest(driven.session.mirror());
            driven.tell(Input::Clock(now))?;
            let candidate = candidate(question, (&driven.system, &json))?;
            driven.session.replace(candidate, question.terms).map_err(irreplaceable)?;
            driven.keep(Virtual::load_replacement)?;
            driven
        }
    };
    let (shadow, watch) = question.cycles;
    for _ in 0..shadow.saturating_add(watch).saturating_add(BEYOND) {
        if driven.is_at_its_end() {
            break;
        }
        let next = driven.session.mirror().now().saturating_add(SECOND);
        driven.tell(Input::Clock(next))?;
        driven.tell(Input::Cycle)?;
        driven.keep(Virtual::evictions_complete)?;
    }
    Ok(driven)
}

/// Opens a session of the old policy. Returns also the name of its system.
fn opened<S>(
    question: &Question<'_>,
    system: &str,
    arguments: &Arguments,
    open: impl FnOnce(Box<dyn Policy>) -> Result<S, OpenError>,
) -> Result<(S, String), Failure> {
    let mut policy = question.old.start()?;
    let info = described(policy.as_mut(), system)?;
    let session = open(policy).map_err(|error| arguments.refused(error, system, info.as_ref()))?;
    Ok((session, info.map_or_else(|| system.to_owned(), |info| info.name)))
}

fn described(policy: &mut dyn Policy, system: &str) -> Result<Option<SystemInfo>, Failure> {
    let described = policy.describe()?;
    Ok(described.system(system).cloned())
}

/// Makes and configures the new policy.
fn candidate(question: &Question<'_>, (system, json): (&str, &str)) -> Result<Candidate, Failure> {
    let mut policy = question.new.start()?;
    let system = question.asked.to_system.as_deref().unwrap_or(system);
    let info = described(policy.as_mut(), system)?;
    let own = arguments::read(question.asked.to_args.as_deref())?;
    let given = if question.asked.to_args.is_some() { own.json() } else { json.to_owned() };
    Candidate::new(policy, system, &given).map_err(|error| own.refused(error, system, info.as_ref()).into())
}

fn irreplaceable(error: ReplaceError) -> Failure {
    match error {
        ReplaceError::Session(error) => error.into(),
        error => Failure::Irreplaceable(error),
    }
}

/// The first session of a recording. Its policy is replaced while the cluster changes as recorded.
struct Recorded {
    follow: Follow,
    system: String,
    json: String,
    failed: Vec<String>,
}

impl Recorded {
    fn open(question: &Question<'_>, header: &Header, arguments: &Arguments) -> Result<Recorded, Failure> {
        let (laws, given) = (&question.asked.in_force.laws, &question.asked.in_force.schedulers);
        let system = if laws.is_empty() { header.system.as_str() } else { laws };
        let json = if arguments.given.is_empty() { header.arguments.clone() } else { arguments.json() };
        let schedulers = if given.is_empty() { &header.schedulers } else { given };
        let (follow, system) =
            opened(question, system, arguments, |policy| Follow::open(policy, system, &json, schedulers))?;
        Ok(Recorded { follow, system, json, failed: Vec::new() })
    }

    /// Repeats a step. The replacement begins after the first cluster was received.
    fn step(&mut self, question: &Question<'_>, step: &lictor_host::recording::Recorded) -> Result<(), Failure> {
        let then = step.came.as_ref().and_then(|came| came.decisions.error.as_ref());
        let now = self.follow.recorded(step).error;
        self.failed.extend(now.filter(|error| Some(error) != then).map(|error| format!("{}: {error}", step.told)));
        let is_cluster = matches!(step.told, Told::Input(Input::Objects(_) | Input::Listed(_)));
        if !is_cluster || self.follow.session().replacement().is_some() {
            return Ok(());
        }
        let candidate = candidate(question, (&self.system, &self.json))?;
        self.follow.replace(candidate, question.terms).map_err(irreplaceable)
    }
}

/// Repeats a recording: the commands of the recorded session are carried out, with their recorded outcomes.
fn recording(question: &Question<'_>, path: &Path, arguments: &Arguments) -> Result<Driven, Failure> {
    let file = path.display().to_string();
    let mut reader = recorded::read(path)?;
    let mut open: Option<Recorded> = None;
    let unreadable = |error| Failure::Recording { file: file.clone(), error };
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        match (entry, &mut open) {
            (Entry::Session(header), None) => open = Some(Recorded::open(question, &header, arguments)?),
            (Entry::Session(_), Some(_)) => break,
            (Entry::Step(step), Some(recorded)) => recorded.step(question, &step)?,
            (Entry::Step(_), None) => {}
        }
    }
    if let Some(tail) = reader.tail() {
        recorded::warn(&file, tail, "what stands before it is used");
    }
    match open {
        Some(Recorded { follow, system, failed, .. }) if follow.session().replacement().is_some() => {
            Ok(Driven { session: Virtual::over(follow.into_session()), system, failed })
        }
        _ => Err(lictor_decide::Failure::Nothing {
            what: "cluster",
            files: vec![file],
            remedy: "name a recording of a session that was told objects",
        }
        .into()),
    }
}
