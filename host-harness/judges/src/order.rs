//! The order of the queue.

use serde::Deserialize;
use serde_json::Value;

use crate::departure::Verdict;
use crate::object::list;
use crate::question::Question;
use crate::trial::{Ask, Difference, TrialError};

/// The part of an answer about the queue.
#[derive(Debug, Deserialize)]
struct Answer {
    /// The pods that wait to be tried, in the order of upstream's queue.
    #[serde(default)]
    queue: Vec<String>,
}

/// Compares the order in which pods are tried, of those that both have in their queue. `about` makes the question about a pod. None: nothing is
/// compared.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(
    outcome: &Value,
    about: impl FnOnce(&str) -> Question,
    ask: &mut Ask<'_>,
) -> Result<Option<Verdict>, TrialError> {
    let order = list(outcome, "order");
    let Some(first) = order.first() else { return Ok(None) };
    let Answer { queue } = ask.answer(&about(first))?;
    let policy: Vec<&String> = order.iter().filter(|pod| queue.contains(pod)).collect();
    let upstream: Vec<&String> = queue.iter().filter(|pod| order.contains(pod)).collect();
    if policy.len() < 2 {
        return Ok(None);
    }
    Ok(Some(match policy == upstream {
        true => Verdict::Alike,
        false => Verdict::Differs(Difference {
            kind: "upstream/order",
            text: format!("the policy tries {policy:?} in this order; upstream {upstream:?}"),
        }),
    }))
}

#[cfg(test)]
mod tests {
    use lictor_oracle::{By, Case, Step, System};
    use serde_json::{Value, json};

    use crate::tests::{node, pod};
    use crate::{Trial, Verdict};

    #[test]
    fn the_order_of_the_pods_that_both_queue_is_compared() {
        let judged = |order: Value| {
            let objects = vec![node("n1"), pod("p", None), pod("q", None), pod("r", None)];
            let case = Case::by_hand(System::Coscheduling, By::Attempts, objects);
            let mut trial = Trial::of(&case).unwrap();
            let outcome = json!({"order": order, "standing": {}});
            trial.weigh(&Step::Order, &outcome, |_| Ok(json!({"queue": ["d/q", "d/p", "d/x"]}))).unwrap().attempt
        };
        assert_eq!(judged(json!(["d/q", "d/r", "d/p"])), Some(Verdict::Alike));
        assert!(matches!(judged(json!(["d/p", "d/q"])), Some(Verdict::Differs(_))));
        assert_eq!(judged(json!(["d/p"])), None, "a single pod has no order");
    }
}
