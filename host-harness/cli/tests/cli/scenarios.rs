//! `lictor test`.

use serde_json::{Value, json};

use crate::run::{Ran, file, lictor};

const KOORDINATOR: &str = "fixtures/scenarios/koordinator";

/// Writes a scenario with one pod, one node and this expectation. Returns the path.
fn scenario(name: &str, expect: &str) -> String {
    let text = format!(
        "apiVersion: lictor.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: {name}}}\nspec:\n  description: one pod\n  source: test\n  \
         policy: {{laws: koordinator}}\n  cluster:\n  - {{apiVersion: v1, kind: Node, metadata: {{name: n1}}, status: {{allocatable: \
         {{cpu: '4', pods: '10'}}}}}}\n  - {{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default}}, spec: {{containers: [{{name: \
         main, resources: {{requests: {{cpu: '2'}}}}}}]}}}}\n  steps:\n  - schedule: default/p\n    expect: {{{expect}}}\n"
    );
    file(&format!("{name}.yaml"), text)
}

/// Returns the last line of the standard output.
fn last_line(ran: &Ran) -> &str {
    ran.out.lines().last().unwrap_or_default()
}

/// Returns what happened in every step, whatever was expected.
fn outcomes(summary: &Value) -> Vec<(&Value, Vec<&Value>)> {
    let reports = summary["reports"].as_array().unwrap().iter();
    reports
        .map(|report| {
            let actual = report["steps"].as_array().unwrap().iter().map(|step| &step["actual"]).collect();
            (&report["scenario"], actual)
        })
        .collect()
}

#[test]
fn the_scenarios_pass_on_the_component_and_natively_with_the_same_decisions() {
    let component = lictor(&["test", KOORDINATOR, "--output", "json"]).exits(0);
    let native = lictor(&["test", KOORDINATOR, "--output", "json", "--native"]).exits(0);
    assert_eq!(component.err, native.err);
    let (component, native) = (component.json(), native.json());
    assert_eq!(component["failed"], 0);
    assert_eq!(outcomes(&component), outcomes(&native));
    assert_eq!(component["passed"], component["reports"].as_array().unwrap().len());
}

#[test]
fn what_passes_is_only_counted() {
    let good = scenario("good", "result: Scheduled, bound: {default/p: n1}");
    let ran = lictor(&["test", &good]).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("1 passed, 0 failed\n", ""));
    lictor(&["test", &good, "--verbose"]).exits(0).prints(&["ok good\n", "1 passed, 0 failed\n"]);
}

#[test]
fn what_fails_is_told_with_line_expected_and_actual() {
    let (good, wrong) = (scenario("right", "node: n1"), scenario("wrong", "result: Waiting, bound: {}"));
    let ran = lictor(&["test", &good, &wrong, "--native"]).exits(1);
    assert_eq!(last_line(&ran), "1 passed, 1 failed");
    let line = format!("  {wrong}:12: schedule default/p: ");
    ran.prints(&[
        "FAILED wrong\n",
        &format!("{line}result: expected \"Waiting\", got \"Scheduled\"\n"),
        &format!("{line}bound: expected {{}}, got {{\"default/p\":\"n1\"}}\n"),
    ]);
}

#[test]
fn json_has_every_step_in_the_words_of_the_expectations() {
    let silent = scenario("silent", "");
    let ran = lictor(&["test", &silent, "--output", "json"]).exits(0).tells(&["1 passed, 0 failed"]);
    let step = &ran.json()["reports"][0]["steps"][0];
    assert_eq!(
        (&step["line"], &step["action"], &step["failures"]),
        (&json!(12), &json!("schedule default/p"), &json!([]))
    );
    let actual = &step["actual"];
    assert_eq!((&actual["result"], &actual["node"]), (&json!("Scheduled"), &json!("n1")));
    assert_eq!(actual["bound"], json!({"default/p": "n1"}));
    let nobody = ["nominated", "victims", "waiting"].map(|key| &actual[key]);
    assert_eq!(nobody, [&json!({}), &json!([]), &json!([])]);
    assert!(actual["reason"].is_string());
}

#[test]
fn junit_counts_and_names_the_failures() {
    let wrong = scenario("junit", "result: Waiting");
    let ran = lictor(&["test", &wrong, "--native", "--output", "junit"]).exits(1).tells(&["0 passed, 1 failed"]);
    ran.prints(&[
        "<?xml",
        "tests=\"1\" failures=\"1\"",
        "<testcase name=\"junit\" classname=\"koordinator\"",
        "<failure",
    ]);
}

#[test]
fn unknown_laws_and_arguments_fail_the_scenario_by_name() {
    let laws = scenario("laws", "");
    let text = std::fs::read_to_string(&laws).unwrap();
    std::fs::write(&laws, text.replace("laws: koordinator", "laws: anarchy")).unwrap();
    let ran = lictor(&["test", &laws, "--native"]).exits(1).prints(&["FAILED laws\n", "`koordinator`"]);
    assert_eq!(last_line(&ran), "0 passed, 1 failed");
}

#[test]
fn what_is_no_scenario_is_told_before_anything_runs() {
    let good = scenario("sound", "");
    let misspelt = file("misspelt.yaml", std::fs::read_to_string(&good).unwrap().replace("  steps:", "  stepz:"));
    let ran = lictor(&["test", &good, &misspelt, "no-such.yaml"]).exits(2).prints_nothing();
    ran.tells(&["stepz", &format!("  --> {misspelt}:"), "  --> no-such.yaml\n", "hint: "]);
}

#[test]
fn a_law_that_no_scenario_has_in_force_is_not_taken_for_one_that_proves_nothing() {
    for option in ["--without", "--against"] {
        let ran = lictor(&["test", option, "koordinator/may-preempt", "fixtures/scenarios/yunikorn"]).exits(2);
        ran.prints_nothing().tells(&["law `koordinator/may-preempt` is not in force in any of these scenarios"]);
    }
    let ran = lictor(&["test", "--without", "yunikorn/4", "fixtures/scenarios/yunikorn"]).exits(1);
    ran.prints(&["FAILED law4-no-guarantee-on-the-whole-path-never-triggers"]);
}

#[test]
fn a_directory_is_judged_file_by_file() {
    let good = std::fs::read_to_string(scenario("good", "result: Scheduled")).unwrap();
    std::fs::create_dir_all(concat!(env!("CARGO_TARGET_TMPDIR"), "/folder")).unwrap();
    let directory = file("folder/good.yaml", good).replace("/good.yaml", "");
    file("folder/bad.yaml", "kind: [");
    let ran = lictor(&["test", &directory, "--native"]).exits(1).prints(&["FAILED bad\n", "bad.yaml: line "]);
    assert_eq!(last_line(&ran), "1 passed, 1 failed");
    // A file that is named is a mistake of the command line.
    lictor(&["test", &format!("{directory}/bad.yaml"), "--native"]).exits(2).prints_nothing();
}
