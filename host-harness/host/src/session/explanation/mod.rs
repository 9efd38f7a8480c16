//! Why an attempt ended as it did: what the policy noted, in names, and counted.

mod record;

use lictor_contract::Outcome;
use serde::Serialize;

use crate::reason::{NamedFact, NamedReason, fold, render};

/// The explanation of an attempt, from the notes of the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AttemptExplanation"))]
#[serde(rename_all = "camelCase")]
pub struct AttemptExplanation {
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// The notes, counted: notes that differ only in numbers count as one. Ordered by the first note of each.
    pub counted: Vec<ReasonCount>,
    /// All notes, in their order.
    pub notes: Vec<NamedNote>,
}

/// The kind of subject of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "About"))]
#[serde(rename_all = "camelCase")]
pub enum SubjectKind {
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Reported"))]
#[serde(rename_all = "camelCase")]
pub struct NamedNote {
    /// The kind of its subject.
    pub about: SubjectKind,
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Counted"))]
#[serde(rename_all = "camelCase")]
pub struct ReasonCount {
    /// The number of notes.
    pub count: usize,
    /// The kind of the subjects.
    pub about: SubjectKind,
    /// The outcome for the subjects.
    pub outcome: Outcome,
    /// The reason, with a range for each number that differs.
    #[serde(flatten)]
    pub reason: NamedReason,
}

/// Notes whose reasons differ only in numbers.
#[derive(Debug)]
pub struct NoteGroup<'a> {
    /// The reason, with a range for each number that differs.
    pub reason: NamedReason,
    /// The notes.
    pub notes: Vec<&'a NamedNote>,
}

impl AttemptExplanation {
    /// Creates an explanation from notes.
    pub(super) fn of(nodes: usize, notes: Vec<NamedNote>) -> AttemptExplanation {
        let counted = group_notes(&notes).iter().filter_map(NoteGroup::to_count).collect();
        AttemptExplanation { nodes, counted, notes }
    }

    /// Returns the final obstacle of the attempt: the last reason that barred the pod, its job or its queue. Else returns the most frequent reason of
    /// the nodes. `None`: nothing barred the pod.
    pub fn obstacle(&self) -> Option<NamedReason> {
        let barred = |told: &&NamedNote| told.outcome == Outcome::Barred;
        let own = self
            .notes
            .iter()
            .filter(barred)
            .rfind(|told| matches!(told.about, SubjectKind::Preemptor | SubjectKind::Queue));
        if let Some(told) = own {
            return Some(told.reason.clone());
        }
        let nodes =
            self.counted.iter().filter(|said| said.about == SubjectKind::Node && said.outcome == Outcome::Barred);
        let most = nodes.max_by_key(|said| said.count)?;
        let how_many = vec![NamedFact::count("count", most.count), NamedFact::count("nodes", self.nodes)];
        Some(most.reason.clone().with_context(render("host/of-nodes", "", how_many)))
    }

    /// Returns the notes of this kind and outcome, grouped by reason.
    pub fn grouped(&self, about: SubjectKind, outcome: Outcome) -> Vec<NoteGroup<'_>> {
        group_notes(self.notes.iter().filter(|told| told.about == about && told.outcome == outcome))
    }
}

impl NamedNote {
    /// Returns whether the note is about this pod.
    pub fn is_of_pod(&self, pod: &str) -> bool {
        self.about == SubjectKind::Pod && self.name.as_deref() == Some(pod)
    }
}

impl NoteGroup<'_> {
    /// Returns the code of the law.
    pub fn law(&self) -> &str {
        &self.reason.code
    }

    /// Returns the sentence, with a range for each number that differs.
    pub fn message(&self) -> &str {
        &self.reason.message
    }

    fn to_count(&self) -> Option<ReasonCount> {
        let first = self.notes.first()?;
        let (about, outcome) = (first.about, first.outcome);
        let reason = self.reason.clone();
        Some(ReasonCount { count: self.notes.len(), about, outcome, reason })
    }
}

/// Groups notes whose reasons differ only in numbers, ordered by the first note of each group.
pub fn group_notes<'a>(told: impl IntoIterator<Item = &'a NamedNote>) -> Vec<NoteGroup<'a>> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<&'a NamedNote>> = Vec::new();
    for told in told {
        let key = (told.about, told.outcome, told.reason.fold_key());
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(told),
            None => groups.push(vec![told]),
        }
    }
    let folded =
        |told: Vec<&'a NamedNote>| NoteGroup { reason: fold(told.iter().map(|told| &told.reason)), notes: told };
    groups.into_iter().map(folded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::MessageTemplates;

    fn note(about: SubjectKind, name: &str, law: &str, resource: &str, free: i64) -> NamedNote {
        let facts = vec![NamedFact::amount("free", resource, free)];
        let reason = MessageTemplates::default().render(law, "", facts);
        NamedNote { about, name: Some(name.to_owned()), node: None, outcome: Outcome::Barred, reason }
    }

    #[test]
    fn what_differs_in_numbers_only_is_counted_together() {
        let notes = vec![
            note(SubjectKind::Node, "a", "node/has-room", "cpu", 1500),
            note(SubjectKind::Node, "b", "node/has-room", "gpu", 4),
            note(SubjectKind::Node, "c", "node/has-room", "cpu", -2000),
            note(SubjectKind::Node, "d", "node/has-room", "cpu", 4000),
            note(SubjectKind::Pod, "e", "node/has-room", "cpu", 4000),
            note(SubjectKind::Node, "f", "node/other", "cpu", 4000),
        ];
        let explanation = AttemptExplanation::of(9, notes);
        let counted: Vec<(usize, SubjectKind, &str)> = explanation
            .counted
            .iter()
            .map(|counted| (counted.count, counted.about, &*counted.reason.message))
            .collect();
        assert_eq!(
            counted,
            [
                (3, SubjectKind::Node, "free cpu -2 to 4"),
                (1, SubjectKind::Node, "free gpu 4"),
                (1, SubjectKind::Pod, "free cpu 4"),
                (1, SubjectKind::Node, "free cpu 4"),
            ]
        );
        let obstacle = explanation.obstacle().unwrap();
        assert_eq!(
            (obstacle.code.as_str(), obstacle.message.as_str()),
            ("node/has-room", "3 of 9 nodes: free cpu -2 to 4")
        );
        let alike = explanation.grouped(SubjectKind::Node, Outcome::Barred);
        let names: Vec<&str> = alike[0].notes.iter().filter_map(|told| told.name.as_deref()).collect();
        assert_eq!(names, ["a", "c", "d"]);
        let of_pod = |pod| explanation.notes.iter().filter(|told| told.is_of_pod(pod)).count();
        assert_eq!((of_pod("e"), of_pod("a")), (1, 0), "`a` is a node");
    }
}
