//! What a page asks.

use lictor_conformance::{Report, Scenario, run, run_explained};
use lictor_contract::{Description, SystemInfo};
use lictor_decide::explain::{Answer, Names};
use lictor_decide::laws::{Registered, registered};
use lictor_decide::record::{Counted, Source};
use lictor_decide::what_if::{Case, WhatIf, what_if};
use lictor_decide::written::{self, Decided, Written};
use lictor_decide::{Arguments, Failure, Native, Opened, Problem, Record, Snapshot, With};
use lictor_picture::{Picture, Placed, picture, pods_on};
use serde::Serialize;

use super::told::{Kind, Told};

mod masked;
#[cfg(test)]
mod tests;

/// The policy, and the cluster that it was told.
#[derive(Default)]
pub struct Engine {
    open: Option<Held>,
}

/// A cluster.
struct Held {
    told: Told,
    opened: Opened,
    /// Before anything was decided.
    names: Names,
    scenario: Option<Scenario>,
    record: Option<Record>,
    /// How many cycles were decided.
    cycles: u32,
    /// All of them, with explanations, where somebody has asked for them.
    explained: Option<Record>,
    /// As it was opened.
    snapshot: Snapshot,
    system: String,
    arguments: Arguments,
    schedulers: Vec<String>,
}

/// What is open.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// What it is.
    pub kind: Kind,
    /// The system whose laws apply.
    pub system: String,
    /// All systems.
    pub systems: Vec<String>,
    /// How much there is.
    pub cluster: Counted,
    /// What is to be said of the objects to their authors.
    pub findings: Vec<Problem>,
}

impl Engine {
    /// The systems of the policy, with their arguments and what they read.
    pub fn systems() -> Vec<SystemInfo> {
        lictor_policy::Engine::describe().systems
    }

    /// Every law.
    pub fn laws() -> Vec<Registered> {
        registered()
    }

    /// Opens a cluster or a scenario.
    ///
    /// # Errors
    /// What is wrong with it. What was open stays open.
    pub fn open(&mut self, told: Told) -> Result<Summary, Vec<Problem>> {
        let open = Held::open(told, lictor_policy::Engine::describe()).map_err(|failure| failure.problems())?;
        let summary = open.summary();
        self.open = Some(open);
        Ok(summary)
    }

    /// Decides so many cycles.
    ///
    /// # Errors
    /// Nothing is open, or the policy failed.
    pub fn decide(&mut self, cycles: u32, explained: bool) -> Result<&Record, Vec<Problem>> {
        let open = self.open.as_mut().ok_or_else(nothing)?;
        open.decide(cycles, explained).map_err(|failure| failure.problems())?;
        open.record.as_ref().ok_or_else(nothing)
    }

    /// Why a pod or job is where it is. Where what was decided is not explained, all of it is decided once more, with explanations.
    ///
    /// # Errors
    /// There is no such pod or job, nothing was decided, or the policy failed.
    pub fn explain<T>(&mut self, name: &str, tell: impl FnOnce(Answer<'_>) -> T) -> Result<T, Vec<Problem>> {
        let open = self.open.as_mut().ok_or_else(nothing)?;
        let meant = open.names.find(name).map_err(|failure| failure.problems())?;
        if open.explained.is_none() && open.cycles > 0 {
            open.explained = Some(open.once_more().map_err(|failure| failure.problems())?);
        }
        let record = open.explained.as_ref().ok_or_else(|| problem("nothing was decided", "decide first"))?;
        Ok(tell(Answer::of(name, meant, record)))
    }

    /// What would let a pod or job in, in the cluster as it was opened.
    ///
    /// # Errors
    /// There is no such pod or job, or nothing is open.
    pub fn what_if(&self, name: &str) -> Result<WhatIf, Vec<Problem>> {
        let Held { snapshot, system, arguments, schedulers, .. } = self.open.as_ref().ok_or_else(nothing)?;
        let case = Case { snapshot, name, system, arguments, schedulers };
        what_if(&case, &mut || Ok(Box::<Native>::default())).map_err(|failure| failure.problems())
    }

    /// What was opened, with its changes, as a file.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn snapshot(&self) -> Result<Written, Vec<Problem>> {
        let Held { told, snapshot, .. } = self.open.as_ref().ok_or_else(nothing)?;
        Ok(written::snapshot(&told.name, snapshot))
    }

    /// What was decided, as a scenario that passes.
    ///
    /// # Errors
    /// Nothing was decided last, or the scenario does not end as it was decided.
    pub fn scenario(&self) -> Result<Written, Vec<Problem>> {
        let open = self.open.as_ref().ok_or_else(nothing)?;
        let Held { told, opened, snapshot, arguments, schedulers, .. } = open;
        let record = open.record.as_ref().ok_or_else(|| problem("nothing was decided", "decide first"))?;
        let decided = Decided {
            file: &told.name,
            snapshot,
            mirror: opened.session().mirror(),
            system: opened.system().map(|system| system.name.as_str()).unwrap_or_default(),
            arguments: &arguments.given,
            schedulers,
            record,
        };
        written::scenario(&decided, Box::<Native>::default())
    }

    /// The cluster as it is drawn, at the moment.
    ///
    /// # Errors
    /// Nothing is open, or the policy failed.
    pub fn picture(&mut self) -> Result<Picture, Vec<Problem>> {
        let Held { opened, .. } = self.open.as_mut().ok_or_else(nothing)?;
        let accounts = opened.accounts().map_err(|failure| failure.problems())?;
        Ok(picture(opened.session().mirror(), &accounts, opened.system()))
    }

    /// An object of what is open as it is written, in JSON, with the changes so far: `Kind/namespace/name`.
    ///
    /// # Errors
    /// Nothing is open, or no such object.
    pub fn object(&self, key: &str) -> Result<String, Vec<Problem>> {
        let open = self.open.as_ref().ok_or_else(nothing)?;
        open.told.object(key).map_err(|failure| failure.problems())
    }

    /// The pods of a node, at the moment.
    ///
    /// # Errors
    /// Nothing is open.
    pub fn pods_on(&self, node: &str) -> Result<Vec<Placed>, Vec<Problem>> {
        let open = self.open.as_ref().ok_or_else(nothing)?;
        Ok(pods_on(open.opened.session().mirror(), node))
    }

    /// Plays the scenario that is open, from its beginning.
    ///
    /// # Errors
    /// No scenario is open.
    pub fn play(&self, explained: bool) -> Result<Report, Vec<Problem>> {
        let scenario = self.open.as_ref().and_then(|open| open.scenario.as_ref());
        let scenario = scenario.ok_or_else(|| problem("no scenario is open", "open one"))?;
        let play = if explained { run_explained } else { run };
        Ok(play(scenario, Box::<Native>::default()))
    }
}

impl Held {
    fn open(told: Told, described: Description) -> Result<Held, Failure> {
        let scenario = told.scenario().map_err(|mistake| vec![mistake])?;
        let mut arguments = Arguments::read_text("the arguments", &told.arguments).map_err(|mistake| vec![mistake])?;
        let (mut system, mut schedulers) = (told.system.clone(), told.schedulers.clone());
        if let Some(scenario) = &scenario {
            if arguments.given.is_empty() {
                arguments.given = scenario.args.clone();
            }
            system = if system.is_empty() { scenario.laws.clone() } else { system };
            schedulers = if schedulers.is_empty() { scenario.schedulers.clone() } else { schedulers };
        }
        let snapshot = match &scenario {
            None => told.snapshot()?,
            Some(scenario) => {
                let (objects, files) = (scenario.cluster.clone(), vec![told.name.clone()]);
                told.changed(Snapshot { objects, files, ..Snapshot::default() })?
            }
        };
        let with = With { system: &system, arguments: arguments.clone(), schedulers: &schedulers, recorder: None };
        let opened = Opened::open(Box::<Native>::default(), described, with, || Ok(snapshot.clone()))?;
        let names = Names::of(opened.session().mirror(), opened.system());
        Ok(Held {
            told,
            opened,
            names,
            scenario,
            record: None,
            cycles: 0,
            explained: None,
            snapshot,
            system,
            arguments,
            schedulers,
        })
    }

    fn summary(&self) -> Summary {
        Summary {
            kind: if self.scenario.is_some() { Kind::Scenario } else { Kind::Snapshot },
            system: self.opened.system().map(|system| system.name.clone()).unwrap_or_default(),
            systems: self.opened.described().systems.iter().map(|system| system.name.clone()).collect(),
            cluster: Counted::of(self.opened.session().mirror()),
            findings: self.opened.findings().to_vec(),
        }
    }

    fn decide(&mut self, cycles: u32, explained: bool) -> Result<(), Failure> {
        if explained {
            self.opened.explain()?;
        }
        self.record = Some(self.opened.decide(cycles, Source::default())?);
        self.cycles = self.cycles.saturating_add(cycles);
        self.explained = None;
        Ok(())
    }

    /// All that was decided, from the cluster as it was opened, with explanations.
    fn once_more(&self) -> Result<Record, Failure> {
        let Held { snapshot, system, arguments, schedulers, .. } = self;
        let with = With { system, arguments: arguments.clone(), schedulers, recorder: None };
        let described = self.opened.described().clone();
        let mut opened = Opened::open(Box::<Native>::default(), described, with, || Ok(snapshot.clone()))?;
        opened.explain()?;
        opened.decide(self.cycles, Source::default())
    }
}

fn nothing() -> Vec<Problem> {
    problem("nothing is open", "open a dump of a cluster or a scenario")
}

fn problem(message: &str, remedy: &str) -> Vec<Problem> {
    vec![Problem::error(message).remedy(remedy)]
}
