//! What two sessions do not decide alike.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Decision, Decisions, EvictionDecision};

/// A decision that two sessions make differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionChange<T> {
    /// The pod.
    pub pod: String,
    /// The decision of the first session. `None`: the first session decided nothing about the pod.
    pub then: Option<T>,
    /// The decision of the second session. `None`: the second session decided nothing about the pod.
    pub now: Option<T>,
}

/// The differences between two sessions that served the same input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The pods with another verdict or node, or with other laws. Numbers in a message are no difference.
    pub pods: Vec<DecisionChange<Decision>>,
    /// The victims of only one session, or for another preemptor, or with another kind of eviction.
    pub victims: Vec<DecisionChange<EvictionDecision>>,
    /// The errors, where the input failed in one session only, or for another reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<DecisionChange<String>>,
}

impl Decision {
    /// Returns whether verdict, node and laws are the same.
    pub fn decides_same(&self, other: &Decision) -> bool {
        (self.verdict, &self.node, &self.laws) == (other.verdict, &other.node, &other.laws)
    }
}

impl EvictionDecision {
    /// Returns whether the kind of eviction, the node and the preemptor or queue are the same.
    pub fn is_like(&self, other: &EvictionDecision) -> bool {
        (self.how, &self.node, &self.for_whom) == (other.how, &other.node, &other.for_whom)
    }
}

impl Differences {
    /// Returns the differences between two sets of decisions.
    pub fn between(then: &Decisions, now: &Decisions) -> Differences {
        let error = (then.error != now.error).then(|| DecisionChange {
            pod: String::new(),
            then: then.error.clone(),
            now: now.error.clone(),
        });
        Differences {
            pods: changed(&then.pods, &now.pods, Decision::decides_same),
            victims: changed(&then.victims, &now.victims, EvictionDecision::is_like),
            error,
        }
    }

    /// Returns whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.victims.is_empty() && self.error.is_none()
    }

    /// Returns the number of different pods, victims and errors.
    pub fn len(&self) -> usize {
        self.pods.len().saturating_add(self.victims.len()).saturating_add(usize::from(self.error.is_some()))
    }
}

impl DecisionChange<Decision> {
    /// Returns the codes of the laws that make the difference. These are the laws of only one side, or all laws where both sides name the same.
    pub fn laws(&self) -> BTreeSet<&str> {
        let of = |side: &Option<Decision>| side.iter().flat_map(|it| it.laws.clone()).collect::<BTreeSet<String>>();
        let (then, now) = (of(&self.then), of(&self.now));
        let all = self.then.iter().chain(&self.now).flat_map(|decision| &decision.laws).map(String::as_str);
        let differs = |law: &&str| then.contains(*law) != now.contains(*law);
        let apart: BTreeSet<&str> = all.clone().filter(differs).collect();
        if apart.is_empty() { all.collect() } else { apart }
    }
}

/// Returns the pods whose two decisions are not alike, including pods that only one side decides about.
fn changed<T: Clone>(
    then: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
    alike: impl Fn(&T, &T) -> bool,
) -> Vec<DecisionChange<T>> {
    let pods: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut changes = Vec::new();
    for pod in pods {
        let (then, now) = (then.get(pod), now.get(pod));
        if !matches!((then, now), (Some(then), Some(now)) if alike(then, now)) {
            changes.push(DecisionChange { pod: pod.clone(), then: then.cloned(), now: now.cloned() });
        }
    }
    changes
}
