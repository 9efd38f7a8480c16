//! Runs a scenario against a policy.

use lictor_policy::contract::ConfigError;

use super::expect::Failure;
use super::format::{Action, Scenario, Step};
use super::report::{Actual, Report, StepReport};
use super::status;
use crate::policy::Policy;
use crate::scheduler::{OpenError, Session, SessionError};

/// Why a step could not be taken.
#[derive(Debug, thiserror::Error)]
enum StepError {
    /// The cycle stopped.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The step names something that there is not.
    #[error("there is no {what} `{name}`")]
    Absent { what: &'static str, name: String },
}

/// Runs a scenario against a policy, which is configured anew and may have been used before. Stops at the first step that
/// cannot be taken.
pub fn run(scenario: &Scenario, policy: &mut dyn Policy) -> Report {
    let mut report = Report {
        scenario: scenario.name.clone(),
        file: scenario.origin.file().to_string(),
        laws: scenario.laws.clone(),
        passed: false,
        error: None,
        steps: Vec::new(),
        findings: Vec::new(),
    };
    let arguments = serde_json::Value::Object(scenario.args.clone()).to_string();
    match Session::open(policy, &scenario.laws, &arguments) {
        Ok(mut session) => {
            report.error = run_steps(scenario, &mut session, &mut report.steps).err();
            report.findings = session.findings().to_vec();
        }
        Err(error) => report.error = Some(not_opened(scenario, &error)),
    }
    report.passed = report.error.is_none() && report.steps.iter().all(|step| step.failures.is_empty());
    report
}

/// Takes the steps one after the other.
fn run_steps(scenario: &Scenario, session: &mut Session<'_>, reports: &mut Vec<StepReport>) -> Result<(), String> {
    session.upsert(scenario.cluster.iter().cloned()).map_err(|error| format!("initial cluster: {error}"))?;
    session.take_happened();
    for (place, step) in (1usize..).zip(&scenario.steps) {
        let title = step.action.title();
        let taken = take(step, session);
        let (actual, failures) =
            taken.map_err(|error| format!("line {}, step {place}: {title}: {error}", step.line))?;
        reports.push(StepReport { step: place, line: step.line, action: title, actual, failures });
    }
    Ok(())
}

/// Takes a step: what came of it, and which expectations do not hold.
fn take(step: &Step, session: &mut Session<'_>) -> Result<(Actual, Vec<Failure>), StepError> {
    let (mut order, mut books) = (None, None);
    match &step.action {
        Action::Schedule(name) => {
            let pod = session.mirror().pod_id(name).ok_or_else(|| absent("pod", name))?;
            session.attempt(pod)?;
        }
        Action::Cycle(count) => (0..*count).try_for_each(|_| session.cycle())?,
        Action::Order(_) => order = Some(queue(session)?),
        Action::Advance(nanoseconds) => session.advance(*nanoseconds)?,
        Action::EvictionsComplete => session.evictions_complete()?,
        Action::Apply(objects) => session.upsert(objects.iter().cloned())?,
        Action::Delete(keys) => {
            for key in keys {
                session.remove(key)?.then_some(()).ok_or_else(|| absent("object", key))?;
            }
        }
        Action::Status(expected) => {
            let accounts = session.accounts()?;
            books = Some(status::actual(expected.keys(), &accounts, session.mirror().resources()));
        }
    }
    let mut actual = Actual::of(session.take_happened(), session.waiting());
    if matches!(step.action, Action::Schedule(_)) {
        actual = actual.of_attempt();
    }
    let mut failures = step.expect.check(&actual);
    if let (Action::Order(expected), Some(queue)) = (&step.action, &order) {
        failures.extend(check_order(expected, queue));
    }
    if let (Action::Status(expected), Some(books)) = (&step.action, &books) {
        failures.extend(status::check(expected, books));
    }
    actual.order = order;
    actual.status = books;
    Ok((actual, failures))
}

/// The names of the pods in the queue.
fn queue(session: &mut Session<'_>) -> Result<Vec<String>, SessionError> {
    let queue = session.queue()?;
    Ok(queue.iter().filter_map(|pod| session.mirror().pod_name(*pod)).map(str::to_owned).collect())
}

/// The named pods stand in the queue in this relative order.
fn check_order(expected: &[String], queue: &[String]) -> Option<Failure> {
    let found: Vec<&String> = queue.iter().filter(|pod| expected.contains(pod)).collect();
    (!found.iter().copied().eq(expected)).then(|| Failure::new("order", expected, found))
}

/// Something that a step names and that there is not.
fn absent(what: &'static str, name: &str) -> StepError {
    StepError::Absent { what, name: name.to_owned() }
}

/// Why the policy could not be configured, with the place of what it refuses.
fn not_opened(scenario: &Scenario, error: &OpenError) -> String {
    let pointer = match error {
        OpenError::Refused(ConfigError::UnknownLaws(_)) => "/spec/policy/laws".to_owned(),
        OpenError::Refused(ConfigError::UnknownArgument(name)) => format!("/spec/policy/args/{name}"),
        OpenError::Refused(ConfigError::BadArgument(bad)) => format!("/spec/policy/args/{}", bad.name),
        _ => "/spec/policy".to_owned(),
    };
    format!("line {}: {error}", scenario.origin.line(&pointer))
}
