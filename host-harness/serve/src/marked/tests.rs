use lictor_decide::Native;
use lictor_host::session::CommandOutcome;
use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply};
use lictor_host::session::{PluginRequest, Session, SessionInput};
use lictor_host::verify::testing::{node, on, pod, with};
use serde_json::{Value, json};

use super::*;

/// The time at which the plan is made.
const MADE: i64 = 5;

fn session(objects: impl IntoIterator<Item = Value>, soft: bool) -> Session {
    let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    let mut session = Session::open(Box::new(policy), "", "").unwrap();
    session.handle(SessionInput::Clock(MADE)).unwrap();
    session.handle(SessionInput::InitialList(objects.into_iter().map(there).collect())).unwrap();
    session
}

fn there(object: Value) -> lictor_host::cluster::KubernetesObject {
    lictor_host::cluster::KubernetesObject::from_json(object, &"test".into()).unwrap()
}

fn victim() -> Value {
    on("n1", pod("v", 4, 0))
}

/// Plans for the pod. Returns the step, whose commands mark the victims.
fn planned(session: &mut Session, marked: &mut MarkedVictims) -> StepOutput {
    for question in [PluginRequest::Try("default/p".to_owned()), PluginRequest::PostFilter("default/p".to_owned())] {
        let (_, step) = session.serve_request(&question).unwrap();
        marked.step(&step, session);
        if !step.commands.is_empty() {
            return step;
        }
    }
    panic!("nothing is planned");
}

fn at(session: &mut Session, now: i64, marked: &mut MarkedVictims) -> Vec<OverdueVictim> {
    session.handle(SessionInput::Clock(now)).unwrap();
    marked.take_overdue(session.mirror())
}

#[test]
fn a_victim_that_is_only_marked_and_runs_for_a_minute_is_named_once_and_counted() {
    let mut session = session([node("n1", 4), victim(), pod("p", 3, 9)], true);
    let mut marked = MarkedVictims::default();
    planned(&mut session, &mut marked);
    assert!(at(&mut session, MADE + OVERDUE - 1, &mut marked).is_empty());
    assert_eq!(marked.overdue(), 0);
    let due = at(&mut session, MADE + OVERDUE + CHECK_INTERVAL, &mut marked);
    let for_whom = EvictionBeneficiary::Preemptor("default/p".to_owned());
    assert_eq!(due, [OverdueVictim { pod: "default/v".to_owned(), by: Some((5, for_whom)) }]);
    assert!(at(&mut session, MADE + 2 * OVERDUE, &mut marked).is_empty());
    assert_eq!(marked.overdue(), 1, "it still runs");
}

#[test]
fn a_marked_victim_that_stops_or_is_gone_or_made_anew_does_not_count() {
    let stops = with(victim(), "/metadata", "deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    let mut ended = victim();
    *ended.pointer_mut("/status/phase").unwrap() = json!("Succeeded");
    let anew = with(victim(), "/metadata", "uid", json!("another"));
    for news in [
        SessionInput::Objects(vec![there(stops)]),
        SessionInput::Objects(vec![there(ended)]),
        SessionInput::Objects(vec![there(anew)]),
        SessionInput::Removed("Pod/default/v".to_owned()),
    ] {
        let mut session = session([node("n1", 4), victim(), pod("p", 3, 9)], true);
        let mut marked = MarkedVictims::default();
        planned(&mut session, &mut marked);
        session.handle(news.clone()).unwrap();
        let due = at(&mut session, MADE + 2 * OVERDUE, &mut marked);
        assert_eq!((due, marked.overdue()), (Vec::new(), 0), "{news:?}");
    }
}

#[test]
fn a_victim_whose_mark_could_not_be_written_or_that_is_deleted_does_not_count() {
    for soft in [true, false] {
        let mut session = session([node("n1", 4), victim(), pod("p", 3, 9)], soft);
        let mut marked = MarkedVictims::default();
        let step = planned(&mut session, &mut marked);
        let evicts =
            step.commands.iter().find(|command| matches!(command.action, CommandAction::Evict { .. })).unwrap();
        if soft {
            let failed = CommandOutcome::Failed("forbidden".to_owned());
            let step = session.handle(SessionInput::Outcomes(vec![(evicts.id, failed)])).unwrap();
            marked.step(&step, &session);
        }
        assert!(at(&mut session, MADE + 2 * OVERDUE, &mut marked).is_empty());
        assert_eq!(marked.overdue(), 0);
    }
}

#[test]
fn a_mark_of_an_earlier_session_counts_until_it_is_taken_off() {
    let label = |value: Option<&str>| {
        let labels = value.map_or_else(|| json!({}), |value| json!({"scheduling.koordinator.sh/soft-eviction": value}));
        with(victim(), "/metadata", "labels", labels)
    };
    let mut session = Session::open(Box::<Native>::default(), "koordinator", "").unwrap();
    session.handle(SessionInput::Clock(MADE)).unwrap();
    let cluster = [node("n1", 4), label(Some("{}")), on("n1", pod("w", 1, 0))];
    session.handle(SessionInput::InitialList(cluster.into_iter().map(there).collect())).unwrap();
    let mut marked = MarkedVictims::default();
    marked.adopt_marked();
    assert!(marked.take_overdue(session.mirror()).is_empty());
    let due = at(&mut session, MADE + OVERDUE, &mut marked);
    assert_eq!(due, [OverdueVictim { pod: "default/v".to_owned(), by: None }]);
    session.handle(SessionInput::Objects(vec![there(label(None))])).unwrap();
    assert!(at(&mut session, MADE + 2 * OVERDUE, &mut marked).is_empty());
    assert_eq!(marked.overdue(), 0);
}
