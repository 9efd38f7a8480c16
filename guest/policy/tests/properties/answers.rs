//! Everything that can be asked, with the answers in names.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::*;
use crate::testing::{PolicyHarness, RESOURCES};

/// The answers of the policy, by question.
pub type Answers = BTreeMap<String, String>;

/// Asks everything, of every pod in the order of their names.
pub fn all(world: &mut PolicyHarness, pods: &[String], nodes: &[String]) -> Answers {
    let mut answers = Answers::new();
    let mut ids: Vec<PodId> = pods.iter().map(|pod| world.id(pod)).collect();
    // Ties must not be broken by the order of the question.
    ids.sort_unstable();
    let order: Vec<String> = world.queue(&ids).into_iter().map(|pod| world.pod_name(pod)).collect();
    answers.insert("queue order".to_owned(), order.join(" "));
    for pod in pods {
        let admission = match world.pre_filter(pod) {
            Admission::Pass => Admission::Pass,
            Admission::Refused(reason) => Admission::Refused(in_names(world, reason)),
            Admission::Final(reason) => Admission::Final(in_names(world, reason)),
        };
        answers.insert(format!("pre-filter {pod}"), format!("{admission:?}"));
        let verdicts = world.engine.filter(world.id(pod)).unwrap();
        for node in nodes {
            answers.insert(format!("filter {pod} {node}"), verdict(world, &verdicts, node));
        }
        answers.insert(format!("post-filter {pod}"), post_filter(world, pod));
    }
    // Asked last: shares are made when a pod is tried.
    answers.insert("queues".to_owned(), queues(world));
    ids.sort_by_key(|pod| world.pod_name(*pod));
    let members = ids.iter().zip(world.engine.memberships(&ids).unwrap());
    let member =
        |(pod, Membership { queue, job }): (&PodId, _)| format!("{} in {queue:?} of {job:?}", world.pod_name(*pod));
    let members: Vec<String> = members.map(member).collect();
    answers.insert("memberships".to_owned(), members.join("\n"));
    answers
}

/// Returns the questions that two policies answer differently, each with both answers.
pub fn differences(a: &Answers, b: &Answers) -> Vec<String> {
    let questions: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ = questions.into_iter().filter(|question| a.get(*question) != b.get(*question));
    differ.map(|question| format!("{question}\n  {:?}\n  {:?}", a.get(question), b.get(question))).collect()
}

fn verdict(world: &PolicyHarness, verdicts: &NodeVerdicts, node: &str) -> String {
    let at = usize::try_from(world.numbers.nodes[node]).unwrap();
    match verdicts.codes.get(at).copied().map(usize::from) {
        Some(0) => "fits".to_owned(),
        Some(code) => format!("{:?}", verdicts.obstacles[code - 1]),
        None => "no node".to_owned(),
    }
}

fn post_filter(world: &mut PolicyHarness, pod: &str) -> String {
    let id = world.id(pod);
    let PostFiltered { plan, reason, retry, effects } = match world.engine.post_filter(&[id], &Refuted::default()) {
        Ok(answer) => answer,
        Err(error) => return format!("{error:?}"),
    };
    let plan = plan.map(|plan| {
        let named = world.named(&plan);
        (named.nominations, named.victims, plan.marks, world.pod_name(plan.preemptor))
    });
    let names = |pods: Vec<PodId>| {
        let mut names: Vec<String> = pods.into_iter().map(|pod| world.pod_name(pod)).collect();
        names.sort();
        names
    };
    let Effects { releases, admits, withdrawn, reorder } = effects;
    let reason = in_names(world, reason);
    format!("{plan:?} {reason:?} {retry:?} {:?} {:?} {:?} {reorder}", names(releases), names(admits), names(withdrawn))
}

/// Returns a reason with names instead of the numbers of pods and nodes.
fn in_names(world: &PolicyHarness, mut reason: Reason) -> Reason {
    for fact in &mut reason.facts {
        match fact.value {
            FactValue::Pod(pod) => fact.value = FactValue::Text(world.pod_name(pod)),
            FactValue::Node(node) => fact.value = FactValue::Text(world.node_name(node)),
            _ => {}
        }
    }
    reason
}

fn queues(world: &PolicyHarness) -> String {
    let amounts = |amounts: &[Amount]| {
        let named = amounts.iter().map(|amount| (RESOURCES[usize::try_from(amount.resource).unwrap()], amount.value));
        format!("{:?}", named.collect::<BTreeMap<_, _>>())
    };
    let account = |queue: QueueAccount| {
        let bounds: Vec<_> = queue.bounds.iter().map(|bound| (&bound.name, amounts(&bound.amounts))).collect();
        let books = [&queue.used, &queue.promised, &queue.pending].map(|books| amounts(books));
        format!("{} below {:?}: {bounds:?} {books:?}", queue.name, queue.parent)
    };
    world.engine.queues().unwrap().into_iter().map(account).collect::<Vec<_>>().join("\n")
}
