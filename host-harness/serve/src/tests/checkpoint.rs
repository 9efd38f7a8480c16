//! A host that was killed, and the next one.

use std::path::PathBuf;

use super::*;

/// Returns the path of a file of this test that does not exist.
fn fresh(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lictor-serve-{}-{name}.json", std::process::id()));
    let _gone = std::fs::remove_file(&path);
    path
}

#[test]
fn the_next_host_asks_what_became_of_a_plan_and_finds_nobody_held_at_permit() {
    let file = fresh("plan");
    let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    let policy = Scripted::deciding(ALL)
        .reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()))
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    let cluster = || [node("n1", 4), node("n2", 4), on("n1", pod("v", 4, 0)), pod("p", 3, 9), pod("a", 1, 0)];
    let kept = || Some(Arc::new(JsonFile::at(&file)));
    let mut talk = Talk::told(opened_with(&policy, kept()), cluster());
    talk.ask(kind::RESERVE, on_node("a", "n2"));
    assert_eq!(talk.ask(kind::PERMIT, of("a")).0.verdict, "wait");
    talk.ask(kind::PRE_FILTER_AND_FILTER, of("p"));
    let (_, _, commands) = talk.ask(kind::POST_FILTER, of("p"));
    let asked: Vec<u64> = commands.commands.iter().map(|order| order.id).collect();
    assert_eq!(asked.len(), 2);
    drop(talk);
    // Nothing was carried out. The scheduler sends the cluster anew.
    let mut talk = Talk::told(opened_with(&Scripted::deciding(ALL), kept()), cluster());
    let came = talk.0.take(NOW + 2_000_000, Vec::new()).unwrap();
    let commands: Commands = serde_json::from_slice(&came[0].payload).unwrap();
    let confirms: Vec<(u64, &str)> = commands.commands.iter().map(|it| (it.id, it.action.as_str())).collect();
    assert_eq!(confirms, [(asked[0], "confirm"), (asked[1], "confirm")]);
    assert!(talk.0.session().permit_holds().is_empty());
    // The victim stays, and the plan is void.
    let failed = serde_json::to_vec(&json!([[asked[0], {"failed": "no"}], [asked[1], {"failed": "no"}]])).unwrap();
    talk.0.take(NOW + 4_000_000, vec![ProtocolFrame { kind: kind::OUTCOMES, number: 0, payload: failed }]).unwrap();
    assert_eq!(talk.0.session().commands_in_flight(), 0);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn what_is_no_checkpoint_is_said_and_left_alone() {
    let file = fresh("broken");
    std::fs::write(&file, "{").unwrap();
    let policy = Scripted::deciding(ALL);
    let opened = opened_with(&policy, Some(Arc::new(JsonFile::at(&file))));
    let mut talk = Talk::told(opened, [node("n1", 4), pod("a", 1, 0)]);
    assert_eq!(talk.ask(kind::PRE_FILTER_AND_FILTER, of("a")).0.verdict, "pass");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{");
    std::fs::remove_file(&file).unwrap();
}
