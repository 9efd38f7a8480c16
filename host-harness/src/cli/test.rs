//! `lictor test`: scenarios as conformance tests.

use std::path::PathBuf;

use clap::Args;
use lictor_policy::{Switch, rules};

use super::choice::{Choice, Chosen};
use super::exit::Exit;
use super::failure::Failure;
use super::laws::near;
use super::page::Page;
use super::progress::Progress;
use super::screen::{Screen, print, print_json};
use crate::scenario::{Report, Summary, junit, load, run as run_scenario};

/// Run scenarios against a policy; the last line says how many passed and failed
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// Scenarios, or directories of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    policy: Choice,
    /// Run natively with this law out of force: what fails now is what proves it
    #[arg(long, value_name = "LAW", conflicts_with = "component")]
    without: Option<String>,
    /// Run natively with this law never holding: what passes now never asked it
    #[arg(long, value_name = "LAW", conflicts_with_all = ["component", "without"])]
    against: Option<String>,
    /// How to print what came of them
    #[arg(long, value_enum, default_value = "text")]
    output: Output,
    /// Name the scenarios that pass, too
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Output {
    Text,
    Json,
    Junit,
}

impl Asked {
    /// The law that is switched, if any.
    fn switched(&self) -> Result<Option<(&str, Switch)>, Failure> {
        let (code, to) = match (&self.without, &self.against) {
            (Some(code), _) => (code, Switch::Silent),
            (None, Some(code)) => (code, Switch::Contrary),
            (None, None) => return Ok(None),
        };
        match rules().iter().any(|(_, entry)| entry.code == code) {
            true => Ok(Some((code, to))),
            false => Err(Failure::UnknownLaw(code.clone(), near(code, &rules()))),
        }
    }
}

/// Runs scenarios.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let scenarios = load(&asked.paths)?;
    let policy = match asked.switched()? {
        Some((code, to)) => Chosen::switched(code, to),
        None => asked.policy.find()?,
    };
    let progress = Progress::of_parts("running scenarios", scenarios.len());
    let mut reports = Vec::with_capacity(scenarios.len());
    for scenario in &scenarios {
        // A policy of its own for each: one that breaks spoils no other.
        reports.push(run_scenario(scenario, policy.start()?.as_mut()));
        progress.part_done();
    }
    drop(progress);
    let summary = Summary::of(reports);
    let tally = format!("{} passed, {} failed", summary.passed, summary.failed);
    match asked.output {
        Output::Text => page(&summary, &tally, asked.verbose).print()?,
        Output::Json => print_json(&summary)?,
        Output::Junit => print(&junit(&summary))?,
    }
    if !matches!(asked.output, Output::Text) {
        anstream::eprintln!("{tally}");
    }
    Ok(if summary.failed == 0 { Exit::Done } else { Exit::Failed })
}

/// What came of the scenarios, for people.
fn page(summary: &Summary, tally: &str, verbose: bool) -> Page {
    let mut page = Page::new(Screen::stdout());
    for report in summary.reports.iter().filter(|report| verbose || !report.passed) {
        tell(&mut page, report);
    }
    page.line(tally);
    page
}

/// A line for what failed, and one for each expectation that does not hold.
fn tell(page: &mut Page, report: &Report) {
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
}
