//! What is under way when the policy is replaced: plans, victims, pods that are held; and the way back.

use super::*;
use crate::driver::random::{CallsUntilFault, Faulty};
use crate::policy::Policy;
use crate::replace::{Period, ReplacementState, ReplacementTerms, StateTransfer, TransitionReason};

/// The terms: one cycle in shadow, and a watch that lasts.
const TERMS: ReplacementTerms = ReplacementTerms {
    shadow: Period::Cycles(1),
    watch: Period::Cycles(5),
    allowed: 9,
    answers: 0,
    at_most: Period::Cycles(0),
};

/// Replaces the policy, up to the last input before the switch.
fn up_to_the_switch(session: &mut Session, new: impl Policy + 'static) {
    session.replace(candidate(new), TERMS).unwrap();
    let now = session.mirror().now();
    session.handle(SessionInput::Clock(now)).unwrap();
    session.handle(SessionInput::Cycle).unwrap();
    assert_eq!(state(session), ReplacementState::Switching);
}

fn state(session: &Session) -> ReplacementState {
    session.replacement().unwrap().state
}

fn has_asked(policy: &Scripted, what: &str) -> bool {
    policy.log().iter().any(|asked| asked == what)
}

/// Adds answers to the policy by which no node fits `p`.
fn nowhere(policy: Scripted) -> Scripted {
    (0..20).fold(policy, |policy, _| policy.reply("filter default/p", ScriptedReply::Fits(&[])))
}

/// Returns a policy that remembers the accepted plans, and holds `h` at permit.
fn holding() -> Scripted {
    let policy = nowhere(evicting()).remembering(1);
    policy
        .reply("filter default/h", ScriptedReply::Fits(&["n2"]))
        .reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()))
}

/// Returns a new policy with checkpoints of this format.
fn newer(format: u32) -> Scripted {
    nowhere(Scripted::deciding(ALL).remembering(format))
}

/// Returns a full node, the preemptor `p`, and another node with a pod `h` that will be held.
fn cluster() -> impl Iterator<Item = Value> {
    full().into_iter().chain([node("n2", 4), pod("h", 1, 0)])
}

#[test]
fn a_plan_that_is_accepted_while_the_new_policy_is_given_the_memory_is_not_forgotten() {
    let begun = |old: &Scripted, new: &Scripted| {
        let many = (0..300).map(|number| on("n2", pod(&format!("q{number}"), 0, 0)));
        let mut session = open(old, cluster().chain(many));
        session.replace(candidate(new.clone()), TERMS).unwrap();
        session
    };
    let old = || nowhere(evicting()).remembering(1);
    // An input for which the new policy is ready.
    let next = |session: &mut Session| {
        session.policy.wait_for_shadow();
        session.handle(SessionInput::Clock(0)).unwrap();
    };
    // The number of inputs that load a cluster of this size; the last one also loads the memory.
    let (mut session, mut inputs) = (begun(&old(), &newer(1)), 0);
    while state(&session) == ReplacementState::Loading {
        next(&mut session);
        inputs += 1;
    }
    assert!(inputs > 3, "{inputs}");
    let new = newer(1);
    let mut session = begun(&old(), &new);
    for _ in 1..inputs {
        next(&mut session);
    }
    assert_eq!(state(&session), ReplacementState::Loading);
    assert_eq!(attempt(&mut session, "p").unwrap().commands.len(), 2, "a plan with a victim");
    assert_eq!((state(&session), has_asked(&new, "restore 1 ")), (ReplacementState::Shadow, true), "{:?}", new.log());
}

#[test]
fn a_gang_that_half_waits_and_a_victim_that_has_not_left_are_as_they_were() {
    let old = holding();
    let mut session = open(&old, cluster());
    let step = cycle(&mut session);
    assert_eq!(short(&step), ["1 nominate p n1", "2 evict v true 1"]);
    // `h` waits for another pod of its gang. When that pod arrives, the new policy admits both.
    let new = newer(1).reply(
        "permit default/g",
        ScriptedReply::Allow(ScriptedEffects { admits: &["default/h"], ..ScriptedEffects::default() }),
    );
    up_to_the_switch(&mut session, new.clone());
    assert!(has_asked(&new, "reserve default/h n2") && has_asked(&new, "restore 1 "));
    let waiting = session.waiting();
    assert!(waiting.contains_key("default/h"));
    let step = tell(&mut session, pod("g", 1, 9));
    assert_eq!((state(&session), step.commands.len()), (ReplacementState::Watching, 0));
    assert_eq!(
        (session.waiting(), session.commands_in_flight(), session.planned_evictions.iter().count()),
        (waiting, 2, 1)
    );
    assert!(new.received("default/v").terminating && new.received("default/p").nominated.is_some());
    // The other pod arrives: both are bound, each once. No pod is evicted again.
    let step = attempt(&mut session, "g").unwrap();
    assert_eq!(short(&step), ["3 bind g n2", "4 bind h n2"]);
    // Half of the commands have an outcome by now, the rest has not, and the victim stays.
    answer(&mut session, 1, CommandOutcome::Done);
    let step = answer(&mut session, 2, failed());
    assert_eq!((short(&step), step.happened.withdrawn.len()), (vec!["5 nominate p -".to_owned()], 1));
    assert!(has_asked(&new, "refused 1"), "{:?}", new.log());
}

#[test]
fn a_held_pod_whose_time_runs_out_after_the_switch_is_unreserved_in_both() {
    let (old, new) = (holding(), newer(1));
    let mut session = open(&old, cluster());
    cycle(&mut session);
    up_to_the_switch(&mut session, new.clone());
    let step = session.handle(SessionInput::Clock(10)).unwrap();
    assert_eq!(step.happened.released.len(), 1);
    for policy in [&old, &new] {
        assert!(has_asked(policy, "unreserve default/h Timeout"));
    }
}

#[test]
fn a_format_that_the_new_policy_refuses_is_said_and_the_cluster_shows_the_rest() {
    let old = holding();
    let new = newer(2);
    let mut session = open(&old, cluster());
    cycle(&mut session);
    up_to_the_switch(&mut session, new.clone());
    let why = "it has format 1, the other policy knows 2".to_owned();
    let TransitionReason::Compared { memory, .. } = &session.replacement().unwrap().history.last().unwrap().reason
    else {
        panic!()
    };
    assert_eq!(memory, &StateTransfer::Rebuilt { why: why.clone() });
    let step = session.handle(SessionInput::Clock(1)).unwrap();
    let [finding] = step.findings.as_slice() else { panic!("{:?}", step.findings) };
    assert!(finding.message.ends_with(&why), "{finding:?}");
    assert!(session.waiting().contains_key("default/h") && new.received("default/v").terminating);
    // The new policy does not know the failed plan of the old policy. The promise of the plan is withdrawn all the same.
    let step = answer(&mut session, 2, failed());
    assert_eq!(step.happened.withdrawn, ["default/p"]);
    assert!(!has_asked(&new, "refused 1"));
}

#[test]
fn plans_of_a_policy_that_counts_anew_get_numbers_that_were_not_used() {
    let old = nowhere(evicting()).remembering(1);
    let mut session = open(&old, full().into_iter().chain([on("n2", pod("w", 4, 0)), node("n2", 4)]));
    assert_eq!(short(&cycle(&mut session)), ["1 nominate p n1", "2 evict v true 1"]);
    // The first plan of the new policy has the number 1, too.
    let plan =
        ScriptedPlan { id: 1, nominations: &[("default/q", "n2")], victims: &["default/w"], ..ScriptedPlan::default() };
    let new = newer(2)
        .reply("filter default/q", ScriptedReply::Fits(&[]))
        .reply("post-filter default/q", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    up_to_the_switch(&mut session, new.clone());
    tell(&mut session, pod("q", 3, 9));
    let step = attempt(&mut session, "q").unwrap();
    assert!(short(&step).contains(&"4 evict w true 2".to_owned()), "{:?}", short(&step));
    assert!(has_asked(&new, "accepted 1"));
    // The new policy receives the outcome of its second plan under its own number, and no other outcome.
    answer(&mut session, 4, failed());
    assert!(has_asked(&new, "refused 1") && !has_asked(&old, "refused 1"));
    assert_eq!(session.planned_evictions.iter().map(|(_, departure)| departure.plan).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_fault_in_the_watch_brings_the_old_policy_back_with_all_that_is_under_way() {
    let old = holding();
    let mut session = open(&old, cluster());
    cycle(&mut session);
    let (new, fuse) = (newer(2), CallsUntilFault::default());
    up_to_the_switch(&mut session, Faulty::new(new, fuse.clone()));
    let before = (session.waiting(), session.commands_in_flight(), session.planned_evictions.iter().count());
    tell(&mut session, pod("c", 1, 0));
    assert_eq!(state(&session), ReplacementState::Watching);
    fuse.set(2);
    session.handle(SessionInput::Cycle).unwrap_err();
    let transition = session.replacement().unwrap().history.last().unwrap().clone();
    assert_eq!((transition.from, transition.to), (ReplacementState::Watching, ReplacementState::RolledBack));
    assert!(matches!(transition.reason, TransitionReason::Fault { .. }), "{transition:?}");
    assert_eq!((session.waiting(), session.commands_in_flight(), session.planned_evictions.iter().count()), before);
    let told = old.log().len();
    let step = cycle(&mut session);
    // A new instance of the old policy has its own memory, of its own format, and the held pod.
    let log = old.log();
    assert_eq!(log[told..told + 4], ["restart", "clock 0", "reserve default/h n2", "restore 1 "]);
    assert!(short(&step).contains(&"3 bind c n2".to_owned()), "{:?}", short(&step));
    assert!(!short(&step).iter().any(|command| command.contains("evict")), "{:?}", short(&step));
}

#[test]
fn too_many_differences_in_the_watch_bring_the_old_policy_back_without_a_new_start() {
    let (old, mut new) = (holding(), newer(1));
    for _ in 0..10 {
        new = new.reply("pre-filter default/c", ScriptedReply::Final("not today"));
    }
    let mut session = open(&old, cluster());
    cycle(&mut session);
    up_to_the_switch(&mut session, new);
    tell(&mut session, pod("c", 1, 0));
    for _ in 0..9 {
        assert!(attempt(&mut session, "c").unwrap().commands.is_empty());
        assert_eq!(state(&session), ReplacementState::Watching);
    }
    let step = attempt(&mut session, "c").unwrap();
    assert_eq!(step.replacement.last().unwrap().to, ReplacementState::RolledBack);
    assert_eq!(short(&attempt(&mut session, "c").unwrap()), ["3 bind c n2"]);
    assert!(!has_asked(&old, "restart") && session.waiting().contains_key("default/h"));
    // Old and new are named as such, although the new policy was in force.
    let difference = session.replacement().unwrap().report.differences.last().unwrap().clone();
    assert_eq!((difference.old.verdict.as_str(), difference.new.verdict.as_str()), ("passes", "finally refused"));
}

#[test]
fn an_old_policy_that_breaks_in_the_watch_is_started_anew_when_it_is_needed() {
    let (old, fuse) = (holding(), CallsUntilFault::default());
    let policy = Faulty::new(old.clone(), fuse.clone());
    let mut session = Session::open(Box::new(policy), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    session.handle(SessionInput::Objects(cluster().map(object).collect())).unwrap();
    cycle(&mut session);
    up_to_the_switch(&mut session, newer(1));
    fuse.set(0);
    tell(&mut session, pod("c", 1, 0));
    assert_eq!(short(&attempt(&mut session, "c").unwrap()), ["3 bind c n2"]);
    assert_eq!(state(&session), ReplacementState::Watching);
    session.abort_replacement("we think again");
    tell(&mut session, pod("d", 1, 0));
    assert_eq!(short(&attempt(&mut session, "d").unwrap()), ["4 bind d n2"]);
    assert!(has_asked(&old, "restart") && session.waiting().contains_key("default/h"));
}

#[test]
fn a_fault_of_the_old_policy_before_the_switch_starts_both_anew() {
    let (old, new) = (holding().reply("permit default/c", ScriptedReply::CallError), newer(1));
    let mut session = open(&old, cluster());
    cycle(&mut session);
    session.replace(candidate(new.clone()), TERMS).unwrap();
    tell(&mut session, pod("c", 1, 0));
    assert_eq!(state(&session), ReplacementState::Shadow);
    attempt(&mut session, "c").unwrap_err();
    assert_eq!(state(&session), ReplacementState::Shadow);
    assert_eq!(short(&attempt(&mut session, "c").unwrap()), ["3 bind c n2"]);
    let log = new.log();
    let restarted = log.iter().position(|asked| asked == "restart").unwrap();
    assert_eq!(log[restarted..restarted + 4], ["restart", "clock 0", "reserve default/h n2", "restore 1 "]);
    assert_eq!(session.replacement().unwrap().report.restarts, 1);
}

#[test]
fn a_checkpoint_taken_in_the_watch_serves_the_old_policy_too() {
    let old = holding();
    let mut session = open(&old, cluster());
    cycle(&mut session);
    up_to_the_switch(&mut session, newer(2));
    session.handle(SessionInput::Clock(1)).unwrap();
    let saved = session.checkpoint().unwrap();
    let again = Scripted::deciding(ALL).remembering(1);
    let mut second = open(&again, cluster());
    second.restore(saved).unwrap();
    assert!(has_asked(&again, "restore 1 "), "{:?}", again.log());
    assert!(second.findings().is_empty());
}

#[test]
fn a_new_policy_that_breaks_after_the_watch_has_the_memory_that_it_took_over() {
    let old = holding();
    let mut session = open(&old, cluster());
    cycle(&mut session);
    let (new, fuse) = (newer(1), CallsUntilFault::default());
    up_to_the_switch(&mut session, Faulty::new(new.clone(), fuse.clone()));
    (0..6).for_each(|_| drop(cycle(&mut session)));
    assert_eq!(state(&session), ReplacementState::Done);
    fuse.set(0);
    session.handle(SessionInput::Cycle).unwrap_err();
    let told = new.log().len();
    cycle(&mut session);
    assert_eq!(new.log()[told..told + 4], ["restart", "clock 0", "reserve default/h n2", "restore 1 "]);
}

fn cycle(session: &mut Session) -> StepOutput {
    session.handle(SessionInput::Cycle).unwrap()
}
