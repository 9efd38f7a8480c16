//! The scenarios of the project as named tests, run in parallel. For each file:
//!
//! - `file::<system>/<name>`: the file can be read and stands in the folder of its system;
//! - `native::<system>/<name>`: the engine does what the scenario says;
//! - `component::<system>/<name>`: the component does what the scenario says;
//! - `same::<system>/<name>`: both give the same outcomes and explanations, byte for byte, and an explained run the same
//!   outcomes as an unexplained one;
//! - `replay::<system>/<name>`: what was recorded of the component is repeated natively, every answer and command.
//!
//! `cargo test -p lictor --test scenarios -- koordinator/job-preemption` runs those whose names contain the text.

mod named;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use lictor::{Native, embedded};
use lictor_conformance::{Scenario, ScenarioReport, run, run_explained, run_with, same};
use lictor_host::recording::{Header, PolicyIdentity, Recorder, RecordingEntry, RecordingReader, Replay};
use lictor_host::sandbox::{Cache, LoadError, LoadedComponent, Sandbox, SandboxLimits};
use lictor_host::session::FaultRules;
use named::{File, files, nothing};

/// The systems that have scenarios.
const SYSTEMS: [&str; 5] = ["coscheduling", "koordinator", "kubernetes", "volcano", "yunikorn"];

/// The embedded component, compiled once.
static COMPONENT: LazyLock<Result<LoadedComponent, LoadError>> = LazyLock::new(|| {
    let sandbox = Sandbox::new(SandboxLimits::default())?;
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    let sandbox = Cache::open(&shared).map_or(sandbox.clone(), |cache| sandbox.with_cache(cache));
    sandbox.load(embedded())
});

/// A file with the runs that several of its tests look at.
struct Case {
    file: Arc<File>,
    native: OnceLock<ScenarioReport>,
    component: OnceLock<Result<(ScenarioReport, Vec<u8>), String>>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files = match files() {
        Ok(files) => files,
        Err(error) => {
            eprintln!("fixtures/scenarios cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let systems: BTreeSet<String> = files.iter().map(|file| file.system.clone()).collect();
    let mut tests = vec![Trial::test("every_system_has_scenarios", move || every_system(&systems))];
    tests.push(Trial::test("the_readme_shows_its_example", readme_example));
    tests.extend(files.into_iter().flat_map(Case::tests));
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn every_system(found: &BTreeSet<String>) -> Result<(), Failed> {
    if found.iter().eq(SYSTEMS) { Ok(()) } else { Err(format!("folders: {found:?}, systems: {SYSTEMS:?}").into()) }
}

fn readme_example() -> Result<(), Failed> {
    let readme = include_str!("../../../fixtures/scenarios/README.md");
    let example = include_str!("../../../fixtures/scenarios/kubernetes/kube-one-of-six-like-pods-is-evicted.yaml");
    nothing((!readme.contains(example)).then(|| "copy the scenario into the README".to_owned()).into_iter())
}

impl Case {
    /// Returns the tests of a file.
    fn tests(file: Arc<File>) -> [Trial; 5] {
        let case = Arc::new(Case { file, native: OnceLock::new(), component: OnceLock::new() });
        let test = |kind, run: fn(&Case) -> Result<(), Failed>| {
            let (name, case) = (case.file.test_name(kind), case.clone());
            Trial::test(name, move || run(&case))
        };
        [
            test("file", Case::well_formed),
            test("native", |case| passed(case.native()?)),
            test("component", |case| passed(case.component()?)),
            test("same", Case::both_sides),
            test("replay", Case::repeated),
        ]
    }

    /// Checks the form of a scenario file. The reader makes certain that a file is named after its scenario, so a name is unique in its folder.
    fn well_formed(&self) -> Result<(), Failed> {
        let scenario = self.file.scenario()?;
        let wrong = [
            (self.file.path.extension().is_none_or(|ending| ending != "yaml"), "the file does not end in .yaml"),
            (scenario.system != self.file.system, "the folder is not that of spec.policy.laws"),
            (scenario.steps.is_empty(), "there are no steps"),
            (scenario.description.is_empty(), "there is no description"),
            (scenario.source.is_empty(), "there is no source"),
        ];
        nothing(wrong.iter().filter(|(wrong, _)| *wrong).map(|(_, what)| (*what).to_owned()))
    }

    /// Runs the scenario in the engine, once and unexplained.
    fn native(&self) -> Result<&ScenarioReport, Failed> {
        let scenario = self.file.scenario()?;
        Ok(self.native.get_or_init(|| run(scenario, Box::new(Native::default()))))
    }

    /// Runs the scenario in an instance of the component, once and explained.
    fn component(&self) -> Result<&ScenarioReport, Failed> {
        Ok(&self.recorded()?.0)
    }

    /// Runs the scenario in the component, once and explained, and records the run.
    fn recorded(&self) -> Result<&(ScenarioReport, Vec<u8>), Failed> {
        let scenario = self.file.scenario()?;
        self.component.get_or_init(|| sandboxed(scenario)).as_ref().map_err(Failed::from)
    }

    fn repeated(&self) -> Result<(), Failed> {
        let (_, bytes) = self.recorded()?;
        let failed = |error: &dyn ToString| Failed::from(error.to_string());
        let mut reader = RecordingReader::open(bytes.as_slice(), &self.file.name).map_err(|error| failed(&error))?;
        let mut next = || reader.next_entry().map_err(|error| failed(&error));
        let (Some(RecordingEntry::Session(header)), Some(RecordingEntry::Step(opening))) = (next()?, next()?) else {
            return Err("the recording does not begin with the opening of a session".into());
        };
        let opened = Replay::open(Box::new(Native::default()), &header, &opening);
        let (mut replay, mut first) = opened.map_err(|error| failed(&error))?;
        while let (None, Some(entry)) = (&first, next()?) {
            let RecordingEntry::Step(step) = entry else { return Err("there is a second session".into()) };
            first = replay.step(*step);
        }
        let wrong = first.map(|divergence| format!("{divergence:#?}"));
        nothing(wrong.into_iter().chain((replay.compared() < 3).then(|| "hardly an answer was compared".to_owned())))
    }

    fn both_sides(&self) -> Result<(), Failed> {
        let (native, component) = (self.native()?, self.component()?);
        let explained = run_explained(self.file.scenario()?, Box::new(Native::default()));
        if !same(&explained, component) {
            return Err(format!("native:\n{explained:#?}\ncomponent:\n{component:#?}").into());
        }
        let explained = unexplained(explained);
        if !same(native, &explained) {
            return Err(format!("unexplained:\n{native:#?}\nexplained:\n{explained:#?}").into());
        }
        Ok(())
    }
}

fn sandboxed(scenario: &Scenario) -> Result<(ScenarioReport, Vec<u8>), String> {
    let component = COMPONENT.as_ref().map_err(ToString::to_string)?;
    let policy = component.start().map_err(|error| error.to_string())?;
    let header = Header {
        policy: PolicyIdentity { name: String::new(), version: String::new(), component: String::new(), native: false },
        system: scenario.system.clone(),
        arguments: serde_json::Value::Object(scenario.args.clone()).to_string(),
        schedulers: scenario.schedulers.clone(),
        fault_rules: FaultRules::ONCE,
        limits: BTreeMap::new(),
        rails: Default::default(),
        sources: Vec::new(),
    };
    let (recorder, memory) = Recorder::in_memory();
    let report = run_with(scenario, recorder.observe(Box::new(policy), &header), |session| {
        session.record(recorder.clone());
        session.explain().map(drop)
    });
    recorder.finish().map_err(|error| error.to_string())?;
    Ok((report, memory.take()))
}

fn passed(report: &ScenarioReport) -> Result<(), Failed> {
    if report.passed { Ok(()) } else { Err(report.into()) }
}

/// Returns the report without the explanations.
fn unexplained(mut report: ScenarioReport) -> ScenarioReport {
    for step in &mut report.steps {
        step.actual.explanation = None;
        step.actual.explanations.clear();
        step.actual.attempts.iter_mut().for_each(|tried| tried.explanation = None);
    }
    report
}
