//! Why an attempt ended as it did: what the policy noted, in names, and counted.

mod record;

use lictor_contract::Outcome;
use serde::Serialize;

use crate::reason::{Fact, NamedReason, fold, say};

/// The explanation of an attempt, from the notes of the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AttemptExplanation"))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// The notes, counted: notes that differ only in numbers count as one. Ordered by the first note of each.
    pub counted: Vec<Counted>,
    /// All notes, in their order.
    pub notes: Vec<Reported>,
}

/// The kind of subject of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum About {
    /// The pod of the attempt, or its job.
    Preemptor,
    /// Another pod.
    Pod,
    /// A node.
    Node,
    /// A queue or quota.
    Queue,
}

/// A note of the policy, in names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// The kind of its subject.
    pub about: About,
    /// The name of its subject. `None`: the pod of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub name: Option<String>,
    /// The node of the subject, where it is a pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub node: Option<String>,
    /// The outcome for the subject.
    pub outcome: Outcome,
    /// The reason.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// Several notes that differ only in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// The number of notes.
    pub count: usize,
    /// The kind of the subjects.
    pub about: About,
    /// The outcome for the subjects.
    pub outcome: Outcome,
    /// The reason, with a range for each number that differs.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// Notes whose reasons differ only in numbers.
#[derive(Debug)]
pub struct Alike<'a> {
    /// The reason, with a range for each number that differs.
    pub reason: NamedReason,
    /// The notes.
    pub told: Vec<&'a Reported>,
}

impl Explanation {
    /// Creates an explanation from notes.
    pub(super) fn of(nodes: usize, notes: Vec<Reported>) -> Explanation {
        let counted = alike(&notes).iter().filter_map(Alike::counted).collect();
        Explanation { nodes, counted, notes }
    }

    /// Returns the final obstacle of the attempt: the last reason that barred the pod, its job or its queue. Else returns the most frequent reason of
    /// the nodes. `None`: nothing barred the pod.
    pub fn obstacle(&self) -> Option<NamedReason> {
        let barred = |told: &&Reported| told.outcome == Outcome::Barred;
        let own = self.notes.iter().filter(barred).rfind(|told| matches!(told.about, About::Preemptor | About::Queue));
        if let Some(told) = own {
            return Some(told.reason.clone());
        }
        let nodes = self.counted.iter().filter(|said| said.about == About::Node && said.outcome == Outcome::Barred);
        let most = nodes.max_by_key(|said| said.count)?;
        let how_many = vec![Fact::count("count", most.count), Fact::count("nodes", self.nodes)];
        Some(most.reason.clone().behind(say("host/of-nodes", "", how_many)))
    }

    /// Returns the notes of this kind and outcome, grouped by reason.
    pub fn alike(&self, about: About, outcome: Outcome) -> Vec<Alike<'_>> {
        alike(self.notes.iter().filter(|told| told.about == about && told.outcome == outcome))
    }
}

impl Reported {
    /// Returns whether the note is about this pod.
    pub fn is_of_pod(&self, pod: &str) -> bool {
        self.about == About::Pod && self.name.as_deref() == Some(pod)
    }
}

impl Alike<'_> {
    /// Returns the code of the law.
    pub fn law(&self) -> &str {
        &self.reason.code
    }

    /// Returns the sentence, with a range for each number that differs.
    pub fn message(&self) -> &str {
        &self.reason.message
    }

    fn counted(&self) -> Option<Counted> {
        let first = self.told.first()?;
        let (about, outcome) = (first.about, first.outcome);
        let reason = self.reason.clone();
        Some(Counted { count: self.told.len(), about, outcome, reason })
    }
}

/// Groups notes whose reasons differ only in numbers, ordered by the first note of each group.
pub fn alike<'a>(told: impl IntoIterator<Item = &'a Reported>) -> Vec<Alike<'a>> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<&'a Reported>> = Vec::new();
    for told in told {
        let key = (told.about, told.outcome, told.reason.shape());
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(told),
            None => groups.push(vec![told]),
        }
    }
    let folded = |told: Vec<&'a Reported>| Alike { reason: fold(told.iter().map(|told| &told.reason)), told };
    groups.into_iter().map(folded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::Templates;

    fn told(about: About, name: &str, law: &str, resource: &str, free: i64) -> Reported {
        let facts = vec![Fact::amount("free", resource, free)];
        let reason = Templates::default().say(law, "", facts);
        Reported { about, name: Some(name.to_owned()), node: None, outcome: Outcome::Barred, reason }
    }

    #[test]
    fn what_differs_in_numbers_only_is_counted_together() {
        let notes = vec![
            told(About::Node, "a", "node/has-room", "cpu", 1500),
            told(About::Node, "b", "node/has-room", "gpu", 4),
            told(About::Node, "c", "node/has-room", "cpu", -2000),
            told(About::Node, "d", "node/has-room", "cpu", 4000),
            told(About::Pod, "e", "node/has-room", "cpu", 4000),
            told(About::Node, "f", "node/other", "cpu", 4000),
        ];
        let explanation = Explanation::of(9, notes);
        let counted: Vec<(usize, About, &str)> = explanation
            .counted
            .iter()
            .map(|counted| (counted.count, counted.about, &*counted.reason.message))
            .collect();
        assert_eq!(
            counted,
            [
                (3, About::Node, "free cpu -2 to 4"),
                (1, About::Node, "free gpu 4"),
                (1, About::Pod, "free cpu 4"),
                (1, About::Node, "free cpu 4"),
            ]
        );
        let obstacle = explanation.obstacle().unwrap();
        assert_eq!(
            (obstacle.code.as_str(), obstacle.message.as_str()),
            ("node/has-room", "3 of 9 nodes: free cpu -2 to 4")
        );
        let alike = explanation.alike(About::Node, Outcome::Barred);
        let names: Vec<&str> = alike[0].told.iter().filter_map(|told| told.name.as_deref()).collect();
        assert_eq!(names, ["a", "c", "d"]);
        let of_pod = |pod| explanation.notes.iter().filter(|told| told.is_of_pod(pod)).count();
        assert_eq!((of_pod("e"), of_pod("a")), (1, 0), "`a` is a node");
    }
}
