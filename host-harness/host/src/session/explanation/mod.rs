//! Why an attempt ended as it did: what the policy noted, in names, and counted.

mod record;

use lictor_contract::Outcome;
use serde::Serialize;

use crate::reason::{Fact, NamedReason, fold, say};

/// Why an attempt ended as it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AttemptExplanation"))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// How many nodes the cluster has.
    pub nodes: usize,
    /// What was said, counted: of how many the same was said but for the numbers in it. In the order in which it was said first.
    pub counted: Vec<Counted>,
    /// What was said, one by one, in the order in which it was said.
    pub notes: Vec<Reported>,
}

/// What a note is about.
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

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// What it is about.
    pub about: About,
    /// The name of that; none for the pod of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub name: Option<String>,
    /// The node that a pod holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub node: Option<String>,
    /// What happened to it.
    pub outcome: Outcome,
    /// Why.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// The same, said of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// Of how many it was said.
    pub count: usize,
    /// What they are.
    pub about: About,
    /// What happened to them.
    pub outcome: Outcome,
    /// Why; a number that is not the same in all is the least and the most of them.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// Things of which the reasons differ in their numbers only.
#[derive(Debug)]
pub struct Alike<'a> {
    /// The reason; a number that is not the same in all is the least and the most of them.
    pub reason: NamedReason,
    /// The things that were said.
    pub told: Vec<&'a Reported>,
}

impl Explanation {
    /// Counts what was said.
    pub(super) fn of(nodes: usize, notes: Vec<Reported>) -> Explanation {
        let counted = alike(&notes).iter().filter_map(Alike::counted).collect();
        Explanation { nodes, counted, notes }
    }

    /// What stood in the way in the end: the last thing that barred the pod, its job or its queue; where nothing did, what most nodes
    /// lack.
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

    /// What was said of these, that like it together.
    pub fn alike(&self, about: About, outcome: Outcome) -> Vec<Alike<'_>> {
        alike(self.notes.iter().filter(|told| told.about == about && told.outcome == outcome))
    }
}

impl Reported {
    /// Whether it is about this pod.
    pub fn is_of_pod(&self, pod: &str) -> bool {
        self.about == About::Pod && self.name.as_deref() == Some(pod)
    }
}

impl Alike<'_> {
    /// The code of the law.
    pub fn law(&self) -> &str {
        &self.reason.code
    }

    /// The sentence, with ranges instead of numbers that differ.
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

/// Puts together what was said for the same reason but for the numbers in it, in the order in which it was said first.
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
