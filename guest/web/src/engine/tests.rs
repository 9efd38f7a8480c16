use lictor_decide::explain::ExplainedPodState;

use super::*;

mod edits;
pub(super) mod two;

use two::TWO;

const SCENARIO: &str =
    include_str!("../../../../fixtures/scenarios/kubernetes/kube-one-of-six-like-pods-is-evicted.yaml");
const SNAPSHOT: &str = include_str!("../../../../fixtures/snapshots/four-teams.yaml");

fn told(name: &str, text: &str) -> OpenInput {
    OpenInput { name: name.to_owned(), text: text.to_owned(), ..OpenInput::default() }
}

#[test]
fn a_snapshot_is_opened_decided_about_and_explained() {
    let mut engine = PageEngine::default();
    let summary = engine.open(told("four-teams.yaml", SNAPSHOT)).unwrap();
    assert_eq!(
        (summary.kind, summary.system.as_str(), summary.cluster.nodes),
        (InputKind::Snapshot, "koordinator", 44)
    );
    let record = engine.decide(1, true).unwrap();
    assert_eq!(record.cycles.len(), 1);
    // The README of the snapshot says so: refused, because quota `search` has no room that cannot be taken away.
    let said =
        engine.explain("search/ranker-xl-4lgmcjn4c-dx6ll", None, |answer| serde_json::to_string(&answer).unwrap());
    assert!(said.unwrap().contains("koordinator/non-preemptible-job-fits-min"));
    let changes = engine.what_if("search/ranker-xl-4lgmcjn4c").unwrap().changes;
    assert_eq!(changes[0].sentence, "raise in `search` min cpu from 352 to 364");
    assert_eq!(engine.explain("nobody", None, |_| ()).unwrap_err()[0].message, "there is no pod and no job `nobody`");
}

/// Explains cycles in any order: one after an explained cycle is repeated from there, one before it from the beginning.
#[test]
fn explanations_do_not_depend_on_what_was_explained_before() {
    let played = || {
        let mut engine = PageEngine::default();
        engine.open(told("four-teams.yaml", SNAPSHOT)).unwrap();
        for victims_leave in [false, true, true] {
            engine.cycle(CycleInterval { victims_leave, seconds: 60 }).unwrap();
        }
        engine
    };
    let why = |engine: &mut PageEngine, cycle| {
        let pod = "search/ranker-xl-4lgmcjn4c-dx6ll";
        engine.explain(pod, Some(cycle), |why| serde_json::to_string(&why).unwrap()).unwrap()
    };
    let anew: Vec<_> = (1..=3).map(|cycle| why(&mut played(), cycle)).collect();
    let mut engine = played();
    for cycle in [1, 2, 3, 1, 3, 2] {
        assert_eq!(Some(&why(&mut engine, cycle)), anew.get(cycle - 1), "{cycle}");
    }
}

#[test]
fn a_scenario_is_opened_with_its_system_and_played() {
    let mut engine = PageEngine::default();
    let summary = engine.open(told("one.yaml", SCENARIO)).unwrap();
    assert_eq!((summary.kind, summary.system.as_str()), (InputKind::Scenario, "kubernetes"));
    assert!(engine.play(false).unwrap().passed && engine.play(true).unwrap().passed);
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_was_open_stays_open() {
    let mut engine = PageEngine::default();
    assert_eq!(engine.decide(1, false).unwrap_err()[0].message, "nothing is open");
    engine.open(told("one.yaml", SCENARIO)).unwrap();
    let problems = engine.open(told("bad.yaml", "apiVersion: v1\nkind: Node\nmetadata: [\n")).unwrap_err();
    assert_eq!((problems[0].file.as_deref(), problems[0].line), (Some("bad.yaml"), Some(4)), "{problems:?}");
    assert!(engine.play(false).unwrap().passed);
    let two = format!("{SCENARIO}---\n{SCENARIO}");
    assert_eq!(engine.open(told("two.yaml", &two)).unwrap_err()[0].message, "there is more than one document");
}

/// Opens the saved file again, with the same decisions. As a scenario, it expects what the README of the snapshot derives.
#[test]
fn what_is_open_is_written_as_a_snapshot_and_as_a_scenario() {
    let decided = |engine: &mut PageEngine| serde_json::to_value(&engine.decide(1, false).unwrap().cycles).unwrap();
    let mut engine = PageEngine::default();
    let change =
        "{apiVersion: v1, kind: Pod, metadata: {name: added, namespace: nlp}, spec: {containers: [{name: c}]}}";
    engine.open(OpenInput { changes: change.to_owned(), ..told("Four teams.yaml", SNAPSHOT) }).unwrap();
    assert_eq!(engine.scenario().unwrap_err()[0].message, "nothing was decided");
    let before = decided(&mut engine);
    let (snapshot, scenario) = (engine.snapshot().unwrap(), engine.scenario().unwrap());
    assert_eq!((snapshot.name.as_str(), scenario.name.as_str()), ("four-teams.yaml", "four-teams.yaml"));
    let mut again = PageEngine::default();
    again.open(told(&snapshot.name, &snapshot.text)).unwrap();
    assert_eq!(decided(&mut again), before);
    assert_eq!(again.open(told(&scenario.name, &scenario.text)).unwrap().kind, InputKind::Scenario);
    let report = again.play(false).unwrap();
    assert!(report.passed && scenario.text.contains("nlp/bert-large-worker-0"), "{report}");
    // An expectation that does not hold is reported.
    let wrong = scenario.text.replace(r#""nlp/bert-large-worker-0""#, r#""nlp/bert-large-worker-9""#);
    again.open(told("wrong.yaml", &wrong)).unwrap();
    assert!(!again.play(false).unwrap().passed);
}

/// Saves a cluster of every system as a scenario, after three cycles.
#[test]
fn every_system_is_written_as_a_scenario() {
    for text in [
        SCENARIO,
        include_str!("../../../../fixtures/scenarios/yunikorn/guide-general-case-seven-to-five.yaml"),
        include_str!("../../../../fixtures/scenarios/volcano/shrink-the-lower-priority-job-first.yaml"),
        include_str!("../../../../fixtures/scenarios/coscheduling/cos-quota-gang-takes-back.yaml"),
    ] {
        let mut engine = PageEngine::default();
        let summary = engine.open(told("one.yaml", text)).unwrap();
        let victims: usize =
            engine.decide(3, false).unwrap().cycles.iter().map(|cycle| cycle.happened.victims.len()).sum();
        assert!(victims > 0, "{}: nobody is evicted", summary.system);
        let scenario = engine.scenario().unwrap_or_else(|problems| panic!("{}: {problems:?}", summary.system));
        assert_eq!(scenario.text.matches("\n  - {\"cycle\":1").count(), 3);
    }
}

/// Masks the input: under invented names there are as many victims, and no name is left. An input whose decisions depend on a name is refused.
#[test]
fn what_is_open_is_masked() {
    let mut engine = PageEngine::default();
    engine.open(told("secret.yaml", SNAPSHOT)).unwrap();
    let victims = |engine: &mut PageEngine| engine.decide(1, false).unwrap().cycles[0].happened.victims.len();
    let before = victims(&mut engine);
    let masked = engine.masked().unwrap();
    assert!(!masked.text.contains("vit-huge") && masked.name == "masked.yaml", "{}", masked.name);
    let scenario = engine.masked_scenario().unwrap();
    assert!(scenario.text.contains("kind: Scenario") && !scenario.text.contains("vit-huge"));
    let mut other = PageEngine::default();
    other.open(masked).unwrap();
    assert_eq!((victims(&mut other), before > 0), (before, true));
    let cases =
        include_str!("../../../../fixtures/scenarios/yunikorn/queue-names-and-policies-are-read-in-any-case.yaml");
    engine.open(told("cases.yaml", cases)).unwrap();
    assert_eq!(engine.masked().unwrap_err()[0].message, "under invented names, this is decided otherwise");
}

/// Decides cycle by cycle. In the first one `low` is evicted for `high`; when `low` has left, `high` is bound.
#[test]
fn victims_leave_and_the_nominated_pod_is_bound() {
    let mut engine = PageEngine::default();
    engine.open(OpenInput { system: "kubernetes".to_owned(), ..told("two.yaml", TWO) }).unwrap();
    let first = engine.cycle(CycleInterval::default()).unwrap().unwrap();
    let decided = &first.record.cycles[0].happened;
    assert_eq!((first.number, decided.nominated["d/high"].as_str()), (1, "n1"));
    assert!(decided.victims.contains_key("d/low") && first.left.is_empty());
    // The victim is still there.
    let second = engine.cycle(CycleInterval::default()).unwrap().unwrap();
    assert!(second.record.cycles[0].happened.bound.is_empty() && second.left.is_empty());
    let third = engine.cycle(CycleInterval { victims_leave: true, seconds: 30 }).unwrap().unwrap();
    assert_eq!((third.number, third.left.as_slice()), (3, ["Pod/d/low".to_owned()].as_slice()));
    assert_eq!(third.record.cycles[0].happened.bound["d/high"], "n1");
    // The cluster is drawn as it was before `high` was bound: the node is empty.
    assert!(third.picture.nodes[0].held.is_empty() && third.picture.jobs.len() == 1);
    // Each cycle is explained as it was: now, `high` is on the node, and `low` is unknown.
    let mut state = |name: &str, cycle| engine.explain(name, cycle, |why| why.pods[0].fate.state);
    assert_eq!(state("d/low", Some(1)), Ok(ExplainedPodState::MakesWay));
    assert_eq!(
        (state("d/high", Some(1)), state("d/high", None)),
        (Ok(ExplainedPodState::Nominated), Ok(ExplainedPodState::Bound))
    );
    assert_eq!(state("d/low", Some(3)).unwrap_err()[0].message, "there is no pod and no job `d/low`");
    assert_eq!(state("d/low", Some(4)).unwrap_err()[0].message, "there is no cycle 4");
    let on = |engine: &mut PageEngine, cycle| engine.pods_on("n1", cycle).unwrap()[0].name.clone();
    assert_eq!(
        (on(&mut engine, Some(2)), on(&mut engine, Some(3)), on(&mut engine, None)),
        ("d/low".into(), "d/high".into(), "d/high".into())
    );
    // Saved as a scenario, the cluster has the steps in between, and passes.
    let scenario = engine.scenario().unwrap();
    assert!(scenario.text.contains("{\"evictionsComplete\":true}\n  - {\"advance\":\"30s0ns\"}"), "{}", scenario.text);
    assert_eq!(engine.masked_scenario().unwrap().text.matches("{\"cycle\":1").count(), 3);
}
