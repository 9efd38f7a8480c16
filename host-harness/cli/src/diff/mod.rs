//! `lictor diff`: the decisions that change from one policy to another.

mod input;
mod report;
mod side;
mod text;

use std::path::PathBuf;

use clap::Args;
use lictor_host::compare::{Decisions, Differences};
use lictor_host::recording::{Header, RecordedFollower, RecordedStep, RecordingEntry, RecordingError, RecordingReader};

use self::input::DiffInput;
use self::report::{ChangedStep, Compared, DiffReport};
use self::side::ConfiguredPolicy;
use super::choice::BoundArgs;
use super::exit::Exit;
use super::failure::CommandError;
use super::progress::ProgressDisplay;
use super::recorded;
use super::remote::RegistryArgs;
use super::screen::{TextJsonOrMarkdown, print, print_json};

/// Say which decisions change from one policy to another: pods and victims, by law
///
/// A policy is `embedded`, `native` or the file of a component, with `@SYSTEM` for one of its systems; a system alone is that of the
/// embedded policy; `oci://...` is a component of a registry. Both decide about the pods of the same schedulers. In snapshots and scenarios,
/// the decisions of OLD are carried out in the cluster; in recordings, the recorded ones. Exit status 0: no decision changes; 1: some do.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The policy as it is, such as `embedded`, `koordinator` or `FILE.wasm@volcano`
    #[arg(value_name = "OLD")]
    old: String,
    /// The policy as it would be
    #[arg(value_name = "NEW")]
    new: String,
    /// Snapshots, scenarios, directories of scenarios, recordings
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The system of both [default: that of the scenario or recording, or the first one of the policy]
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// The arguments of both: a YAML or JSON file [default: those of the scenario or recording]
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
    /// The arguments of OLD
    #[arg(long, value_name = "FILE")]
    old_args: Option<PathBuf>,
    /// The arguments of NEW
    #[arg(long, value_name = "FILE")]
    new_args: Option<PathBuf>,
    /// In snapshots, decide about the pods of this scheduler (`spec.schedulerName`); may be repeated
    #[arg(long = "scheduler", value_name = "NAME")]
    schedulers: Vec<String>,
    /// The number of scheduling cycles in snapshots; victims do not leave between them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    #[command(flatten)]
    remote: RegistryArgs,
    #[command(flatten)]
    bounds: BoundArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextJsonOrMarkdown,
}

/// Compares the two policies on all inputs, and prints the changes.
pub(super) fn run(asked: &DiffArgs) -> Result<Exit, CommandError> {
    asked.remote.must_be_about(&[&asked.old, &asked.new])?;
    let side = |word: &str, own: &Option<PathBuf>| {
        ConfiguredPolicy::of(
            word,
            &asked.bounds,
            &asked.remote,
            asked.system.as_deref(),
            own.as_ref().or(asked.args.as_ref()).map(PathBuf::as_path),
        )
    };
    let (old, new) = (side(&asked.old, &asked.old_args)?, side(&asked.new, &asked.new_args)?);
    let mut inputs = Vec::new();
    for path in &asked.inputs {
        inputs.extend(DiffInput::at(path)?);
    }
    let progress = ProgressDisplay::of_parts("comparing", inputs.len());
    let mut compared = Vec::with_capacity(inputs.len());
    for input in &inputs {
        compared.push(compare(input, asked, &old, &new)?);
        progress.part_done();
    }
    drop(progress);
    let report = DiffReport::new(old.named(&asked.old)?, new.named(&asked.new)?, compared);
    match asked.output {
        TextJsonOrMarkdown::Text => text::page(&report).print()?,
        TextJsonOrMarkdown::Json => print_json(&report)?,
        TextJsonOrMarkdown::Markdown => print(&text::markdown(&report))?,
    }
    Ok(if report.is_same() { Exit::Success } else { Exit::Failure })
}

/// Compares the decisions of the two sides on an input.
fn compare(
    input: &DiffInput,
    asked: &DiffArgs,
    old: &ConfiguredPolicy,
    new: &ConfiguredPolicy,
) -> Result<Compared, CommandError> {
    let name = input.name();
    let lead = match input {
        DiffInput::Recording(path) => {
            let mut reader = recorded::read(path)?;
            let compared = follow(&name, &mut reader, false, (old, new))?;
            if let Some(tail) = reader.tail() {
                recorded::warn(&name, tail, "what stands before it is used");
            }
            return Ok(compared);
        }
        DiffInput::Snapshot(path) => input::decided(path, old, asked.cycles, &asked.schedulers)?,
        DiffInput::Scenario(scenario) => input::played(scenario, old)?,
    };
    let mut reader = RecordingReader::open(lead.as_slice(), &name).map_err(|error| unreadable(&name, error))?;
    follow(&name, &mut reader, true, (old, new))
}

fn unreadable(file: &str, error: RecordingError) -> CommandError {
    CommandError::Recording { file: file.to_owned(), error }
}

/// Both sides of a session. The old side is the recording itself, or follows the recording, too.
struct ComparedSessions {
    old: Option<RecordedFollower>,
    new: RecordedFollower,
}

impl ComparedSessions {
    fn open(
        header: &Header,
        old_leads: bool,
        old: &ConfiguredPolicy,
        new: &ConfiguredPolicy,
    ) -> Result<ComparedSessions, CommandError> {
        let open = |side: &ConfiguredPolicy| {
            let header = side.header(header, &old.described)?;
            let opened = RecordedFollower::open(side.chosen.start()?, &header);
            let system = side.described.systems.iter().find(|it| it.name == header.system);
            let follow = opened.map_err(|error| match side.own_arguments() {
                Ok(arguments) => arguments.refused(error, &header.system, system).into(),
                Err(failure) => failure,
            })?;
            Ok::<RecordedFollower, CommandError>(follow)
        };
        Ok(ComparedSessions { old: if old_leads { None } else { Some(open(old)?) }, new: open(new)? })
    }

    fn step(&mut self, step: &RecordedStep) -> Differences {
        let then = match &mut self.old {
            Some(old) => old.decide_recorded(step),
            None => step.result.as_ref().map_or_else(Decisions::default, |came| came.decisions.clone()),
        };
        Differences::between(&then, &self.new.decide_recorded(step))
    }
}

/// Compares step by step, while the cluster changes as it was recorded. `old_leads`: the recording is that of the old side.
fn follow<R: std::io::Read>(
    name: &str,
    reader: &mut RecordingReader<R>,
    old_leads: bool,
    (old, new): (&ConfiguredPolicy, &ConfiguredPolicy),
) -> Result<Compared, CommandError> {
    let mut compared = Compared { input: name.to_owned(), steps: 0, differences: Vec::new() };
    let mut pair: Option<ComparedSessions> = None;
    while let Some(entry) = reader.next_entry().map_err(|error| unreadable(name, error))? {
        match (entry, &mut pair) {
            (RecordingEntry::Session(header), pair) => {
                *pair = Some(ComparedSessions::open(&header, old_leads, old, new)?)
            }
            (RecordingEntry::Step(step), Some(pair)) => {
                compared.steps = compared.steps.saturating_add(1);
                let differences = pair.step(&step);
                if !differences.is_empty() {
                    let told = step.call.to_string();
                    compared.differences.push(ChangedStep { step: compared.steps, told, differences });
                }
            }
            (RecordingEntry::Step(_), None) => {}
        }
    }
    match pair {
        Some(_) => Ok(compared),
        None => Err(unreadable(name, RecordingError::Nothing)),
    }
}
