//! Filter: which nodes take the pod.

use std::collections::BTreeMap;

use lictor_policy::contract::*;

use super::scoring::Scoring;
use super::{Lie, NodeSummary, Session, SessionError};
use crate::verify;

/// What Filter comes to.
pub(super) enum Filtered {
    /// This node is the best of those that take the pod.
    Fits(NodeId),
    /// No node takes it.
    Nowhere(NodeSummary),
}

impl Session<'_> {
    /// Asks every node and chooses: the nominated one where it takes the pod, else the one that scores best.
    pub(super) fn filter(&mut self, pod: PodId) -> Result<Filtered, SessionError> {
        let verdicts = if self.decides(ExtensionPoint::Filter) {
            let verdicts = self.ask(|policy| policy.filter(pod))?;
            self.read_verdicts(&verdicts).map_err(|lie| lie.told_by("filter"))?
        } else {
            self.sync()?;
            self.own_verdicts(pod)
        };
        let asker = self.mirror.pod(pod).ok_or(SessionError::NoSuchPod(pod))?;
        let takes = |node: &NodeId| verdicts.get(node).is_some_and(Option::is_none);
        if let Some(node) = asker.nominated.filter(takes) {
            return Ok(Filtered::Fits(node));
        }
        let scoring = Scoring::of(&self.mirror, &self.occupancy, asker);
        match scoring.best(self.mirror.nodes().filter(|node| takes(&node.id))) {
            Some(node) => Ok(Filtered::Fits(node.id)),
            None => Ok(Filtered::Nowhere(self.summarise(pod, verdicts))),
        }
    }

    /// The verdict on every node, none where it takes the pod.
    fn read_verdicts(&self, verdicts: &NodeVerdicts) -> Result<BTreeMap<NodeId, Option<String>>, Lie> {
        let codes = verdicts.codes.len();
        let mut read = BTreeMap::new();
        for node in self.mirror.nodes() {
            let code = usize::try_from(node.id).ok().and_then(|index| verdicts.codes.get(index).copied());
            let code = code.ok_or_else(|| Lie::MissingVerdict { codes, id: node.id, node: node.name.clone() })?;
            let obstacle = match usize::from(code).checked_sub(1) {
                None => None,
                Some(index) => Some(verdicts.obstacles.get(index).ok_or_else(|| Lie::UnknownCode {
                    code,
                    node: node.name.clone(),
                    obstacles: verdicts.obstacles.len(),
                })?),
            };
            read.insert(node.id, obstacle.map(|obstacle| obstacle.reason.message.clone()));
        }
        match read.last_key_value() {
            Some((highest, _)) if usize::try_from(*highest).is_ok_and(|highest| codes > highest.saturating_add(1)) => {
                Err(Lie::TooManyVerdicts { codes, highest: *highest })
            }
            _ => Ok(read),
        }
    }

    /// The verdicts where the policy leaves Filter to the host: it passes every node that the host can bind the pod to.
    fn own_verdicts(&self, pod: PodId) -> BTreeMap<NodeId, Option<String>> {
        let verdict = |node: NodeId| verify::bindings(&self.ground(), &[Placement { pod, node }]);
        self.mirror.nodes().map(|node| (node.id, verdict(node.id).err().map(|why| why.to_string()))).collect()
    }

    /// Counts what the nodes said. Where a node can never take the pod, the host's words count.
    fn summarise(&self, pod: PodId, verdicts: BTreeMap<NodeId, Option<String>>) -> NodeSummary {
        let mut summary = NodeSummary { nodes: verdicts.len(), ..NodeSummary::default() };
        for (node, obstacle) in verdicts {
            let words = self.mirror.eligible(pod, node).err().map(|why| why.to_string()).or(obstacle);
            let count = summary.obstacles.entry(words.unwrap_or_default()).or_insert(0usize);
            *count = count.saturating_add(1);
        }
        summary
    }
}
