//! Drives a session through the replacement of its policy.

use std::path::Path;

use lictor_contract::SystemInfo;
use lictor_host::driver::Virtual;
use lictor_host::policy::Policy;
use lictor_host::recording::{Entry, Told};
use lictor_host::session::{Cause, Input, ReplaceError, SessionError};

use super::super::arguments::Arguments;
use super::super::decide::record::newest;
use super::super::decide::{Source, load};
use super::super::failure::Failure;
use super::super::recorded;
use super::Question;

/// How many cycles follow what was read at most, beyond those of the terms.
const BEYOND: u64 = 100;

/// How far apart the cycles are that follow: a second.
const SECOND: i64 = 1_000_000_000;

/// A session whose policy was replaced, or not.
pub(super) struct Driven {
    pub(super) session: Virtual,
    /// The system of the old policy.
    pub(super) system: String,
    /// Inputs that could not be served.
    pub(super) failed: Vec<String>,
}

impl Driven {
    /// Tells the session something. A fault of a policy is no reason to stop: it may be why the policy is rolled back.
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

/// Reads the inputs, begins the replacement, and goes on until it has come to its end.
pub(super) fn drive(question: &Question<'_>, arguments: Arguments) -> Result<Driven, Failure> {
    let mut driven = match question.asked.inputs.as_slice() {
        [one] if recorded::is_recording(one) => recording(question, one, &arguments)?,
        snapshots => {
            let mut driven = opened(question, &question.asked.in_force.laws, &arguments.json(), &arguments)?;
            decide_about(&mut driven.session, &question.asked.in_force.schedulers);
            load(&Source::Files(snapshots.to_vec()), &mut driven.session)?;
            let now = newest(driven.session.mirror());
            driven.tell(Input::Clock(now))?;
            begin(question, &mut driven, &arguments.json())?;
            driven
        }
    };
    let (shadow, watch) = (question.asked.shadow, question.asked.watch);
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

/// A session of the old policy.
fn opened(question: &Question<'_>, system: &str, json: &str, arguments: &Arguments) -> Result<Driven, Failure> {
    let mut policy = question.old.start()?;
    let info = described(policy.as_mut(), system)?;
    let opened = Virtual::open(policy, system, json);
    let session = opened.map_err(|error| arguments.refused(error, system, info.as_ref()))?;
    let system = info.map_or_else(|| system.to_owned(), |info| info.name);
    Ok(Driven { session, system, failed: Vec::new() })
}

/// Decides about the pods of these schedulers; of those that the system stands for where there are none.
fn decide_about(session: &mut Virtual, schedulers: &[String]) {
    if !schedulers.is_empty() {
        session.set_schedulers(schedulers.iter().cloned());
    }
}

fn described(policy: &mut dyn Policy, system: &str) -> Result<Option<SystemInfo>, Failure> {
    let described = policy.describe().map_err(|fault| Failure::Session(fault.into()))?;
    Ok(described.systems.into_iter().find(|info| system.is_empty() || info.name == system))
}

/// Begins the replacement.
fn begin(question: &Question<'_>, driven: &mut Driven, json: &str) -> Result<(), Failure> {
    let mut policy = question.new.start()?;
    let system = question.asked.to_system.as_deref().unwrap_or(&driven.system);
    let info = described(policy.as_mut(), system)?;
    let own = Arguments::read(question.asked.to_args.as_deref())?;
    let given = if question.asked.to_args.is_some() { own.json() } else { json.to_owned() };
    driven.session.replace(policy, system, &given, question.terms).map_err(|error| match error {
        ReplaceError::Open(error) => own.refused(error, system, info.as_ref()),
        ReplaceError::Session(error) => error.into(),
        error => Failure::Irreplaceable(error),
    })
}

/// Plays the first session of a recording; the replacement begins when the first cluster was told. What the commands of the recorded
/// session came to is left out: those of this session are carried out at once.
fn recording(question: &Question<'_>, path: &Path, arguments: &Arguments) -> Result<Driven, Failure> {
    let file = path.display().to_string();
    let mut reader = recorded::read(path)?;
    let mut open: Option<(Driven, String)> = None;
    let unreadable = |error| Failure::Recording { file: file.clone(), error };
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        match (entry, &mut open) {
            (Entry::Session(header), None) => {
                let system = &question.asked.in_force.laws;
                let system = if system.is_empty() { header.system.as_str() } else { system };
                let json = if arguments.given.is_empty() { header.arguments.clone() } else { arguments.json() };
                let mut driven = opened(question, system, &json, arguments)?;
                let given = &question.asked.in_force.schedulers;
                decide_about(&mut driven.session, if given.is_empty() { &header.schedulers } else { given });
                open = Some((driven, json));
            }
            (Entry::Session(_), Some(_)) => break,
            (Entry::Step(step), Some((driven, json))) => {
                let Told::Input(input) = step.told else { continue };
                let is_cluster = matches!(input, Input::Objects(_) | Input::Listed(_));
                if !matches!(input, Input::Outcomes(_)) {
                    driven.tell(input)?;
                }
                if is_cluster && driven.session.session().replacement().is_none() {
                    begin(question, driven, json)?;
                }
            }
            (Entry::Step(_), None) => {}
        }
    }
    if let Some(tail) = reader.tail() {
        recorded::warn(&file, tail, "what stands before it is used");
    }
    match open {
        Some((driven, _)) if driven.session.session().replacement().is_some() => Ok(driven),
        _ => Err(Failure::Nothing {
            what: "cluster",
            files: vec![file],
            remedy: "name a recording of a session that was told objects",
        }),
    }
}
