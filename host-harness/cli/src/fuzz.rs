//! `lictor fuzz`: random clusters against the oracle.

mod judged;
mod mutants;
mod scene;
mod suspect;
mod unnoticed;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use lictor_oracle::{FuzzCase, RunCounts, SystemKind, generate};

use super::choice::{LoadedPolicy, PolicyArgs};
use super::exit::Exit;
use super::failure::CommandError;
use super::page::{TextPage, table};
use super::progress::ProgressDisplay;
use super::screen::Screen;
use crate::Native;
use judged::JudgeTally;
use lictor_conformance::fuzz::{self, attempt, shrink};

/// Test a policy on random clusters: an independent model judges every decision
///
/// Every case runs natively and through the component in parallel. A case that breaks a law is reduced and can be saved as a scenario. The
/// same seed gives the same cases on every machine.
#[derive(Debug, Args)]
pub(super) struct FuzzArgs {
    /// The system whose laws apply
    #[arg(long = "system", alias = "laws", value_name = "SYSTEM")]
    laws: SystemKind,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of cases
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The index of the first case, to repeat one
    #[arg(long, default_value_t = 0)]
    from: u64,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Compare every attempt with what upstream's own code decides: a program of `host-harness/judges`
    #[arg(long, value_name = "PROGRAM")]
    judge: Option<PathBuf>,
    /// Append what was compared to this file, as a section of `host-harness/judges/DIFFERENCES.md`
    #[arg(long, value_name = "FILE", requires = "judge")]
    differences: Option<PathBuf>,
    /// Switch the laws of the system instead, one at a time, and append to this file which of these mutants the judge notices, as a section of
    /// `host-harness/judges/MUTANTS.md`
    #[arg(long, value_name = "FILE", requires = "judge", conflicts_with = "differences")]
    mutants: Option<PathBuf>,
    /// Write every failing case as a scenario into this directory
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Stop after this number of failing cases
    #[arg(long, default_value_t = 5, value_name = "FAILURES")]
    stop: usize,
    /// Show the cluster and the steps of every failing case
    #[arg(long, short)]
    verbose: bool,
}

/// A failing case, reduced.
struct FailingCase {
    case: FuzzCase,
    failure: fuzz::FuzzFailure,
}

/// Plays the cases, and prints the result.
pub(super) fn run(asked: &FuzzArgs) -> Result<Exit, CommandError> {
    if let (Some(judge), Some(file)) = (&asked.judge, &asked.mutants) {
        return mutants::run(asked, judge, file);
    }
    let chosen = asked.policy.load_policy()?;
    let progress = ProgressDisplay::of_parts("playing cases", usize::try_from(asked.cases).unwrap_or(usize::MAX));
    let (start, mut tally, mut played) = (Instant::now(), RunCounts::default(), 0u64);
    let mut found: Vec<FailingCase> = Vec::new();
    let mut judged = asked.judge.as_deref().map(|path| JudgeTally::start(asked.laws, path)).transpose()?;
    for index in (asked.from..).take(usize::try_from(asked.cases).unwrap_or(usize::MAX)) {
        let case = generate(asked.laws, asked.seed, index);
        let (numbers, failure) = both(&case, &chosen, judged.as_mut())?;
        tally.add(&numbers);
        judged.iter_mut().for_each(JudgeTally::count);
        played = played.saturating_add(1);
        progress.part_done();
        let Some(failure) = failure else { continue };
        // If the policy cannot be started any more, reducing stops; the next case reports that.
        let (case, failure) =
            shrink(&case, failure, |case| both(case, &chosen, judged.as_mut()).ok().and_then(|(_, failure)| failure));
        if let Some(directory) = &asked.save {
            save(directory, &case, &failure)?;
        }
        found.push(FailingCase { case, failure });
        if found.len() >= asked.stop {
            break;
        }
    }
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let mut page = page(asked, &tally, played, seconds, &found);
    judged.iter().for_each(|judged| judged.write(asked.laws, &mut page));
    page.print()?;
    if let (Some(judged), Some(file)) = (&judged, &asked.differences) {
        append(file, &judged.section(asked.laws, (asked.seed, played)))?;
    }
    let dead = judged.is_some_and(|judged| !judged.unused_rulings(asked.laws).is_empty());
    Ok(if found.is_empty() && !dead { Exit::Success } else { Exit::Failure })
}

/// Plays a case natively, and through the component if there is one; the judge, if there is one, compares.
fn both(
    case: &FuzzCase,
    chosen: &LoadedPolicy,
    judged: Option<&mut JudgeTally>,
) -> Result<(RunCounts, Option<fuzz::FuzzFailure>), CommandError> {
    let other = chosen.source.component.is_some().then(|| chosen.start()).transpose()?;
    let native = Box::new(Native::default());
    Ok(match judged {
        Some(judged) => judged.attempt(case, native, other),
        None => attempt(case, native, other),
    })
}

/// Writes a case as a scenario.
fn save(directory: &Path, case: &FuzzCase, failure: &fuzz::FuzzFailure) -> Result<(), CommandError> {
    let file = directory.join(format!("{}.yaml", fuzz::title(case, failure)));
    let unwritten = |error: std::io::Error| CommandError::Serialization(format!("{}: {error}", file.display()));
    std::fs::create_dir_all(directory).map_err(unwritten)?;
    std::fs::write(&file, fuzz::scenario(case, failure)).map_err(unwritten)
}

/// Appends a section to a document.
fn append(file: &Path, section: &str) -> Result<(), CommandError> {
    let unwritten = |error: std::io::Error| CommandError::Serialization(format!("{}: {error}", file.display()));
    let mut document = std::fs::OpenOptions::new().create(true).append(true).open(file).map_err(unwritten)?;
    document.write_all(format!("\n{section}").as_bytes()).map_err(unwritten)
}

/// Makes the page of the result.
fn page(asked: &FuzzArgs, tally: &RunCounts, played: u64, seconds: f64, found: &[FailingCase]) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    for FailingCase { case, failure } in found {
        let broken = page.strong("BROKEN");
        page.paragraph(&format!("{broken} "), 2, &format!("{} in case {}: {}", failure.law, case.index, failure.text));
        let named: Vec<String> = case.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
        page.paragraph("  ", 4, &format!("parameters: {}", named.join(", ")));
        if asked.verbose {
            fuzz::scenario(case, failure).lines().for_each(|line| page.line(format!("    {line}")));
        }
    }
    let mut rows = table(["RESULT", "COUNT"]);
    for (ended, count) in &tally.decisions {
        rows.add_row([(*ended).to_owned(), count.to_string()]);
    }
    rows.add_row(["plans".to_owned(), tally.plans.to_string()]);
    if tally.group_plans > 0 {
        rows.add_row(["plans for a gang group".to_owned(), tally.group_plans.to_string()]);
    }
    rows.add_row(["victims".to_owned(), tally.victims.to_string()]);
    for (gap, count) in &tally.gaps {
        rows.add_row([format!("plans {gap} above the fewest victims"), count.to_string()]);
    }
    for (excuse, count) in &tally.excuses {
        rows.add_row([format!("excused: {excuse}"), count.to_string()]);
    }
    page.table(0, rows);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = played as f64 / seconds.max(0.001);
    page.line(format!(
        "{}, seed {}: {played} cases from {}, {rate:.0} per second, {} broke a law",
        asked.laws,
        asked.seed,
        asked.from,
        found.len()
    ));
    page
}
