//! The order of the queue.

use std::fmt::Debug;

use serde::Deserialize;
use serde_json::Value;

use crate::departure::AttemptComparison;
use crate::object::list;
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};

/// The part of an answer about the queue.
#[derive(Debug, Deserialize)]
struct QueueResponse {
    /// The pods that wait to be tried, in the order of upstream's queue.
    #[serde(default)]
    queue: Vec<Rank>,
}

/// A place in the queue.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Rank {
    One(String),
    /// Pods that come in any order.
    Any(Vec<String>),
}

impl Rank {
    /// Returns whether a pod stands there.
    fn has(&self, pod: &String) -> bool {
        match self {
            Rank::One(one) => one == pod,
            Rank::Any(pods) => pods.contains(pod),
        }
    }
}

/// Compares the order in which pods are tried, of those that both have in their queue. `about` makes the question about a pod. None: nothing is
/// compared.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(
    outcome: &Value,
    about: impl Fn(&str) -> JudgeRequest,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<AttemptComparison>, TrialError> {
    let order = list(outcome, "order");
    // Any pod will do: each answer has the queue. A reservation is none.
    let mut questions = order.iter().map(|pod| about(pod)).filter(|question| question.tried().is_some());
    let Some(question) = questions.next() else { return Ok(None) };
    let QueueResponse { queue } = ask.request(&question)?;
    let rank = |pod: &String| queue.iter().position(|rank| rank.has(pod));
    let (policy, ranks): (Vec<&String>, Vec<usize>) = order.iter().filter_map(|pod| Some((pod, rank(pod)?))).unzip();
    if policy.len() < 2 {
        return Ok(None);
    }
    Ok(Some(verdict(ranks.is_sorted(), &policy, &queue)))
}

/// Returns the verdict on the order of the policy. `upstream` is what the judge answered.
pub(crate) fn verdict(is_alike: bool, policy: &[&String], upstream: &impl Debug) -> AttemptComparison {
    match is_alike {
        true => AttemptComparison::Same,
        false => AttemptComparison::Differs(UpstreamDifference {
            kind: "upstream/order",
            text: format!("the policy tries {policy:?} in this order; upstream {upstream:?}"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
    use serde_json::{Value, json};

    use crate::tests::{node, pod};
    use crate::{AttemptComparison, CaseComparison};

    #[test]
    fn the_order_of_the_pods_that_both_queue_is_compared() {
        let judged = |order: Value| {
            let objects = vec![node("n1"), pod("p", None), pod("q", None), pod("r", None)];
            let case = FuzzCase::by_hand(SystemKind::Coscheduling, RoundKind::Attempts, objects);
            let mut trial = CaseComparison::of(&case).unwrap();
            let outcome = json!({"order": order, "standing": {}});
            trial
                .compare_step(&CaseStep::Order, &outcome, |_| Ok(json!({"queue": ["d/q", "d/p", "d/x"]})))
                .unwrap()
                .attempt
        };
        assert_eq!(judged(json!(["d/q", "d/r", "d/p"])), Some(AttemptComparison::Same));
        assert!(matches!(judged(json!(["d/p", "d/q"])), Some(AttemptComparison::Differs(_))));
        assert_eq!(judged(json!(["d/p"])), None, "a single pod has no order");
    }

    #[test]
    fn pods_of_one_rank_come_in_any_order() {
        for system in [SystemKind::Kubernetes, SystemKind::Koordinator] {
            let judged = |order: Value| {
                let objects = vec![node("n1"), pod("p", None), pod("q", None), pod("r", None)];
                let case = FuzzCase::by_hand(system, RoundKind::Attempts, objects);
                let mut trial = CaseComparison::of(&case).unwrap();
                let outcome = json!({"order": order, "standing": {}});
                let answer = json!({"queue": [["d/q"], ["d/p", "d/r"]]});
                trial.compare_step(&CaseStep::Order, &outcome, |_| Ok(answer.clone())).unwrap().attempt
            };
            assert_eq!(judged(json!(["d/q", "d/r", "d/p"])), Some(AttemptComparison::Same));
            assert_eq!(judged(json!(["d/q", "d/p", "d/r"])), Some(AttemptComparison::Same));
            assert!(matches!(judged(json!(["d/p", "d/q", "d/r"])), Some(AttemptComparison::Differs(_))));
        }
    }
}
