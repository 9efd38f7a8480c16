//! Components that plan what a rail refuses: nothing of the plan is carried out, and the next plan is.

use lictor_host::rails::{NEVER_EVICT, Rails, SYSTEM_PRIORITY};
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{Session, SessionInput};
use lictor_host::verify::testing::{node, object, on, pod, with};
use serde_json::{Value, json};

use super::image::{Image, LIE, Planned, TRUTH};
use super::{Ends, L, P, V, W, attempt, ended, post_filter};

/// Returns a policy that evicts these pods for `l`, and `w` for `p`. `declares`: it may evict pods of a higher priority.
fn planner(victims: &'static [u32], declares: bool) -> Vec<u8> {
    let mut image = Image::deciding_at(&["post-filter"]);
    if declares {
        image.declare_higher_priority();
    }
    let plan = |preemptor, nominations, victims| Planned { preemptor, nominations, victims, code: "", facts: 0 };
    image.plan(LIE, plan(L, &[(L, 0)], victims));
    image.plan(TRUTH, plan(P, &[(P, 1)], &[W]));
    image.component(&post_filter(1))
}

/// Returns a session of a policy with these rails: `v` runs on node 0, changed, and `w` on node 1; `l` and `p`, of priority 9, wait.
fn session(component: &[u8], rails: &[&str], change: impl Fn(Value) -> Value) -> Session {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let policy = sandbox.load(component).unwrap().start().unwrap();
    let mut session = Session::open(Box::new(policy), "", "").unwrap();
    session.set_rails(Rails::try_from(rails.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap());
    let v = change(on("n1", pod("v", 4, 0)));
    let cluster =
        [node("n1", 4), node("n2", 4), v, pod("l", 4, 9), pod("p", 4, 9), on("n2", pod("w", 4, 0))].map(object);
    session.handle(SessionInput::Objects(cluster.into())).unwrap();
    session
}

/// Carries out the truth, which no rail refuses.
fn carries_out_the_truth(name: &str, session: &mut Session) {
    let step = attempt(session, "p").unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(step.happened.victims.keys().collect::<Vec<_>>(), ["default/w"], "{name}");
}

#[test]
fn a_plan_that_a_rail_refuses_is_not_carried_out_and_the_next_one_is() {
    let labelled = |pod| with(pod, "/metadata", "labels", json!({NEVER_EVICT: "true"}));
    let prioritised = |priority: i32| move |pod| with(pod, "/spec", "priority", json!(priority));
    let elsewhere = |pod| with(pod, "/metadata", "namespace", json!("kube-system"));
    type Row<'a> = (&'static str, &'a [&'a str], &'a dyn Fn(Value) -> Value, &'static [u32], bool);
    let rows: [Row<'_>; 6] = [
        ("host/rail-system-priority", &[], &prioritised(SYSTEM_PRIORITY), &[V], true),
        ("host/rail-namespace", &[], &elsewhere, &[V], true),
        ("host/rail-never-evict", &[], &labelled, &[V], true),
        ("host/rail-higher-priority", &[], &prioritised(10), &[V], false),
        ("host/rail-higher-priority", &["higher-priority=refused"], &prioritised(10), &[V], true),
        ("host/rail-victims-per-plan", &["victims-per-plan=1"], &|pod| pod, &[V, W], false),
    ];
    for (code, rails, change, victims, declares) in rows {
        let mut session = session(&planner(victims, declares), rails, change);
        let answer = attempt(&mut session, "l");
        ended(code, &session, answer, &Ends::Refused(code, ""));
        carries_out_the_truth(code, &mut session);
    }
}

#[test]
fn a_plan_that_a_budget_refuses_in_part_evicts_nobody() {
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                        "metadata": {"name": "b", "namespace": "default"},
                        "spec": {"selector": {}}, "status": {"disruptionsAllowed": 1}});
    for (rail, evicted) in [("budgets=on", 0), ("budgets=off", 2)] {
        let mut session = session(&planner(&[V, W], false), &[rail], |pod| pod);
        session.handle(SessionInput::Objects(vec![object(budget.clone())])).unwrap();
        let answer = attempt(&mut session, "l");
        if evicted == 0 {
            ended(rail, &session, answer, &Ends::Refused("host/rail-budgets", ""));
            carries_out_the_truth(rail, &mut session);
        } else {
            assert_eq!(answer.unwrap().happened.victims.len(), evicted, "{rail}");
        }
    }
}

#[test]
fn a_policy_that_evicts_too_fast_is_stopped_until_time_has_passed() {
    for (code, rails) in [
        ("host/rail-victims-per-window", "victims-per-window=1/10m"),
        ("host/rail-victims-per-namespace", "victims-per-namespace=1/10m"),
    ] {
        let mut session = session(&planner(&[V], false), &[rails], |pod| pod);
        carries_out_the_truth(code, &mut session);
        let step = attempt(&mut session, "l").unwrap();
        assert_eq!(step.happened.refused.first().unwrap().reason.code, code);
        assert!(step.commands.is_empty() && step.happened.victims.is_empty());
        let retry = step.happened.attempts.first().and_then(|attempt| attempt.retry.retry_at);
        assert_eq!(retry, Some(600_000_000_000), "the attempt is due when the first eviction is old");
        session.handle(SessionInput::Clock(600_000_000_000)).unwrap();
        let step = attempt(&mut session, "l").unwrap();
        assert_eq!(step.happened.victims.keys().collect::<Vec<_>>(), ["default/v"], "{code}");
    }
}

#[test]
fn a_rail_that_is_loosened_refuses_nothing() {
    let elsewhere = |pod| with(pod, "/metadata", "namespace", json!("kube-system"));
    let mut loose = session(&planner(&[V], false), &["namespaces=none"], elsewhere);
    assert_eq!(attempt(&mut loose, "l").unwrap().happened.victims.keys().collect::<Vec<_>>(), ["kube-system/v"]);
    let higher = |pod| with(pod, "/spec", "priority", json!(10));
    let mut declared = session(&planner(&[V], true), &[], higher);
    assert_eq!(attempt(&mut declared, "l").unwrap().happened.victims.keys().collect::<Vec<_>>(), ["default/v"]);
}
