//! `enforce`: what queues give back.

use std::collections::BTreeSet;

use super::super::check::{Check, ensure};
use super::super::exchange::{CallReply, Exchange};
use super::plans;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "enforce/victims-once",
        demands: "No pod is evicted by two enforcements of one answer, or twice by one",
        rule: "wit/enforce.wit, enforced.enforcements",
        remedy: "leave out pods that an enforcement before evicts already",
        verdict: |lab| lab.each(victims_once),
    },
    Check {
        id: "enforce/victims-are-sound",
        demands: "The host refuses no enforcement: its victims run, are not leaving, and are the policy's to evict",
        rule: "wit/enforce.wit, enforcement.victims",
        remedy: "leave out pods without a node, pods that are leaving, and pods of other schedulers",
        verdict: |lab| plans::sound(lab, "enforce.enforce"),
    },
    Check {
        id: "enforce/numbers-once",
        demands: "No instance gives two enforcements or plans the same number",
        rule: "wit/enforce.wit, enforcement.id",
        remedy: "count plans and enforcements together, upwards",
        verdict: |lab| plans::numbers_once(lab, "enforce.enforce"),
    },
];

fn victims_once(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Enforced(enforced) = &exchange.reply else { return None };
    let mut seen = BTreeSet::new();
    let twice = enforced.enforcements.iter().flat_map(|it| &it.victims).find(|victim| !seen.insert(victim.pod));
    let given = !enforced.enforcements.is_empty();
    let verdict =
        twice.map_or(Ok(()), |victim| Err(format!("`{}` is evicted twice", exchange.received.pod(victim.pod))));
    given.then_some(verdict.and_then(|()| {
        ensure(enforced.enforcements.iter().all(|it| !it.queue.is_empty()), || {
            "an enforcement names no queue".to_owned()
        })
    }))
}
