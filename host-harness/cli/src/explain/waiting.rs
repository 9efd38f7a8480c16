//! The jobs that wait, for a question that names none of them.

use std::collections::BTreeMap;

use lictor_decide::ClusterSession;
use lictor_decide::record::{CycleReport, DecisionReport};
use lictor_host::reason::NamedReason;
use serde::Serialize;

use crate::choice::LoadedPolicy;
use crate::decide::{ExplainMode, PolicySelectionArgs, SnapshotSource};
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::page::{TextPage, table};
use crate::screen::{Screen, TextOrJson, print_json};

/// A job with pods that wait, or a pod of no job.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WaitingJob {
    /// The name, with the namespace.
    name: String,
    /// The number of its pods that wait.
    pods: usize,
    /// What one cycle decides about them.
    result: String,
}

/// Lists the jobs that wait in a cluster: `source` returns the cluster for this policy and this system.
pub(crate) fn print(
    by: &PolicySelectionArgs,
    output: TextOrJson,
    source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
) -> Result<Exit, CommandError> {
    let look = |opened: &mut ClusterSession| Ok(opened.names()?.waiting());
    let (record, _, waiting) = by.decide_once(ExplainMode::No, source, look)?;
    let jobs = jobs(&record, waiting);
    match output {
        TextOrJson::Json => print_json(&jobs)?,
        TextOrJson::Text => page(&jobs).print()?,
    }
    Ok(Exit::Success)
}

fn jobs(record: &DecisionReport, waiting: BTreeMap<String, Vec<String>>) -> Vec<WaitingJob> {
    let result = |pods: &[String]| match record.cycles.first() {
        Some(cycle) => result(cycle, pods),
        None => String::new(),
    };
    waiting.into_iter().map(|(name, pods)| WaitingJob { result: result(&pods), pods: pods.len(), name }).collect()
}

/// Returns what a cycle decides about the pods of a job: how many get in, or what stops the first one that does not.
fn result(cycle: &CycleReport, pods: &[String]) -> String {
    let happened = &cycle.happened;
    let gets_in = |pod: &&String| happened.bound.contains_key(*pod) || happened.nominated.contains_key(*pod);
    let Some(first) = pods.iter().find(|pod| !gets_in(pod)) else { return "gets in".to_owned() };
    let attempt = happened.attempts.iter().find(|attempt| attempt.pod == *first);
    let code = |reason: &NamedReason| reason.code.clone();
    let law = attempt.and_then(|attempt| attempt.reason.as_ref().or(attempt.preemption.as_ref()));
    let law = law.or_else(|| cycle.reasons.get(first)).or_else(|| cycle.held_back.get(first)).map(code);
    let nodes = || attempt.and_then(|attempt| attempt.nodes.as_ref()).map(ToString::to_string);
    let why = law.or_else(nodes).unwrap_or_else(|| "stays pending".to_owned());
    match pods.iter().filter(gets_in).count() {
        0 => why,
        some => format!("{some} of {} get in; {why}", pods.len()),
    }
}

fn page(jobs: &[WaitingJob]) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    if jobs.is_empty() {
        page.line("No pod waits. Name a pod or a job.");
        return page;
    }
    page.heading("These wait: name one of them");
    let mut rows = table(["POD|JOB", "PODS", "RESULT"]);
    for WaitingJob { name, pods, result } in jobs {
        rows.add_row([name.clone(), pods.to_string(), result.clone()]);
    }
    page.table(2, rows);
    page
}
