//! Answers in names, as far as two of them decide otherwise.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::answer::{Answer, best, order};
use super::report::Decided;
use crate::cluster::Mirror;

/// The maximum names in a list.
const NAMES: usize = 10;

/// Returns whether two answers to Filter agree on all nodes that exist.
pub(crate) fn only_holes(one: &Answer, other: &Answer, mirror: &Mirror) -> bool {
    let (Answer::Filter(one), Answer::Filter(other)) = (one, other) else { return false };
    one.codes.len() == other.codes.len() && mirror.nodes().all(|node| fits(one, node.id) == fits(other, node.id))
}

/// Returns the decision of an answer in names. `other` is the answer of the other policy to the same question: nodes are named where only this answer
/// has them.
pub(crate) fn decided(answer: &Answer, other: &Answer, mirror: &Mirror) -> Decided {
    let names = Names(mirror);
    match answer {
        Answer::Order { asked, keys } => Decided { names: names.order(asked, keys, other), ..says("order") },
        Answer::PreFilter(answer) => {
            let decided = match &answer.admission {
                Admission::Pass => says("passes"),
                Admission::Refused(why) => by("refused", why),
                Admission::Final(why) => by("finally refused", why),
            };
            Decided { effects: names.effects(&answer.effects), ..decided }
        }
        Answer::Filter(answer) => {
            let Answer::Filter(beside) = other else { return says("fits") };
            let count = mirror.nodes().filter(|node| fits(answer, node.id)).count();
            let only = mirror.nodes().filter(|node| fits(answer, node.id) && !fits(beside, node.id));
            let verdict = format!("{count} nodes fit");
            Decided { verdict, names: only.map(|node| node.name.clone()).take(NAMES).collect(), ..Decided::default() }
        }
        Answer::PostFilter(answer, _) => {
            let effects = names.effects(&answer.effects);
            match &answer.plan {
                None => Decided { effects, ..by("no plan", &answer.reason) },
                Some(plan) => Decided {
                    placements: names.placements(&plan.nominations),
                    victims: names.victims(&plan.victims),
                    effects,
                    ..by("plan", &answer.reason)
                },
            }
        }
        Answer::Score(nodes, scores) => {
            let best = best(nodes, scores);
            Decided { names: best.into_iter().map(|node| names.node(node)).take(NAMES).collect(), ..says("best") }
        }
        Answer::Reserve(effects) | Answer::Unreserve(effects) => {
            Decided { effects: names.effects(effects), ..says("effects") }
        }
        Answer::Permit(answer) => {
            let decided = match &answer.permission {
                Permission::Allow => by("allowed", &answer.reason),
                Permission::Wait(nanoseconds) => by(&format!("waits {nanoseconds} ns"), &answer.reason),
                Permission::Reject(why) => by("rejected", why),
            };
            Decided { effects: names.effects(&answer.effects), ..decided }
        }
        Answer::Act(actions) => {
            let (bindings, plans) = (actions.bindings.len(), actions.plans.slices.len());
            let placed = actions.bindings.iter().chain(&actions.plans.nominations);
            let verdict = format!("{}: {bindings} bound, {plans} plans", actions.name);
            let law = actions.plans.reasons.first().map(|reason| reason.code.clone()).unwrap_or_default();
            let (placements, victims) = (names.placements(placed), names.victims(&actions.plans.victims));
            Decided { verdict, law, placements, victims, ..Decided::default() }
        }
        Answer::Enforce(answer) => {
            let given = answer.enforcements.iter();
            let law = given.clone().next().map(|it| it.reason.code.clone()).unwrap_or_default();
            let victims = given.flat_map(|it| names.victims(&it.victims)).collect();
            Decided { law, victims, ..says("gives back") }
        }
        Answer::Marks(marks) => {
            let written = marks.iter().map(|mark| format!("writes {}={}", mark.key, mark.value));
            Decided { effects: written.collect(), ..says("marks") }
        }
    }
}

fn says(verdict: &str) -> Decided {
    Decided { verdict: verdict.to_owned(), ..Decided::default() }
}

fn by(verdict: &str, reason: &Reason) -> Decided {
    Decided { law: reason.code.clone(), ..says(verdict) }
}

fn fits(answer: &NodeVerdicts, node: NodeId) -> bool {
    usize::try_from(node).ok().and_then(|index| answer.codes.get(index)) == Some(&0)
}

/// The names of the cluster.
struct Names<'a>(&'a Mirror);

impl Names<'_> {
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
    fn order(&self, asked: &[PodId], keys: &SortKeys, other: &Answer) -> Vec<String> {
        let sorted = order(asked, keys).unwrap_or_default();
        let beside = match other {
            Answer::Order { keys, .. } => order(asked, keys).unwrap_or_default(),
            _ => Vec::new(),
        };
        let alike = sorted.iter().zip(&beside).take_while(|(one, other)| one == other).count();
        sorted.iter().skip(alike).take(NAMES).map(|pod| self.pod(*pod)).collect()
    }
}
