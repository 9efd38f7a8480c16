//! The engine of a page.

use std::borrow::Cow;

use lictor_conformance::{Scenario, ScenarioReport, run, run_explained};
use lictor_contract::{Description, SystemInfo};
use lictor_decide::laws::{RegisteredRule, registered};
use lictor_decide::record::{ClusterCounts, PolicySource, newest};
use lictor_decide::system::choose;
use lictor_decide::what_if::{WhatIfReport, WhatIfRequest, what_if};
use lictor_decide::written::{self, ExportedFile, ScenarioContents};
use lictor_decide::{
    ClusterSession, ClusterSnapshot, CycleInterval, DecideError, DecisionReport, DecisionSettings, Native, Problem,
    SnapshotChanges, UserArguments,
};
use lictor_picture::{Picture, picture};
use serde::Serialize;

use super::told::{InputKind, OpenInput};

mod edit;
mod explained;
mod masked;
mod recorded;
#[cfg(test)]
mod tests;
mod time;

use explained::ExplainedCycle;
use recorded::OpenRecording;
pub use time::CycleSnapshot;
use time::{opened_as, rails};

/// The policy, and the open input.
#[derive(Default)]
pub struct PageEngine {
    open_cluster: Option<OpenCluster>,
    recording: Option<OpenRecording>,
}

/// An open cluster.
struct OpenCluster {
    input: OpenInput,
    opened: ClusterSession,
    scenario: Option<Scenario>,
    record: Option<DecisionReport>,
    /// The decided cycles: the events before each.
    decided_cycles: Vec<CycleInterval>,
    /// One of the cycles with explanations: that of the last question.
    explained: Option<ExplainedCycle<ClusterSession>>,
    /// The cluster as it was opened, without the changes.
    unchanged: ClusterSnapshot,
    changes: SnapshotChanges,
    /// The newest time in the cluster, in nanoseconds since 1970.
    newest: i64,
    system: String,
    arguments: UserArguments,
    schedulers: Vec<String>,
}

/// A summary of the open input.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Summary"))]
#[serde(rename_all = "camelCase")]
pub struct InputSummary {
    /// The kind of the input.
    pub kind: InputKind,
    /// The system whose laws apply.
    pub system: String,
    /// All systems.
    pub systems: Vec<String>,
    /// The number of nodes and pods.
    pub cluster: ClusterCounts,
    /// The findings about the objects, for their authors.
    pub findings: Vec<Problem>,
}

impl PageEngine {
    /// Returns the systems of the policy, with their arguments and interests.
    pub fn systems() -> Vec<SystemInfo> {
        lictor_policy::Engine::describe().systems
    }

    /// Returns every law.
    pub fn laws() -> Vec<RegisteredRule> {
        registered()
    }

    /// Opens a cluster, a scenario or a recording.
    ///
    /// # Errors
    /// The mistakes of the input. The input before it stays open.
    pub fn open(&mut self, told: OpenInput) -> Result<InputSummary, Vec<Problem>> {
        if !told.recording.is_empty() {
            let play = OpenRecording::open(&told)?;
            let summary = play.summary();
            *self = PageEngine { open_cluster: None, recording: Some(play) };
            return Ok(summary);
        }
        let open = OpenCluster::open(told, lictor_policy::Engine::describe()).map_err(|failure| failure.problems())?;
        let summary = open.summary();
        *self = PageEngine { open_cluster: Some(open), recording: None };
        Ok(summary)
    }

    /// Decides `cycles` cycles.
    ///
    /// # Errors
    /// Nothing is open, or the policy failed.
    pub fn decide(&mut self, cycles: u32, explained: bool) -> Result<&DecisionReport, Vec<Problem>> {
        let open = self.open_cluster_mut()?;
        open.decide(cycles, explained).map_err(|failure| failure.problems())?;
        open.record.as_ref().ok_or_else(nothing)
    }

    /// Returns the changes that would let a pod or job in, in the cluster as it was opened.
    ///
    /// # Errors
    /// The pod or job does not exist, or nothing is open.
    pub fn what_if(&self, name: &str) -> Result<WhatIfReport, Vec<Problem>> {
        let open = self.open_cluster()?;
        let OpenCluster { system, arguments, schedulers, .. } = open;
        let rails = rails(open.scenario.as_ref());
        let case = WhatIfRequest { snapshot: &open.snapshot(), name, system, arguments, schedulers, rails: &rails };
        what_if(&case, &mut || Ok(Box::<Native>::default())).map_err(|failure| failure.problems())
    }

    /// Returns the opened cluster, with its changes, as a file.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn snapshot(&self) -> Result<ExportedFile, Vec<Problem>> {
        let open = self.open_cluster()?;
        Ok(written::snapshot(&open.input.name, &open.snapshot()))
    }

    /// Returns the decisions as a scenario that passes.
    ///
    /// # Errors
    /// Nothing was decided last, or the scenario does not end as it was decided.
    pub fn scenario(&self) -> Result<ExportedFile, Vec<Problem>> {
        let open = self.open_cluster()?;
        let OpenCluster { input: told, opened, newest, arguments, schedulers, .. } = open;
        if open.decided_cycles.is_empty() {
            return Err(problem("nothing was decided", "decide first"));
        }
        let cycles = open.replayed().map_err(|failure| failure.problems())?;
        let decided = ScenarioContents {
            file: &told.name,
            snapshot: &open.snapshot(),
            newest: *newest,
            system: opened.system().map(|system| system.name.as_str()).unwrap_or_default(),
            arguments: &arguments.values,
            schedulers,
            cycles: &cycles,
        };
        written::scenario(&decided, Box::<Native>::default())
    }

    /// Returns the cluster as it is drawn now; that of a recording before its next moment, empty where the recording has no cluster yet.
    ///
    /// # Errors
    /// Nothing is open, or the policy failed; the recording is damaged.
    pub fn picture(&mut self) -> Result<Picture, Vec<Problem>> {
        if let Some(play) = &mut self.recording {
            return play.picture();
        }
        let OpenCluster { opened, .. } = self.open_cluster_mut()?;
        let memberships = opened.memberships().map_err(|failure| failure.problems())?;
        Ok(picture(opened.session().mirror(), &memberships))
    }

    /// Plays the open scenario, from its beginning.
    ///
    /// # Errors
    /// No scenario is open.
    pub fn play(&self, explained: bool) -> Result<ScenarioReport, Vec<Problem>> {
        let scenario = self.open_cluster.as_ref().and_then(|open| open.scenario.as_ref());
        let scenario = scenario.ok_or_else(|| problem("no scenario is open", "open one"))?;
        let play = if explained { run_explained } else { run };
        Ok(play(scenario, Box::<Native>::default()))
    }

    /// Returns the open cluster or scenario.
    fn open_cluster(&self) -> Result<&OpenCluster, Vec<Problem>> {
        self.open_cluster.as_ref().ok_or_else(|| self.no_open_cluster())
    }

    fn open_cluster_mut(&mut self) -> Result<&mut OpenCluster, Vec<Problem>> {
        let problems = self.no_open_cluster();
        self.open_cluster.as_mut().ok_or(problems)
    }

    fn no_open_cluster(&self) -> Vec<Problem> {
        match self.recording {
            None => nothing(),
            Some(_) => problem("a recording can be looked at, not changed", "open a dump of a cluster or a scenario"),
        }
    }
}

impl OpenCluster {
    fn open(told: OpenInput, described: Description) -> Result<OpenCluster, DecideError> {
        let scenario = told.scenario().map_err(|mistake| vec![mistake])?;
        let mut arguments =
            UserArguments::read_text("the arguments", &told.arguments).map_err(|mistake| vec![mistake])?;
        let (mut system, mut schedulers) = (told.system.clone(), told.schedulers.clone());
        // With the laws of another system than its own, a scenario is only a cluster.
        let own = scenario.as_ref().filter(|scenario| [scenario.system.as_str(), ""].contains(&system.as_str()));
        if let Some(scenario) = own {
            system.clone_from(&scenario.system);
            if arguments.values.is_empty() {
                arguments.values = scenario.args.clone();
            }
            schedulers = if schedulers.is_empty() { scenario.schedulers.clone() } else { schedulers };
        }
        let unchanged = told.snapshot(scenario.as_ref())?;
        let changes = SnapshotChanges::read(&told.changes)?;
        if system.is_empty() {
            system = choose(&unchanged.objects, &described).system;
        }
        let with = DecisionSettings {
            system: &system,
            arguments: arguments.clone(),
            schedulers: &schedulers,
            rails: rails(scenario.as_ref()),
            recorder: None,
        };
        let opened = opened_as(changes.applied(&unchanged), &described, with)?;
        let newest = newest(opened.session().mirror());
        Ok(OpenCluster {
            input: told,
            opened,
            scenario,
            record: None,
            decided_cycles: Vec::new(),
            explained: None,
            unchanged,
            changes,
            newest,
            system,
            arguments,
            schedulers,
        })
    }

    /// Returns the cluster as it was opened, with the changes.
    fn snapshot(&self) -> Cow<'_, ClusterSnapshot> {
        self.changes.applied(&self.unchanged)
    }

    fn summary(&self) -> InputSummary {
        InputSummary {
            kind: if self.scenario.is_some() { InputKind::Scenario } else { InputKind::Snapshot },
            system: self.opened.system().map(|system| system.name.clone()).unwrap_or_default(),
            systems: self.opened.described().systems.iter().map(|system| system.name.clone()).collect(),
            cluster: ClusterCounts::of(self.opened.session().mirror()),
            findings: self.opened.findings().to_vec(),
        }
    }

    fn decide(&mut self, cycles: u32, explained: bool) -> Result<(), DecideError> {
        if explained {
            self.opened.explain()?;
        }
        self.record = Some(self.opened.decide(cycles, PolicySource::default())?);
        self.decided_cycles.extend((0..cycles).map(|_| CycleInterval::default()));
        Ok(())
    }
}

fn nothing() -> Vec<Problem> {
    problem("nothing is open", "open a dump of a cluster or a scenario")
}

fn problem(message: &str, remedy: &str) -> Vec<Problem> {
    vec![Problem::error(message).remedy(remedy)]
}
