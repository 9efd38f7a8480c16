//! Answers in names, as far as two of them decide otherwise.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::answer::{ComparableReply, best, sorted_pods};
use super::report::DecisionSummary;
use crate::cluster::Mirror;

/// The maximum names in a list.
const MAX_NAMES: usize = 10;

/// Returns whether two answers to Filter agree on all nodes that exist.
pub(crate) fn agree_on_existing_nodes(one: &ComparableReply, other: &ComparableReply, mirror: &Mirror) -> bool {
    let (ComparableReply::Filter(one), ComparableReply::Filter(other)) = (one, other) else { return false };
    one.codes.len() == other.codes.len() && mirror.nodes().all(|node| fits(one, node.id) == fits(other, node.id))
}

/// Returns the decision of an answer in names. `other` is the answer of the other policy to the same question: nodes are named where only this answer
/// has them.
pub(crate) fn summarize(answer: &ComparableReply, other: &ComparableReply, mirror: &Mirror) -> DecisionSummary {
    let names = ClusterNames(mirror);
    match answer {
        ComparableReply::Order { pods: asked, keys } => {
            DecisionSummary { names: names.order(asked, keys, other), ..verdict_only("order") }
        }
        ComparableReply::PreFilter(answer) => {
            let decided = match &answer.admission {
                Admission::Pass => verdict_only("passes"),
                Admission::Refused(why) => verdict_with_law("refused", why),
                Admission::Final(why) => verdict_with_law("finally refused", why),
            };
            DecisionSummary { effects: names.effects(&answer.effects), ..decided }
        }
        ComparableReply::Filter(answer) => match other {
            ComparableReply::Filter(other) => fitting(answer, other, mirror),
            _ => verdict_only("fits"),
        },
        ComparableReply::PostFilter(answer, _) => {
            let effects = names.effects(&answer.effects);
            match &answer.plan {
                None => DecisionSummary { effects, ..verdict_with_law("no plan", &answer.reason) },
                Some(plan) => DecisionSummary {
                    placements: names.placements(&plan.nominations),
                    victims: names.victims(&plan.victims),
                    effects,
                    ..verdict_with_law("plan", &answer.reason)
                },
            }
        }
        ComparableReply::Score(nodes, scores) => {
            let best = best(nodes, scores);
            DecisionSummary {
                names: best.into_iter().map(|node| names.node(node)).take(MAX_NAMES).collect(),
                ..verdict_only("best")
            }
        }
        ComparableReply::Reserve(effects) | ComparableReply::Unreserve(effects) => {
            DecisionSummary { effects: names.effects(effects), ..verdict_only("effects") }
        }
        ComparableReply::Permit(answer) => {
            let decided = match &answer.permission {
                Permission::Allow => verdict_with_law("allowed", &answer.reason),
                Permission::Wait(nanoseconds) => verdict_with_law(&format!("waits {nanoseconds} ns"), &answer.reason),
                Permission::Reject(why) => verdict_with_law("rejected", why),
            };
            DecisionSummary { effects: names.effects(&answer.effects), ..decided }
        }
        ComparableReply::Act(actions) => {
            let (bindings, plans) = (actions.bindings.len(), actions.plans.slices.len());
            let placed = actions.bindings.iter().chain(&actions.plans.nominations);
            let verdict = format!("{}: {bindings} bound, {plans} plans", actions.name);
            let law = actions.plans.reasons.first().map(|reason| reason.code.clone()).unwrap_or_default();
            let (placements, victims) = (names.placements(placed), names.victims(&actions.plans.victims));
            DecisionSummary { verdict, law, placements, victims, ..DecisionSummary::default() }
        }
        ComparableReply::Enforce(answer) => {
            let given = answer.enforcements.iter();
            let law = given.clone().next().map(|it| it.reason.code.clone()).unwrap_or_default();
            let victims = given.flat_map(|it| names.victims(&it.victims)).collect();
            DecisionSummary { law, victims, ..verdict_only("gives back") }
        }
        ComparableReply::Marks(marks) => {
            let written = marks.iter().map(|mark| format!("writes {}={}", mark.key, mark.value));
            DecisionSummary { effects: written.collect(), ..verdict_only("marks") }
        }
    }
}

/// Returns how many nodes fit by an answer, and the names of those that fit by this answer only.
fn fitting(answer: &NodeVerdicts, other: &NodeVerdicts, mirror: &Mirror) -> DecisionSummary {
    let count = mirror.nodes().filter(|node| fits(answer, node.id)).count();
    let only = mirror.nodes().filter(|node| fits(answer, node.id) && !fits(other, node.id));
    let names = only.map(|node| node.name.clone()).take(MAX_NAMES).collect();
    DecisionSummary { verdict: format!("{count} nodes fit"), names, ..DecisionSummary::default() }
}

fn verdict_only(verdict: &str) -> DecisionSummary {
    DecisionSummary { verdict: verdict.to_owned(), ..DecisionSummary::default() }
}

fn verdict_with_law(verdict: &str, reason: &Reason) -> DecisionSummary {
    DecisionSummary { law: reason.code.clone(), ..verdict_only(verdict) }
}

fn fits(answer: &NodeVerdicts, node: NodeId) -> bool {
    usize::try_from(node).ok().and_then(|index| answer.codes.get(index)) == Some(&0)
}

/// The names of the cluster.
struct ClusterNames<'a>(&'a Mirror);

impl ClusterNames<'_> {
    fn pod(&self, pod: PodId) -> String {
        self.0.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned)
    }

    fn node(&self, node: NodeId) -> String {
        self.0.node(node).map_or_else(|| format!("node number {node}"), |node| node.name.clone())
    }

    fn placements<'p>(&self, placements: impl IntoIterator<Item = &'p Placement>) -> BTreeMap<String, String> {
        placements.into_iter().map(|placement| (self.pod(placement.pod), self.node(placement.node))).collect()
    }

    fn victims(&self, victims: &[Victim]) -> BTreeSet<String> {
        victims.iter().map(|victim| self.pod(victim.pod)).collect()
    }

    fn effects(&self, effects: &Effects) -> Vec<String> {
        let each = |word: &str, pods: &[PodId]| {
            pods.iter().map(|pod| format!("{word} {}", self.pod(*pod))).collect::<Vec<_>>()
        };
        let mut said = each("releases", &effects.releases);
        said.extend(each("admits", &effects.admits));
        said.extend(each("withdraws", &effects.withdrawn));
        said.extend(effects.reorder.then(|| "orders anew".to_owned()));
        said
    }

    /// Returns the pods from the first place on where the two orders differ.
    fn order(&self, asked: &[PodId], keys: &SortKeys, other: &ComparableReply) -> Vec<String> {
        let sorted = sorted_pods(asked, keys).unwrap_or_default();
        let beside = match other {
            ComparableReply::Order { keys, .. } => sorted_pods(asked, keys).unwrap_or_default(),
            _ => Vec::new(),
        };
        let alike = sorted.iter().zip(&beside).take_while(|(one, other)| one == other).count();
        sorted.iter().skip(alike).take(MAX_NAMES).map(|pod| self.pod(*pod)).collect()
    }
}
