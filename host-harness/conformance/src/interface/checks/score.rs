//! `score`: one score a node.

use lictor_contract::*;
use lictor_host::policy::Policy;

use super::super::check::{Check, ensure};
use super::super::exchange::{Call, CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult, pending};
use super::core::unknown_pod_refused;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "score/one-score-a-node",
        demands: "`score` answers with one score for each node of the question",
        rule: "wit/score.wit, score",
        remedy: "answer with one score a node, in the order of the question",
        verdict: |lab| lab.each(one_score_a_node),
    },
    Check {
        id: "score/from-0-to-100",
        demands: "Every score is between 0 and 100",
        rule: "wit/score.wit, score",
        remedy: "scale the scores to 0 to 100; more is better",
        verdict: |lab| lab.each(from_0_to_100),
    },
    Check {
        id: "score/order-of-the-question",
        demands: "The order of the nodes in the question does not change their scores",
        rule: "wit/score.wit, score",
        remedy: "make the score of a node of what was told of it, not of its place in the question",
        verdict: order_of_the_question,
    },
    Check {
        id: "score/unknown-pod",
        demands: "A question about a pod that there is not is refused with an error, and is no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod` for a number that was not told, or whose pod is gone",
        verdict: |lab| unknown_pod_refused(lab, &[ExtensionPoint::Score]),
    },
];

fn one_score_a_node(exchange: &Exchange) -> Option<Result<(), String>> {
    let (Call::Score(_, nodes), CallReply::Scores(scores)) = (&exchange.call, &exchange.reply) else { return None };
    let (asked, answered) = (nodes.len(), scores.len());
    Some(ensure(asked == answered, || format!("{asked} nodes are asked about, and {answered} scores come back")))
}

fn from_0_to_100(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Scores(scores) = &exchange.reply else { return None };
    let wrong = scores.iter().find(|score| !(0..=100).contains(*score));
    Some(wrong.map_or(Ok(()), |score| Err(format!("the score {score} is not between 0 and 100"))))
}

fn order_of_the_question(lab: &CheckContext<'_>) -> CheckResult {
    if !lab.decides(ExtensionPoint::Score) {
        return Ok(0);
    }
    let (session, tap) = lab.start_loaded()?;
    let nodes: Vec<NodeId> = session.mirror().nodes().map(|node| node.id).collect();
    let turned: Vec<NodeId> = nodes.iter().rev().copied().collect();
    let mut seen = 0_usize;
    for pod in pending(&session) {
        let ask = |nodes: &[NodeId]| tap.call_unrecorded(|policy: &mut dyn Policy| policy.score(pod, nodes));
        let (one, other) =
            (ask(&nodes).map_err(|error| error.to_string())?, ask(&turned).map_err(|error| error.to_string())?);
        let same = one.iter().eq(other.iter().rev());
        ensure(same, || {
            "`score.score` scores the same nodes otherwise when they are asked about the other way round".to_owned()
        })?;
        seen = seen.saturating_add(1);
    }
    Ok(seen)
}
