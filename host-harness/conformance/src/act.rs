//! Takes the steps of a scenario, and says what came of them.

use super::actual::StepOutcome;
use super::format::ScenarioAction;
use super::status;
use lictor_host::driver::VirtualDriver;
use lictor_host::session::{FailureCause, SessionError, SessionInput};

/// The reason why a step could not be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum StepError {
    /// The session did not serve the step.
    #[error("{0}")]
    Session(FailureCause),
    /// The step names something that does not exist.
    #[error("there is no {what} `{name}`")]
    Absent { what: &'static str, name: String },
}

impl From<SessionError> for StepError {
    fn from(error: SessionError) -> StepError {
        // The report of the step names the input, so only the cause is kept.
        StepError::Session(error.cause)
    }
}

/// Takes one step in an open session, for callers that drive a cluster without a list of steps. Returns the outcome.
///
/// # Errors
/// Why the step could not be taken.
pub fn act(action: ScenarioAction, session: &mut VirtualDriver) -> Result<StepOutcome, String> {
    take(&action, session).map_err(|error| error.to_string())
}

/// Takes a step. Returns the outcome, whether or not expectations exist.
pub(super) fn take(action: &ScenarioAction, session: &mut VirtualDriver) -> Result<StepOutcome, StepError> {
    let (mut order, mut books) = (None, None);
    match action {
        ScenarioAction::Schedule(name) => session.serve(SessionInput::Attempt(name.clone()))?,
        ScenarioAction::Cycle(count) => (0..*count).try_for_each(|_| session.serve(SessionInput::Cycle))?,
        ScenarioAction::Order(_) => order = Some(session.queue()?),
        ScenarioAction::Advance(nanoseconds) => session.advance(*nanoseconds)?,
        ScenarioAction::EvictionsComplete => session.evictions_complete()?,
        ScenarioAction::Apply(objects) => session.apply(objects.clone())?,
        ScenarioAction::Delete(keys) => {
            for key in keys {
                session.remove(key)?.then_some(()).ok_or_else(|| absent("object", key))?;
            }
        }
        ScenarioAction::Status(expected) => {
            // Without this check, a misspelt resource would be expected to be 0 forever.
            let known = |name: &String| session.mirror().resources().iter().any(|resource| resource.name == *name);
            if let Some(name) = expected.values().flat_map(|books| books.used.keys()).find(|name| !known(name)) {
                return Err(absent("resource", name));
            }
            let accounts = session.accounts()?;
            books = Some(status::actual(expected.keys(), &accounts, session.mirror().resources()));
        }
    }
    let actual = StepOutcome::of(session.take_report(), session.waiting());
    let actual = if matches!(action, ScenarioAction::Schedule(_)) { actual.of_attempt() } else { actual };
    Ok(StepOutcome { order, status: books, ..actual })
}

/// Returns the error of a step that names something that does not exist.
fn absent(what: &'static str, name: &str) -> StepError {
    StepError::Absent { what, name: name.to_owned() }
}
