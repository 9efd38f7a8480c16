//! Events and conditions of pods.

use lictor_contract::{Finding, Severity};
use lictor_host::session::{
    AttemptResult, CommandAction, EvictionBeneficiary, EvictionMethod, FailedCommand, StepOutput,
};
use serde_json::{Value, json};

use super::*;

#[test]
fn a_refusal_is_reported_when_it_has_stood_for_a_second_with_its_law_and_its_sentence() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &refused("a", "koordinator/quota-has-room", 4), &cluster);
    assert_eq!(reporter.due(NOW + SECOND - 1, &cluster), []);
    assert_eq!(reporter.wake_at(), Some(NOW + SECOND));
    let writes = reporter.due(NOW + SECOND, &cluster);
    let event = events(&writes)[0];
    assert_eq!(event["reason"], "FailedScheduling");
    assert_eq!((&event["type"], &event["action"]), (&json!("Warning"), &json!("Scheduling")));
    assert_eq!(event["note"], "koordinator/quota-has-room: free 4");
    let regarding = json!({"apiVersion": "v1", "kind": "Pod", "namespace": "team", "name": "a", "uid": "uid-a"});
    assert_eq!(event["regarding"], regarding);
    assert_eq!(event["eventTime"], "2026-09-21T14:13:21.000000Z");
    let condition = conditions(&writes)[0];
    assert_eq!(condition["type"], ADMITTED);
    assert_eq!(condition["status"], "False");
    assert_eq!(condition["reason"], "KoordinatorQuotaHasRoom");
    assert_eq!(condition["message"], "koordinator/quota-has-room: free 4");
}

#[test]
fn nothing_is_said_of_a_pod_that_is_placed_within_a_second() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    reporter.step(NOW + SECOND / 2, &bound("a"), &cluster);
    assert_eq!(reporter.due(NOW + 10 * SECOND, &cluster), []);
    assert_eq!(reporter.wake_at(), None);
}

#[test]
fn the_same_refusal_is_written_once_and_then_counted() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut writes = Vec::new();
    for cycle in 0..100 {
        let now = NOW + cycle * SECOND / 10;
        reporter.step(now, &refused("a", "a/b", 4), &cluster);
        writes.extend(reporter.due(now, &cluster));
    }
    assert_eq!((events(&writes).len(), conditions(&writes).len()), (1, 1));
    // The count is written when nothing has occurred for 6 minutes: the event was reported at 1 s, and occurred 89 times after that.
    let writes = reporter.due(NOW + 400 * SECOND, &cluster);
    let [ApiWrite { change: WriteOperation::Merge(body), .. }] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!(body["series"]["count"], 90);
}

#[test]
fn another_law_is_another_event_and_other_numbers_are_told_after_a_minute() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut at = |now: i64, law: &str, free: i64| {
        reporter.step(now, &refused("a", law, free), &cluster);
        reporter.due(now + SECOND, &cluster)
    };
    assert_eq!(conditions(&at(NOW, "a/b", 4)).len(), 1);
    assert_eq!(conditions(&at(NOW + 5 * SECOND, "a/b", 3)).len(), 0);
    let later = at(NOW + 62 * SECOND, "a/b", 2);
    assert_eq!(conditions(&later)[0]["message"], "a/b: free 2");
    assert_eq!(events(&later).len(), 0, "the event counts it");
    let other = at(NOW + 70 * SECOND, "a/c", 2);
    assert_eq!((conditions(&other)[0]["reason"].clone(), events(&other).len()), (json!("AC"), 1));
}

#[test]
fn what_comes_again_and_again_is_reported_all_the_same() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut written = Vec::new();
    for cycle in 0..40 {
        let now = NOW + cycle * SECOND / 10;
        reporter.step(now, &refused("a", if cycle < 20 { "a/b" } else { "a/c" }, 4), &cluster);
        written.extend(reporter.due(now, &cluster).iter().map(|_| cycle));
    }
    assert_eq!(written, [10, 10, 30, 30], "an event and a condition, a second after each law began to deny");
}

#[test]
fn the_condition_turns_when_the_pod_is_let_go() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    reporter.due(NOW + SECOND, &cluster);
    reporter.step(NOW + 2 * SECOND, &attempt("a", AttemptResult::Nominated, "a/c", 4), &cluster);
    let nominated = reporter.due(NOW + 3 * SECOND, &cluster);
    assert_eq!(conditions(&nominated)[0]["message"], "nominated to n1: a/c: free 4");
    assert_eq!(events(&nominated).len(), 0, "a pod that gets its room has not failed");
    reporter.step(NOW + 4 * SECOND, &bound("a"), &cluster);
    let let_go = reporter.due(NOW + 4 * SECOND, &cluster);
    assert_eq!(conditions(&let_go)[0]["status"], "True");
    reporter.step(NOW + 5 * SECOND, &bound("a"), &cluster);
    assert_eq!(reporter.due(NOW + 9 * SECOND, &cluster), []);
}

#[test]
fn who_only_says_writes_events_of_other_names_and_no_status() {
    let cluster = Cluster::with(&["p", "v", "a"]);
    let mut reporter = reporter(ReportMode::DryRun, "koordinator");
    let mut step = victim(EvictionMethod::Delete, EvictionBeneficiary::Preemptor("team/p".to_owned()));
    step.happened.bound.insert("team/a".to_owned(), "n1".to_owned());
    reporter.step(NOW, &step, &cluster);
    reporter.step(NOW, &refused("p", "a/b", 4), &cluster);
    let writes = reporter.due(NOW + SECOND, &cluster);
    let reasons: Vec<&Value> = events(&writes).iter().map(|event| &event["reason"]).collect();
    assert_eq!(reasons, ["WouldPreempt", "WouldSchedule", "WouldNotSchedule"]);
    assert_eq!(writes.len(), 3);
}

#[test]
fn mistakes_and_failures_are_told_to_those_whom_they_concern() {
    let mut cluster = Cluster::with(&["a"]);
    cluster.add(subject("scheduling.sigs.k8s.io", "ElasticQuota", "team", "q"));
    let mut step = StepOutput::default();
    step.findings.push(Finding {
        severity: Severity::Error,
        object: "ElasticQuota/team/q".to_owned(),
        path: "/spec/max/cpu".to_owned(),
        message: "is no quantity".to_owned(),
        remedy: "write `4`".to_owned(),
    });
    let action = CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() };
    step.happened.failed.push(FailedCommand { pod: "team/a".to_owned(), action, reason: "409".to_owned() });
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &step, &cluster);
    let writes = reporter.due(NOW, &cluster);
    let told: Vec<(&Value, &Value)> = events(&writes).iter().map(|event| (&event["reason"], &event["note"])).collect();
    let expected = [
        ("FailedBinding", "It was not let go for n1: 409"),
        ("Misconfigured", "/spec/max/cpu: is no quantity; write `4`"),
    ];
    let expected = expected.map(|(reason, note)| (json!(reason), json!(note)));
    assert_eq!(told, expected.iter().map(|(reason, note)| (reason, note)).collect::<Vec<_>>());
}

#[test]
fn a_flood_of_refusals_is_bounded_and_evictions_are_told_all_the_same() {
    let names: Vec<String> = (0..500).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["v"]).collect();
    let cluster = Cluster::with(&names);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    for name in &names[..500] {
        reporter.step(NOW, &refused(name, "a/b", 4), &cluster);
    }
    let writes = reporter.due(NOW + SECOND, &cluster);
    assert_eq!((events(&writes).len(), reporter.dropped()), (100, 400));
    assert_eq!(conditions(&writes).len(), 500, "conditions are state: each is written once");
    reporter.step(NOW + SECOND, &victim(EvictionMethod::Delete, EvictionBeneficiary::Queue("q".to_owned())), &cluster);
    reporter.evicted("team/v");
    assert_eq!(events(&reporter.due(NOW + SECOND, &cluster)).len(), 1);
    // A second later there is room for ten more.
    for name in &names[..500] {
        reporter.step(NOW + 2 * SECOND, &refused(name, "a/c", 4), &cluster);
    }
    assert_eq!(events(&reporter.due(NOW + 3 * SECOND, &cluster)).len(), 20);
}

#[test]
fn a_text_that_is_too_long_is_cut_between_characters() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut step = refused("a", "a/b", 4);
    step.happened.attempts[0].reason.as_mut().unwrap().message = "ä".repeat(2_000);
    reporter.step(NOW, &step, &cluster);
    let writes = reporter.due(NOW + SECOND, &cluster);
    let note = events(&writes)[0]["note"].as_str().unwrap();
    assert!(note.len() <= 1_024 && note.len() > 1_020 && note.ends_with("ä..."), "{}", note.len());
}

#[test]
fn a_pod_that_was_recreated_is_told_anew() {
    let mut cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    assert_eq!(events(&reporter.due(NOW + SECOND, &cluster)).len(), 1);
    reporter.forget("team/a");
    cluster.objects.values_mut().for_each(|pod| pod.uid = "another".to_owned());
    reporter.step(NOW + 2 * SECOND, &refused("a", "a/b", 4), &cluster);
    let writes = reporter.due(NOW + 3 * SECOND, &cluster);
    assert_eq!(events(&writes)[0]["regarding"]["uid"], "another");
}

#[test]
fn what_is_left_of_the_time_counts_towards_the_next_event() {
    let names: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
    let cluster = Cluster::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut written = 0;
    for (place, name) in names.iter().enumerate() {
        // One each 150 ms, after 100 at once: 10 a second are 15 in 1.5 s.
        let late = i64::try_from(place.saturating_sub(99)).unwrap() * 150_000_000;
        reporter.step(NOW + late, &refused(name, "a/b", 4), &cluster);
        written += events(&reporter.due(NOW + SECOND + late, &cluster)).len();
    }
    assert_eq!((written, reporter.dropped()), (200, 0));
}

#[test]
fn the_name_of_an_event_is_one_that_the_api_server_takes() {
    let name = format!("{}-b", "a".repeat(199));
    let cluster = Cluster::with(&[&name]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    reporter.step(NOW, &refused(&name, "a/b", 4), &cluster);
    let writes = reporter.due(NOW + SECOND, &cluster);
    assert!(writes.iter().any(|write| write.name.starts_with(&format!("{}.", "a".repeat(199)))), "{writes:?}");
}

#[test]
fn a_plan_that_is_given_up_is_an_event_of_each_of_its_pods() {
    let cluster = Cluster::with(&["p"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let note = "Plan 7 is given up: because".to_owned();
    let warning = Warning { pod: "team/p".to_owned(), reason: "PlanGivenUp", action: "Preempting", note };
    reporter.warn(NOW, &warning, &cluster);
    let writes = reporter.due(NOW, &cluster);
    assert_eq!(
        (&events(&writes)[0]["reason"], &events(&writes)[0]["type"]),
        (&json!("PlanGivenUp"), &json!("Warning"))
    );
}

#[test]
fn a_pod_whose_room_is_taken_has_a_condition_that_turns_when_it_is_placed() {
    let cluster = Cluster::with(&["p"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let note = "0/1 nodes are available".to_owned();
    let warning = Warning { pod: "team/p".to_owned(), reason: "RoomTaken", action: "Binding", note };
    reporter.warn(NOW, &warning, &cluster);
    let condition = conditions(&reporter.due(NOW, &cluster))[0].clone();
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("RoomTaken")));
    reporter.refusal_ended("team/p");
    assert_eq!(conditions(&reporter.due(NOW, &cluster))[0]["status"], "True");
}

#[test]
fn one_sentence_of_a_pod_and_of_its_preemption_is_said_once() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let mut step = refused("a", "a/b", 4);
    step.happened.attempts[0].preemption = step.happened.attempts[0].reason.clone();
    assert_eq!(step.happened.attempts[0].message(), "free 4");
    reporter.step(NOW, &step, &cluster);
    assert_eq!(events(&reporter.due(NOW + 2 * SECOND, &cluster))[0]["note"], "a/b: free 4");
}
