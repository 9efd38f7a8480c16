//! One mutant of a law: where it decides otherwise than the policy does, and what the judge says of that.

use std::collections::BTreeMap;

use lictor_conformance::fuzz::Table;
use lictor_judges::{Program, ProgramError, Question, Trial, TrialError, Verdict, Weighed};
use lictor_oracle::{Case, Step, System};
use serde_json::Value;

use crate::{Mutant, Native};

/// After how many attempts that the judge was asked about in vain it is asked no more.
const ENOUGH: u64 = 300;

/// After how many it is where the mutant was noticed, but by a ruling alone.
const ENOUGH_WITH_RULING: u64 = 60;

/// The difference that is about the order of the queue.
const ORDER: &str = "upstream/order";

/// What an attempt does to the cluster.
const EFFECTS: [&str; 5] = ["bound", "nominated", "victims", "waiting", "standing"];

/// A case as the policy plays it.
pub(super) struct Played {
    pub(super) case: Case,
    pub(super) steps: Vec<(Step, Value)>,
}

/// A judge that is asked each question once in a case.
pub(super) struct Answers<'p> {
    pub(super) program: &'p mut Program,
    pub(super) known: BTreeMap<String, Value>,
}

impl Answers<'_> {
    /// Answers a question.
    fn answer(&mut self, question: &Question) -> Result<Value, ProgramError> {
        let key = serde_json::to_string(question).unwrap_or_default();
        if let Some(answer) = self.known.get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.program.ask(question)?;
        self.known.insert(key, answer.clone());
        Ok(answer)
    }
}

/// How a mutant was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Notice {
    /// No ruling explains what it decides.
    Difference(String),
    /// It decides as upstream where these rulings say that the policy does not.
    Ruling(Vec<&'static str>),
}

/// A mutant, and what is known of it.
pub(super) struct Suspect {
    pub(super) mutant: Mutant,
    /// How it was noticed, and in which case. A difference counts more than a ruling.
    pub(super) noticed: Option<(u64, Notice)>,
    /// How many attempts were compared.
    pub(super) asked: u64,
    /// What these came to: a ruling, or words.
    pub(super) verdicts: BTreeMap<&'static str, u64>,
    /// Cases in which the policy itself decides otherwise than upstream, without a ruling.
    pub(super) faults: Vec<(u64, String)>,
}

/// How far an outcome is from that of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distance {
    /// The judges see none.
    None,
    /// The cluster goes on alike.
    Words,
    /// The cluster goes on otherwise.
    Effects,
}

impl Suspect {
    /// Begins with a mutant of which nothing is known.
    pub(super) fn new(mutant: Mutant) -> Suspect {
        Suspect { mutant, noticed: None, asked: 0, verdicts: BTreeMap::new(), faults: Vec::new() }
    }

    /// Returns whether no more cases need to be looked at.
    pub(super) fn is_settled(&self) -> bool {
        match &self.noticed {
            Some((_, Notice::Difference(_))) => true,
            Some((_, Notice::Ruling(_))) => self.asked >= ENOUGH_WITH_RULING,
            None => self.asked >= ENOUGH,
        }
    }

    /// Plays a case side by side with the policy, and asks the judge about attempts that end otherwise. The clusters are those of the policy:
    /// a case is over as soon as the mutant's would be another one.
    pub(super) fn look(&mut self, played: &Played, answers: &mut Answers<'_>) {
        let policy = Box::new(Native::switched(self.mutant.code, self.mutant.to));
        let Ok(mut table) = Table::open(&played.case, policy) else { return self.count("cannot be carried out") };
        for (at, (step, was)) in played.steps.iter().enumerate() {
            let Ok(said) = table.take(step) else { return self.count("cannot be carried out") };
            let distance = distance(played.case.system, was, &said);
            match (distance, step) {
                // The cluster goes on alike: the pods are tried in the order of the policy.
                (Distance::None, Step::Order) if are_turned(was, &said) => {
                    let scene = Scene { played, at };
                    self.ask(&scene, &mut table, said, answers);
                    if self.is_settled() {
                        return;
                    }
                }
                (Distance::None, _) | (Distance::Words, Step::Order | Step::Usage(_)) => {}
                (_, Step::Schedule(_)) | (Distance::Effects, Step::Cycle | Step::Advance(_)) => {
                    let scene = Scene { played, at };
                    let is_over = self.ask(&scene, &mut table, said, answers) || distance == Distance::Effects;
                    if is_over || self.is_settled() {
                        return;
                    }
                }
                _ if distance == Distance::Effects => return self.count("no attempt"),
                _ => {}
            }
        }
    }

    /// Asks the judge about an attempt that ends otherwise. Returns whether the case is over for the mutant.
    fn ask(&mut self, scene: &Scene<'_>, table: &mut Table, said: Value, answers: &mut Answers<'_>) -> bool {
        let mut said = Some(said);
        let mutated = scene.weigh(answers, |step| said.take().map_or_else(|| table.take(step).ok(), Some));
        let (verdict, is_group) = match mutated {
            Ok(Some(weighed)) => weighed,
            Ok(None) => {
                self.count("not compared");
                return true;
            }
            Err(_) => {
                self.count("no answer");
                return true;
            }
        };
        let index = scene.played.case.index;
        if !matches!(verdict, Verdict::NotCompared(_)) {
            self.asked = self.asked.saturating_add(1);
        }
        match verdict {
            Verdict::Differs(difference) => match scene.weigh_policy(answers) {
                // There are no rulings on the order yet: it is compared where the policy has that of upstream.
                policy if difference.kind == ORDER && policy != Some(Verdict::Alike) => self.count(ORDER),
                Some(Verdict::Differs(fault)) => self.faults.push((index, fault.text)),
                _ => {
                    self.noticed =
                        Some((index, Notice::Difference(format!("{}: {}", difference.kind, difference.text))));
                }
            },
            Verdict::Alike => {
                if let Some(Verdict::Ruled(ids)) = scene.weigh_policy(answers) {
                    self.noticed.get_or_insert((index, Notice::Ruling(ids)));
                }
                self.count("alike");
            }
            Verdict::Ruled(ids) => ids.into_iter().for_each(|id| self.count(id)),
            Verdict::NotCompared(reason) => self.count(reason),
        }
        is_group
    }

    /// Counts what an attempt came to.
    fn count(&mut self, what: &'static str) {
        let count = self.verdicts.entry(what).or_insert(0);
        *count = count.saturating_add(1);
    }
}

/// The attempt of a case that ends otherwise, by its place among the steps.
struct Scene<'p> {
    played: &'p Played,
    at: usize,
}

impl Scene<'_> {
    /// Compares what the policy itself decides.
    fn weigh_policy(&self, answers: &mut Answers<'_>) -> Option<Verdict> {
        let mut steps = self.played.steps.iter().skip(self.at);
        let outcome = |step: &Step| steps.find(|(taken, _)| taken == step).map(|(_, outcome)| outcome.clone());
        self.weigh(answers, outcome).ok().flatten().map(|(verdict, _)| verdict)
    }

    /// Compares the attempt, or the round of attempts that it is part of, as `take` decides. Returns also whether it is a round.
    fn weigh(
        &self,
        answers: &mut Answers<'_>,
        mut take: impl FnMut(&Step) -> Option<Value>,
    ) -> Result<Option<(Verdict, bool)>, TrialError> {
        let Played { case, steps } = self.played;
        let mut trial = Trial::of(case)?;
        let group = self.group()?;
        let begins = group.as_ref().map_or(self.at, |(_, begins)| *begins);
        for (at, (step, outcome)) in steps.iter().enumerate().take(self.at) {
            if at < begins {
                trial.follow(step, outcome)?;
            } else {
                trial.weigh(step, outcome, |question| answers.answer(question))?;
            }
        }
        let mut next = steps.get(self.at).map(|(step, _)| step.clone());
        let mut rest = self.rest();
        while let Some(step) = next.take() {
            let Some(outcome) = take(&step) else { break };
            let Weighed { attempt, .. } = trial.weigh(&step, &outcome, |question| answers.answer(question))?;
            if let Some(verdict) = attempt {
                return Ok(Some((verdict, false)));
            }
            let Some((group, _)) = &group else { break };
            next = rest
                .find(|pod| trial.is_pending(pod))
                .filter(|pod| trial.group(pod).as_ref() == Some(group))
                .map(Step::Schedule);
        }
        Ok(trial.end().map(|verdict| (verdict, true)))
    }

    /// Returns the PodGroup of the attempt, and the step with which the attempts for it begin.
    fn group(&self) -> Result<Option<(String, usize)>, TrialError> {
        if self.played.case.system != System::Kubernetes {
            return Ok(None);
        }
        let mut trial = Trial::of(&self.played.case)?;
        let mut found: Option<(String, usize)> = None;
        for (at, (step, outcome)) in self.played.steps.iter().enumerate().take(self.at.saturating_add(1)) {
            let group = if let Step::Schedule(pod) = step { trial.group(pod) } else { None };
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
        let order = before.rev().find(|(step, _)| *step == Step::Order).and_then(|(_, outcome)| outcome.get("order"));
        let pod = match self.played.steps.get(self.at) {
            Some((Step::Schedule(pod), _)) => pod.clone(),
            _ => String::new(),
        };
        let queue = order.and_then(Value::as_array).cloned().unwrap_or_default();
        let queue = queue.into_iter().filter_map(|pod| pod.as_str().map(str::to_owned));
        queue.skip_while(move |other| *other != pod).skip(1)
    }
}

/// Returns whether the same pods are tried in another order.
fn are_turned(one: &Value, other: &Value) -> bool {
    let order = |outcome: &Value| outcome.get("order").and_then(Value::as_array).cloned().unwrap_or_default();
    let (one, other) = (order(one), order(other));
    one != other && one.len() == other.len() && one.iter().all(|pod| other.contains(pod))
}

/// Returns how far two outcomes of a step are from one another. The judge of Koordinator looks at reasons, too.
fn distance(system: System, one: &Value, other: &Value) -> Distance {
    let differ = |key: &&str| one.get(key) != other.get(key);
    if EFFECTS.iter().any(differ) {
        return Distance::Effects;
    }
    let words: &[&str] =
        if system == System::Koordinator { &["result", "node", "reasons"] } else { &["result", "node"] };
    if words.iter().any(differ) { Distance::Words } else { Distance::None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_is_another_one_where_the_same_pods_are_turned() {
        let order = |pods: &[&str]| json!({"order": pods});
        assert!(are_turned(&order(&["d/p", "d/q"]), &order(&["d/q", "d/p"])));
        assert!(!are_turned(&order(&["d/p", "d/q"]), &order(&["d/p", "d/q"])));
        assert!(!are_turned(&order(&["d/p"]), &order(&["d/q", "d/p"])), "a pod more is tried");
    }
}
