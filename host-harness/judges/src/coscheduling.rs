//! scheduler-plugins: compares an attempt, and names the rulings by which the system `coscheduling` departs from it.

mod answer;
mod between;
mod borrowed;
mod claimed;
mod compare;
mod departures;
mod groups;
mod play;
mod quotas;
mod readings;
mod search;
#[cfg(test)]
mod tests;
mod unlike;
mod view;
mod whole;
mod within;

use serde_json::Value;

use crate::departure::{AttemptComparison, PolicyAttempt, UpstreamDeparture};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};
use answer::CoschedulingResponse;
use compare::compare;
use departures::RULES;
pub(crate) use groups::translated;
use readings::{COUNTS, CoschedulingReading, LEAVING, READINGS};
use view::{CoschedulingDecision, CoschedulingSituation};

/// Returns the rulings by which the system `coscheduling` departs from scheduler-plugins.
pub(crate) fn departures() -> impl Iterator<Item = UpstreamDeparture> {
    READINGS
        .iter()
        .chain([&LEAVING])
        .chain(COUNTS)
        .map(|reading| reading.departure)
        .chain(RULES.iter().map(|rule| rule.departure))
}

/// Compares an attempt. First the rulings are asked that read the cluster in another way, then those that explain what remains, before and
/// after the pods have left that are leaving.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(attempt: &PolicyAttempt<'_>, ask: &mut JudgeClient<'_>) -> Result<AttemptComparison, TrialError> {
    let policy = CoschedulingDecision::of(attempt.outcome);
    let mut asked = JudgeExchange::about(translated(attempt.question), ask)?;
    if unlike::ranks_between(&asked.view(attempt.pod, &policy)) {
        return Ok(AttemptComparison::NotCompared(unlike::RANKS_BETWEEN));
    }
    let Err(difference) = compare(&asked.view(attempt.pod, &policy)) else {
        return Ok(AttemptComparison::Same);
    };
    let is_alike = asked.read_all(READINGS, attempt.pod, &policy, ask)?;
    let mut later = JudgeExchange { has_left: true, ..asked.clone() };
    if is_alike || asked.read_all(COUNTS, attempt.pod, &policy, ask)? || asked.explain(attempt.pod, &policy, ask)? {
        return Ok(AttemptComparison::Ruled(asked.rulings));
    }
    later.fits_now = asked.answer.places();
    if later.read_all(&[LEAVING], attempt.pod, &policy, ask)?
        || later.read_all(COUNTS, attempt.pod, &policy, ask)?
        || later.explain(attempt.pod, &policy, ask)?
    {
        return Ok(AttemptComparison::Ruled(later.rulings));
    }
    Ok(AttemptComparison::Differs(difference))
}

/// A question, its answer, and the rulings by which it was changed or the difference is explained.
#[derive(Clone)]
struct JudgeExchange {
    question: JudgeRequest,
    answer: CoschedulingResponse,
    /// Whether pods that are leaving count as gone.
    has_left: bool,
    /// Whether the pod gets a node before these have left.
    fits_now: bool,
    rulings: Vec<&'static str>,
}

impl JudgeExchange {
    /// Asks a question.
    fn about(question: JudgeRequest, ask: &mut JudgeClient<'_>) -> Result<JudgeExchange, TrialError> {
        let answer = ask.request(&question)?;
        Ok(JudgeExchange { question, answer, has_left: false, fits_now: false, rulings: Vec::new() })
    }

    /// Asks about the cluster as rulings read it, one after the other, until policy and upstream decide alike. Returns whether they do.
    fn read_all(
        &mut self,
        readings: &[CoschedulingReading],
        pod: &Value,
        policy: &CoschedulingDecision,
        ask: &mut JudgeClient<'_>,
    ) -> Result<bool, TrialError> {
        for reading in readings {
            let Some(question) = (reading.read)(&self.view(pod, policy), ask)? else { continue };
            let answer: CoschedulingResponse = ask.request(&question)?;
            if answer != self.answer || question.waiting != self.question.waiting {
                self.rulings.push(reading.departure.id);
            }
            (self.question, self.answer) = (question, answer);
            if compare(&self.view(pod, policy)).is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for the ruling that explains the difference. Returns whether there is one.
    fn explain(
        &mut self,
        pod: &Value,
        policy: &CoschedulingDecision,
        ask: &mut JudgeClient<'_>,
    ) -> Result<bool, TrialError> {
        for rule in RULES {
            if (rule.explains)(&self.view(pod, policy), ask)? {
                self.rulings.push(rule.departure.id);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what policy and upstream decide.
    fn view<'s>(&'s self, pod: &'s Value, policy: &'s CoschedulingDecision) -> CoschedulingSituation<'s> {
        let pod = self.question.tried().unwrap_or(pod);
        let JudgeExchange { question, answer, has_left, fits_now, .. } = self;
        CoschedulingSituation { question, pod, policy, answer, has_left: *has_left, fits_now: *fits_now }
    }
}
