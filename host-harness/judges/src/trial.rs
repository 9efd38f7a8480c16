//! One case, compared with upstream step by step.

use std::collections::BTreeSet;

use lictor_oracle::{Case, Followed, ReadError, Step, System};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::departure::{Attempt, Verdict};
use crate::kubernetes::Round;
use crate::object::{is_turned_away, text};
use crate::program::ProgramError;
use crate::question::Question;
use crate::tally::{Tally, count_more};
use crate::{coscheduling, koordinator, kubernetes, yunikorn};

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
    /// The answer is none of the system.
    #[error(
        "the answer is none of the judge of this system ({0}): name the program that `build.sh` in its folder builds"
    )]
    Answer(String),
    /// The cluster cannot be followed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// A case that is compared with upstream.
pub struct Trial<'c> {
    case: &'c Case,
    cluster: Followed,
    /// The pods whose last attempt found neither a node nor a plan.
    failed: BTreeSet<String>,
    /// The attempts for a PodGroup, as long as they follow one another.
    round: Option<Round>,
    /// What has been compared.
    pub tally: Tally,
}

impl<'c> Trial<'c> {
    /// Begins a case of a system that has a judge, as [`Program::start`](crate::Program::start) checks.
    ///
    /// # Errors
    /// The cluster cannot be read.
    pub fn of(case: &'c Case) -> Result<Trial<'c>, ReadError> {
        let cluster = Followed::of(case)?;
        Ok(Trial { case, cluster, failed: BTreeSet::new(), round: None, tally: Tally::default() })
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
        mut ask: impl FnMut(&Question) -> Result<Value, ProgramError>,
    ) -> Result<(), TrialError> {
        match step {
            Step::Schedule(pod) => {
                self.attempt(pod, outcome, &mut Ask(&mut ask))?;
                self.remember(pod, outcome);
            }
            _ => self.end_round()?,
        }
        Ok(self.cluster.take(step, outcome)?)
    }

    /// Compares one attempt.
    fn attempt(&mut self, pod: &str, outcome: &Value, ask: &mut Ask<'_>) -> Result<(), TrialError> {
        let question = Question {
            now: self.cluster.now(),
            objects: self.cluster.objects(),
            arguments: Value::Object(self.case.args.clone()),
            pod: pod.to_owned(),
            entered: self.cluster.entered(),
            order: self.cluster.order(),
            waiting: self.cluster.waiting(),
            kept: self.cluster.kept(),
            failed: self.failed.clone(),
        };
        let Some(pod) = question.tried() else { return Ok(()) };
        let group = kubernetes::group_of(pod).filter(|_| self.case.system == System::Kubernetes);
        if !group.as_ref().is_some_and(|group| self.round.as_ref().is_some_and(|round| round.is_of(group))) {
            self.end_round()?;
            self.round = match group {
                Some(group) => Round::begin(group, &question, ask)?,
                None => None,
            };
        }
        if let Some(round) = &mut self.round {
            round.add(outcome);
            return Ok(());
        }
        let attempt = Attempt { question: &question, pod, outcome };
        let verdict = match self.case.system {
            System::Kubernetes => kubernetes::judge(&attempt, ask)?,
            System::Yunikorn => yunikorn::judge(&attempt, ask)?,
            System::Coscheduling => coscheduling::judge(&attempt, ask)?,
            System::Koordinator => koordinator::judge(&attempt, ask)?,
            System::Volcano => return Ok(()),
        };
        self.count(verdict)
    }

    /// Remembers whether an attempt was in vain.
    fn remember(&mut self, pod: &str, outcome: &Value) {
        let is_in_vain = matches!(text(outcome, "/result"), "Unschedulable" | "Rejected");
        match is_in_vain {
            true if is_turned_away(outcome) => {}
            true => drop(self.failed.insert(pod.to_owned())),
            false => drop(self.failed.remove(pod)),
        }
    }

    /// Compares the attempts for a PodGroup, when other attempts or steps follow.
    fn end_round(&mut self) -> Result<(), TrialError> {
        match self.round.take() {
            Some(round) => self.count(round.end()),
            None => Ok(()),
        }
    }

    /// Counts what a comparison came to.
    fn count(&mut self, verdict: Verdict) -> Result<(), TrialError> {
        let tally = &mut self.tally;
        match verdict {
            Verdict::NotCompared(reason) => {
                count_more(&mut tally.passed_over, reason, 1);
                return Ok(());
            }
            Verdict::Alike => tally.alike = tally.alike.saturating_add(1),
            Verdict::Ruled(ids) => {
                for id in ids {
                    count_more(&mut tally.departures, id, 1);
                    tally.examples.entry(id).or_insert(self.case.index);
                }
            }
            Verdict::Differs(difference) => return Err(difference.into()),
        }
        tally.attempts = tally.attempts.saturating_add(1);
        Ok(())
    }
}

/// The way to a judge.
pub(crate) struct Ask<'f>(&'f mut dyn FnMut(&Question) -> Result<Value, ProgramError>);

impl Ask<'_> {
    /// Asks a question, and reads the answer.
    ///
    /// # Errors
    /// The judge has no answer, or one that is not in the format of its system.
    pub(crate) fn answer<A: DeserializeOwned>(&mut self, question: &Question) -> Result<A, TrialError> {
        let answer = (self.0)(question)?;
        serde_json::from_value(answer).map_err(|error| TrialError::Answer(error.to_string()))
    }
}
