//! The order of the queue. Of queues that the core finds equal it takes any first, so that it may have several orders.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::departure::AttemptComparison;
use crate::object::list;
use crate::order::verdict;
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// The part of an answer about the queue.
#[derive(Debug, Deserialize)]
struct QueueOrders {
    /// The orders in which the core may try the pods that wait.
    #[serde(default)]
    queues: Vec<Vec<String>>,
}

/// Compares the order in which pods are tried, of those that both have in their queue. None: nothing is compared.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(
    question: JudgeRequest,
    outcome: &Value,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<AttemptComparison>, TrialError> {
    let order = list(outcome, "order");
    if order.len() < 2 {
        return Ok(None);
    }
    let QueueOrders { queues } = ask.request(&JudgeRequest { arguments: json!({"queue": true}), ..question })?;
    let is_of_both = |pod: &String| order.contains(pod) && queues.iter().all(|queue| queue.contains(pod));
    let policy: Vec<&String> = order.iter().filter(|pod| is_of_both(pod)).collect();
    if policy.len() < 2 {
        return Ok(None);
    }
    let mut upstream: Vec<Vec<&String>> =
        queues.iter().map(|queue| queue.iter().filter(|pod| is_of_both(pod)).collect()).collect();
    upstream.dedup();
    Ok(Some(verdict(upstream.contains(&policy), &policy, &upstream)))
}

#[cfg(test)]
mod tests {
    use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
    use serde_json::{Value, json};

    use crate::tests::{node, pod};
    use crate::{AttemptComparison, CaseComparison};

    /// Compares an order with two of upstream.
    fn judged(order: Value) -> Option<AttemptComparison> {
        let objects = vec![node("n1"), pod("p", None), pod("q", None), pod("r", None)];
        let case = FuzzCase::by_hand(SystemKind::Yunikorn, RoundKind::Attempts, objects);
        let mut trial = CaseComparison::of(&case).unwrap();
        let outcome = json!({"order": order, "standing": {}});
        let answer = |question: &crate::JudgeRequest| {
            assert_eq!(question.arguments, json!({"queue": true}));
            Ok(json!({"queues": [["d/p", "d/q", "d/x"], ["d/q", "d/p", "d/x"]]}))
        };
        trial.compare_step(&CaseStep::Order, &outcome, answer).unwrap().attempt
    }

    #[test]
    fn any_order_of_upstream_is_its_order() {
        assert_eq!(judged(json!(["d/q", "d/r", "d/p"])), Some(AttemptComparison::Same));
        assert_eq!(judged(json!(["d/p", "d/q"])), Some(AttemptComparison::Same));
        assert!(matches!(judged(json!(["d/x", "d/p", "d/q"])), Some(AttemptComparison::Differs(_))));
        assert_eq!(judged(json!(["d/p"])), None, "a single pod has no order");
        assert_eq!(judged(json!(["d/p", "d/r"])), None, "upstream has only one of them");
    }
}
