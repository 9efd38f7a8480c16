use super::*;

/// Two pods of a gang that no node takes, with the same notes; the third is evicted, and was examined in an attempt.
const ANSWER: &str = r#"{"asked": "a/w", "pods": [
  {"pod": "a/w-0", "state": "unschedulable", "attempts": [{"pod": "a/w-0", "result": "Unschedulable", "explanation": EXPLAINED}]},
  {"pod": "a/w-1", "state": "unschedulable", "attempts": [{"pod": "a/w-1", "result": "Unschedulable", "explanation": EXPLAINED}]},
  {"pod": "a/w-2", "state": "makesWay", "node": "n1",
   "evicted": {"how": "Delete", "node": "n1", "plan": 4, "preemptor": "b/x", "reason": {"code": "engine/plan", "message": "evicts 1 pod"}},
   "lookedAt": [{"by": "b/x", "outcome": "needed", "code": "engine/needed", "message": "with this pod back: no room"},
                {"by": "b/y", "outcome": "spared", "code": "s/ranks", "message": "priority 9 is not lower than 7"}]}]}"#;
const EXPLAINED: &str = r#"{"nodes": 3,
  "counted": [{"count": 2, "about": "node", "outcome": "barred", "code": "node/has-room", "message": "free cpu 1 to 2",
               "facts": {"free": {"cpu": {"least": "1", "most": "2"}}}}],
  "notes": [
    {"about": "node", "name": "n1", "outcome": "barred", "code": "node/has-room", "message": "free cpu 1", "facts": {"free": {"cpu": "1"}}},
    {"about": "node", "name": "n2", "outcome": "barred", "code": "node/has-room", "message": "free cpu 2", "facts": {"free": {"cpu": "2"}}},
    {"about": "node", "name": "n3", "outcome": "barred", "code": "host/eligible", "message": "node(s) had a taint"},
    {"about": "pod", "name": "c/p", "node": "n1", "outcome": "spared", "code": "s/ranks", "message": "too high", "facts": {"priority": 9}}]}"#;

fn shown() -> Vec<ReasonGroup> {
    reason_groups(&serde_json::from_str(&ANSWER.replace("EXPLAINED", EXPLAINED)).unwrap())
}

#[test]
fn pods_of_which_the_same_is_said_stand_together() {
    let shown = shown();
    let who: Vec<(&[String], &str)> = shown.iter().map(|told| (told.pods.as_slice(), told.state.as_str())).collect();
    let [waiting, evicted] = [vec!["a/w-0".to_owned(), "a/w-1".to_owned()], vec!["a/w-2".to_owned()]];
    assert_eq!(who, [(&*waiting, "unschedulable"), (&*evicted, "is evicted from n1")]);
}

#[test]
fn nodes_are_counted_by_what_they_say() {
    let shown = shown();
    let part = &shown[0].parts[0];
    let said: Vec<(&str, &str)> = part.items.iter().map(|item| (item.count.as_str(), item.text.as_str())).collect();
    assert_eq!(
        (part.title, said),
        ("Nodes as they are", vec![("2 nodes", "free cpu 1 to 2"), ("1 node", "had a taint")])
    );
    assert_eq!(part.items[0].names, ["n1", "n2"]);
    assert_eq!(part.items[0].facts, [("free".to_owned(), "cpu 1 to 2".to_owned())]);
}

#[test]
fn a_bystander_has_the_law_that_spares_it() {
    let spared = &shown()[0].parts[1];
    assert_eq!((spared.title, spared.items[0].law.as_str()), ("Spared because", "s/ranks"));
    assert_eq!(spared.items[0].names, ["c/p on n1"]);
}

#[test]
fn a_victim_has_its_plan_and_what_was_said_for_and_against() {
    let shown = shown();
    let parts: Vec<(&str, &str)> =
        shown[1].parts.iter().map(|part| (part.title, part.items[0].text.as_str())).collect();
    assert_eq!(
        parts,
        [
            ("Evicted because", "evicts 1 pod, plan 4; deleted"),
            ("Needed because", "with this pod back: no room"),
            ("Spared because", "priority 9 is not lower than 7"),
        ]
    );
}
