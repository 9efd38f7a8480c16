//! Why an attempt ended as it did: what the policy noted, in names, and counted.

mod fold;
mod record;

use lictor_contract::Outcome;
use serde::Serialize;

use crate::reason::NamedReason;
use fold::Pattern;

/// Why an attempt ended as it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// What it is about.
    pub about: About,
    /// The name of that; none for the pod of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The node that a pod holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What happened to it.
    pub outcome: Outcome,
    /// Why.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// The same, said of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// Things that were said in the same words but for the numbers in them.
#[derive(Debug)]
pub struct Alike<'a> {
    pattern: Pattern<'a>,
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
        let message = format!("{} of {} nodes: {}", most.count, self.nodes, most.reason.message);
        Some(NamedReason { message, ..most.reason.clone() })
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
    /// The law.
    pub fn law(&self) -> &str {
        self.told.first().map_or("", |told| told.reason.code.as_str())
    }

    /// The words, with ranges in the place of numbers that differ.
    pub fn message(&self) -> String {
        self.pattern.to_string()
    }

    fn counted(&self) -> Option<Counted> {
        let first = self.told.first()?;
        let (about, outcome) = (first.about, first.outcome);
        let reason = NamedReason { message: self.message(), ..first.reason.clone() };
        Some(Counted { count: self.told.len(), about, outcome, reason })
    }
}

/// Puts together what was said in the same words but for the numbers in them, in the order in which it was said first.
pub fn alike<'a>(told: impl IntoIterator<Item = &'a Reported>) -> Vec<Alike<'a>> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Alike<'a>> = Vec::new();
    for told in told {
        let pattern = Pattern::of(&told.reason.message);
        let key = (told.about, told.outcome, told.reason.code.as_str(), pattern.words());
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => {
                group.pattern.widen(pattern);
                group.told.push(told);
            }
            None => groups.push(Alike { pattern, told: vec![told] }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(about: About, name: &str, law: &str, message: &str) -> Reported {
        let reason = NamedReason { code: law.to_owned(), message: message.to_owned(), ..NamedReason::default() };
        Reported { about, name: Some(name.to_owned()), node: None, outcome: Outcome::Barred, reason }
    }

    #[test]
    fn what_differs_in_numbers_only_is_counted_together() {
        let notes = vec![
            told(About::Node, "a", "node/has-room", "not enough cpu: asked 8, free 1500m"),
            told(About::Node, "b", "node/has-room", "not enough gpu: asked 8, free 4"),
            told(About::Node, "c", "node/has-room", "not enough cpu: asked 8, free -2"),
            told(About::Node, "d", "node/has-room", "not enough cpu: asked 8, free 4"),
            told(About::Pod, "e", "node/has-room", "not enough cpu: asked 8, free 4"),
            told(About::Node, "f", "node/other", "not enough cpu: asked 8, free 4"),
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
                (3, About::Node, "not enough cpu: asked 8, free -2 to 4"),
                (1, About::Node, "not enough gpu: asked 8, free 4"),
                (1, About::Pod, "not enough cpu: asked 8, free 4"),
                (1, About::Node, "not enough cpu: asked 8, free 4"),
            ]
        );
        let alike = explanation.alike(About::Node, Outcome::Barred);
        let names: Vec<&str> = alike[0].told.iter().filter_map(|told| told.name.as_deref()).collect();
        assert_eq!(names, ["a", "c", "d"]);
        let of_pod = |pod| explanation.notes.iter().filter(|told| told.is_of_pod(pod)).count();
        assert_eq!((of_pod("e"), of_pod("a")), (1, 0), "`a` is a node");
    }
}
