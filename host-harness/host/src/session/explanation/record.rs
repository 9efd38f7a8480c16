//! The notes of the policy about an attempt, fetched where explanations are requested.

use lictor_contract::{Note, NotedPods, Outcome, PodId, Subject};

use super::{AttemptExplanation, NamedNote, SubjectKind};
use crate::policy::{CallError, Policy};
use crate::reason::NamedReason;
use crate::session::{FailureCause, Session, SessionError};

/// The prefix of the codes of laws about the free capacity of nodes.
const NODE: &str = "node/";

impl Session {
    /// Explains every attempt from now on. Returns `false` where the policy records no notes; then no attempt is explained.
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain(&mut self) -> Result<bool, SessionError> {
        self.note(NotedPods::All)
    }

    /// Explains the attempts of these pods from now on, and what is found about them in the attempts of other pods. Pods that do not exist are left
    /// out. Returns `false` where the policy records no notes.
    ///
    /// # Errors
    /// The policy fails.
    pub fn explain_pods(&mut self, names: &[String]) -> Result<bool, SessionError> {
        let pods = names.iter().filter_map(|name| self.mirror.pod_id(name)).collect();
        self.note(NotedPods::These(pods))
    }

    /// Makes the policy record notes about these pods.
    fn note(&mut self, pods: NotedPods) -> Result<bool, SessionError> {
        self.run_input(
            || "explain".to_owned(),
            |session| {
                session.ensure_instance()?;
                // The policy must know the pods.
                session.sync()?;
                session.instance.noted = match session.policy.record_notes(&pods) {
                    Ok(()) => pods.clone(),
                    Err(CallError::MissingInterface(_)) => NotedPods::None,
                    Err(fault) => return Err(fault.into()),
                };
                Ok(session.instance.noted != NotedPods::None)
            },
        )
    }

    /// Returns whether the attempts of a pod are explained.
    fn is_noted(&self, pod: PodId) -> bool {
        match &self.instance.noted {
            NotedPods::None => false,
            NotedPods::All => true,
            NotedPods::These(pods) => pods.contains(&pod),
        }
    }

    /// Returns the explanation of the last attempt for a pod. `None`: nothing of the attempt is explained. `nodes_asked`: whether Filter was called
    /// in the attempt.
    pub(in crate::session) fn explanation(
        &mut self,
        pod: PodId,
        nodes_asked: bool,
    ) -> Result<Option<AttemptExplanation>, FailureCause> {
        if self.instance.noted == NotedPods::None {
            return Ok(None);
        }
        let notes = self.policy.notes(pod)?;
        let sound = notes.iter().try_for_each(|note| Session::check_reason(&note.reason));
        sound.map_err(|error| error.into_cause("notes"))?;
        let is_noted = self.is_noted(pod);
        if !is_noted && notes.is_empty() {
            return Ok(None);
        }
        let about_nodes = |note: &Note| matches!(note.subject, Subject::Node(_)) || note.reason.code.starts_with(NODE);
        let nodes_asked = is_noted && (nodes_asked || notes.iter().any(about_nodes));
        let mut told = if nodes_asked { self.ineligible(pod) } else { Vec::new() };
        told.extend(notes.into_iter().map(|note| self.named_note(note)));
        Ok(Some(AttemptExplanation::of(self.mirror.nodes().count(), told)))
    }

    /// Returns a note for each node that can never take a pod, ordered by name.
    fn ineligible(&self, pod: PodId) -> Vec<NamedNote> {
        let mut nodes: Vec<(&str, NamedReason)> = Vec::new();
        for node in self.mirror.nodes() {
            nodes.extend(self.mirror.eligible(pod, node.id).err().map(|why| (node.name.as_str(), why.reason())));
        }
        nodes.sort_unstable();
        let told = |(name, reason): (&str, NamedReason)| NamedNote {
            about: SubjectKind::Node,
            name: Some(name.to_owned()),
            node: None,
            outcome: Outcome::Barred,
            reason,
        };
        nodes.into_iter().map(told).collect()
    }

    /// Converts a note of the policy: numbers become names.
    fn named_note(&self, note: Note) -> NamedNote {
        let Note { subject, outcome, reason } = note;
        let (about, name, node) = match subject {
            Subject::Preemptor => (SubjectKind::Preemptor, None, None),
            Subject::Pod(pod) => {
                let node = self.occupancy.node_of(pod).map(|node| self.node_name(node));
                (SubjectKind::Pod, Some(self.pod_name(pod)), node)
            }
            Subject::Node(node) => (SubjectKind::Node, Some(self.node_name(node)), None),
            Subject::Queue(queue) => (SubjectKind::Queue, Some(queue), None),
        };
        NamedNote { about, name, node, outcome, reason: self.named_reason(reason) }
    }
}
