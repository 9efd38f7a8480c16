//! The changes that would let a job in, as they are listed and applied.

use serde_json::Value;

use crate::data::{ChangeView, ExplanationView, WhatIfView};

/// A change that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedChange {
    /// The change in words.
    pub sentence: String,
    /// Its cost, in words.
    pub cost: String,
    /// Its objects, to be added to the changes.
    pub objects: Vec<Value>,
}

/// Returns the changes of an answer.
pub fn listed_changes(answer: &WhatIfView) -> Vec<ListedChange> {
    answer.changes.iter().map(listed_change).collect()
}

fn listed_change(change: &ChangeView) -> ListedChange {
    let cost = match change.victims {
        0 => "no pod is evicted".to_owned(),
        1 => "1 pod is evicted".to_owned(),
        victims => format!("{victims} pods are evicted"),
    };
    ListedChange { sentence: change.sentence.clone(), cost, objects: change.objects.clone() }
}

/// Returns the sentence above the changes, or instead of them.
pub fn summary(answer: &WhatIfView) -> String {
    match (&answer.not_tried, answer.changes.is_empty(), answer.is_in) {
        (Some(why), ..) => why.clone(),
        (None, true, true) => "It gets in as it is.".to_owned(),
        (None, true, false) => "No change of one quota, of the nodes or of its priority lets it in.".to_owned(),
        (None, false, _) => "Each of these is enough:".to_owned(),
    }
}

/// Returns whether any pod of the answer waits without a node.
pub fn waits(answer: &ExplanationView) -> bool {
    let states = ["unschedulable", "rejected", "pending", "held"];
    answer.pods.iter().any(|pod| states.contains(&pod.state.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of the engine, shortened.
    const ANSWER: &str = r#"{"job": "a/w", "isIn": false, "changes": [
        {"sentence": "add 2 like node `n1`", "kind": "nodes", "victims": 0, "objects": [{"kind": "Node"}, {"kind": "Node"}]},
        {"sentence": "raise the priority from 5 to 11", "kind": "priority", "victims": 1, "objects": [{"kind": "Pod"}]}]}"#;

    #[test]
    fn a_change_is_offered_with_what_it_costs_and_its_objects() {
        let offers = listed_changes(&serde_json::from_str(ANSWER).unwrap());
        let told: Vec<(&str, &str)> = offers.iter().map(|it| (it.sentence.as_str(), it.cost.as_str())).collect();
        assert_eq!(
            told,
            [("add 2 like node `n1`", "no pod is evicted"), ("raise the priority from 5 to 11", "1 pod is evicted")]
        );
        assert_eq!(offers[0].objects.len(), 2);
        assert_eq!(summary(&serde_json::from_str(ANSWER).unwrap()), "Each of these is enough:");
        let gated = WhatIfView { not_tried: Some("it is gated".to_owned()), ..WhatIfView::default() };
        assert_eq!(summary(&gated), "it is gated");
    }

    #[test]
    fn only_who_waits_can_be_let_in() {
        let answer =
            |state: &str| serde_json::from_str::<ExplanationView>(&format!(r#"{{"pods": [{{"state": "{state}"}}]}}"#));
        assert!(waits(&answer("unschedulable").unwrap()) && waits(&answer("rejected").unwrap()));
        assert!(!waits(&answer("bound").unwrap()) && !waits(&answer("makesWay").unwrap()));
    }
}
