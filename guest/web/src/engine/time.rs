//! Cycle after cycle: the events between them, and the cluster as it was when each began.

use std::borrow::Cow;

use lictor_conformance::Scenario;
use lictor_contract::Description;
use lictor_decide::explain::ExplanationReport;
use lictor_decide::record::PolicySource;
use lictor_decide::{
    ClusterSession, ClusterSnapshot, CycleInterval, CycleReport, DecideError, DecisionReport, DecisionSettings, Native,
    Problem,
};
use lictor_host::rails::Rails;
use lictor_picture::{Picture, PodOnNode, picture, pods_on};
use serde::Serialize;

use super::explained::{ExplainedCycle, ExplainedSubject, cached_or_decide};
use super::{OpenCluster, PageEngine, nothing, problem};

/// A cycle, and the cluster as it was when the cycle began.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Moment"))]
#[serde(rename_all = "camelCase")]
pub struct CycleSnapshot<'a> {
    /// The number of the cycle, from 1.
    pub number: usize,
    /// The objects that left the cluster before it, as `Kind/namespace/name`.
    pub left: Vec<String>,
    /// The cluster before the decisions.
    pub picture: Picture,
    /// The decisions of this cycle alone.
    pub record: &'a DecisionReport,
}

impl PageEngine {
    /// Decides the next cycle, after these events in the cluster. In a recording, this is the next moment with a decision. `None`: the recording has
    /// ended.
    ///
    /// # Errors
    /// Nothing is open, or the policy failed; the recording is damaged, or this policy decides differently from the recording.
    pub fn cycle(&mut self, between: CycleInterval) -> Result<Option<CycleSnapshot<'_>>, Vec<Problem>> {
        match (&mut self.recording, &mut self.open_cluster) {
            (Some(play), _) => play.cycle(),
            (None, Some(open)) => open.cycle(between).map(Some).map_err(|failure| failure.problems()),
            (None, None) => Err(nothing()),
        }
    }

    /// Passes the reasons for the state of a pod or job to `tell`. `cycle`: the number of the cycle, from 1; `None`: the last one. The cycles up to
    /// it are decided once more, and that cycle with explanations.
    ///
    /// # Errors
    /// The pod, job or cycle does not exist, or the policy failed.
    pub fn explain<T>(
        &mut self,
        name: &str,
        cycle: Option<usize>,
        tell: impl FnOnce(ExplanationReport<'_>) -> T,
    ) -> Result<T, Vec<Problem>> {
        if let Some(play) = &mut self.recording {
            let number = number(cycle, play.last())?;
            return play.explain(name, number, tell).map_err(|failure| failure.problems());
        }
        let open = self.open_cluster_mut()?;
        let number = number(cycle, open.decided_cycles.len())?;
        open.explain(name, number, tell).map_err(|failure| failure.problems())
    }

    /// Returns the pods of a node after the cycle with this number. `None`: now.
    ///
    /// # Errors
    /// Nothing is open, the cycle does not exist, or the policy failed.
    pub fn pods_on(&mut self, node: &str, cycle: Option<usize>) -> Result<Vec<PodOnNode>, Vec<Problem>> {
        if let Some(play) = &mut self.recording {
            let number = match cycle.filter(|number| *number != play.last()) {
                None => play.last(),
                earlier => number(earlier, play.last())?,
            };
            return play.pods_on(node, number).map_err(|failure| failure.problems());
        }
        let open = self.open_cluster_mut()?;
        let earlier = cycle.filter(|number| *number != open.decided_cycles.len());
        let opened = match earlier {
            None => &open.opened,
            Some(_) => {
                let number = number(earlier, open.decided_cycles.len())?;
                &open.explained(None, number).map_err(|failure| failure.problems())?.after
            }
        };
        Ok(pods_on(opened.session().mirror(), node))
    }
}

impl OpenCluster {
    fn cycle(&mut self, between: CycleInterval) -> Result<CycleSnapshot<'_>, DecideError> {
        let left = self.opened.apply_interval(between)?;
        let memberships = self.opened.memberships()?;
        let picture = picture(self.opened.session().mirror(), &memberships);
        let decided = self.opened.decide(1, PolicySource::default())?;
        self.decided_cycles.push(between);
        Ok(CycleSnapshot { number: self.decided_cycles.len(), left, picture, record: self.record.insert(decided) })
    }

    fn explain<T>(
        &mut self,
        name: &str,
        number: usize,
        tell: impl FnOnce(ExplanationReport<'_>) -> T,
    ) -> Result<T, DecideError> {
        self.explained(Some(name), number)?.with_answer(name, tell)
    }

    /// Returns the cycle with this number, with explanations of a pod or job where one is named.
    fn explained(&mut self, name: Option<&str>, number: usize) -> Result<&ExplainedCycle<ClusterSession>, DecideError> {
        let OpenCluster {
            explained,
            opened,
            unchanged,
            changes,
            system,
            arguments,
            schedulers,
            decided_cycles: played,
            scenario,
            ..
        } = self;
        cached_or_decide(explained, (number, name), |earlier| {
            if let Some(earlier) = earlier {
                return decided(earlier.after, played, earlier.number, (number, name));
            }
            let (arguments, rails) = (arguments.clone(), rails(scenario.as_ref()));
            let with = DecisionSettings { system, arguments, schedulers, rails, recorder: None };
            decided(opened_as(changes.applied(unchanged), opened.described(), with)?, played, 0, (number, name))
        })
    }

    /// Repeats all cycles from the cluster as it was opened, each with the events before it; at least one.
    pub(super) fn replayed(&self) -> Result<Vec<(CycleInterval, CycleReport)>, DecideError> {
        let OpenCluster { opened, system, arguments, schedulers, scenario, .. } = self;
        let (arguments, rails) = (arguments.clone(), rails(scenario.as_ref()));
        let with = DecisionSettings { system, arguments, schedulers, rails, recorder: None };
        let mut opened = opened_as(self.snapshot(), opened.described(), with)?;
        let first = [CycleInterval::default()];
        let played = if self.decided_cycles.is_empty() { first.as_slice() } else { &self.decided_cycles };
        let mut cycles = Vec::new();
        for between in played {
            opened.apply_interval(*between)?;
            cycles.extend(opened.decide(1, PolicySource::default())?.cycles.into_iter().map(|cycle| (*between, cycle)));
        }
        Ok(cycles)
    }
}

/// Returns the rails: those of a command, but for a scenario, which tests laws.
pub(super) fn rails(scenario: Option<&Scenario>) -> Rails {
    if scenario.is_some() { Rails::default() } else { Rails::of_command() }
}

/// Opens the cluster again, as it was opened.
pub(super) fn opened_as(
    snapshot: Cow<'_, ClusterSnapshot>,
    described: &Description,
    with: DecisionSettings<'_>,
) -> Result<ClusterSession, DecideError> {
    ClusterSession::open(Box::<Native>::default(), described.clone(), with, || Ok(snapshot.into_owned()))
}

/// Decides up to the cycle with this number, and explains a pod or job in that one where one is named. `so_far`: how many cycles were decided in `opened`.
fn decided(
    mut opened: ClusterSession,
    played: &[CycleInterval],
    so_far: usize,
    (number, name): (usize, Option<&str>),
) -> Result<ExplainedCycle<ClusterSession>, DecideError> {
    let mut ahead = played.iter().take(number).skip(so_far);
    let last = ahead.next_back().copied().unwrap_or_default();
    for between in ahead {
        opened.apply_interval(*between)?;
        opened.decide(1, PolicySource::default())?;
    }
    opened.apply_interval(last)?;
    let names = opened.names()?;
    let meant = name.map(|name| names.find(name)).transpose()?;
    opened.explain_pods(&meant.map(|meant| meant.names()).unwrap_or_default())?;
    let record = opened.decide(1, PolicySource::default())?;
    let subject = name.map_or(ExplainedSubject::None, |name| ExplainedSubject::Named(name.to_owned()));
    Ok(ExplainedCycle { number, subject, names, record, after: opened })
}

/// Returns the number of a decided cycle: this one, or the last.
///
/// # Errors
/// Nothing was decided, or the cycle does not exist.
fn number(cycle: Option<usize>, last: usize) -> Result<usize, Vec<Problem>> {
    match cycle.unwrap_or(last) {
        0 => Err(problem("nothing was decided", "decide first")),
        number if number > last => Err(problem(&format!("there is no cycle {number}"), "decide first")),
        number => Ok(number),
    }
}
