//! One case, through one policy or through two side by side.

use lictor_oracle::{BrokenLaw, CaseStep, FuzzCase, RunCounts, Stopped, play};
use serde_json::Value;

use super::failure::FuzzFailure;
use super::table::CaseSession;
use lictor_host::policy::Policy;

/// The reason why a step stops a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopReason {
    /// The broken law.
    pub law: &'static str,
    /// What is wrong.
    pub text: String,
}

/// Plays a case through the first policy, and through the second next to it. Returns the numbers, and the failure.
///
/// Both policies are configured from the beginning. Their answers must be the same byte for byte.
pub fn attempt(
    case: &FuzzCase,
    one: Box<dyn Policy>,
    other: Option<Box<dyn Policy>>,
) -> (RunCounts, Option<FuzzFailure>) {
    attempt_comparing(case, one, other, |_, _| Ok(()))
}

/// Plays a case as [`attempt`] does. `compare` sees each step and its outcome before the oracle does, and may stop the case.
pub fn attempt_comparing(
    case: &FuzzCase,
    one: Box<dyn Policy>,
    other: Option<Box<dyn Policy>>,
    mut compare: impl FnMut(&CaseStep, &Value) -> Result<(), StopReason>,
) -> (RunCounts, Option<FuzzFailure>) {
    let mut steps: Vec<(CaseStep, Value)> = Vec::new();
    let fail = |law: &str, text: String, expect, steps| Some(FuzzFailure { law: law.to_owned(), text, expect, steps });
    let opened = CaseSession::open(case, one)
        .and_then(|one| Ok((one, other.map(|other| CaseSession::open(case, other)).transpose()?)));
    let (mut one, mut other) = match opened {
        Ok(tables) => tables,
        Err(text) => return (RunCounts::default(), fail("can-be-carried-out", text, None, steps)),
    };
    let played = play(case, |step| {
        let said = take(step, &mut one, other.as_mut())?;
        steps.push((step.clone(), said.clone()));
        compare(step, &said)?;
        Ok(said)
    });
    match played {
        Ok(played) => {
            let first = played.breaches.into_iter().next();
            let failure = first.and_then(|BrokenLaw { law, text, expect }| fail(law, text, expect, played.steps));
            (played.tally, failure)
        }
        Err(Stopped::Step(StopReason { law, text })) => (RunCounts::default(), fail(law, text, None, steps)),
        Err(Stopped::Read(error)) => (RunCounts::default(), fail("can-be-read", error.to_string(), None, steps)),
    }
}

/// Takes a step with both policies.
fn take(step: &CaseStep, one: &mut CaseSession, other: Option<&mut CaseSession>) -> Result<Value, StopReason> {
    let halt = |text| StopReason { law: "can-be-carried-out", text: format!("{}: {text}", step.written()) };
    let said = one.take(step).map_err(halt)?;
    if let Some(other) = other {
        let also = other.take(step).map_err(halt)?;
        let bytes = |value: &Value| serde_json::to_vec(value).ok();
        if bytes(&said) != bytes(&also) {
            let text = format!("{}: one says {said}, the other {also}", step.written());
            return Err(StopReason { law: "same-everywhere", text });
        }
    }
    Ok(said)
}
