//! A session behind the decider, with a policy that says what a script says.

use lictor_host::session::testing::{ALL, Fx, Say, Scripted, Sketch};
use lictor_host::session::{FaultRules, ObjectRef};
use lictor_host::verify::testing::{node, object, on, pod, with};
use serde_json::{Value, json};

use super::lives::Why;
use super::*;

const SECOND: i64 = 1_000_000_000;
const ALL_AT_ONCE: u32 = 1_000;

fn named(pod: Value) -> Value {
    let uid = format!("uid of {}", pod["metadata"]["name"].as_str().unwrap());
    with(pod, "/metadata", "uid", json!(uid))
}

/// `p` waits, and `v` holds the node.
fn cluster() -> Vec<Object> {
    [node("n1", 4), named(on("n1", pod("v", 4, 0))), named(pod("p", 3, 9))].map(object).into()
}

/// A policy that evicts `v` for `p`.
fn evicting() -> Scripted {
    let plan = Sketch { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    Scripted::deciding(ALL)
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::Plan(plan, Fx::default()))
}

fn begun(policy: &Scripted, mode: Mode, saved: Option<Saved>) -> (Decider, Turn) {
    let mut session = Session::open(Box::new(policy.clone()), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    Decider::begin(Talk::new(session, None), mode, &[], SECOND, cluster(), saved)
}

/// Tasks in words.
fn words(tasks: &[Task]) -> Vec<String> {
    let word = |task: &Task| {
        let name = &task.object().name;
        match task {
            Task::Command(Command { action: Action::Nominate { .. }, .. }) => format!("nominate {name}"),
            Task::Command(Command { action: Action::Evict { .. }, .. }) => format!("evict {name}"),
            Task::Command(Command { action: Action::Bind { node, .. }, .. }) => format!("bind {name} {node}"),
            Task::Command(_) => format!("? {name}"),
            Task::Confirm(_, _, of) => format!("confirm {name} {}", of.is_some()),
            other => format!("{} {name}", other.word()),
        }
    };
    tasks.iter().map(word).collect()
}

fn outcome(task: &Task, outcome: CommandOutcome) -> Fact {
    Fact::Outcome(task.command().unwrap(), outcome)
}

#[test]
fn a_victim_is_evicted_when_its_preemptor_is_nominated_and_the_preemptor_bound_when_it_has_left() {
    let (mut decider, _) = begun(&evicting(), Mode::Act, None);
    assert!(decider.is_due());
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    assert_eq!(words(&nominate), ["nominate p"]);
    let evict = decider.tell(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    assert_eq!(words(&evict), ["evict v"]);
    decider.tell(SECOND, vec![outcome(&evict[0], CommandOutcome::Accepted)]);
    decider.tell(2 * SECOND, vec![Fact::Gone("Pod/default/v".to_owned())]);
    assert!(decider.is_due());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["bind p n1"]);
}

#[test]
fn nobody_is_evicted_for_a_pod_whose_nomination_fails() {
    let (mut decider, _) = begun(&evicting(), Mode::Act, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let failed = CommandOutcome::Failed("it is gone".to_owned());
    let turn = decider.tell(SECOND, vec![outcome(&nominate[0], failed)]);
    assert!(turn.tasks.is_empty());
    assert_eq!(decider.session().under_way(), 0);
    assert!(decider.is_due(), "what could not be done is decided about again");
}

#[test]
fn an_eviction_that_nobody_needs_any_more_is_given_up_once() {
    let (mut decider, _) = begun(&evicting(), Mode::Act, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let evict = decider.tell(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    let gone = || vec![Fact::Gone("Pod/default/p".to_owned())];
    assert_eq!(decider.tell(SECOND, gone()).cancelled, [evict[0].command().unwrap()]);
    assert!(decider.tell(SECOND, gone()).cancelled.is_empty());
}

#[test]
fn nothing_is_carried_out_where_it_is_only_said() {
    for mode in [Mode::DryRun, Mode::Observe] {
        let (mut decider, begun) = begun(&evicting(), mode, None);
        let turn = decider.decide(ALL_AT_ONCE);
        assert!(begun.tasks.is_empty() && turn.tasks.is_empty());
        assert_eq!(turn.steps[0].happened.plans.len(), 1, "the plan is told");
        assert!(turn.steps.iter().all(|step| step.happened.failed.is_empty()), "and no failure");
        assert_eq!(decider.session().under_way(), 0);
        let p = decider.session().mirror().pod_id("default/p").unwrap();
        assert_eq!(decider.session().mirror().pod(p).unwrap().nominated, None, "the picture is the cluster's");
    }
}

#[test]
fn nothing_is_decided_while_nothing_has_changed() {
    let policy = Scripted::deciding(ALL).say("filter default/p", Say::Fits(&[]));
    let (mut decider, _) = begun(&policy, Mode::Act, None);
    decider.decide(ALL_AT_ONCE);
    assert!(!decider.is_due());
    decider.tell(2 * SECOND, Vec::new());
    assert!(!decider.is_due(), "the time alone changes nothing");
    decider.tell(2 * SECOND, vec![Fact::There(Box::new(object(node("n2", 4))))]);
    assert!(decider.is_due());
    decider.tell(2 * SECOND, vec![Fact::Gone("Pod/default/p".to_owned())]);
    assert!(!decider.is_due(), "there is nobody to decide about");
}

#[test]
fn another_process_asks_what_became_of_what_was_under_way() {
    let (mut decider, _) = begun(&evicting(), Mode::Act, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let saved = decider.saved().unwrap();
    let stored: Saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
    let (mut after, turn) = begun(&Scripted::deciding(ALL), Mode::Act, Some(stored));
    assert!(turn.errors.is_empty());
    // The eviction was held back until the nomination is written: nobody has begun it.
    assert_eq!(words(&turn.tasks), ["confirm p true", "confirm v true"]);
    let never = || CommandOutcome::Failed("it was not carried out".to_owned());
    let outcomes = turn.tasks.iter().map(|task| outcome(task, never())).collect();
    after.tell(2 * SECOND, outcomes);
    assert_eq!(after.session().under_way(), 0);
    assert!(turn.tasks.iter().any(|task| task.command() == nominate[0].command()), "numbers go on");
}

#[test]
fn an_input_that_fails_is_told_and_the_next_one_is_served() {
    let policy = Scripted::deciding(ALL).say("pre-filter default/p", Say::CallError);
    let (mut decider, _) = begun(&policy, Mode::Act, None);
    let turn = decider.decide(ALL_AT_ONCE);
    assert_eq!((turn.errors.len(), turn.tasks.len()), (1, 0));
    assert!(decider.is_due(), "it is tried again though nothing changes");
    let turn = decider.tell(2 * SECOND, vec![Fact::Gone("Pod/default/v".to_owned())]);
    assert!(turn.errors.is_empty());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["bind p n1"]);
}

#[test]
fn another_pod_of_the_name_of_a_preemptor_gets_nothing_of_its_plan() {
    let (mut decider, _) = begun(&evicting(), Mode::Act, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let evict = decider.tell(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    let successor = with(pod("p", 3, 9), "/metadata", "uid", json!("another"));
    let turn = decider.tell(SECOND, vec![Fact::There(Box::new(object(successor)))]);
    assert_eq!(turn.cancelled, [evict[0].command().unwrap()]);
    let meant: ObjectRef = nominate[0].object().clone();
    assert_eq!(meant.uid, "uid of p");
    let p = decider.session().mirror().pod_id("default/p").unwrap();
    assert_eq!(decider.session().mirror().pod(p).unwrap().nominated, None);
}

#[test]
fn who_is_decided_about_first_is_let_go_before_the_others_are_decided_about() {
    let mut session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    let cluster = [node("n1", 4), named(pod("a", 1, 9)), named(pod("b", 1, 0))].map(object).into();
    let (mut decider, _) = Decider::begin(Talk::new(session, None), Mode::Act, &[], SECOND, cluster, None);
    assert_eq!(words(&decider.decide(1).tasks), ["bind a n1"]);
    assert!(decider.is_due() && decider.is_in_cycle());
    // What comes in between is told, and is decided about when all others have had a turn.
    decider.tell(SECOND, vec![Fact::There(Box::new(object(named(pod("c", 1, 99)))))]);
    assert_eq!(words(&decider.decide(1).tasks), ["bind b n1"]);
    assert!(decider.is_due() && !decider.is_in_cycle());
    assert_eq!(words(&decider.decide(1).tasks), ["bind c n1"]);
    assert!(!decider.is_due());
}

/// `p` is nominated and the eviction of `v` ordered.
fn under_way(policy: &Scripted) -> (Decider, Task) {
    let (mut decider, _) = begun(policy, Mode::Act, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let mut evict = decider.tell(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    (decider, evict.remove(0))
}

#[test]
fn an_eviction_that_had_to_wait_for_its_nomination_is_known_to_the_next_process() {
    let (mut decider, _evict) = under_way(&evicting());
    let saved = decider.saved().unwrap();
    let (_, turn) = begun(&evicting(), Mode::Act, Some(saved));
    assert!(words(&turn.tasks).contains(&"confirm v true".to_owned()), "{:?}", words(&turn.tasks));
}

#[test]
fn a_plan_whose_eviction_is_refused_is_given_up_and_not_made_again_at_once() {
    let again = Sketch { id: 6, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    let more = Sketch { id: 7, ..again };
    let policy = evicting()
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::Plan(again, Fx::default()))
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::Plan(more, Fx::default()));
    let (mut decider, evict) = under_way(&policy);
    let refused = CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 0, budget: false };
    let turn = decider.tell(SECOND, vec![outcome(&evict, refused)]);
    let [given_up] = turn.given_up.as_slice() else { panic!("{:?}", turn.given_up) };
    assert_eq!((given_up.plan, given_up.why, given_up.pods[0].name.as_str()), (5, Why::Refused, "p"));
    assert_eq!(given_up.reason, "the eviction of default/v is refused: forbidden");
    assert_eq!(words(&turn.tasks), ["nominate p"], "the nomination is taken back");
    assert!(!decider.is_due(), "nothing has changed");
    assert_eq!(decider.wake_at(), Some(2 * SECOND));
    decider.tell(2 * SECOND, Vec::new());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["nominate p"]);
}

#[test]
fn a_plan_whose_job_is_refused_after_its_victims_have_left_is_given_up() {
    let policy = evicting().say("filter default/p", Say::Fits(&[])).say("filter default/p", Say::Fits(&[]));
    let (mut decider, evict) = under_way(&policy);
    decider.tell(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    decider.tell(2 * SECOND, vec![Fact::Gone("Pod/default/v".to_owned())]);
    assert!(decider.decide(ALL_AT_ONCE).tasks.is_empty());
    assert!(decider.tell(61 * SECOND, Vec::new()).given_up.is_empty());
    let turn = decider.tell(62 * SECOND, Vec::new());
    assert_eq!((turn.given_up[0].why, words(&turn.tasks)), (Why::NotAdmitted, vec!["withdraw p".to_owned()]));
    assert!(decider.tell(99 * SECOND, Vec::new()).given_up.is_empty(), "once");
}

#[test]
fn a_plan_in_which_nothing_moves_is_given_up_and_its_marks_are_taken_off() {
    for (soft, expected) in [(false, vec!["withdraw p"]), (true, vec!["withdraw p", "unmark v"])] {
        let plan = Sketch { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft };
        let policy = Scripted::deciding(ALL)
            .say("filter default/p", Say::Fits(&[]))
            .say("post-filter default/p", Say::Plan(plan, Fx::default()));
        let (mut decider, evict) = under_way(&policy);
        decider.tell(2 * SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
        assert!(decider.tell(300 * SECOND, Vec::new()).given_up.is_empty());
        // A victim that stops has until the end of its grace, and as long again.
        decider.stops("Pod/default/v", 100 * SECOND);
        assert!(decider.tell(399 * SECOND, Vec::new()).given_up.is_empty());
        let turn = decider.tell(400 * SECOND, Vec::new());
        assert_eq!(turn.given_up[0].why, Why::Still);
        let tasks = words(&turn.tasks);
        assert_eq!(tasks.iter().filter(|task| !task.starts_with("confirm")).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_an_earlier_process_has_nominated_is_taken_back_where_nothing_moves() {
    let mut session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    let nominated = with(named(pod("p", 3, 9)), "/status", "nominatedNodeName", json!("n1"));
    let cluster = [node("n1", 4), named(on("n1", pod("v", 4, 0))), nominated].map(object).into();
    let talk = Talk::new(session, None);
    let (mut decider, mut turn) = Decider::begin(talk, Mode::Act, &[], SECOND, cluster, None);
    decider.recover(std::iter::empty(), true, &mut turn);
    let turn = decider.tell(400 * SECOND, Vec::new());
    assert_eq!(words(&turn.tasks), ["withdraw p"]);
}

#[test]
fn the_end_of_a_plan_that_evicts_no_pod_is_said_where_one_was_evicted_for_the_plan_before() {
    let more = Sketch { id: 6, nominations: &[("default/p", "n1")], victims: &[], soft: false };
    let over = Fx { withdrawn: &["default/p"], ..Fx::default() };
    let policy = evicting()
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::Plan(more, Fx::default()))
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::NoPlan("no node is left", over));
    let (mut decider, evict) = under_way(&policy);
    decider.tell(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    for _ in 0..2 {
        decider.demand();
        decider.decide(ALL_AT_ONCE);
    }
    let given_up = decider.tell(2 * SECOND, Vec::new()).given_up;
    assert_eq!(given_up.iter().map(|it| (it.plan, it.why)).collect::<Vec<_>>(), [(6, Why::NotAdmitted)]);
}

#[test]
fn of_the_plans_of_an_earlier_process_the_end_of_each_is_said() {
    let over = Fx { withdrawn: &["default/p"], ..Fx::default() };
    let policy = Scripted::deciding(ALL)
        .say("filter default/p", Say::Fits(&[]))
        .say("post-filter default/p", Say::NoPlan("its group is gone", over))
        .say("filter default/q", Say::Fits(&[]))
        .say("post-filter default/q", Say::NoPlan("its victim leaves", Fx::default()));
    let session = Session::open(Box::new(policy), "test", "").unwrap();
    let nominated = |name| with(named(pod(name, 2, 9)), "/status", "nominatedNodeName", json!("n1"));
    let cluster = [node("n1", 4), nominated("p"), nominated("q")].map(object).into();
    let mut decider = Decider::begin(Talk::new(session, None), Mode::Act, &[], SECOND, cluster, None).0;
    decider.recover(std::iter::empty(), true, &mut Turn::default());
    decider.decide(ALL_AT_ONCE);
    let given_up = decider.tell(2 * SECOND, Vec::new()).given_up;
    let pods: Vec<&str> = given_up.iter().flat_map(|it| &it.pods).map(|pod| pod.name.as_str()).collect();
    assert_eq!((pods, given_up[0].reason.ends_with("its group is gone")), (vec!["p"], true), "q still waits");
}
