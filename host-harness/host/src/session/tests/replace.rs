//! The policy is replaced: the states, and what each of them does.

use lictor_contract::ExtensionPoint;

use super::*;
use crate::driver::random::{CallsUntilFault, Faulty};
use crate::policy::Policy;
use crate::replace::{Period, ReplacementState, ReplacementTerms, StateTransfer, Transition, TransitionReason};

/// One cycle in shadow, two of watch.
const SHORT: ReplacementTerms = ReplacementTerms {
    shadow: Period::Cycles(1),
    watch: Period::Cycles(2),
    allowed: 0,
    answers: 0,
    at_most: Period::Cycles(0),
};

fn begin(session: &mut Session, policy: impl Policy + 'static, terms: ReplacementTerms) {
    session.replace(candidate(policy), terms).unwrap();
}

/// Begins a replacement, and serves one input by which the new policy is loaded.
fn load(session: &mut Session, policy: impl Policy + 'static, terms: ReplacementTerms) -> Transition {
    begin(session, policy, terms);
    let [transition] = tick(session).try_into().unwrap();
    transition
}

/// Serves an input that decides nothing. Returns the transitions of its step.
fn tick(session: &mut Session) -> Vec<Transition> {
    let now = session.mirror().now();
    session.handle(SessionInput::Clock(now)).unwrap().replacement
}

fn cycle(session: &mut Session) -> StepOutput {
    session.handle(SessionInput::Cycle).unwrap()
}

fn state(session: &Session) -> ReplacementState {
    session.replacement().unwrap().state
}

/// Returns the reason of the last transition.
fn reason(session: &Session) -> TransitionReason {
    session.replacement().unwrap().history.last().unwrap().reason.clone()
}

fn asked(policy: &Scripted, what: &str) -> usize {
    policy.log().iter().filter(|asked| asked.starts_with(what)).count()
}

/// Returns a node with free capacity, and two pods.
fn room() -> [Value; 3] {
    [node("n1", 8), pod("a", 1, 0), pod("b", 1, 0)]
}

#[test]
fn it_goes_through_its_states_and_the_new_policy_decides_from_the_switch_on() {
    let (old, new) = (Scripted::deciding(ALL).remembering(1), Scripted::deciding(ALL).remembering(1));
    let mut session = open(&old, room());
    let loaded = load(&mut session, new.clone(), SHORT);
    assert_eq!((loaded.from, loaded.to), (ReplacementState::Loading, ReplacementState::Shadow));
    assert_eq!(loaded.reason, TransitionReason::Loaded { memory: StateTransfer::Restored });
    let step = cycle(&mut session);
    assert_eq!(short(&step), ["1 bind a n1", "2 bind b n1"]);
    assert_eq!(state(&session), ReplacementState::Switching);
    assert_eq!((asked(&old, "filter"), asked(&new, "filter")), (2, 2));
    tell(&mut session, pod("c", 1, 0));
    assert_eq!(state(&session), ReplacementState::Watching);
    assert_eq!(short(&cycle(&mut session)), ["3 bind c n1"]);
    assert_eq!((asked(&old, "filter"), asked(&new, "filter")), (3, 3));
    cycle(&mut session);
    assert_eq!(state(&session), ReplacementState::Done);
    tell(&mut session, pod("d", 1, 0));
    assert_eq!(short(&cycle(&mut session)), ["4 bind d n1"]);
    assert_eq!((asked(&old, "filter"), asked(&new, "filter")), (3, 4));
    let report = session.replacement().unwrap().report;
    assert_eq!((report.totals().different, report.calls["filter"].compared), (0, 3));
    // The policy can be replaced again.
    begin(&mut session, Scripted::deciding(ALL), SHORT);
}

#[test]
fn a_cluster_is_told_in_parts_and_what_changes_meanwhile_in_its_place() {
    let (old, new) = (Scripted::deciding(ALL), Scripted::deciding(ALL));
    let pods = (0..10_000).map(|number| on("n1", pod(&format!("p{number}"), 0, 0)));
    let mut session = open(&old, pods.chain([node("n1", 8)]));
    begin(&mut session, new.clone(), SHORT);
    tick(&mut session);
    assert_eq!(state(&session), ReplacementState::Loading);
    tell(&mut session, pod("late", 1, 0));
    // The new policy has received one pod, and still needs the other.
    for pod in ["p0", "p9999"] {
        session.handle(SessionInput::Removed(format!("Pod/default/{pod}"))).unwrap();
    }
    tell(&mut session, on("n1", pod("p9998", 0, 5)));
    tell(&mut session, on("n1", pod("p1", 0, 5)));
    while state(&session) == ReplacementState::Loading {
        tick(&mut session);
    }
    assert!(new.most_events_at_once() <= 200, "{}", new.most_events_at_once());
    for pod in ["default/late", "default/p1", "default/p9998"] {
        assert_eq!(new.received(pod), old.received(pod));
    }
    let removed: Vec<String> = new.log().into_iter().filter(|asked| asked.starts_with("removed")).collect();
    assert_eq!(removed, ["removed default/p0"]);
    assert_eq!(new.received_count(), 10_000, "all but p9999");
}

#[test]
fn what_decides_otherwise_is_reported_and_beyond_the_bound_the_old_policy_stays() {
    let refusing = || Scripted::deciding(ALL).reply("pre-filter default/a", ScriptedReply::Final("too soon"));
    let mut session = open(&Scripted::deciding(ALL), room());
    load(&mut session, refusing(), ReplacementTerms { allowed: 1, ..SHORT });
    assert_eq!(short(&cycle(&mut session)), ["1 bind a n1", "2 bind b n1"]);
    assert_eq!(state(&session), ReplacementState::Switching);
    let [difference] = session.replacement().unwrap().report.differences.as_slice() else { panic!() };
    assert_eq!((difference.call, difference.pod.as_deref()), ("pre-filter", Some("default/a")));
    assert_eq!((difference.old.verdict.as_str(), difference.new.verdict.as_str()), ("passes", "finally refused"));
    assert_eq!(session.replacement().unwrap().report.laws.get("passes -> test/law"), Some(&1));

    let mut session = open(&Scripted::deciding(ALL), room());
    load(&mut session, refusing(), SHORT);
    let step = cycle(&mut session);
    assert_eq!(short(&step), ["1 bind a n1", "2 bind b n1"]);
    let [transition] = step.replacement.as_slice() else { panic!("{:?}", step.replacement) };
    let TransitionReason::Different { totals, allowed: 0 } = &transition.reason else { panic!("{transition:?}") };
    assert_eq!((transition.to, totals.different), (ReplacementState::RolledBack, 1));
}

#[test]
fn a_shadow_that_traps_costs_the_old_policy_nothing() {
    let fuse = CallsUntilFault::default();
    let mut session = open(&Scripted::deciding(ALL), room());
    load(&mut session, Faulty::new(Scripted::deciding(ALL), fuse.clone()), SHORT);
    fuse.set(3);
    assert_eq!(short(&cycle(&mut session)), ["1 bind a n1", "2 bind b n1"]);
    assert_eq!(state(&session), ReplacementState::RolledBack);
    assert!(matches!(reason(&session), TransitionReason::Fault { call, .. } if call == "reserve"));
}

#[test]
fn a_shadow_that_lies_is_found_out_by_the_checks_of_the_session() {
    let ghost = ScriptedEffects { admits: &["default/x"], ..ScriptedEffects::default() };
    let plan = |id| {
        ScriptedReply::Plan(
            ScriptedPlan { id, nominations: &[("default/a", "n1")], ..ScriptedPlan::default() },
            ScriptedEffects::default(),
        )
    };
    let nowhere = || {
        Scripted::deciding(ALL)
            .reply("filter default/a", ScriptedReply::Fits(&[]))
            .reply("filter default/b", ScriptedReply::Fits(&[]))
    };
    let lies = [
        ("filter", Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Codes(vec![0, 0], 1)), "2 codes"),
        ("filter", Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Codes(vec![9], 1)), "the code 9"),
        (
            "permit",
            Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Allow(ghost)),
            "no pod has the number",
        ),
        (
            "permit",
            Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(-1, ScriptedEffects::default())),
            "a wait of -1 ns",
        ),
        (
            "queue-keys",
            Scripted::deciding(ALL).reply("queue-keys", ScriptedReply::Keys(vec![vec![0]])),
            "1 keys came back",
        ),
        (
            "post-filter",
            nowhere().reply("post-filter default/a", plan(1)).reply("post-filter default/b", plan(1)),
            "number 1",
        ),
    ];
    for (call, new, message) in lies {
        // The last lie needs two questions.
        let old = if call == "post-filter" { nowhere() } else { Scripted::deciding(ALL) };
        let mut session = open(&old, room());
        load(&mut session, new, ReplacementTerms { allowed: u64::MAX, ..SHORT });
        cycle(&mut session);
        let TransitionReason::Lie { call: found, message: said } = reason(&session) else {
            panic!("{:?}", reason(&session))
        };
        assert!(found == call && said.contains(message), "{found}: {said}");
    }
}

#[test]
fn a_plan_that_only_the_new_policy_makes_is_refused_and_named() {
    let (old, new) =
        (evicting(), evicting().reply("post-filter default/q", ScriptedReply::NoPlan("", ScriptedEffects::default())));
    let none = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[]));
    let mut session = open(&none, full());
    load(&mut session, new.clone(), ReplacementTerms { allowed: 9, ..SHORT });
    assert!(cycle(&mut session).commands.is_empty());
    assert_eq!(new.log().last().unwrap(), "refused 1");
    let report = session.replacement().unwrap().report;
    let [difference] = report.differences.as_slice() else { panic!("{report:?}") };
    assert_eq!((difference.old.verdict.as_str(), difference.new.verdict.as_str()), ("no plan", "plan"));
    assert_eq!(difference.new.victims.iter().collect::<Vec<_>>(), ["default/v"]);
    assert_eq!(difference.new.placements["default/p"], "n1");
    drop(old);
}

#[test]
fn an_error_names_why_a_replacement_cannot_begin_and_the_session_goes_on() {
    let mut session = open(&Scripted::deciding(ALL), room());
    let refused = CandidatePolicy::new(Box::new(Scripted::deciding(ALL)), "other", "").err().unwrap();
    assert_eq!(refused.to_string(), "no such system; the policy knows `test`");
    let zones = CandidatePolicy::new(Box::new(super::zones::Zones::default()), "", "").unwrap();
    let other = session.replace(zones, SHORT).unwrap_err();
    assert_eq!(
        other.to_string(),
        "the new policy reads other labels than the old one: start a session with it instead"
    );
    begin(&mut session, Scripted::deciding(ALL), SHORT);
    let twice = session.replace(candidate(Scripted::deciding(ALL)), SHORT).unwrap_err();
    assert!(matches!(twice, ReplaceError::InProgress));
    session.abort_replacement("a typing error");
    assert_eq!(reason(&session), TransitionReason::GivenUp { why: "a typing error".to_owned() });
    assert_eq!(short(&cycle(&mut session)), ["1 bind a n1", "2 bind b n1"]);
}

#[test]
fn points_at_which_only_one_of_them_decides_are_said_and_not_compared() {
    let old = Scripted::deciding(&[ExtensionPoint::Filter]);
    let new = Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
    let mut session = open(&old, room());
    load(&mut session, new.clone(), SHORT);
    assert_eq!(session.replacement().unwrap().report.not_compared.len(), 5);
    assert_eq!(short(&cycle(&mut session)), ["1 bind a n1", "2 bind b n1"]);
    tell(&mut session, pod("c", 1, 0));
    assert_eq!(asked(&new, "permit"), 0);
    cycle(&mut session);
    assert_eq!(asked(&new, "permit default/c"), 1);
}

#[test]
fn a_quiet_cluster_is_not_handed_over_where_answers_are_demanded() {
    let quiet = || [node("n1", 8)];
    let terms = ReplacementTerms { answers: 1, at_most: Period::Cycles(4), ..SHORT };
    let mut session = open(&Scripted::deciding(ALL), quiet());
    load(&mut session, Scripted::deciding(ALL), terms);
    for _ in 0..3 {
        cycle(&mut session);
        assert_eq!(state(&session), ReplacementState::Shadow);
    }
    // A pod arrives in time.
    tell(&mut session, pod("a", 1, 0));
    cycle(&mut session);
    assert_eq!(state(&session), ReplacementState::Switching);

    let mut session = open(&Scripted::deciding(ALL), quiet());
    load(&mut session, Scripted::deciding(ALL), terms);
    (0..4).for_each(|_| drop(cycle(&mut session)));
    let TransitionReason::TooFew { totals, demanded: 1 } = reason(&session) else { panic!("{:?}", reason(&session)) };
    assert_eq!((state(&session), totals.compared), (ReplacementState::RolledBack, 0));
    // No minimum of answers is demanded.
    let mut session = open(&Scripted::deciding(ALL), quiet());
    load(&mut session, Scripted::deciding(ALL), SHORT);
    cycle(&mut session);
    assert_eq!(state(&session), ReplacementState::Switching);
}
