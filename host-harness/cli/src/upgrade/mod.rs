//! `lictor upgrade`: replaces a policy by another one, in a session over a recording or a snapshot.

mod drive;
mod report;
mod text;

use std::path::PathBuf;

use clap::Args;

use self::drive::ReplacedSession;
use self::report::UpgradeReport;
use super::arguments::{self, SystemArgs};
use super::choice::{LoadedPolicy, PolicyArgs};
use super::exit::Exit;
use super::failure::CommandError;
use super::live::{self, LiveUpgradeArgs, UpgradeRequest};
use super::progress::ProgressDisplay;
use super::screen::{TextOrJson, print_json};
use lictor_host::replace::{Period, ReplacementState, ReplacementTerms};

/// Try the replacement of a policy: in shadow, at the switch, and in the watch that follows
///
/// The session is that of a recording, in which the cluster changes as recorded, or begins with a snapshot; then cycles follow in which
/// victims leave, until the replacement has come to its end. With `--live`, the policy of a running process is replaced. Exit status 0: the
/// new policy took over; 1: the old one stayed, or came back.
#[derive(Debug, Args)]
pub(super) struct UpgradeArgs {
    /// Recordings (`--record`), or the output of `kubectl get nodes,pods,... -A -o yaml`: several files of one cluster
    #[arg(value_name = "INPUT", required_unless_present = "live")]
    inputs: Vec<PathBuf>,
    /// The new policy: `embedded`, `native`, the file of a component, or one of a registry, `oci://...`
    #[arg(long, value_name = "NEW", required_unless_present = "give_up")]
    to: Option<String>,
    #[command(flatten)]
    in_force: SystemArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    /// The system of the new policy [default: that of the old one]
    #[arg(long, value_name = "NAME")]
    to_system: Option<String>,
    /// A YAML or JSON file with the arguments of the new policy [default: those of the old one]
    #[arg(long, value_name = "FILE")]
    to_args: Option<PathBuf>,
    /// For how many cycles the new policy is compared before it takes over [default: 3]
    #[arg(long, value_name = "N")]
    shadow: Option<u64>,
    /// For how many cycles the old policy is kept afterwards [default: 3]
    #[arg(long, value_name = "N")]
    watch: Option<u64>,
    /// How many answers may decide otherwise, before and after the switch each; `any` for all [default: 0]
    #[arg(long, value_name = "N", value_parser = allowed)]
    allow: Option<u64>,
    #[command(flatten)]
    live: LiveUpgradeArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Parses the number of answers that may differ; `any` is `u64::MAX`.
pub(super) fn allowed(text: &str) -> Result<u64, String> {
    match text {
        "any" => Ok(u64::MAX),
        number => number.parse().map_err(|_| "write a number, or `any`".to_owned()),
    }
}

/// The two policies, and the terms on which one replaces the other.
struct ReplacementSetup<'a> {
    args: &'a UpgradeArgs,
    old: LoadedPolicy,
    new: LoadedPolicy,
    terms: ReplacementTerms,
    /// The number of cycles in which the new policy is compared, and in which the old one is kept.
    cycles: (u64, u64),
}

/// The default of both numbers.
const CYCLES: u64 = 3;

/// Tries the replacement, in a session here or in a running process, and prints the result.
pub(super) fn run(asked: &UpgradeArgs) -> Result<Exit, CommandError> {
    let seconds = (asked.shadow, asked.watch);
    let to = match (&asked.to, asked.live.live) {
        (Some(to), false) => to,
        (to, _) => {
            let (to, args) = (to.as_deref(), asked.to_args.as_deref());
            return live::upgrade(&UpgradeRequest {
                live: &asked.live,
                to,
                args,
                seconds,
                allow: asked.allow,
                output: asked.output,
            });
        }
    };
    let cycles = (asked.shadow.unwrap_or(CYCLES), asked.watch.unwrap_or(CYCLES));
    let (shadow, watch) = (Period::Cycles(cycles.0), Period::Cycles(cycles.1));
    let terms = ReplacementTerms { shadow, watch, allowed: asked.allow.unwrap_or(0), ..ReplacementTerms::default() };
    let (old, new) = asked.policy.with_second(to)?;
    let question = ReplacementSetup { args: asked, new: new.load_policy()?, old: old.load_policy()?, terms, cycles };
    let arguments = arguments::read(asked.in_force.args.as_deref())?;
    let progress = ProgressDisplay::of("replacing");
    let driven = drive::drive(&question, arguments)?;
    drop(progress);
    let ReplacedSession { session, .. } = &driven;
    let is_done = session.session().replacement().is_some_and(|it| it.state == ReplacementState::Done);
    let report = UpgradeReport::new(&question, &driven);
    match asked.output {
        TextOrJson::Text => text::page(&report).print()?,
        TextOrJson::Json => print_json(&report)?,
    }
    Ok(if is_done { Exit::Success } else { Exit::Failure })
}
