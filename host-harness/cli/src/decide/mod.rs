//! `lictor decide`: what a policy decides in a snapshot of a cluster.

mod bound;
mod by;
pub(super) mod jobs;
mod nominated;
mod overflow;
pub(super) mod record;
mod refused;
pub(super) mod text;
mod unread;
mod usage;
mod why;

use std::path::PathBuf;

use clap::Args;
use lictor_contract::{ExtensionPoint, Interests, PolicyError, QueueAccount, Severity, SystemInfo};

pub(super) use self::by::By;
use self::jobs::Jobs;
use self::record::{Cycle, Record};
use super::arguments::Arguments;
use super::choice::{Chosen, name_of};
use super::exit::Exit;
use super::failure::Failure;
use super::origins::Origins;
use super::problem::Problem;
use super::progress::Progress;
use super::recorded::{Recording, header};
use super::screen::{print_json, print_yaml};
pub(super) use super::snapshot::Source;
use super::snapshot::{Files, Snapshot};
use lictor_host::cluster::Mirror;
use lictor_host::driver::Virtual;
use lictor_host::policy::CallError;
use lictor_host::recording::Recorder;
use lictor_host::session::{Cause, FaultRules, Input, SessionError};

/// Decide about the pending pods of a cluster: which pods are bound, held, nominated, evicted or refused, and by which law
#[derive(Debug, Args)]
pub(super) struct Asked {
    #[command(flatten)]
    snapshots: Files,
    #[command(flatten)]
    how: How,
}

/// How it is decided, wherever the cluster is read from.
#[derive(Debug, Args)]
pub(super) struct How {
    #[command(flatten)]
    by: By,
    /// The number of scheduling cycles; victims do not leave between them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Record the inputs, the answers of the policy and the commands for `lictor replay`; a recording that is there is appended to
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Explain the result of every pod: nodes, laws, victims, and pods that may not be evicted
    #[arg(long)]
    explain: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value = "table")]
    output: Output,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Output {
    Table,
    Json,
    Yaml,
}

/// Decides.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    print(&asked.how, |_, _| Ok(asked.snapshots.source()))
}

/// Decides about the cluster that the source has for this policy and this system.
pub(super) fn print(
    asked: &How,
    source: impl FnOnce(&Chosen, &str) -> Result<Source, Failure>,
) -> Result<Exit, Failure> {
    let arguments = Arguments::read(asked.by.in_force.args.as_deref())?;
    let chosen = asked.by.policy.find()?;
    let recording = asked.record.as_deref().map(Recording::open).transpose()?;
    let source = source(&chosen, &asked.by.in_force.laws)?;
    let question = Question {
        snapshots: &source,
        laws: &asked.by.in_force.laws,
        schedulers: &asked.by.in_force.schedulers,
        cycles: asked.cycles,
        explain: if asked.explain { Explain::IfPossible } else { Explain::No },
        recorder: recording.as_ref().map(Recording::recorder),
    };
    let decided = decide(&question, &chosen, arguments, |_, _| Ok(()));
    // What went wrong is recorded, too.
    recording.iter().try_for_each(Recording::finish)?;
    let (record, jobs, ()) = decided?;
    match asked.output {
        Output::Table => text::page(&record, &jobs, |_| ()).print()?,
        Output::Json => print_json(&record)?,
        Output::Yaml => print_yaml(&record)?,
    }
    let sound = record.cycles.iter().all(|cycle| cycle.happened.refused.is_empty());
    Ok(if sound { Exit::Done } else { Exit::Failed })
}

/// What a system reads of a cluster.
pub(super) fn interests(chosen: &Chosen, system: &str) -> Result<Interests, Failure> {
    let described = chosen.start()?.describe().map_err(|fault| Failure::Session(fault.into()))?;
    let unknown = || Failure::UnknownSystem {
        word: "--system".to_owned(),
        system: system.to_owned(),
        known: described.systems.iter().map(|known| known.name.clone()).collect(),
    };
    described.system(system).map(|named| named.interests.clone()).ok_or_else(unknown)
}

/// The input of a decision.
pub(super) struct Question<'a> {
    /// Where the cluster is read from.
    pub(super) snapshots: &'a Source,
    /// The name of the system; empty for the first one of the policy.
    pub(super) laws: &'a str,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub(super) schedulers: &'a [String],
    /// The number of cycles.
    pub(super) cycles: u32,
    /// Whether to explain the decisions.
    pub(super) explain: Explain,
    /// What records it, if anything does.
    pub(super) recorder: Option<&'a Recorder>,
}

/// Whether to explain the decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Explain {
    /// No.
    No,
    /// If the policy can; otherwise the user gets a warning.
    IfPossible,
    /// Yes; otherwise the command fails.
    Always,
}

/// Decides. `look` is called before any decision, with the cluster and the system.
pub(super) fn decide<T>(
    question: &Question<'_>,
    chosen: &Chosen,
    arguments: Arguments,
    look: impl FnOnce(&Mirror, Option<&SystemInfo>) -> Result<T, Failure>,
) -> Result<(Record, Jobs, T), Failure> {
    let mut policy = chosen.start()?;
    let described = policy.describe().map_err(|fault| Failure::Session(fault.into()))?;
    let laws = described.system(question.laws).cloned();
    let progress = Progress::of("reading");
    let policy = match question.recorder {
        None => policy,
        Some(recorder) => {
            let with = (laws.as_ref().map_or(question.laws, |laws| &laws.name), &*arguments.json());
            let (rules, sources) = (FaultRules::default(), question.snapshots.names());
            recorder.listen(policy, &header(&described, chosen, with, question.schedulers, rules, sources))
        }
    };
    let opened = Virtual::open(policy, question.laws, &arguments.json());
    let mut session = opened.map_err(|error| arguments.refused(error, question.laws, laws.as_ref()))?;
    if !question.schedulers.is_empty() {
        session.set_schedulers(question.schedulers.iter().cloned());
    }
    if let Some(recorder) = question.recorder {
        session.record(recorder.clone());
    }
    let (findings, origins) = load(question.snapshots, &mut session)?;
    let reported = session.findings().len();
    let seen = look(session.mirror(), laws.as_ref())?;
    drop(progress);
    explain(question.explain, chosen, &mut session)?;
    if laws.as_ref().is_some_and(|laws| {
        laws.extension_points.iter().any(|point| ExtensionPoint::named(point) == Some(ExtensionPoint::Act))
    }) {
        // The policy's own cycle has no result for a single pod: only its notes say why a pod is still pending.
        session.explain()?;
    }

    let progress = Progress::of("deciding");
    session.advance(record::newest(session.mirror()))?;
    let mut record = Record::new(&described, laws.as_ref(), chosen, arguments.given, &session);
    let before = accounts(&mut session)?;
    for cycle in 1..=question.cycles {
        session.tell(Input::Cycle)?;
        record.cycles.push(Cycle::of(cycle, &mut session, question.explain != Explain::No));
    }
    let after = accounts(&mut session)?;
    drop(progress);
    record.accounts = usage::compare(&before, &after, session.mirror().resources());
    record.findings = findings;
    for (kind, problem) in unread::findings(&record.ignored, &described, laws.as_ref()) {
        record.warned.insert(kind);
        record.findings.push(problem);
    }
    // An object that a decision changes is read once more: what was said of it is not said again.
    for finding in session.findings().iter().skip(reported).map(|finding| origins.place(finding.clone())) {
        if !record.findings.contains(&finding) {
            record.findings.push(finding);
        }
    }
    Ok((record, Jobs::of(session.mirror()), seen))
}

/// Turns on explanations where they are requested.
fn explain(wanted: Explain, chosen: &Chosen, session: &mut Virtual) -> Result<(), Failure> {
    if wanted == Explain::No || session.explain()? {
        return Ok(());
    }
    let unexplained = Failure::Unexplained { file: name_of(chosen.source.file.as_deref()).to_owned() };
    match wanted {
        Explain::Always => Err(unexplained),
        Explain::No | Explain::IfPossible => {
            unexplained.warn();
            Ok(())
        }
    }
}

/// Reads the snapshots into the session. An error about an object is a failure; warnings are returned.
pub(super) fn load(snapshots: &Source, session: &mut Virtual) -> Result<(Vec<Problem>, Origins), Failure> {
    let Snapshot { objects, origins } = snapshots.read()?;
    let mistakes = session.mirror().mistakes_in(&objects);
    if !mistakes.is_empty() {
        return Err(Failure::Input(mistakes));
    }
    let files = snapshots.names();
    let nothing = |what, remedy| Err(Failure::Nothing { what, files: files.clone(), remedy });
    if objects.is_empty() {
        return nothing(
            "object",
            "write the output of `kubectl get nodes,pods,... --all-namespaces -o yaml` into the file",
        );
    }
    if let Err(error) = session.tell(Input::Listed(objects)) {
        return Err(match &error.cause {
            Cause::CallError(CallError::Refused { error: PolicyError::Overflow(over), .. }) => {
                Failure::Objects(vec![overflow::problem(over, &origins)])
            }
            _ => error.into(),
        });
    }
    let warnings = session.mirror().warnings();
    let warnings = warnings.iter().map(|warning| Problem::from(warning).of(Severity::Warning));
    let findings = session.findings().iter().map(|finding| origins.place(finding.clone()));
    let problems: Vec<Problem> = warnings.chain(findings).collect();
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Failure::Objects(problems));
    }
    if session.mirror().nodes().next().is_none() {
        return nothing("Node", "pods need nodes: dump both, `kubectl get nodes,pods,... --all-namespaces -o yaml`");
    }
    if session.mirror().pods().next().is_none() {
        return nothing(
            "Pod",
            "dump the pods of all namespaces: `kubectl get nodes,pods,... --all-namespaces -o yaml`",
        );
    }
    Ok((problems, origins))
}

/// The usage of quotas and queues; empty where the policy has none.
fn accounts(session: &mut Virtual) -> Result<Vec<QueueAccount>, Failure> {
    match session.accounts() {
        Err(SessionError { cause: Cause::CallError(CallError::Lacks(_)), .. }) => Ok(Vec::new()),
        accounts => Ok(accounts?),
    }
}
