//! The whole suite: every check, for every system, in every cluster.

use lictor_host::policy::Policy;

use super::check::{Check, checks};
use super::cluster::{ClusterChange, SuiteCluster};
use super::lab::{CheckContext, InstanceFactory};
use super::outcome::{CheckFailure, CheckOutcome, CheckReport, Conformance};
use crate::Scenario;

/// The number of random clusters for each system.
const CLUSTERS: u64 = 4;

/// The maximum number of scenarios of a system whose clusters are used.
const SCENARIOS: usize = 12;

/// Checks a policy with every check, in random clusters and in those of the scenarios of its systems.
///
/// # Errors
/// The policy cannot be started, or does not describe itself.
pub fn conform(start: &InstanceFactory<'_>, scenarios: &[Scenario]) -> Result<Conformance, String> {
    conform_to(checks(), start, scenarios)
}

/// Checks a policy with some of the checks.
pub(super) fn conform_to(
    checks: impl Iterator<Item = &'static Check>,
    start: &InstanceFactory<'_>,
    scenarios: &[Scenario],
) -> Result<Conformance, String> {
    let mut policy = start()?;
    let description = policy.describe().map_err(|error| error.to_string())?;
    if description.systems.is_empty() {
        return Err("the policy describes no system: name one in `description.systems` (wit/core.wit)".to_owned());
    }
    let mut reports: Vec<(&Check, CheckReport)> = checks.map(|check| (check, first(check, policy.as_ref()))).collect();
    for system in &description.systems {
        let clusters = (1..=CLUSTERS).map(|seed| SuiteCluster::of(seed, system).map_err(|error| error.to_string()));
        let of_scenarios = spread(scenarios.iter().filter(|scenario| scenario.system == system.name).collect());
        let clusters = clusters.chain(of_scenarios.into_iter().map(|scenario| Ok(SuiteCluster::of_scenario(scenario))));
        for cluster in clusters {
            let cluster = cluster?;
            run_checks(&CheckContext::new(start, &description, system, &cluster), &mut reports);
        }
    }
    Ok(Conformance::of(reports.into_iter().map(|(_, report)| report).collect()))
}

/// Returns the report of a check before anything was examined.
fn first(check: &Check, policy: &dyn Policy) -> CheckReport {
    let exported = check.interface().is_none_or(|interface| policy.has(interface));
    CheckReport::of(check, if exported { CheckOutcome::NotMet } else { CheckOutcome::NotExported })
}

/// Returns at most [`SCENARIOS`] items, spread evenly.
fn spread<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(SCENARIOS).max(1);
    all.into_iter().step_by(step).collect()
}

/// Runs the checks in one cluster. A check that has a flaw in this system is not run again.
fn run_checks(lab: &CheckContext<'_>, reports: &mut [(&Check, CheckReport)]) {
    for (check, report) in reports {
        let known = report.flaws.iter().any(|flaw| flaw.system == lab.system.name);
        if report.outcome == CheckOutcome::NotExported || known {
            continue;
        }
        match (check.verdict)(lab) {
            Ok(answers) => report.answers = report.answers.saturating_add(answers),
            Err(found) => {
                let (system, cluster) = (lab.system.name.clone(), lab.cluster.name.clone());
                report.flaws.push(CheckFailure { system, cluster, found });
            }
        }
        report.outcome = match (report.flaws.is_empty(), report.answers) {
            (false, _) => CheckOutcome::Failed,
            (true, 0) => CheckOutcome::NotMet,
            (true, _) => CheckOutcome::Passed,
        };
    }
}

impl SuiteCluster {
    /// Returns the initial cluster of a scenario, with two rounds of time that passes.
    fn of_scenario(scenario: &Scenario) -> SuiteCluster {
        let first = ClusterChange { removed: Vec::new(), objects: scenario.cluster.clone() };
        SuiteCluster {
            name: format!("scenario {}", scenario.name),
            arguments: serde_json::Value::Object(scenario.args.clone()).to_string(),
            schedulers: scenario.schedulers.clone(),
            rounds: vec![first, ClusterChange::default(), ClusterChange::default()],
        }
    }
}
