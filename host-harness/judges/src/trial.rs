//! One case, compared with upstream step by step.

use lictor_oracle::{Case, Followed, ReadError, Step};
use serde_json::Value;

use crate::answer::{Answer, Question};
use crate::departure::{Situation, departures};
use crate::kubernetes;
use crate::object::{name, pods};
use crate::program::ProgramError;
use crate::tally::{Tally, count_more};

/// A decision of the policy that upstream does not make, and that no ruling explains.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Difference {
    /// What differs, as the name of a law: `upstream/victims`.
    pub kind: &'static str,
    /// What both decide.
    pub text: String,
}

/// Why a step of a case is not in order.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// Policy and upstream differ.
    #[error(transparent)]
    Difference(#[from] Difference),
    /// The judge has no answer.
    #[error(transparent)]
    Judge(#[from] ProgramError),
    /// The cluster cannot be followed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// A case that is compared with upstream.
pub struct Trial<'c> {
    case: &'c Case,
    cluster: Followed,
    /// What has been compared.
    pub tally: Tally,
}

impl<'c> Trial<'c> {
    /// Begins a case of a system that has a judge, as [`Program::start`](crate::Program::start) checks.
    ///
    /// # Errors
    /// The cluster cannot be read.
    pub fn of(case: &'c Case) -> Result<Trial<'c>, ReadError> {
        Ok(Trial { case, cluster: Followed::of(&case.objects)?, tally: Tally::default() })
    }

    /// Compares a step with what `ask` says, and follows the policy. `outcome` is in the format of `lictor test --output json`, with all
    /// nominations after the step under key `standing`.
    ///
    /// # Errors
    /// Policy and upstream differ and no ruling explains it, the judge has no answer, or the outcome cannot be read.
    pub fn step(
        &mut self,
        step: &Step,
        outcome: &Value,
        ask: impl FnMut(&Question) -> Result<Answer, ProgramError>,
    ) -> Result<(), TrialError> {
        if let Step::Schedule(pod) = step {
            self.attempt(pod, outcome, ask)?;
        }
        Ok(self.cluster.take(step, outcome)?)
    }

    /// Compares one attempt.
    fn attempt(
        &mut self,
        pod_name: &str,
        outcome: &Value,
        mut ask: impl FnMut(&Question) -> Result<Answer, ProgramError>,
    ) -> Result<(), TrialError> {
        let objects = self.cluster.objects();
        if let Some(reason) = kubernetes::not_compared(&objects) {
            count_more(&mut self.tally.passed_over, reason, 1);
            return Ok(());
        }
        let arguments = Value::Object(self.case.args.clone());
        let question = Question { now: self.cluster.now(), objects, arguments, pod: pod_name.to_owned() };
        let Some(pod) = pods(&question.objects).find(|pod| name(pod) == pod_name) else { return Ok(()) };
        let answer = ask(&question)?;
        self.tally.attempts = self.tally.attempts.saturating_add(1);
        let situation = Situation { objects: &question.objects, pod, outcome, answer: &answer };
        let ruled: Vec<&str> = departures(self.case.system)
            .iter()
            .filter(|departure| (departure.applies)(&situation))
            .map(|departure| departure.id)
            .collect();
        for id in &ruled {
            count_more(&mut self.tally.situations, id, 1);
        }
        match (kubernetes::compare(&situation), ruled.first()) {
            (Ok(()), _) => self.tally.alike = self.tally.alike.saturating_add(1),
            (Err(_), Some(id)) => count_more(&mut self.tally.departures, id, 1),
            (Err(difference), None) => return Err(difference.into()),
        }
        Ok(())
    }
}
