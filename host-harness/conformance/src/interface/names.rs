//! Answers in names: what two instances said about one cluster, made comparable where numbers, plans and epochs are each one's own.

use lictor_contract::*;

use super::exchange::{Call, CallReply, Exchange, ReceivedObjects};

/// Returns a line for the call and its answer: with names in place of numbers, and without plan numbers, epochs, keys and retry hints.
pub(super) fn line(exchange: &Exchange) -> String {
    let known = &*exchange.received;
    format!("{} = {}", question(&exchange.call, known), answer(exchange))
}

fn question(call: &Call, known: &ReceivedObjects) -> String {
    let pods = |ids: &[PodId]| ids.iter().map(|pod| known.pod(*pod)).collect::<Vec<_>>().join(" ");
    let of = match call {
        // The host may choose the order of the pods in the call.
        Call::QueueKeys(_) | Call::Act | Call::Enforce | Call::Queues => String::new(),
        Call::Memberships(_) | Call::Standings(_) => String::new(),
        Call::PreFilter(pod) | Call::Filter(pod) | Call::Permit(pod) | Call::Notes(pod) => known.pod(*pod),
        Call::Score(pod, _) => known.pod(*pod),
        Call::PostFilter(ids, _) => pods(ids),
        Call::Reserve(pod, node) | Call::Marks(pod, node) => format!("{} on {}", known.pod(*pod), known.node(*node)),
        Call::Unreserve(pod, cause) => format!("{} {cause:?}", known.pod(*pod)),
    };
    format!("{}({of})", call.export())
}

fn answer(exchange: &Exchange) -> String {
    let known = &*exchange.received;
    match (&exchange.reply, &exchange.call) {
        (CallReply::Keys(keys), Call::QueueKeys(pods)) => {
            let named = |(key, pod): (&Vec<u8>, &PodId)| (key.clone(), known.pod(*pod));
            let mut queue: Vec<(Vec<u8>, String)> = keys.keys.iter().zip(pods).map(named).collect();
            queue.sort();
            queue.into_iter().map(|(_, pod)| pod).collect::<Vec<_>>().join(" < ")
        }
        (CallReply::Scores(scores), Call::Score(_, nodes)) => {
            sorted(scores.iter().zip(nodes).map(|(score, node)| format!("{} {score}", known.node(*node))))
        }
        (CallReply::Memberships(answer), Call::Memberships(pods)) => {
            let member =
                |(it, pod): (&Membership, &PodId)| format!("{} in {:?} of {:?}", known.pod(*pod), it.queue, it.job);
            sorted(answer.iter().zip(pods).map(member))
        }
        (CallReply::PreFiltered(answer), _) => {
            let admission = match &answer.admission {
                Admission::Pass => "pass".to_owned(),
                Admission::Refused(why) => format!("refused: {}", reason(why, known)),
                Admission::Final(why) => format!("final: {}", reason(why, known)),
            };
            format!("{admission}{}", effects(&answer.effects, known))
        }
        (CallReply::Verdicts(answer), _) => verdicts(answer, known),
        (CallReply::PostFiltered(answer), _) => {
            let plan = answer.plan.as_ref().map_or_else(|| "no plan".to_owned(), |plan| self::plan(plan, known));
            format!("{plan}; {}{}", reason(&answer.reason, known), effects(&answer.effects, known))
        }
        (CallReply::Effects(answer), _) => effects(answer, known),
        (CallReply::Permitted(answer), _) => {
            let permission = match &answer.permission {
                Permission::Allow => "allow".to_owned(),
                Permission::Wait(time) => format!("wait {time}"),
                Permission::Reject(why) => format!("reject: {}", reason(why, known)),
            };
            format!("{permission}; {}{}", reason(&answer.reason, known), effects(&answer.effects, known))
        }
        (CallReply::Actions(actions), _) => self::actions(actions, known),
        (CallReply::Enforced(enforced), _) => {
            let each = enforced
                .enforcements
                .iter()
                .map(|it| format!("{} gives back {}", it.queue, victims(&it.victims, known)));
            each.collect::<Vec<_>>().join("; ")
        }
        (CallReply::Queues(queues), _) => {
            queues.iter().map(|queue| account(queue, known)).collect::<Vec<_>>().join("; ")
        }
        (CallReply::Marks(marks), _) => format!("{marks:?}"),
        (CallReply::Notes(notes), _) => format!("{} notes", notes.len()),
        (other, _) => format!("{other:?}"),
    }
}

fn sorted(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.collect();
    parts.sort();
    parts.join(", ")
}

fn amounts(amounts: &[Amount], known: &ReceivedObjects) -> String {
    sorted(amounts.iter().filter(|it| it.value != 0).map(|it| format!("{} {}", known.resource(it.resource), it.value)))
}

fn reason(why: &Reason, known: &ReceivedObjects) -> String {
    let value = |value: &FactValue| match value {
        FactValue::Amounts(several) => amounts(several, known),
        FactValue::Pod(pod) => known.pod(*pod),
        FactValue::Node(node) => known.node(*node),
        other => format!("{other:?}"),
    };
    let facts = why.facts.iter().map(|fact| format!("{} {}", fact.name, value(&fact.value)));
    format!("{} {} [{}]", why.code, why.case, facts.collect::<Vec<_>>().join("; "))
}

fn effects(effects: &Effects, known: &ReceivedObjects) -> String {
    let lists = [("releases", &effects.releases), ("admits", &effects.admits), ("withdrawn", &effects.withdrawn)];
    let named = lists.iter().filter(|(_, pods)| !pods.is_empty());
    let named = named.map(|(what, pods)| format!("; {what} {}", sorted(pods.iter().map(|pod| known.pod(*pod)))));
    named.collect()
}

fn verdicts(answer: &NodeVerdicts, known: &ReceivedObjects) -> String {
    let verdict = |(node, name): (&NodeId, &String)| {
        let code = usize::try_from(*node).ok().and_then(|index| answer.codes.get(index)).copied();
        let obstacle = code.and_then(|code| usize::from(code).checked_sub(1)).and_then(|at| answer.obstacles.get(at));
        match (code, obstacle) {
            (Some(0), _) => format!("{name} fits"),
            (_, Some(it)) => format!("{name}: {} {}", reason(&it.reason, known), it.resolvable),
            (code, None) => format!("{name}: code {code:?}"),
        }
    };
    sorted(known.nodes.iter().map(verdict))
}

fn placements(all: &[Placement], known: &ReceivedObjects) -> String {
    sorted(all.iter().map(|at| format!("{} on {}", known.pod(at.pod), known.node(at.node))))
}

fn victims(all: &[Victim], known: &ReceivedObjects) -> String {
    sorted(all.iter().map(|victim| format!("{} {:?}", known.pod(victim.pod), victim.eviction)))
}

fn plan(plan: &Plan, known: &ReceivedObjects) -> String {
    let (nominations, victims) = (placements(&plan.nominations, known), victims(&plan.victims, known));
    let preemptor = known.pod(plan.preemptor);
    format!("plan for {preemptor}: {nominations}; evicts {victims}; {:?}; {}", plan.marks, reason(&plan.reason, known))
}

fn actions(actions: &Actions, known: &ReceivedObjects) -> String {
    let plans = &actions.plans;
    let bindings = placements(&actions.bindings, known);
    let (nominations, victims) = (placements(&plans.nominations, known), victims(&plans.victims, known));
    format!("{}: binds {bindings}; plans {nominations}; evicts {victims}; more {}", actions.name, actions.more)
}

fn account(queue: &QueueAccount, known: &ReceivedObjects) -> String {
    let QueueAccount { kind, name, parent, bounds, used, promised, pending } = queue;
    let bounds = sorted(bounds.iter().map(|bound| format!("{} {}", bound.name, amounts(&bound.amounts, known))));
    let [used, promised, pending] = [used, promised, pending].map(|several| amounts(several, known));
    format!("{kind} {name} of {parent:?}: {bounds}; used {used}; promised {promised}; pending {pending}")
}
