//! One case, compared with upstream step by step.

use lictor_oracle::{CaseStep, FuzzCase, ModelInputError, RoundKind, SystemKind, TrackedCluster};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::departure::{AttemptComparison, PolicyAttempt};
use crate::kubernetes::PodGroupRound;
use crate::memory::AttemptHistory;
use crate::program::ProgramError;
use crate::question::JudgeRequest;
use crate::tally::{ComparisonCounts, count_more};
use crate::yunikorn::applications::ApplicationOriginators;
use crate::yunikorn::surplus::OverMaximumQueues;
use crate::{coscheduling, koordinator, kubernetes, order, yunikorn};

/// A decision of the policy that upstream does not make, and that no ruling explains.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct UpstreamDifference {
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
    Difference(#[from] UpstreamDifference),
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
    Read(#[from] ModelInputError),
}

/// The result of comparing a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepComparison {
    /// Of the attempts for a PodGroup that the step ends: they are compared together.
    pub ended_group: Option<AttemptComparison>,
    /// Of the attempt that the step is.
    pub attempt: Option<AttemptComparison>,
}

/// A case that is compared with upstream.
pub struct CaseComparison<'c> {
    case: &'c FuzzCase,
    cluster: TrackedCluster,
    history: AttemptHistory,
    /// The applications of a case of system `yunikorn`.
    applications: ApplicationOriginators,
    /// The attempts for a PodGroup, as long as they follow one another.
    round: Option<PodGroupRound>,
    /// The queues over their maximum.
    overages: OverMaximumQueues,
    /// The seconds since the first step.
    time: i64,
    /// What has been compared.
    pub tally: ComparisonCounts,
}

impl<'c> CaseComparison<'c> {
    /// Begins a case of a system that has a judge, as [`Program::start`](crate::Program::start) checks.
    ///
    /// # Errors
    /// The cluster cannot be read.
    pub fn of(case: &'c FuzzCase) -> Result<CaseComparison<'c>, ModelInputError> {
        Ok(CaseComparison {
            case,
            cluster: TrackedCluster::of(case)?,
            history: AttemptHistory::default(),
            applications: ApplicationOriginators::default(),
            round: None,
            overages: OverMaximumQueues::default(),
            time: 0,
            tally: ComparisonCounts::default(),
        })
    }

    /// Compares a step with what `ask` says, and follows the policy. `outcome` is in the format of `lictor test --output json`, with all
    /// nominations after the step under key `standing`.
    ///
    /// # Errors
    /// Policy and upstream differ and no ruling explains it, the judge has no answer, or the outcome cannot be read.
    pub fn step(
        &mut self,
        step: &CaseStep,
        outcome: &Value,
        ask: impl FnMut(&JudgeRequest) -> Result<Value, ProgramError>,
    ) -> Result<(), TrialError> {
        // What queues give back, and the order of the queue, are compared for mutants alone: rulings on them are to be written first.
        let StepComparison { ended_group: before, attempt } = match step {
            CaseStep::Schedule(_) => self.compare_step(step, outcome, ask)?,
            _ => {
                let before = self.end();
                self.follow(step, outcome)?;
                StepComparison { ended_group: before, attempt: None }
            }
        };
        before.into_iter().chain(attempt).try_for_each(|verdict| self.count(verdict))
    }

    /// Compares a step as [`CaseComparison::step`] does, and returns the result. A difference is no error, and nothing is counted.
    ///
    /// # Errors
    /// The judge has no answer, or the outcome cannot be read.
    pub fn compare_step(
        &mut self,
        step: &CaseStep,
        outcome: &Value,
        mut ask: impl FnMut(&JudgeRequest) -> Result<Value, ProgramError>,
    ) -> Result<StepComparison, TrialError> {
        let weighed = match step {
            CaseStep::Schedule(pod) => self.attempt(pod, outcome, &mut JudgeClient(&mut ask))?,
            CaseStep::Order => {
                StepComparison { ended_group: self.end(), attempt: self.order(outcome, &mut JudgeClient(&mut ask))? }
            }
            _ => StepComparison {
                ended_group: self.end(),
                attempt: self.compare_over_maximum(step, outcome, &mut JudgeClient(&mut ask))?,
            },
        };
        self.follow(step, outcome)?;
        Ok(weighed)
    }

    /// Follows the policy without a comparison.
    ///
    /// # Errors
    /// The outcome cannot be read.
    pub fn follow(&mut self, step: &CaseStep, outcome: &Value) -> Result<(), ModelInputError> {
        match step {
            CaseStep::Schedule(pod) => self.history.remember(pod, outcome),
            CaseStep::Advance(seconds) => self.time = self.time.saturating_add(*seconds),
            _ => {}
        }
        self.cluster.apply_outcome(step, outcome)?;
        if self.case.system == SystemKind::Yunikorn {
            self.applications.retain(&self.cluster.objects());
        }
        if self.has_queues_over_maximum() {
            self.overages.observe(&self.cluster.objects(), self.time);
        }
        Ok(())
    }

    /// Compares the order of the queue, where the judge says it.
    fn order(&self, outcome: &Value, ask: &mut JudgeClient<'_>) -> Result<Option<AttemptComparison>, TrialError> {
        match self.case.system {
            SystemKind::Coscheduling => order::judge(outcome, |pod| coscheduling::translated(&self.question(pod)), ask),
            SystemKind::Koordinator => order::judge(outcome, |pod| koordinator::translated(self.question(pod)), ask),
            SystemKind::Kubernetes => order::judge(outcome, |pod| self.question(pod).with_waiting_bound(), ask),
            SystemKind::Yunikorn => yunikorn::queue::judge(self.question(""), outcome, ask),
            SystemKind::Volcano => Ok(None),
        }
    }

    /// Returns whether the case is about queues over their maximum.
    fn has_queues_over_maximum(&self) -> bool {
        self.case.system == SystemKind::Yunikorn && self.case.drive.by == RoundKind::Cycles
    }

    /// Compares what queues give back.
    fn compare_over_maximum(
        &self,
        step: &CaseStep,
        outcome: &Value,
        ask: &mut JudgeClient<'_>,
    ) -> Result<Option<AttemptComparison>, TrialError> {
        let (after, is_sure) = match step {
            CaseStep::Cycle => (0, true),
            CaseStep::Advance(seconds) => (*seconds, false),
            _ => return Ok(None),
        };
        if !self.has_queues_over_maximum() {
            return Ok(None);
        }
        let then = (&self.overages, self.time.saturating_add(after), is_sure);
        yunikorn::surplus::judge(self.question(""), outcome, then, ask)
    }

    /// Returns the question about a pod.
    fn question(&self, pod: &str) -> JudgeRequest {
        JudgeRequest {
            now: self.cluster.now(),
            objects: self.cluster.objects(),
            arguments: Value::Object(self.case.args.clone()),
            pod: pod.to_owned(),
            entered: self.cluster.entered(),
            order: self.cluster.order(),
            waiting: self.cluster.waiting(),
            without_originator: self.applications.without_originator(),
            kept: self.cluster.retained_nodes(),
            memory: self.history.clone(),
        }
    }

    /// Ends the attempts for a PodGroup, which are compared together. None: the last attempt was for a pod without one.
    pub fn end(&mut self) -> Option<AttemptComparison> {
        self.round.take().map(PodGroupRound::end)
    }

    /// Returns the PodGroup with which the attempts for a pod are compared; none where each attempt is compared alone.
    pub fn group(&self, pod: &str) -> Option<String> {
        let objects = self.cluster.objects();
        let mut pods = crate::object::pods(&objects).filter(|_| self.case.system == SystemKind::Kubernetes);
        kubernetes::group_of(pods.find(|other| crate::object::name(other) == pod)?)
    }

    /// Returns whether a pod waits to be tried.
    pub fn is_pending(&self, pod: &str) -> bool {
        self.cluster.is_pending(pod)
    }

    /// Compares one attempt.
    fn attempt(&mut self, pod: &str, outcome: &Value, ask: &mut JudgeClient<'_>) -> Result<StepComparison, TrialError> {
        let question = self.question(pod);
        let Some(pod) = question.tried() else { return Ok(StepComparison::default()) };
        let group = kubernetes::group_of(pod).filter(|_| self.case.system == SystemKind::Kubernetes);
        let mut before = None;
        if !group.as_ref().is_some_and(|group| self.round.as_ref().is_some_and(|round| round.is_of(group))) {
            before = self.end();
            self.round = match group {
                Some(group) => PodGroupRound::begin(group, &question, ask)?,
                None => None,
            };
        }
        if let Some(round) = &mut self.round {
            round.add(&crate::object::name(pod), outcome);
            return Ok(StepComparison { ended_group: before, attempt: None });
        }
        let attempt = PolicyAttempt { question: &question, pod, outcome };
        let verdict = match self.case.system {
            SystemKind::Kubernetes => kubernetes::judge(&attempt, ask)?,
            SystemKind::Yunikorn => yunikorn::judge(&attempt, &mut self.applications, ask)?,
            SystemKind::Coscheduling => coscheduling::judge(&attempt, ask)?,
            SystemKind::Koordinator => koordinator::judge(&attempt, ask)?,
            SystemKind::Volcano => return Ok(StepComparison { ended_group: before, attempt: None }),
        };
        Ok(StepComparison { ended_group: before, attempt: Some(verdict) })
    }

    /// Counts what a comparison came to.
    fn count(&mut self, verdict: AttemptComparison) -> Result<(), TrialError> {
        let tally = &mut self.tally;
        match verdict {
            AttemptComparison::NotCompared(reason) => {
                count_more(&mut tally.not_compared, reason, 1);
                return Ok(());
            }
            AttemptComparison::Same => tally.same = tally.same.saturating_add(1),
            AttemptComparison::Ruled(ids) => {
                for id in ids {
                    count_more(&mut tally.departures, id, 1);
                    tally.examples.entry(id).or_insert(self.case.index);
                }
            }
            AttemptComparison::Differs(difference) => return Err(difference.into()),
        }
        tally.attempts = tally.attempts.saturating_add(1);
        Ok(())
    }
}

/// The way to a judge.
pub(crate) struct JudgeClient<'f>(&'f mut dyn FnMut(&JudgeRequest) -> Result<Value, ProgramError>);

impl JudgeClient<'_> {
    /// Asks a question, and reads the answer.
    ///
    /// # Errors
    /// The judge has no answer, or one that is not in the format of its system.
    pub(crate) fn request<A: DeserializeOwned>(&mut self, question: &JudgeRequest) -> Result<A, TrialError> {
        let answer = (self.0)(question)?;
        serde_json::from_value(answer).map_err(|error| TrialError::Answer(error.to_string()))
    }
}
