//! The attempts of a case that the judge answers.

use std::collections::BTreeMap;

use lictor_judges::{
    AttemptComparison, CaseComparison, JudgeRequest, Program, ProgramError, StepComparison, TrialError,
};
use lictor_oracle::{CaseStep, FuzzCase, SystemKind};
use serde_json::Value;

/// A case as the policy plays it.
pub(super) struct PlayedCase {
    pub(super) case: FuzzCase,
    pub(super) steps: Vec<(CaseStep, Value)>,
}

/// The answers of a judge: it answers each question once in a case.
pub(super) struct JudgeAnswers<'p> {
    pub(super) program: &'p mut Program,
    pub(super) cached: BTreeMap<String, Value>,
}

impl JudgeAnswers<'_> {
    /// Answers a question.
    fn answer(&mut self, question: &JudgeRequest) -> Result<Value, ProgramError> {
        let key = serde_json::to_string(question).unwrap_or_default();
        if let Some(answer) = self.cached.get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.program.request(question)?;
        self.cached.insert(key, answer.clone());
        Ok(answer)
    }
}

/// The attempt of a case that ends differently, by its place among the steps.
pub(super) struct DifferingAttempt<'p> {
    pub(super) played: &'p PlayedCase,
    pub(super) at: usize,
}

impl DifferingAttempt<'_> {
    /// Compares the policy's own decision with that of the judge.
    pub(super) fn weigh_policy(&self, answers: &mut JudgeAnswers<'_>) -> Result<Option<AttemptComparison>, TrialError> {
        let mut steps = self.played.steps.iter().skip(self.at);
        let outcome = |step: &CaseStep| steps.find(|(taken, _)| taken == step).map(|(_, outcome)| outcome.clone());
        Ok(self.weigh(answers, outcome)?.map(|(verdict, _)| verdict))
    }

    /// Compares the attempt, or the round of attempts that it is part of, as `take` decides. Returns also whether it is a round.
    pub(super) fn weigh(
        &self,
        answers: &mut JudgeAnswers<'_>,
        mut take: impl FnMut(&CaseStep) -> Option<Value>,
    ) -> Result<Option<(AttemptComparison, bool)>, TrialError> {
        let PlayedCase { case, steps } = self.played;
        let mut trial = CaseComparison::of(case)?;
        let group = self.group()?;
        let begins = group.as_ref().map_or(self.at, |(_, begins)| *begins);
        for (at, (step, outcome)) in steps.iter().enumerate().take(self.at) {
            if at < begins {
                trial.follow(step, outcome)?;
            } else {
                trial.compare_step(step, outcome, |question| answers.answer(question))?;
            }
        }
        let mut next = steps.get(self.at).map(|(step, _)| step.clone());
        let mut rest = self.rest();
        while let Some(step) = next.take() {
            let Some(outcome) = take(&step) else { break };
            let StepComparison { attempt, .. } =
                trial.compare_step(&step, &outcome, |question| answers.answer(question))?;
            if let Some(verdict) = attempt {
                return Ok(Some((verdict, false)));
            }
            let Some((group, _)) = &group else { break };
            next = rest
                .find(|pod| trial.is_pending(pod))
                .filter(|pod| trial.group(pod).as_ref() == Some(group))
                .map(CaseStep::Schedule);
        }
        Ok(trial.end().map(|verdict| (verdict, true)))
    }

    /// Returns the PodGroup of the attempt, and the step with which the attempts for it begin.
    fn group(&self) -> Result<Option<(String, usize)>, TrialError> {
        if self.played.case.system != SystemKind::Kubernetes {
            return Ok(None);
        }
        let mut trial = CaseComparison::of(&self.played.case)?;
        let mut found: Option<(String, usize)> = None;
        for (at, (step, outcome)) in self.played.steps.iter().enumerate().take(self.at.saturating_add(1)) {
            let group = if let CaseStep::Schedule(pod) = step { trial.group(pod) } else { None };
            found = match (group, found) {
                (Some(group), Some((before, begins))) if group == before => Some((group, begins)),
                (group, _) => group.map(|group| (group, at)),
            };
            trial.follow(step, outcome)?;
        }
        Ok(found)
    }

    /// Returns the pods that come after the attempt in the queue.
    fn rest(&self) -> impl Iterator<Item = String> {
        let before = self.played.steps.iter().take(self.at);
        let order =
            before.rev().find(|(step, _)| *step == CaseStep::Order).and_then(|(_, outcome)| outcome.get("order"));
        let pod = match self.played.steps.get(self.at) {
            Some((CaseStep::Schedule(pod), _)) => pod.clone(),
            _ => String::new(),
        };
        let queue = order.and_then(Value::as_array).cloned().unwrap_or_default();
        let queue = queue.into_iter().filter_map(|pod| pod.as_str().map(str::to_owned));
        queue.skip_while(move |other| *other != pod).skip(1)
    }
}
