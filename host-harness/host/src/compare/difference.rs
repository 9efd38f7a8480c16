//! What two sessions do not decide alike.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Decision, Decisions, Eviction};

/// Something that is decided otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed<T> {
    /// The pod.
    pub pod: String,
    /// What the first one decided; none where it decided nothing about the pod.
    pub then: Option<T>,
    /// What the second one decides.
    pub now: Option<T>,
}

/// What two sessions do not decide alike of the same input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Pods of which something else became: another verdict or node, or other laws were named. Numbers in a message are no difference.
    pub pods: Vec<Changed<Decision>>,
    /// Victims of one of them only, or for another preemptor, or evicted in another way.
    pub victims: Vec<Changed<Eviction>>,
    /// Why the input was not served, where that is not the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Changed<String>>,
}

impl Decision {
    /// Whether the same was decided, and the same laws were named for it.
    pub fn is_like(&self, other: &Decision) -> bool {
        (self.verdict, &self.node, &self.laws) == (other.verdict, &other.node, &other.laws)
    }
}

impl Eviction {
    /// Whether the same was decided.
    pub fn is_like(&self, other: &Eviction) -> bool {
        (self.how, &self.node, &self.for_whom) == (other.how, &other.node, &other.for_whom)
    }
}

impl Differences {
    /// What is decided otherwise now.
    pub fn between(then: &Decisions, now: &Decisions) -> Differences {
        let error = (then.error != now.error).then(|| Changed {
            pod: String::new(),
            then: then.error.clone(),
            now: now.error.clone(),
        });
        Differences {
            pods: changed(&then.pods, &now.pods, Decision::is_like),
            victims: changed(&then.victims, &now.victims, Eviction::is_like),
            error,
        }
    }

    /// Whether all is decided alike.
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.victims.is_empty() && self.error.is_none()
    }

    /// How many pods and victims there are.
    pub fn len(&self) -> usize {
        self.pods.len().saturating_add(self.victims.len()).saturating_add(usize::from(self.error.is_some()))
    }
}

impl Changed<Decision> {
    /// The codes of the laws that make the difference: those that only one side names, or all where both name the same.
    pub fn laws(&self) -> BTreeSet<&str> {
        let of = |side: &Option<Decision>| side.iter().flat_map(|it| it.laws.clone()).collect::<BTreeSet<String>>();
        let (then, now) = (of(&self.then), of(&self.now));
        let all = self.then.iter().chain(&self.now).flat_map(|decision| &decision.laws).map(String::as_str);
        let differs = |law: &&str| then.contains(*law) != now.contains(*law);
        let apart: BTreeSet<&str> = all.clone().filter(differs).collect();
        if apart.is_empty() { all.collect() } else { apart }
    }
}

/// The pods about which two sides do not say the same.
fn changed<T: Clone>(
    then: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
    alike: impl Fn(&T, &T) -> bool,
) -> Vec<Changed<T>> {
    let pods: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut changes = Vec::new();
    for pod in pods {
        let (then, now) = (then.get(pod), now.get(pod));
        if !matches!((then, now), (Some(then), Some(now)) if alike(then, now)) {
            changes.push(Changed { pod: pod.clone(), then: then.cloned(), now: now.cloned() });
        }
    }
    changes
}
