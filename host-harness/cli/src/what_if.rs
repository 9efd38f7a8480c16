//! `lictor what-if`: the changes that would let a job in.

use std::path::PathBuf;

use clap::Args;
use lictor_decide::what_if::{WhatIfReport, WhatIfRequest, what_if};
use lictor_host::policy::CallError;

use super::arguments;
use super::decide::{self, PolicySelectionArgs};
use super::exit::Exit;
use super::explain::waiting;
use super::failure::CommandError;
use super::page::TextPage;
use super::progress::ProgressDisplay;
use super::screen::{Screen, TextOrJson, print_json};
use super::snapshot::SnapshotSource;

/// Say what would let a job in: the least change of one quota, of the nodes, or of its priority
#[derive(Debug, Args)]
pub(super) struct WhatIfArgs {
    /// The output of `kubectl get nodes,pods,... -A -o yaml` (or json); `-` is the standard input
    #[arg(value_name = "SNAPSHOT")]
    snapshot: PathBuf,
    /// The pod, or the job of some: `namespace/name`, or `name` where that is clear; without it, the jobs that wait are listed
    #[arg(value_name = "POD|JOB")]
    name: Option<String>,
    #[command(flatten)]
    by: PolicySelectionArgs,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Tries changes, and prints those that are enough.
pub(super) fn run(asked: &WhatIfArgs) -> Result<Exit, CommandError> {
    let Some(name) = &asked.name else {
        let source = |_: &_, _: &str| Ok(SnapshotSource::Files(vec![asked.snapshot.clone()]));
        return waiting::print(&asked.by, asked.output, source);
    };
    let in_force = &asked.by.in_force;
    let arguments = arguments::read(in_force.args.as_deref())?;
    let chosen = asked.by.policy.load_policy()?;
    let snapshot = SnapshotSource::Files(vec![asked.snapshot.clone()]).read()?;
    // Errors of the snapshot are reported once, before anything is tried.
    let described = chosen.start()?.describe()?;
    let case = WhatIfRequest {
        snapshot: &snapshot,
        name,
        system: &decide::in_force(&in_force.laws, &snapshot, &described),
        arguments: &arguments,
        schedulers: &in_force.schedulers,
        rails: &chosen.rails,
    };
    let broke = |failure: CommandError| CallError::Broke { call: "start", cause: failure.to_string().into() };
    let progress = ProgressDisplay::of("trying");
    let answer = what_if(&case, &mut || chosen.start().map_err(broke))?;
    drop(progress);
    match asked.output {
        TextOrJson::Text => page(&answer).print()?,
        TextOrJson::Json => print_json(&answer)?,
    }
    Ok(if answer.is_in || !answer.changes.is_empty() { Exit::Success } else { Exit::Failure })
}

fn page(answer: &WhatIfReport) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let pods = match answer.pods.as_slice() {
        [_] => "1 pod waits".to_owned(),
        pods => format!("{} pods wait", pods.len()),
    };
    page.heading(&format!("{}: {pods}", answer.job));
    if answer.is_in {
        let why = if answer.pods.is_empty() { "Nothing of it waits." } else { "It gets in as it is." };
        page.paragraph("  ", 2, why);
        return page;
    }
    if let Some(why) = &answer.not_tried {
        page.paragraph("  ", 2, why);
        return page;
    }
    if answer.changes.is_empty() {
        let tried = "No change of one quota, of the nodes or of its priority lets it in; `lictor explain` says what stands in its way.";
        page.paragraph("  ", 2, tried);
        return page;
    }
    page.paragraph("  ", 2, "Each of these is enough:");
    for change in &answer.changes {
        let victims = match change.victims {
            0 => String::new(),
            1 => "; 1 pod is evicted".to_owned(),
            victims => format!("; {victims} pods are evicted"),
        };
        page.paragraph("  - ", 4, &format!("{}{victims}", change.sentence));
    }
    page
}
