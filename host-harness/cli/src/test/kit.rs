//! The conformance kit: tests a component of any author against the contract, and against the scenarios of the systems that it describes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lictor_contract::Description;
use lictor_host::cluster::InputError;

use super::super::choice::{LoadedPolicy, name_of};
use super::super::exit::Exit;
use super::super::failure::CommandError;
use super::super::page::TextPage;
use super::super::progress::ProgressDisplay;
use super::super::screen::{Screen, print, print_json};
use super::{TestArgs, TestFormat, readable, render_scenarios};
use lictor_conformance::interface::{CheckOutcome, Conformance, conform};
use lictor_conformance::{
    Scenario, ScenarioReport, ScenarioReports, Statement, Tested, conformance_junit, run as run_scenario,
};

/// The results of both parts.
struct Results {
    interface: Conformance,
    system: ScenarioReports,
    /// Scenarios of systems that the component does not describe.
    others: usize,
}

/// Tests a component against the contract and its systems, and prints the results.
pub(super) fn run(asked: &TestArgs) -> Result<Exit, CommandError> {
    if asked.explain || asked.record.is_some() || asked.without.is_some() || asked.against.is_some() {
        let message =
            "`--explain`, `--record`, `--without` and `--against` work with scenarios alone: leave out `--interface`";
        return Err(CommandError::ConflictingOptions(message));
    }
    let scenarios = if asked.paths.is_empty() { Vec::new() } else { readable(&asked.paths)? };
    let policy = asked.policy.load_policy()?;
    let described = policy.start()?.describe().map_err(|error| CommandError::Untestable(error.to_string()))?;
    let results = results(&policy, &described, scenarios)?;
    let statement = statement(&policy, &described, &results)?;
    if let Some(file) = &asked.report {
        let statement = statement.as_ref().ok_or(CommandError::ConflictingOptions(
            "`--report` names a component by its digest: leave out `--native`",
        ))?;
        write(file, statement)?;
    }
    let tally = results.tally();
    match asked.output {
        TestFormat::Text => page(&results, asked.verbose).print()?,
        TestFormat::Json => match &statement {
            Some(statement) => print_json(statement)?,
            None => {
                return Err(CommandError::ConflictingOptions(
                    "`--output json` names a component by its digest: leave out `--native`",
                ));
            }
        },
        TestFormat::Junit => print(&conformance_junit(&results.interface, &results.system))?,
    }
    if !matches!(asked.output, TestFormat::Text) {
        anstream::eprintln!("{tally}");
    }
    Ok(if results.failed() == 0 { Exit::Success } else { Exit::Failure })
}

/// Runs both parts.
fn results(
    policy: &LoadedPolicy,
    described: &Description,
    scenarios: Vec<Result<Scenario, InputError>>,
) -> Result<Results, CommandError> {
    let mut mistakes = Vec::new();
    let read = scenarios.into_iter().filter_map(|read| read.map_err(|mistake| mistakes.push(mistake)).ok());
    let scenarios: Vec<Scenario> = read.collect();
    let systems: BTreeSet<&String> = described.systems.iter().map(|system| &system.name).collect();
    let (own, others): (Vec<Scenario>, Vec<Scenario>) =
        scenarios.into_iter().partition(|scenario| systems.contains(&scenario.system));
    let progress = ProgressDisplay::of_parts("checking the interface", own.len().saturating_add(1));
    let start = || policy.start().map_err(|failure| failure.to_string());
    let interface = conform(&start, &own).map_err(CommandError::Untestable)?;
    progress.part_done();
    let mut reports: Vec<ScenarioReport> = mistakes.iter().map(ScenarioReport::not_runnable).collect();
    for scenario in &own {
        reports.push(run_scenario(scenario, policy.start()?));
        progress.part_done();
    }
    drop(progress);
    Ok(Results { interface, system: ScenarioReports::of(reports), others: others.len() })
}

/// Makes the statement about a component. `None`: the policy is native, and has no digest.
///
/// # Errors
/// A scenario cannot be read again.
fn statement(
    policy: &LoadedPolicy,
    described: &Description,
    results: &Results,
) -> Result<Option<Statement>, CommandError> {
    let Some(component) = &policy.source.component else { return Ok(None) };
    let mut files = BTreeMap::new();
    for report in &results.system.reports {
        let read = std::fs::read(&report.file);
        let bytes = read.map_err(|error| CommandError::Unreadable { file: report.file.clone(), error })?;
        files.insert(report.file.clone(), bytes);
    }
    let path = Path::new(name_of(policy.source.file.as_deref()));
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let contract = policy.contract();
    let tested = Tested {
        file: &name,
        sha256: &component.sha256,
        contract: contract.as_deref(),
        description: described,
        tool: env!("CARGO_PKG_VERSION"),
    };
    Ok(Some(Statement::of(&tested, &results.interface, &results.system, results.others, &files)))
}

/// Writes the statement into a file.
fn write(file: &Path, statement: &Statement) -> Result<(), CommandError> {
    let text =
        serde_json::to_string_pretty(statement).map_err(|error| CommandError::Serialization(error.to_string()))?;
    std::fs::write(file, format!("{text}\n"))
        .map_err(|error| CommandError::Serialization(format!("{}: {error}", file.display())))
}

impl Results {
    fn failed(&self) -> usize {
        self.interface.failed.saturating_add(self.system.failed)
    }

    /// Returns the last line of the page.
    fn tally(&self) -> String {
        format!("{} passed, {} failed", self.interface.passed.saturating_add(self.system.passed), self.failed())
    }
}

/// Makes the page with the results.
fn page(results: &Results, verbose: bool) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let Results { interface, system, others } = results;
    page.heading("Interface conformance");
    for report in &interface.checks {
        match report.outcome {
            CheckOutcome::Failed => {
                let word = page.strong("FAILED");
                report.lines().for_each(|line| page.line(format!("  {word} {line}")));
            }
            CheckOutcome::Passed if verbose => {
                page.line(format!("  ok {} ({} looked at)", report.check, report.answers))
            }
            other if verbose => page.line(format!("  {other} {}", report.check)),
            _ => {}
        }
    }
    let Conformance { passed, failed, not_exported, not_met, .. } = interface;
    page.line(format!(
        "  {passed} passed, {failed} failed, {not_exported} of interfaces not exported, {not_met} not met"
    ));
    page.heading("System conformance");
    render_scenarios(&mut page, system, verbose);
    page.line(format!("  {} passed, {} failed, {others} of systems not described", system.passed, system.failed));
    page.line("");
    page.line(results.tally());
    page
}
