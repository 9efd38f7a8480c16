//! The scenarios that come with the project.
#![expect(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lictor::policy::{Native, Policy};
use lictor::sandbox::{Cache, Limits, Sandbox, embedded};
use lictor::scenario::{self, Report, Scenario, Summary, same};

/// All of them.
fn scenarios() -> Vec<Scenario> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/scenarios");
    scenario::load(&[path]).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    })
}

#[test]
fn every_scenario_can_be_read_and_stands_in_the_folder_of_its_laws() {
    let scenarios = scenarios();
    let mut seen = BTreeSet::new();
    for scenario in &scenarios {
        let file = Path::new(&**scenario.origin.file());
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        assert_eq!(folder, scenario.laws, "{}", file.display());
        assert!(seen.insert((folder.to_owned(), scenario.name.clone())), "{} twice", scenario.name);
        assert!(!scenario.steps.is_empty(), "{} has no steps", file.display());
        assert!(!scenario.description.is_empty() && !scenario.source.is_empty(), "{}", file.display());
    }
    let folders: BTreeSet<String> = seen.into_iter().map(|(folder, _)| folder).collect();
    assert!(folders.iter().eq(["coscheduling", "koordinator", "kubernetes", "volcano", "yunikorn"]));
}

/// The same without what was said of it.
fn unexplained(mut report: Report) -> Report {
    for step in &mut report.steps {
        step.actual.explanation = None;
        step.actual.explanations.clear();
        step.actual.attempts.iter_mut().for_each(|tried| tried.explanation = None);
    }
    report
}

#[test]
fn the_policy_does_what_the_scenarios_say_and_the_same_in_wasm_as_without() {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    let sandbox = Sandbox::new(Limits::default()).unwrap().with_cache(Cache::open(&shared).unwrap());
    let component = sandbox.load(embedded()).unwrap();
    let known: BTreeSet<String> =
        Native::default().describe().unwrap().law_sets.into_iter().map(|set| set.name).collect();
    let mut reports = Vec::new();
    for scenario in scenarios().iter().filter(|scenario| known.contains(&scenario.laws)) {
        let native = scenario::run(scenario, &mut Native::default());
        let explained = scenario::run_explained(scenario, &mut Native::default());
        let sandboxed = scenario::run_explained(scenario, &mut component.start().unwrap());
        assert!(same(&explained, &sandboxed), "native:\n{explained:#?}\nin wasm:\n{sandboxed:#?}");
        assert!(same(&native, &unexplained(explained)), "who is told why sees the same: {}", scenario.name);
        reports.push(native);
    }
    reports.retain(|report| !report.passed);
    assert!(reports.is_empty(), "{}", Summary::of(reports));
}
