//! Changes that are made while others are not decided about yet.

use lictor_decide::edit::{Edit, NewJob};
use serde_json::json;

use super::*;

fn engine(text: &str) -> PageEngine {
    let mut engine = PageEngine::default();
    engine.open(OpenInput { system: "kubernetes".to_owned(), ..told("two.yaml", text) }).unwrap();
    engine
}

fn cordon(node: &str) -> Edit {
    Edit::Cordon { node: node.to_owned() }
}

fn object(key: &str) -> Edit {
    Edit::Object { key: key.to_owned() }
}

fn priority(pod: &str, priority: i32) -> Edit {
    Edit::Priority { pods: vec![pod.to_owned()], priority }
}

/// Returns the last document of a text.
fn last(text: &str) -> serde_json::Value {
    serde_json::from_str(text.rsplit("---\n").next().unwrap()).unwrap()
}

/// Edits a text in which `high` has priority 7, while nothing was decided with it: the edit keeps that priority, and the next edit keeps both.
#[test]
fn an_edit_is_one_of_the_text_and_not_of_what_was_decided() {
    let mut engine = engine(TWO);
    let first = engine.edit(&priority("d/high", 7), "").unwrap();
    let second = engine.edit(&cordon("n1"), &first).unwrap();
    assert!(second.starts_with(&format!("{first}\n---\n")), "{second}");
    assert_eq!(last(&second)["spec"]["unschedulable"], true);
    assert_eq!(last(&engine.edit(&object("Pod/d/high"), &second).unwrap())["spec"]["priority"], 7);
    // A job that only the text has exists, and one that was taken out of the text does not.
    let new = Edit::Job(NewJob { name: "new".to_owned(), namespace: "d".to_owned(), pods: 1, ..NewJob::default() });
    let third = engine.edit(&new, &second).unwrap();
    assert_eq!(engine.edit(&new, &third).unwrap_err()[0].message, "there is a Pod d/new-0 already");
    assert!(engine.edit(&priority("d/new-0", 9), &third).is_ok());
    assert_eq!(engine.edit(&priority("d/new-0", 9), &second).unwrap_err()[0].message, "there is no pod `d/new-0`");
    // A text with which something was decided counts no more than another one.
    engine.open(OpenInput { changes: third, ..told("two.yaml", TWO) }).unwrap();
    engine.decide(1, false).unwrap();
    assert_eq!(last(&engine.edit(&object("Pod/d/high"), "").unwrap())["spec"]["priority"], 5);
}

/// Appends given objects to the text, which stays as it is.
#[test]
fn objects_that_are_given_stand_behind_the_text() {
    let engine = engine(TWO);
    let class =
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7});
    let text = "# for the review\n{apiVersion: v1, kind: Node, metadata: {name: n2}}\n";
    let changed = engine.edit(&Edit::Objects { objects: vec![class.clone()] }, text).unwrap();
    assert!(changed.starts_with(&format!("{}\n---\n", text.trim_end())), "{changed}");
    assert_eq!(last(&changed), class);
}

/// Reports a mistake in a text with its line. The second document has a wrong line, the fifth of the text.
#[test]
fn a_text_with_a_mistake_is_told_with_its_line() {
    let text = "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n---\nmetadata: [\n";
    let problem = engine(TWO).edit(&cordon("n1"), text).unwrap_err().remove(0);
    assert_eq!(problem.file.as_deref(), Some("the changes"));
    assert!(problem.line.is_some_and(|line| line >= 5) && problem.remedy.is_some(), "{problem:?}");
    let kind = "apiVersion: v1\nkind: Nodes\nmetadata: {name: n2}\n";
    let problem = engine(TWO).edit(&cordon("n1"), kind).unwrap_err().remove(0);
    assert_eq!(problem.place().as_deref(), Some("the changes:2"));
}

/// Finds an object of a scenario, whose pods stand in one document, and an object without a namespace, which is in `default`.
#[test]
fn an_object_of_a_scenario_is_found_and_one_without_a_namespace() {
    let engine_of = |text: &str| {
        let mut engine = PageEngine::default();
        engine.open(told("one.yaml", text)).unwrap();
        engine
    };
    let scenario = engine_of(SCENARIO);
    let pod = scenario.open_cluster().unwrap().unchanged.objects.iter().find(|object| object.key().starts_with("Pod/"));
    let key = pod.unwrap().key();
    let found = last(&scenario.edit(&object(&key), "").unwrap());
    assert!(found["spec"]["containers"].is_array(), "{found}");
    let bare = engine_of(&TWO.replace(", namespace: d", ""));
    assert_eq!(last(&bare.edit(&object("Pod/default/high"), "").unwrap())["spec"]["priority"], 5);
    assert_eq!(bare.edit(&object("Pod/d/high"), "").unwrap_err()[0].message, "there is no object `Pod/d/high`");
}

/// Checks that the arguments and schedulers of a scenario belong to its system.
#[test]
fn a_scenario_is_a_cluster_for_another_system() {
    let volcano = include_str!("../../../../../fixtures/scenarios/volcano/shrink-the-lower-priority-job-first.yaml");
    let mut engine = PageEngine::default();
    engine.open(told("one.yaml", volcano)).unwrap();
    assert!(!engine.open_cluster().unwrap().arguments.values.is_empty());
    let system = |system: &str| OpenInput { system: system.to_owned(), ..told("one.yaml", volcano) };
    for other in ["kubernetes", "koordinator", "coscheduling", "yunikorn"] {
        assert_eq!(engine.open(system(other)).unwrap().system, other);
        assert!(engine.open_cluster().unwrap().arguments.values.is_empty());
    }
    engine.open(system("volcano")).unwrap();
    assert!(!engine.open_cluster().unwrap().arguments.values.is_empty());
}

#[test]
fn nothing_can_be_edited_in_a_recording() {
    use base64::Engine as _;
    let mut engine = PageEngine::default();
    let recording = base64::engine::general_purpose::STANDARD.encode(two::recorded());
    engine.open(OpenInput { recording, ..told("two.rec", "") }).unwrap();
    let problem = engine.edit(&cordon("n1"), "").unwrap_err().remove(0);
    assert_eq!(problem.message, "a recording can be looked at, not changed");
}
