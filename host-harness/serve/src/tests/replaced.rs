//! A policy that is replaced in the middle of a conversation.

use lictor_host::replace::ReplacementTerms;
use lictor_host::session::CandidatePolicy;

use super::*;
use crate::CandidateFactory;

/// Offers a policy that is compared for a second and at least once, and watched for a second.
fn offer(policy: &Scripted, allowed: u64) -> Arc<CandidateFactory> {
    let policy = policy.clone();
    let make = move || CandidatePolicy::new(Box::new(policy.clone()), "", "").map_err(|error| error.to_string());
    let terms = ReplacementTerms::in_seconds(1, 1, allowed, 1, 9);
    Arc::new(CandidateFactory { name: "new".to_owned(), make: Box::new(make), terms, settled: Box::new(|| {}) })
}

/// Returns in which seconds the scheduler learns that another policy decides. Each second it asks about a pod that the new policy alone takes.
fn told_anew(allowed: u64) -> Vec<i64> {
    let new = Scripted::deciding(ALL);
    let old = new.clone().reply("pre-filter default/a", ScriptedReply::Refused("no"));
    let mut talk = Talk::begin(&old, [node("n1", 4), pod("a", 1, 0)]);
    talk.0.replace(offer(&new, allowed));
    let mut told = Vec::new();
    for second in 1..=6 {
        let question = ProtocolFrame {
            kind: kind::PRE_FILTER_AND_FILTER,
            number: 1,
            payload: serde_json::to_vec(&of("a")).unwrap(),
        };
        let came = talk.0.take(NOW + second * 1_000_000_000, vec![question]).unwrap();
        let commands = came.iter().filter(|frame| frame.kind == kind::COMMANDS);
        let is_anew = |frame: &ProtocolFrame| serde_json::from_slice::<Commands>(&frame.payload).unwrap().anew;
        told.extend(commands.filter(|frame| is_anew(frame)).map(|_| second));
    }
    told
}

#[test]
fn the_scheduler_hears_that_another_policy_decides() {
    assert_eq!(told_anew(u64::MAX).len(), 1);
}

#[test]
fn a_policy_that_never_decides_is_no_news() {
    assert_eq!(told_anew(0), [0; 0]);
}
