//! One mutant of a law: the attempts in which it decides differently from the policy, and the judge's answer about them.

use std::collections::BTreeMap;

use lictor_conformance::fuzz::CaseSession;
use lictor_judges::{AttemptComparison, TrialError};
use lictor_oracle::{CaseStep, SystemKind};
use serde_json::Value;

use super::scene::{DifferingAttempt, JudgeAnswers, PlayedCase};
use crate::{Mutant, Native};

/// The number of attempts in vain after which the judge is not asked any more.
const ENOUGH: u64 = 300;

/// The same number for a mutant that was noticed by a ruling alone.
const ENOUGH_WITH_RULING: u64 = 60;

/// The code of a difference in the order of the queue.
const ORDER: &str = "upstream/order";

/// The fields of an attempt that change the cluster.
const EFFECTS: [&str; 5] = ["bound", "nominated", "victims", "waiting", "standing"];

/// The way in which a mutant was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MutantDetection {
    /// No ruling explains the mutant's decision.
    Difference(String),
    /// The mutant decides as upstream does, where these rulings say that the policy does not.
    Ruling(Vec<&'static str>),
}

/// A mutant, and its results so far.
pub(super) struct TestedMutant {
    pub(super) mutant: Mutant,
    /// How the mutant was noticed, and in which case. A difference counts more than a ruling.
    pub(super) noticed: Option<(u64, MutantDetection)>,
    /// How many attempts were compared.
    pub(super) compared: u64,
    /// The results of those comparisons: a ruling, or a word.
    pub(super) verdicts: BTreeMap<&'static str, u64>,
    /// The cases in which the policy itself decides differently from upstream, without a ruling.
    pub(super) faults: Vec<(u64, String)>,
}

/// The distance of an outcome from that of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distance {
    /// The judges see no difference.
    None,
    /// The reasons differ, and the cluster changes in the same way.
    Words,
    /// The cluster changes in another way.
    Effects,
}

impl TestedMutant {
    /// Begins with a mutant without results.
    pub(super) fn new(mutant: Mutant) -> TestedMutant {
        TestedMutant { mutant, noticed: None, compared: 0, verdicts: BTreeMap::new(), faults: Vec::new() }
    }

    /// Returns whether no more cases need to be looked at.
    pub(super) fn is_settled(&self) -> bool {
        match &self.noticed {
            Some((_, MutantDetection::Difference(_))) => true,
            Some((_, MutantDetection::Ruling(_))) => self.compared >= ENOUGH_WITH_RULING,
            None => self.compared >= ENOUGH,
        }
    }

    /// Plays a case side by side with the policy, and asks the judge about attempts that end differently. The clusters are those of the policy: a
    /// case is over as soon as the mutant's cluster would differ.
    ///
    /// # Errors
    /// The judge has no answer.
    pub(super) fn play_case(&mut self, played: &PlayedCase, answers: &mut JudgeAnswers<'_>) -> Result<(), TrialError> {
        let policy = Box::new(Native::switched(self.mutant.code, self.mutant.to));
        let Ok(mut table) = CaseSession::open(&played.case, policy) else {
            self.count("cannot be carried out");
            return Ok(());
        };
        for (at, (step, was)) in played.steps.iter().enumerate() {
            let Ok(said) = table.take(step) else {
                self.count("cannot be carried out");
                return Ok(());
            };
            let distance = distance(played.case.system, was, &said);
            match (distance, step) {
                // The cluster changes in the same way: the pods are tried in the order of the policy.
                (Distance::None, CaseStep::Order) if is_reordered(was, &said) => {
                    let scene = DifferingAttempt { played, at };
                    self.judge_attempt(&scene, &mut table, said, answers)?;
                    if self.is_settled() {
                        return Ok(());
                    }
                }
                (Distance::None, _) | (Distance::Words, CaseStep::Order | CaseStep::Usage(_)) => {}
                (_, CaseStep::Schedule(_)) | (Distance::Effects, CaseStep::Cycle | CaseStep::Advance(_)) => {
                    let scene = DifferingAttempt { played, at };
                    let is_over =
                        self.judge_attempt(&scene, &mut table, said, answers)? || distance == Distance::Effects;
                    if is_over || self.is_settled() {
                        return Ok(());
                    }
                }
                _ if distance == Distance::Effects => {
                    self.count("no attempt");
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Asks the judge about an attempt that ends differently. Returns whether the case is over for the mutant.
    fn judge_attempt(
        &mut self,
        scene: &DifferingAttempt<'_>,
        table: &mut CaseSession,
        said: Value,
        answers: &mut JudgeAnswers<'_>,
    ) -> Result<bool, TrialError> {
        let mut said = Some(said);
        let mutated = scene.weigh(answers, |step| said.take().map_or_else(|| table.take(step).ok(), Some));
        let (verdict, is_group) = match mutated {
            Ok(Some(weighed)) => weighed,
            Ok(None) => {
                self.count("not compared");
                return Ok(true);
            }
            Err(TrialError::Read(_)) => {
                self.count("cannot be followed");
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        let index = scene.played.case.index;
        if !matches!(verdict, AttemptComparison::NotCompared(_)) {
            self.compared = self.compared.saturating_add(1);
        }
        match verdict {
            AttemptComparison::Differs(difference) => match scene.weigh_policy(answers)? {
                // The order has no rulings yet: it is compared where the policy has that of upstream.
                policy if difference.kind == ORDER && policy != Some(AttemptComparison::Same) => self.count(ORDER),
                Some(AttemptComparison::Differs(fault)) => self.faults.push((index, fault.text)),
                _ => {
                    self.noticed =
                        Some((index, MutantDetection::Difference(format!("{}: {}", difference.kind, difference.text))));
                }
            },
            AttemptComparison::Same => {
                if let Some(AttemptComparison::Ruled(ids)) = scene.weigh_policy(answers)? {
                    self.noticed.get_or_insert((index, MutantDetection::Ruling(ids)));
                }
                self.count("alike");
            }
            AttemptComparison::Ruled(ids) => ids.into_iter().for_each(|id| self.count(id)),
            AttemptComparison::NotCompared(reason) => self.count(reason),
        }
        Ok(is_group)
    }

    /// Counts what an attempt came to.
    fn count(&mut self, what: &'static str) {
        let count = self.verdicts.entry(what).or_insert(0);
        *count = count.saturating_add(1);
    }
}

/// Returns whether the same pods are tried in another order.
fn is_reordered(one: &Value, other: &Value) -> bool {
    let order = |outcome: &Value| outcome.get("order").and_then(Value::as_array).cloned().unwrap_or_default();
    let (one, other) = (order(one), order(other));
    one != other && one.len() == other.len() && one.iter().all(|pod| other.contains(pod))
}

/// Returns how far two outcomes of a step are from one another. The judge of Koordinator looks at reasons, too.
fn distance(system: SystemKind, one: &Value, other: &Value) -> Distance {
    let differ = |key: &&str| one.get(key) != other.get(key);
    if EFFECTS.iter().any(differ) {
        return Distance::Effects;
    }
    let words: &[&str] =
        if system == SystemKind::Koordinator { &["result", "node", "reasons"] } else { &["result", "node"] };
    if words.iter().any(differ) { Distance::Words } else { Distance::None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_is_another_one_where_the_same_pods_are_turned() {
        let order = |pods: &[&str]| json!({"order": pods});
        assert!(is_reordered(&order(&["d/p", "d/q"]), &order(&["d/q", "d/p"])));
        assert!(!is_reordered(&order(&["d/p", "d/q"]), &order(&["d/p", "d/q"])));
        assert!(!is_reordered(&order(&["d/p"]), &order(&["d/q", "d/p"])), "a pod more is tried");
    }
}
