//! `lictor decide`: the decisions of a policy in a snapshot of a cluster.

mod bound;
mod by;
mod nominated;
mod refused;
pub(super) mod standing;
pub(super) mod text;
mod usage;
mod why;

use std::path::PathBuf;

use clap::Args;
use lictor_contract::{Description, Interests};
use lictor_decide::jobs::Jobs;
use lictor_decide::{ClusterSession, ClusterSnapshot, DecisionReport, DecisionSettings, UserArguments, system};
use lictor_host::rails::is_unforeseen;
use lictor_host::recording::Recorder;
use lictor_host::session::FaultRules;

pub(super) use self::by::PolicySelectionArgs;
use super::arguments;
use super::choice::{LoadedPolicy, name_of};
use super::exit::Exit;
use super::failure::{CommandError, format_problem};
use super::progress::ProgressDisplay;
use super::recorded::{RecordingFile, header};
use super::screen::{print_json, print_yaml};
use super::snapshot::Files;
pub(super) use super::snapshot::SnapshotSource;

/// Decide about the pending pods of a cluster: which pods are bound, held, nominated, evicted or refused, and by which law
#[derive(Debug, Args)]
pub(super) struct DecideArgs {
    #[command(flatten)]
    snapshots: Files,
    #[command(flatten)]
    how: DecideOptions,
}

/// The options of a decision that do not depend on where the cluster is read from.
#[derive(Debug, Args)]
pub(super) struct DecideOptions {
    #[command(flatten)]
    by: PolicySelectionArgs,
    /// The number of scheduling cycles; victims do not leave between them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Record the inputs, the answers of the policy and the commands for `lictor replay`; a recording that is there is appended to
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Show only the pods of this namespace, and the victims that leave for them; may be repeated. All pods are decided about
    #[arg(long = "namespace", short = 'n', value_name = "NAMESPACE")]
    namespaces: Vec<String>,
    /// Explain the result of every pod: nodes, laws, victims, and pods that may not be evicted
    #[arg(long)]
    explain: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value = "table")]
    output: DecideFormat,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum DecideFormat {
    Table,
    Json,
    Yaml,
}

/// Decides about the snapshots, and prints the decisions.
pub(super) fn run(asked: &DecideArgs) -> Result<Exit, CommandError> {
    print(&asked.how, |_, _| Ok(asked.snapshots.source()))
}

/// Decides about a cluster, and prints the decisions: `source` returns the cluster for this policy and this system.
pub(super) fn print(
    asked: &DecideOptions,
    source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
) -> Result<Exit, CommandError> {
    let arguments = arguments::read(asked.by.in_force.args.as_deref())?;
    let chosen = asked.by.policy.load_policy()?;
    let recording = asked.record.as_deref().map(RecordingFile::open).transpose()?;
    let source = source(&chosen, &asked.by.in_force.laws)?;
    let question = DecideRequest {
        snapshots: &source,
        system: &asked.by.in_force.laws,
        schedulers: &asked.by.in_force.schedulers,
        cycles: asked.cycles,
        explain: if asked.explain { ExplainMode::IfPossible } else { ExplainMode::No },
        recorder: recording.as_ref().map(RecordingFile::recorder),
    };
    let decided = decide(&question, &chosen, arguments, |_| Ok(()));
    // Errors are recorded, too.
    recording.iter().try_for_each(RecordingFile::finish)?;
    let (mut record, jobs, ()) = decided?;
    let mut refused = record.cycles.iter().flat_map(|cycle| &cycle.happened.refused);
    let sound = refused.all(|plan| is_unforeseen(&plan.reason.code));
    if !asked.namespaces.is_empty() {
        record.keep_namespaces(&asked.namespaces.iter().cloned().collect());
    }
    match asked.output {
        DecideFormat::Table => text::page(&record, &jobs, |_| ()).print()?,
        DecideFormat::Json => print_json(&record)?,
        DecideFormat::Yaml => print_yaml(&record)?,
    }
    Ok(if sound { Exit::Success } else { Exit::Failure })
}

/// Returns the kinds and fields that a system reads of a cluster.
pub(super) fn interests(chosen: &LoadedPolicy, system: &str) -> Result<Interests, CommandError> {
    let described = chosen.start()?.describe()?;
    let unknown = || CommandError::unknown_system("--system", system, &described);
    described.system(system).map(|named| named.interests.clone()).ok_or_else(unknown)
}

/// Returns the kinds by which one of the systems is chosen: those that any of them reads, but for those of the core group, such as
/// ConfigMaps, which many users may not list.
pub(super) fn deciding_kinds(described: &Description) -> Interests {
    let mut all = Interests::default();
    for Interests { kinds, placed_kinds, .. } in described.systems.iter().map(|system| &system.interests) {
        let new: Vec<_> = kinds.iter().filter(|kind| !kind.group.is_empty() && !all.kinds.contains(kind)).collect();
        all.kinds.extend(new.into_iter().cloned());
        let new: Vec<_> = placed_kinds.iter().filter(|kind| !all.placed_kinds.contains(kind)).collect();
        all.placed_kinds.extend(new.into_iter().cloned());
    }
    all
}

/// The input of a decision.
pub(super) struct DecideRequest<'a> {
    /// Where the cluster is read from.
    pub(super) snapshots: &'a SnapshotSource,
    /// The name of the system; empty for the one that fits the snapshot.
    pub(super) system: &'a str,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub(super) schedulers: &'a [String],
    /// The number of cycles.
    pub(super) cycles: u32,
    /// Whether to explain the decisions.
    pub(super) explain: ExplainMode,
    /// The recorder of the session, if there is one.
    pub(super) recorder: Option<&'a Recorder>,
}

/// A choice whether to explain the decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExplainMode {
    /// No.
    No,
    /// If the policy can; otherwise the user gets a warning.
    IfPossible,
    /// The look at the cluster has chosen the pods; where the policy cannot explain them, the command fails.
    Chosen,
}

/// Decides about a snapshot. `look` runs before any decision. Returns the decisions, the jobs of the pods, and the result of `look`.
pub(super) fn decide<T>(
    question: &DecideRequest<'_>,
    chosen: &LoadedPolicy,
    arguments: UserArguments,
    look: impl FnOnce(&mut ClusterSession) -> Result<T, CommandError>,
) -> Result<(DecisionReport, Jobs, T), CommandError> {
    let mut policy = chosen.start()?;
    let described = policy.describe()?;
    let progress = ProgressDisplay::of("reading");
    let snapshot = question.snapshots.read()?;
    let system = &*in_force(question.system, &snapshot, &described);
    let policy = match question.recorder {
        None => policy,
        Some(recorder) => {
            let (rules, sources) = (FaultRules::default(), question.snapshots.names());
            let with = (system, &*arguments.json());
            recorder.observe(policy, &header(&described, chosen, with, question.schedulers, rules, sources))
        }
    };
    let DecideRequest { schedulers, recorder, .. } = *question;
    let with = DecisionSettings { system, arguments, schedulers, rails: chosen.rails.clone(), recorder };
    let mut opened = ClusterSession::open(policy, described, with, || Ok(snapshot))?;
    let seen = look(&mut opened)?;
    drop(progress);
    explain(question.explain, chosen, &mut opened)?;

    let progress = ProgressDisplay::of("deciding");
    let record = opened.decide(question.cycles, chosen.source.clone())?;
    drop(progress);
    Ok((record, Jobs::of(opened.session().mirror()), seen))
}

/// Returns the system that decides about a snapshot: the named one, else the one that fits. Reports on the standard error which one was chosen and
/// why, and warns of a snapshot in which nothing belongs to the named one.
pub(super) fn in_force(named: &str, snapshot: &ClusterSnapshot, described: &Description) -> String {
    let objects = &snapshot.objects;
    if named.is_empty() {
        let choice = system::choose(objects, described);
        // A policy with one system has nothing to choose.
        if described.systems.len() > 1 {
            anstream::eprintln!("note: {}", choice.sentence());
        }
        return choice.system;
    }
    if let Some(warning) = system::lacking(objects, described, named) {
        anstream::eprint!("{}", format_problem(&warning));
    }
    named.to_owned()
}

/// Turns on explanations where they are requested.
fn explain(wanted: ExplainMode, chosen: &LoadedPolicy, opened: &mut ClusterSession) -> Result<(), CommandError> {
    let is_done = match wanted {
        ExplainMode::No => true,
        ExplainMode::Chosen => opened.is_explained(),
        ExplainMode::IfPossible => opened.explain()?,
    };
    if is_done {
        return Ok(());
    }
    let unexplained = CommandError::Unexplained { file: name_of(chosen.source.file.as_deref()).to_owned() };
    match wanted {
        ExplainMode::Chosen => Err(unexplained),
        ExplainMode::No | ExplainMode::IfPossible => {
            unexplained.warn();
            Ok(())
        }
    }
}
