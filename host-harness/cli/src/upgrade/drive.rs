//! Drives a session through the replacement of its policy.

use std::path::Path;

use lictor_contract::SystemInfo;
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::Policy;
use lictor_host::recording::{Header, RecordedFollower, RecordingEntry, SessionCall};
use lictor_host::session::{CandidatePolicy, FailureCause, OpenError, ReplaceError, SessionError, SessionInput};

use super::super::arguments;
use super::super::decide::SnapshotSource;
use super::super::failure::CommandError;
use super::super::recorded;
use super::ReplacementSetup;
use lictor_decide::UserArguments;
use lictor_decide::record::newest;

/// The most cycles after the inputs, beyond those of the terms.
const BEYOND: u64 = 100;

/// The time between two of those cycles: a second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A session whose policy was replaced, or was not.
pub(super) struct ReplacedSession {
    pub(super) session: VirtualDriver,
    /// The system of the old policy.
    pub(super) system: String,
    /// Inputs that could not be served.
    pub(super) failed: Vec<String>,
}

impl ReplacedSession {
    /// Hands an input to the session. A fault of a policy does not stop the session: the fault may be why the policy is rolled back.
    fn feed(&mut self, input: SessionInput) -> Result<(), CommandError> {
        self.record_failure(|session| session.serve(input))
    }

    fn record_failure(
        &mut self,
        tell: impl FnOnce(&mut VirtualDriver) -> Result<(), SessionError>,
    ) -> Result<(), CommandError> {
        match tell(&mut self.session) {
            Ok(()) => Ok(()),
            Err(error) => match error.cause {
                FailureCause::CallError(_)
                | FailureCause::ProtocolError { .. }
                | FailureCause::NotPending { .. }
                | FailureCause::NoSuchPod(_) => {
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
pub(super) fn drive(
    question: &ReplacementSetup<'_>,
    arguments: UserArguments,
) -> Result<ReplacedSession, CommandError> {
    let mut driven = match question.args.inputs.as_slice() {
        [one] if recorded::is_recording(one) => recording(question, one, &arguments)?,
        snapshots => {
            let (laws, json) = (&question.args.in_force.laws, arguments.json());
            let (session, system) =
                opened(question, laws, &arguments, |policy| VirtualDriver::open(policy, laws, &json))?;
            let mut driven = ReplacedSession { session, system, failed: Vec::new() };
            let schedulers = &question.args.in_force.schedulers;
            if !schedulers.is_empty() {
                driven.session.set_schedulers(schedulers.iter().cloned());
            }
            driven.session.set_rails(question.old.rails.clone());
            lictor_decide::load(SnapshotSource::Files(snapshots.to_vec()).read()?, &mut driven.session)?;
            let now = newest(driven.session.mirror());
            driven.feed(SessionInput::Clock(now))?;
            let candidate = candidate(question, (&driven.system, &json))?;
            driven.session.replace(candidate, question.terms).map_err(replacement_error)?;
            driven.record_failure(VirtualDriver::load_replacement)?;
            driven
        }
    };
    let (shadow, watch) = question.cycles;
    for _ in 0..shadow.saturating_add(watch).saturating_add(BEYOND) {
        if driven.is_at_its_end() {
            break;
        }
        let next = driven.session.mirror().now().saturating_add(SECOND);
        driven.feed(SessionInput::Clock(next))?;
        driven.feed(SessionInput::Cycle)?;
        driven.record_failure(VirtualDriver::evictions_complete)?;
    }
    Ok(driven)
}

/// Opens a session of the old policy. Returns also the name of its system.
fn opened<S>(
    question: &ReplacementSetup<'_>,
    system: &str,
    arguments: &UserArguments,
    open: impl FnOnce(Box<dyn Policy>) -> Result<S, OpenError>,
) -> Result<(S, String), CommandError> {
    let mut policy = question.old.start()?;
    let info = described(policy.as_mut(), system)?;
    let session = open(policy).map_err(|error| arguments.refused(error, system, info.as_ref()))?;
    Ok((session, info.map_or_else(|| system.to_owned(), |info| info.name)))
}

fn described(policy: &mut dyn Policy, system: &str) -> Result<Option<SystemInfo>, CommandError> {
    let described = policy.describe()?;
    Ok(described.system(system).cloned())
}

/// Makes and configures the new policy.
fn candidate(question: &ReplacementSetup<'_>, (system, json): (&str, &str)) -> Result<CandidatePolicy, CommandError> {
    let mut policy = question.new.start()?;
    let system = question.args.to_system.as_deref().unwrap_or(system);
    let info = described(policy.as_mut(), system)?;
    let own = arguments::read(question.args.to_args.as_deref())?;
    let given = if question.args.to_args.is_some() { own.json() } else { json.to_owned() };
    let made = CandidatePolicy::new(policy, system, &given);
    let candidate = made.map_err(|error| own.refused(error, system, info.as_ref()))?;
    Ok(question.new.bound(candidate))
}

fn replacement_error(error: ReplaceError) -> CommandError {
    match error {
        ReplaceError::Session(error) => error.into(),
        error => CommandError::ReplacementRejected(error),
    }
}

/// The first session of a recording. Its policy is replaced while the cluster changes as recorded.
struct FollowedSession {
    follow: RecordedFollower,
    system: String,
    json: String,
    failed: Vec<String>,
}

impl FollowedSession {
    fn open(
        question: &ReplacementSetup<'_>,
        header: &Header,
        arguments: &UserArguments,
    ) -> Result<FollowedSession, CommandError> {
        let (laws, given) = (&question.args.in_force.laws, &question.args.in_force.schedulers);
        let system = if laws.is_empty() { header.system.as_str() } else { laws };
        let json = if arguments.values.is_empty() { header.arguments.clone() } else { arguments.json() };
        let header = Header {
            system: system.to_owned(),
            arguments: json.clone(),
            schedulers: if given.is_empty() { header.schedulers.clone() } else { given.clone() },
            rails: question.old.rails.clone(),
            ..header.clone()
        };
        let (follow, system) = opened(question, system, arguments, |policy| RecordedFollower::open(policy, &header))?;
        Ok(FollowedSession { follow, system, json, failed: Vec::new() })
    }

    /// Repeats a step. The replacement begins after the first cluster was received.
    fn step(
        &mut self,
        question: &ReplacementSetup<'_>,
        step: &lictor_host::recording::RecordedStep,
    ) -> Result<(), CommandError> {
        let then = step.result.as_ref().and_then(|came| came.decisions.error.as_ref());
        let now = self.follow.decide_recorded(step).error;
        self.failed.extend(now.filter(|error| Some(error) != then).map(|error| format!("{}: {error}", step.call)));
        let is_cluster =
            matches!(step.call, SessionCall::Input(SessionInput::Objects(_) | SessionInput::InitialList(_)));
        if !is_cluster || self.follow.session().replacement().is_some() {
            return Ok(());
        }
        let candidate = candidate(question, (&self.system, &self.json))?;
        self.follow.replace(candidate, question.terms).map_err(replacement_error)
    }
}

/// Repeats a recording: the commands of the recorded session are carried out, with their recorded outcomes.
fn recording(
    question: &ReplacementSetup<'_>,
    path: &Path,
    arguments: &UserArguments,
) -> Result<ReplacedSession, CommandError> {
    let file = path.display().to_string();
    let mut reader = recorded::read(path)?;
    let mut open: Option<FollowedSession> = None;
    let unreadable = |error| CommandError::Recording { file: file.clone(), error };
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        match (entry, &mut open) {
            (RecordingEntry::Session(header), None) => {
                open = Some(FollowedSession::open(question, &header, arguments)?)
            }
            (RecordingEntry::Session(_), Some(_)) => break,
            (RecordingEntry::Step(step), Some(recorded)) => recorded.step(question, &step)?,
            (RecordingEntry::Step(_), None) => {}
        }
    }
    if let Some(tail) = reader.tail() {
        recorded::warn(&file, tail, "what stands before it is used");
    }
    match open {
        Some(FollowedSession { follow, system, failed, .. }) if follow.session().replacement().is_some() => {
            Ok(ReplacedSession { session: VirtualDriver::from_session(follow.into_session()), system, failed })
        }
        _ => Err(lictor_decide::DecideError::Nothing {
            what: "cluster",
            files: vec![file],
            remedy: "name a recording of a session that was told objects",
        }
        .into()),
    }
}
