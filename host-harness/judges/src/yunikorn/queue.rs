//! The order of the queue. Of queues that the core finds equal it takes any first, so that it may have several orders.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::departure::Verdict;
use crate::object::list;
use crate::order::verdict;
use crate::question::Question;
use crate::trial::{Ask, TrialError};

/// The part of an answer about the queue.
#[derive(Debug, Deserialize)]
struct Answer {
    /// The orders in which the core may try the pods that wait.
    #[serde(default)]
    queues: Vec<Vec<String>>,
}

/// Compares the order in which pods are tried, of those that both have in their queue. None: nothing is compared.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(question: Question, outcome: &Value, ask: &mut Ask<'_>) -> Result<Option<Verdict>, TrialError> {
    let order = list(outcome, "order");
    if order.len() < 2 {
        return Ok(None);
    }
    let Answer { queues } = ask.answer(&Question { arguments: json!({"queue": true}), ..question })?;
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
    use lictor_oracle::{By, Case, Step, System};
    use serde_json::{Value, json};

    use crate::tests::{node, pod};
    use crate::{Trial, Verdict};

    /// Compares an order with two of upstream.
    fn judged(order: Value) -> Option<Verdict> {
        let objects = vec![node("n1"), pod("p", None), pod("q", None), pod("r", None)];
        let case = Case::by_hand(System::Yunikorn, By::Attempts, objects);
        let mut trial = Trial::of(&case).unwrap();
        let outcome = json!({"order": order, "standing": {}});
        let answer = |question: &crate::Question| {
            assert_eq!(question.arguments, json!({"queue": true}));
            Ok(json!({"queues": [["d/p", "d/q", "d/x"], ["d/q", "d/p", "d/x"]]}))
        };
        trial.weigh(&Step::Order, &outcome, answer).unwrap().attempt
    }

    #[test]
    fn any_order_of_upstream_is_its_order() {
        assert_eq!(judged(json!(["d/q", "d/r", "d/p"])), Some(Verdict::Alike));
        assert_eq!(judged(json!(["d/p", "d/q"])), Some(Verdict::Alike));
        assert!(matches!(judged(json!(["d/x", "d/p", "d/q"])), Some(Verdict::Differs(_))));
        assert_eq!(judged(json!(["d/p"])), None, "a single pod has no order");
        assert_eq!(judged(json!(["d/p", "d/r"])), None, "upstream has only one of them");
    }
}
