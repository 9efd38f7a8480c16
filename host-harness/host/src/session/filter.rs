//! Filter: which nodes take the pod.

use lictor_contract::*;

use super::scoring::{BROKEN_NOMINATION_PENALTY, MAX_SCORE};
use super::verdicts::{DecodedVerdicts, best};
use super::{FailureCause, NodeSummary, ProtocolError, Session};
use crate::verify::{self, BindingToNodes, VerifyContext};

/// The result of Filter.
pub(super) enum FilterDecision {
    /// This node is the best of those that take the pod.
    Fits(NodeId),
    /// No node takes the pod.
    NoNode(NodeSummary),
}

impl Session {
    /// Filters all nodes and chooses one: the nominated node where it takes the pod, else the one with the best score.
    pub(super) fn filter(&mut self, pod: PodId) -> Result<FilterDecision, FailureCause> {
        let verdicts = if self.decides(ExtensionPoint::Filter) {
            let verdicts = self.call_policy(|policy| policy.filter(pod))?;
            let verdicts = self.read_verdicts(verdicts).map_err(|error| error.into_cause("filter"))?;
            if self.configuration.judges_room { verdicts } else { self.with_host_verdicts(pod, verdicts) }
        } else {
            self.sync()?;
            let codes = vec![0; self.mirror.node_numbers()];
            self.with_host_verdicts(pod, DecodedVerdicts { codes, obstacles: Vec::new() })
        };
        let preemptor = self.mirror.pod(pod).ok_or_else(|| FailureCause::NoSuchPod(self.pod_name(pod)))?;
        if let Some(node) = preemptor.nominated.filter(|node| verdicts.fits(*node)) {
            return Ok(FilterDecision::Fits(node));
        }
        let fitting = verdicts.fitting().filter_map(|node| self.mirror.node(node));
        let best = if self.decides(ExtensionPoint::Score) {
            let fitting: Vec<NodeId> = fitting.map(|node| node.id).collect();
            let scores = if fitting.is_empty() { Vec::new() } else { self.scores(pod, &fitting)? };
            best(fitting.into_iter().zip(scores), &self.mirror)
        } else {
            let declared = self.configuration.evicts_higher_priority;
            let ground = VerifyContext::new(&self.mirror, &self.occupancy, &self.planned_evictions, declared);
            let scores = self.host_scores.scores_for(&self.mirror, &self.occupancy, preemptor);
            let score = |node: NodeId| usize::try_from(node).ok().and_then(|index| scores.get(index).copied());
            // Of the nodes that take the pod, nodes whose promise to another pod would be broken come last.
            let loss = |node: NodeId| {
                if verify::breaks_nomination(&ground, pod, node) { BROKEN_NOMINATION_PENALTY } else { 0 }
            };
            let scored = |node: NodeId| Some((node, i64::from(score(node)?).saturating_sub(loss(node))));
            best(verdicts.fitting().filter_map(scored), &self.mirror)
        };
        Ok(best.map_or_else(|| FilterDecision::NoNode(self.summarise(pod, &verdicts)), FilterDecision::Fits))
    }

    /// Returns the checked verdicts of the policy: one code per node, by node number, and the obstacles as sentences. Empty: the system does not
    /// filter.
    pub(super) fn verdict_bytes(&mut self, pod: PodId) -> Result<(Vec<u8>, Vec<String>), FailureCause> {
        if !self.decides(ExtensionPoint::Filter) {
            return Ok(Default::default());
        }
        let answer = self.call_policy(|policy| policy.filter(pod))?;
        let codes = answer.codes.clone();
        let verdicts = self.read_verdicts(answer).map_err(|error| error.into_cause("filter"))?;
        Ok((codes, verdicts.obstacles))
    }

    /// Returns the checked scores of the nodes that take the pod by these codes: one byte per node, by node number. Empty: the system does not score.
    pub(super) fn score_bytes(&mut self, pod: PodId, codes: &[u8]) -> Result<Vec<u8>, FailureCause> {
        if !self.decides(ExtensionPoint::Score) {
            return Ok(Vec::new());
        }
        let at = |node: NodeId| usize::try_from(node).unwrap_or(usize::MAX);
        let takes = |node: &NodeId| codes.is_empty() || codes.get(at(*node)) == Some(&0);
        let fitting: Vec<NodeId> = self.mirror.nodes().map(|node| node.id).filter(takes).collect();
        let scores = if fitting.is_empty() { Vec::new() } else { self.scores(pod, &fitting)? };
        let mut bytes = vec![0; self.mirror.node_numbers()];
        for (node, score) in fitting.into_iter().zip(scores) {
            bytes.get_mut(at(node)).into_iter().for_each(|byte| *byte = u8::try_from(score).unwrap_or(u8::MAX));
        }
        Ok(bytes)
    }

    /// Returns the checked scores of the policy, one per node.
    fn scores(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, FailureCause> {
        let scores = self.call_policy(|policy| policy.score(pod, nodes))?;
        let wrong = scores.iter().find(|score| !(0..=MAX_SCORE).contains(*score));
        let protocol_error = match wrong {
            _ if scores.len() != nodes.len() => ProtocolError::ScoreCount { nodes: nodes.len(), scores: scores.len() },
            Some(score) => ProtocolError::ScoreRange(*score),
            None => return Ok(scores),
        };
        Err(protocol_error.into_cause("score"))
    }

    /// Checks the verdicts of the policy, and converts its obstacles to sentences.
    pub(super) fn read_verdicts(&self, answer: NodeVerdicts) -> Result<DecodedVerdicts, ProtocolError> {
        let (codes, obstacles) = (answer.codes.len(), answer.obstacles.len());
        // Valid codes in sufficient number mean that every node has a valid code.
        let are_all_known = answer.codes.iter().all(|code| usize::from(*code) <= obstacles);
        let is_whole = are_all_known && codes >= self.mirror.node_numbers();
        for node in (!is_whole).then(|| self.mirror.nodes()).into_iter().flatten() {
            let code = usize::try_from(node.id).ok().and_then(|index| answer.codes.get(index).copied());
            let code =
                code.ok_or_else(|| ProtocolError::MissingVerdict { codes, id: node.id, node: node.name.clone() })?;
            if usize::from(code) > obstacles {
                return Err(ProtocolError::UnknownCode { code, node: node.name.clone(), obstacles });
            }
        }
        // The last numbers may belong to deleted nodes, which get any code.
        let highest = self.mirror.node_numbers().checked_sub(1);
        if let Some(highest) = highest.filter(|highest| codes > highest.saturating_add(1)) {
            let highest = NodeId::try_from(highest).unwrap_or(NodeId::MAX);
            return Err(ProtocolError::TooManyVerdicts { codes, highest });
        }
        answer.obstacles.iter().try_for_each(|obstacle| Session::check_reason(&obstacle.reason))?;
        Ok(DecodedVerdicts {
            codes: answer.codes.into_iter().map(u32::from).collect(),
            obstacles: answer
                .obstacles
                .into_iter()
                .map(|obstacle| self.named_reason(obstacle.reason).message)
                .collect(),
        })
    }

    /// Adds the host's verdicts, where the policy does not judge free capacity. A node that the host could not bind the pod to gets an obstacle.
    fn with_host_verdicts(&self, pod: PodId, verdicts: DecodedVerdicts) -> DecodedVerdicts {
        let DecodedVerdicts { mut codes, mut obstacles } = verdicts;
        let binding = BindingToNodes::new(self.verify_context(), pod);
        for node in self.mirror.nodes().map(|node| node.id) {
            let code = usize::try_from(node).ok().and_then(|index| codes.get_mut(index));
            let Some(code) = code.filter(|code| **code == 0) else { continue };
            if let Err(violation) = binding.check(node) {
                obstacles.push(violation.node_obstacle());
                *code = u32::try_from(obstacles.len()).unwrap_or(u32::MAX);
            }
        }
        DecodedVerdicts { codes, obstacles }
    }

    /// Counts the obstacles of the nodes. Where a node can never take the pod, the host's reason counts.
    fn summarise(&self, pod: PodId, verdicts: &DecodedVerdicts) -> NodeSummary {
        let mut counts = vec![0_usize; verdicts.obstacles.len().saturating_add(1)];
        let mut summary = NodeSummary::default();
        for node in self.mirror.nodes().map(|node| node.id) {
            summary.nodes = summary.nodes.saturating_add(1);
            if let Err(why) = self.mirror.eligible(pod, node) {
                summary.count(why.to_string(), 1);
                continue;
            }
            let count = verdicts.code(node).and_then(|code| counts.get_mut(usize::try_from(code).ok()?));
            count.into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        let counted = verdicts.obstacles.iter().zip(counts.into_iter().skip(1));
        for (obstacle, count) in counted.filter(|(_, count)| *count > 0) {
            summary.count(obstacle.clone(), count);
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::ExtensionPoint;
    use serde_json::json;

    use crate::session::testing::{ALL, Scripted, ScriptedReply, session};
    use crate::verify::testing::{node, on, pod, with};

    /// Returns the node of `a` when the policy lets all nodes pass.
    fn chosen(objects: Vec<serde_json::Value>) -> Option<String> {
        let policy = Scripted::deciding(ALL);
        session(&policy, objects).try_pod("default/a").unwrap().node
    }

    #[test]
    fn the_least_allocated_node_is_chosen_and_the_first_of_equals() {
        let cluster = |on_n1: u32, on_n2: u32| {
            let (x, y) = (on("n1", pod("x", on_n1, 0)), on("n2", pod("y", on_n2, 0)));
            vec![node("n2", 8), node("n1", 8), x, y, pod("a", 1, 0)]
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
        let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&["n1"]));
        let attempt = session(&policy, cluster()).try_pod("default/a").unwrap();
        assert_eq!(attempt.node.unwrap(), "n1");
    }

    #[test]
    fn what_the_nodes_say_is_counted_in_the_hosts_words_where_it_has_some() {
        let closed = with(with(node("n3", 8), "", "spec", json!({})), "/spec", "unschedulable", json!(true));
        let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&[]));
        let cluster = [node("n1", 1), node("n2", 1), closed, pod("a", 2, 0)];
        let mut session = session(&policy, cluster);
        let attempt = session.try_pod("default/a").unwrap();
        let (a, n3) = (session.mirror().pod_id("default/a").unwrap(), session.mirror().node_id("n3").unwrap());
        let words = session.mirror().eligible(a, n3).unwrap_err();
        let summary = attempt.nodes.unwrap();
        assert_eq!(summary.to_string(), format!("0/3 nodes are available: 2 Insufficient cpu, 1 {words}"));
    }

    #[test]
    fn the_host_judges_room_where_the_policy_does_not() {
        let cluster = || {
            let closed = with(with(node("n4", 8), "", "spec", json!({})), "/spec", "unschedulable", json!(true));
            [node("n1", 4), on("n1", pod("x", 3, 0)), node("n2", 4), node("n3", 8), closed, pod("a", 2, 0)]
        };
        // By its one rule the policy accepts all nodes but n3. The pod fits on n2, n3 and n4, and may not run on n4.
        let policy = || Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&["n1", "n2", "n4"]));
        let attempt = session(&policy().ignoring_capacity(), cluster()).try_pod("default/a").unwrap();
        assert_eq!(attempt.node.as_deref(), Some("n2"));
        // No other node takes the pod. Each has an obstacle, that of the policy first.
        let full = || [node("n1", 4), on("n1", pod("x", 3, 0)), node("n3", 8), pod("a", 2, 0)];
        let policy = || Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&["n1"]));
        let attempt = session(&policy().ignoring_capacity(), full()).try_pod("default/a").unwrap();
        let said =
            "0/2 nodes are available: 1 Insufficient cpu, 1 `n1` lacks room: cpu: allocatable 4, in use 3, requested 2";
        assert_eq!((attempt.node, attempt.nodes.unwrap().to_string()), (None, said.to_owned()));
        // A policy that claims to judge free capacity is believed here. Its verdict is checked when the pod is bound.
        assert!(session(&policy(), full()).try_pod("default/a").is_err());
    }

    #[test]
    fn the_host_judges_what_stands_between_pods_where_the_policy_does_not() {
        let web = |pod| with(pod, "/metadata", "labels", json!({"app": "web"}));
        let term = json!({"topologyKey": "host", "labelSelector": {"matchLabels": {"app": "web"}}});
        let terms = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
        let host = |name: &str| with(node(name, 4), "/metadata", "labels", json!({"host": name}));
        let replica = || with(pod("a", 1, 0), "/spec", "affinity", terms.clone());
        let policy = Scripted::deciding(&[ExtensionPoint::Score]);
        let both = [host("n1"), host("n2"), on("n1", web(pod("x", 1, 0))), on("n2", web(pod("y", 1, 0))), replica()];
        let attempt = session(&policy, both).try_pod("default/a").unwrap();
        let said = "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules";
        assert_eq!((attempt.node, attempt.nodes.unwrap().to_string()), (None, said.to_owned()));
    }

    #[test]
    fn a_cluster_without_nodes_has_no_reasons() {
        let policy = Scripted::deciding(ALL);
        let attempt = session(&policy, [pod("a", 2, 0)]).try_pod("default/a").unwrap();
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
            let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Codes(codes, obstacles));
            let mut session = session(&policy, [node("n1", 4), node("n2", 4), pod("a", 1, 0)]);
            let error = session.try_pod("default/a").unwrap_err();
            assert_eq!(error.to_string(), format!("the policy's answer to `filter` cannot be: {said}"));
        }
    }

    #[test]
    fn a_number_whose_node_is_gone_gets_any_code_and_none_is_missed() {
        for codes in [vec![0], vec![0, 0], vec![0, 9]] {
            let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Codes(codes, 1));
            let mut session = session(&policy, [node("n1", 4), node("n2", 4), pod("a", 1, 0)]);
            assert!(session.remove("Node/n2").unwrap());
            assert_eq!(session.try_pod("default/a").unwrap().node.as_deref(), Some("n1"));
        }
    }

    /// Returns the node of `a`, or the error, where both nodes take it and the policy gives these scores.
    fn scored(scores: Vec<i64>) -> Result<Option<String>, String> {
        let policy =
            Scripted::deciding(&[ExtensionPoint::Score]).reply("score default/a", ScriptedReply::Scores(scores));
        // The host's own scores prefer `n1`.
        let cluster = [node("n1", 8), node("n2", 4), pod("a", 1, 0)];
        let attempt = session(&policy, cluster).try_pod("default/a");
        attempt.map(|attempt| attempt.node).map_err(|error| error.to_string())
    }

    #[test]
    fn the_node_that_the_policy_scores_best_is_chosen_and_the_first_of_equals() {
        assert_eq!(scored(vec![99, 100]), Ok(Some("n2".to_owned())));
        assert_eq!(scored(vec![1, 0]), Ok(Some("n1".to_owned())));
        assert_eq!(scored(vec![7, 7]), Ok(Some("n1".to_owned())));
    }

    #[test]
    fn scores_that_cannot_be_are_refused() {
        let refused = |said: &str| Err(format!("the policy's answer to `score` cannot be: {said}"));
        assert_eq!(scored(vec![1]), refused("1 scores for 2 nodes"));
        assert_eq!(scored(vec![0, 101]), refused("the score 101 is not between 0 and 100"));
        assert_eq!(scored(vec![-1, 0]), refused("the score -1 is not between 0 and 100"));
    }
}
