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
            let code = usize::try_from(node.id)
                .ok()
                .and_then(|index| verdicts.codes.get(index).copied());
            let code = code.ok_or_else(|| Lie::MissingVerdict {
                codes,
                id: node.id,
                node: node.name.clone(),
            })?;
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
                Err(Lie::TooManyVerdicts {
                    codes,
                    highest: *highest,
                })
            }
            _ => Ok(read),
        }
    }

    /// The verdicts where the policy leaves Filter to the host: it passes every node that the host can bind the pod to.
    fn own_verdicts(&self, pod: PodId) -> BTreeMap<NodeId, Option<String>> {
        let verdict = |node: NodeId| verify::bindings(&self.ground(), &[Placement { pod, node }]);
        self.mirror
            .nodes()
            .map(|node| (node.id, verdict(node.id).err().map(|why| why.to_string())))
            .collect()
    }

    /// Counts what the nodes said. Where a node can never take the pod, the host's words count.
    fn summarise(&self, pod: PodId, verdicts: BTreeMap<NodeId, Option<String>>) -> NodeSummary {
        let mut summary = NodeSummary {
            nodes: verdicts.len(),
            ..NodeSummary::default()
        };
        for (node, obstacle) in verdicts {
            let words = self
                .mirror
                .eligible(pod, node)
                .err()
                .map(|why| why.to_string())
                .or(obstacle);
            let count = summary.obstacles.entry(words.unwrap_or_default()).or_insert(0usize);
            *count = count.saturating_add(1);
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use crate::scheduler::testing::{ALL, Say, Scripted, session};
    use crate::verify::testing::{node, on, pod, with};

    /// The node that `a` goes to when the policy lets all nodes pass.
    fn chosen(objects: Vec<serde_json::Value>) -> Option<String> {
        let mut policy = Scripted::deciding(ALL);
        session(&mut policy, objects).try_pod("default/a").unwrap().node
    }

    #[test]
    fn the_least_allocated_node_is_chosen_and_the_first_of_equals() {
        let cluster = |on_n1: u32, on_n2: u32| {
            vec![
                node("n2", 8),
                node("n1", 8),
                on("n1", pod("x", on_n1, 0)),
                on("n2", pod("y", on_n2, 0)),
                pod("a", 1, 0),
            ]
        };
        assert_eq!(chosen(cluster(2, 1)).unwrap(), "n2");
        assert_eq!(chosen(cluster(1, 2)).unwrap(), "n1");
        assert_eq!(chosen(cluster(2, 2)).unwrap(), "n1");
    }

    #[test]
    fn the_nominated_node_comes_first_where_it_takes_the_pod() {
        let nominated = || with(pod("a", 1, 0), "/status", "nominatedNodeName", json!("n2"));
        let cluster = || vec![node("n1", 8), node("n2", 8), on("n2", pod("y", 6, 0)), nominated()];
        assert_eq!(chosen(cluster()).unwrap(), "n2");
        let mut policy = Scripted::deciding(ALL).say("filter default/a", Say::Fits(&["n1"]));
        let attempt = session(&mut policy, cluster()).try_pod("default/a").unwrap();
        assert_eq!(attempt.node.unwrap(), "n1");
    }

    #[test]
    fn what_the_nodes_say_is_counted_in_the_hosts_words_where_it_has_some() {
        let closed = with(
            with(node("n3", 8), "", "spec", json!({})),
            "/spec",
            "unschedulable",
            json!(true),
        );
        let mut policy = Scripted::deciding(ALL).say("filter default/a", Say::Fits(&[]));
        let cluster = [node("n1", 1), node("n2", 1), closed, pod("a", 2, 0)];
        let mut session = session(&mut policy, cluster);
        let attempt = session.try_pod("default/a").unwrap();
        let (a, n3) = (
            session.mirror.pod_id("default/a").unwrap(),
            session.mirror.node_id("n3").unwrap(),
        );
        let words = session.mirror.eligible(a, n3).unwrap_err();
        let summary = attempt.nodes.unwrap();
        assert_eq!(
            summary.to_string(),
            format!("0/3 nodes are available: 2 Insufficient cpu, 1 {words}")
        );
    }

    #[test]
    fn a_cluster_without_nodes_has_no_reasons() {
        let mut policy = Scripted::deciding(ALL);
        let attempt = session(&mut policy, [pod("a", 2, 0)]).try_pod("default/a").unwrap();
        assert_eq!(attempt.nodes.unwrap().to_string(), "0/0 nodes are available");
    }

    #[test]
    fn codes_that_cannot_be_are_lies() {
        for (codes, obstacles, said) in [
            (vec![0], 1, "1 codes leave node `n2`, number 1, without a verdict"),
            (vec![0, 0, 0], 1, "3 codes for nodes whose highest number is 1"),
            (vec![0, 2], 1, "the code 2 of node `n2` is none of the 1 obstacles"),
            (vec![1, 0], 0, "the code 1 of node `n1` is none of the 0 obstacles"),
        ] {
            let mut policy = Scripted::deciding(ALL).say("filter default/a", Say::Codes(codes, obstacles));
            let mut session = session(&mut policy, [node("n1", 4), node("n2", 4), pod("a", 1, 0)]);
            let error = session.try_pod("default/a").unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("the policy's answer to `filter` cannot be: {said}")
            );
        }
    }
}
