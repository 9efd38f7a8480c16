//! `lictor test`: scenarios as conformance tests, and the conformance kit for components of any author.

mod checks;
mod kit;

use lictor_contract::NotedPods;
use std::path::{Path, PathBuf};

use clap::Args;
use lictor_policy::{Engine, Mutation, list_laws};

use super::choice::{LoadedPolicy, PolicyArgs, name_of};
use super::exit::Exit;
use super::explain::text::{self, Style};
use super::failure::CommandError;
use super::laws::similar_laws;
use super::page::TextPage;
use super::progress::ProgressDisplay;
use super::recorded::{RecordingFile, header};
use super::screen::{Screen, print, print_json};
use lictor_conformance::{Scenario, ScenarioReport, ScenarioReports, junit, load_each, run_with};
use lictor_decide::laws::registered;
use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::session::FaultRules;

/// The style of explanations.
const STYLE: Style = Style { indent: 4, names: 8 };

/// Run scenarios against a policy, or hold a component to the contract; the last line says how many passed and failed
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// Scenarios, or directories of them; without any, the interface of the component is tested
    #[arg(value_name = "PATH", required_unless_present_any = ["component", "native", "interface", "report", "list_checks"])]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Hold the component to the contract, too; scenarios of systems that it does not describe are passed over
    #[arg(long)]
    interface: bool,
    /// Write the results into this file, with the digests of component and suite, to be signed; tests the interface, too
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// List the checks of the interface as Markdown, instead of running any
    #[arg(long)]
    list_checks: bool,
    /// Run natively without this law: the scenarios that now fail prove the law
    #[arg(long, value_name = "LAW", conflicts_with = "component")]
    without: Option<String>,
    /// Run natively with this law denying everything: the scenarios that still pass never check it
    #[arg(long, value_name = "LAW", conflicts_with_all = ["component", "without"])]
    against: Option<String>,
    /// Record every scenario in a file of this directory, for `lictor replay`; a recording that is there is appended to
    #[arg(long, value_name = "DIR", conflicts_with_all = ["without", "against"])]
    record: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TestFormat,
    /// Explain every attempt of failing scenarios, or of a single scenario
    #[arg(long)]
    explain: bool,
    /// List the passing scenarios as well
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum TestFormat {
    Text,
    Json,
    Junit,
}

impl TestArgs {
    /// Returns the law that an option switches, and the switch. `None`: no law is switched.
    ///
    /// # Errors
    /// [`CommandError::UnknownLaw`] where the law does not exist.
    fn switched(&self) -> Result<Option<(&str, Mutation)>, CommandError> {
        let (code, to) = match (&self.without, &self.against) {
            (Some(code), _) => (code, Mutation::AlwaysHolds),
            (None, Some(code)) => (code, Mutation::AlwaysFails),
            (None, None) => return Ok(None),
        };
        match list_laws().iter().any(|(_, entry)| entry.code == code) {
            true => Ok(Some((code, to))),
            false => Err(CommandError::UnknownLaw(code.clone(), similar_laws(code, &registered()))),
        }
    }
}

/// Returns whether a law is in force in a scenario.
fn has(scenario: &Scenario, code: &str) -> bool {
    let mut engine = Engine::default();
    let arguments = serde_json::Value::Object(scenario.args.clone()).to_string();
    engine.configure(&scenario.system, &arguments).is_ok() && engine.mutate_law(code, Mutation::AlwaysHolds)
}

/// Runs scenarios.
pub(super) fn run(asked: &TestArgs) -> Result<Exit, CommandError> {
    if asked.list_checks {
        print(&checks::markdown())?;
        return Ok(Exit::Success);
    }
    if asked.paths.is_empty() || asked.interface || asked.report.is_some() {
        return kit::run(asked);
    }
    if asked.explain && matches!(asked.output, TestFormat::Junit) {
        return Err(CommandError::ConflictingOptions(
            "`--explain` does not work with `--output junit`: choose text or json",
        ));
    }
    let scenarios = readable(&asked.paths)?;
    let policy = match asked.switched()? {
        Some((code, _)) if !scenarios.iter().flatten().any(|scenario| has(scenario, code)) => {
            return Err(CommandError::NotInForce(code.to_owned()));
        }
        Some((code, to)) => LoadedPolicy::switched(code, to),
        None => asked.policy.for_scenarios().load_policy()?,
    };
    let explain = asked.explain && explains(&policy)?;
    let progress = ProgressDisplay::of_parts("running scenarios", scenarios.len());
    let mut reports = Vec::with_capacity(scenarios.len());
    for scenario in &scenarios {
        // Each scenario has its own policy, so that a failing policy affects no other scenario.
        reports.push(match scenario {
            Ok(scenario) => run_one(scenario, &policy, explain, asked.record.as_deref())?,
            Err(mistake) => ScenarioReport::not_runnable(mistake),
        });
        progress.part_done();
    }
    drop(progress);
    let summary = ScenarioReports::of(reports);
    let tally = format!("{} passed, {} failed", summary.passed, summary.failed);
    match asked.output {
        TestFormat::Text => page(&summary, &tally, asked.verbose).print()?,
        TestFormat::Json => print_json(&summary)?,
        TestFormat::Junit => print(&junit(&summary))?,
    }
    if !matches!(asked.output, TestFormat::Text) {
        anstream::eprintln!("{tally}");
    }
    Ok(if summary.failed == 0 { Exit::Success } else { Exit::Failure })
}

/// Reads the scenarios. A scenario of a directory that cannot be read is returned as its mistake.
///
/// # Errors
/// A file that is named cannot be read, or a directory contains no scenario: all mistakes.
fn readable(paths: &[PathBuf]) -> Result<Vec<Result<Scenario, InputError>>, CommandError> {
    let (mut scenarios, mut mistakes) = (Vec::new(), Vec::new());
    for path in paths {
        let read = load_each(&[path]);
        if path.is_dir() && read.iter().any(Result::is_ok) {
            scenarios.extend(read);
            continue;
        }
        for read in read {
            match read {
                Ok(scenario) => scenarios.push(Ok(scenario)),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    if mistakes.is_empty() { Ok(scenarios) } else { Err(mistakes.into()) }
}

/// Runs a scenario, and records it if there is a directory for recordings.
fn run_one(
    scenario: &Scenario,
    chosen: &LoadedPolicy,
    explain: bool,
    record: Option<&Path>,
) -> Result<ScenarioReport, CommandError> {
    let mut policy = chosen.start()?;
    let Some(directory) = record else {
        return Ok(run_with(scenario, policy, |session| {
            session.set_rails(chosen.rails.clone());
            if explain { session.explain().map(drop) } else { Ok(()) }
        }));
    };
    let cannot = |error| CommandError::RecordingUnwritable { file: directory.display().to_string(), error };
    std::fs::create_dir_all(directory).map_err(cannot)?;
    let recording = RecordingFile::open(&directory.join(format!("{}-{}.rec", scenario.system, scenario.name)))?;
    let described = policy.describe()?;
    let arguments = serde_json::Value::Object(scenario.args.clone()).to_string();
    let with = (&*scenario.system, &*arguments);
    let source = vec![scenario.origin.file().to_string()];
    let recorder = recording.recorder();
    let policy =
        recorder.observe(policy, &header(&described, chosen, with, &scenario.schedulers, FaultRules::ONCE, source));
    let report = run_with(scenario, policy, |session| {
        session.set_rails(chosen.rails.clone());
        session.record(recorder.clone());
        if explain { session.explain().map(drop) } else { Ok(()) }
    });
    recording.finish()?;
    Ok(report)
}

/// Returns whether a policy can explain its decisions. If not, the user is warned.
fn explains(policy: &LoadedPolicy) -> Result<bool, CommandError> {
    match policy.start()?.record_notes(&NotedPods::None) {
        Ok(()) => Ok(true),
        Err(CallError::MissingInterface(_)) => {
            CommandError::Unexplained { file: name_of(policy.source.file.as_deref()).to_owned() }.warn();
            Ok(false)
        }
        // Every scenario will report the error.
        Err(_) => Ok(false),
    }
}

/// Makes the page with the results of the scenarios.
fn page(summary: &ScenarioReports, tally: &str, verbose: bool) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    render_scenarios(&mut page, summary, verbose);
    page.line(tally);
    page
}

/// Adds the scenarios that failed, were explained, or are all to be listed.
fn render_scenarios(page: &mut TextPage, summary: &ScenarioReports, verbose: bool) {
    let single = summary.reports.windows(2).all(|pair| matches!(pair, [one, other] if one.file == other.file));
    let explained = |report: &ScenarioReport| report.steps.iter().any(|step| step.actual.explained().next().is_some());
    for report in &summary.reports {
        let why = explained(report) && (single || !report.passed);
        if verbose || why || !report.passed {
            render_report(page, report, why);
        }
    }
}

/// Shows a report: a line with its result, and one for each expectation that does not hold. `why`: the explanations, too.
fn render_report(page: &mut TextPage, report: &ScenarioReport, why: bool) {
    let word = if report.passed { "ok".to_owned() } else { page.strong("FAILED") };
    page.line(format!("{word} {}", report.scenario));
    for step in report.steps.iter().filter(|step| !step.failures.is_empty()) {
        for failure in &step.failures {
            let place = format!("{}:{}", report.file, step.line);
            page.line(format!("  {place}: {}: {failure}", step.action));
        }
        if let Some(reason) = &step.actual.reason {
            page.line(format!("    reason given: {reason}"));
        }
    }
    if let Some(error) = &report.error {
        page.line(format!("  {}: {error}", report.file));
    }
    for step in report.steps.iter().filter(|_| why) {
        for (pod, result, explanation) in step.actual.explained() {
            page.line("");
            let lead = page.strong(&format!("step {}, {}", step.step, step.action));
            let pod = pod.map(|pod| format!(", {pod}")).unwrap_or_default();
            let result = result.map(|result| format!(": {result}")).unwrap_or_default();
            page.line(format!("  {lead}{pod}{result}"));
            text::render_explanation(page, STYLE, explanation);
        }
    }
    if why {
        page.line("");
    }
}
