//! The changes that would let a job in: the least change of one quota, of the nodes, or of its priority.
//!
//! Each change is tried: the cluster is decided about once more with it. So whatever the laws are, all pods of the job are bound or nominated in the
//! first cycle with a reported change, and not with a smaller change of its kind. Changes of two kinds together are not tried.

mod bounds;
mod nodes;
mod priorities;
#[cfg(test)]
mod tests;

pub(crate) use bounds::{BoundLocation, bound_locations, ordinary};

use std::collections::BTreeMap;

use lictor_contract::SystemInfo;
use lictor_host::cluster::KubernetesObject;
use lictor_host::policy::{CallError, Policy};
use lictor_host::rails::Rails;
use lictor_host::session::EvictionBeneficiary;
use serde::Serialize;
use serde_json::Value;

use super::arguments::UserArguments;
use super::explain::{ExplanationReport, InitialPod};
use super::failure::DecideError;
use super::opened::{ClusterSession, DecisionSettings};
use super::record::{DecisionReport, PolicySource};
use super::snapshot::ClusterSnapshot;

/// A cluster, the settings of its decisions, and the job that should get in.
pub struct WhatIfRequest<'a> {
    /// The cluster.
    pub snapshot: &'a ClusterSnapshot,
    /// The pod or job, as [`NameIndex::find`](super::explain::NameIndex::find) takes it.
    pub name: &'a str,
    /// The system; empty for the first one of the policy.
    pub system: &'a str,
    /// The arguments of the system.
    pub arguments: &'a UserArguments,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
    /// The rails.
    pub rails: &'a Rails,
}

/// The changes that would let a job in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WhatIf"))]
#[serde(rename_all = "camelCase")]
pub struct WhatIfReport {
    #[cfg_attr(feature = "typescript", ts(type = "\"lictor.dev/v1alpha1\""))]
    api_version: &'static str,
    #[cfg_attr(feature = "typescript", ts(type = "\"WhatIf\""))]
    kind: &'static str,
    /// The name in the question.
    pub job: String,
    /// Its pods that wait.
    pub pods: Vec<String>,
    /// Whether nothing need be changed: all of the pods are bound or nominated without a change, or no pod waits.
    pub is_in: bool,
    /// Why no change was tried: pods of the job are held back, by scheduling gates or because they have another scheduler.
    pub not_tried: Option<String>,
    /// The changes, each of which is enough.
    pub changes: Vec<SufficientChange>,
    /// The number of decisions about the cluster.
    pub tried: usize,
}

/// A change that is enough.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Change"))]
#[serde(rename_all = "camelCase")]
pub struct SufficientChange {
    /// The change in words.
    pub sentence: String,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The quota or queue; the node that is copied; the job.
    pub of: String,
    /// The changed values; a single one for nodes and priorities.
    pub fields: Vec<ChangedField>,
    /// The number of pods that are evicted for the job in the first cycle.
    pub victims: usize,
    /// The change as objects that are added to the cluster, or replace those of the same kind and name.
    pub objects: Vec<Value>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ChangeKind"))]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// A bound of a quota or queue.
    Quota,
    /// The number of nodes.
    Nodes,
    /// The priority of the pods.
    Priority,
}

/// A changed value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Field"))]
pub struct ChangedField {
    /// The name of the value, such as `max cpu`, `nodes` or `priority`.
    pub name: String,
    /// The present value.
    pub from: String,
    /// The changed value.
    pub to: String,
}

impl SufficientChange {
    fn of(
        kind: ChangeKind,
        of: String,
        fields: Vec<ChangedField>,
        victims: usize,
        objects: Vec<Value>,
    ) -> SufficientChange {
        SufficientChange { sentence: kind.sentence(&of, &fields), kind, of, fields, victims, objects }
    }
}

impl ChangeKind {
    /// Returns the change in words.
    fn sentence(self, of: &str, fields: &[ChangedField]) -> String {
        let told = |field: &ChangedField| format!("{} from {} to {}", field.name, field.from, field.to);
        let told: Vec<String> = fields.iter().map(told).collect();
        match self {
            ChangeKind::Quota => format!("raise in `{of}` {}", told.join(", and ")),
            ChangeKind::Nodes => {
                let more = fields.first().map_or("1", |field| field.to.as_str());
                format!("add {more} like node `{of}`")
            }
            ChangeKind::Priority => format!("raise the {}", told.join(", and ")),
        }
    }
}

/// A function that starts the policy.
pub type PolicyStarter<'a> = dyn FnMut() -> Result<Box<dyn Policy>, CallError> + 'a;

/// Returns the changes that would let a job in. `start` starts the policy.
///
/// # Errors
/// The cluster cannot be decided about, or the job does not exist.
pub fn what_if(case: &WhatIfRequest<'_>, start: &mut PolicyStarter<'_>) -> Result<WhatIfReport, DecideError> {
    let mut trials = TrialRunner {
        case,
        start,
        system: None,
        pods: Vec::new(),
        requests: Vec::new(),
        requested: BTreeMap::new(),
        not_tried_reasons: Vec::new(),
        tried: 0,
    };
    let mut answer = WhatIfReport {
        api_version: "lictor.dev/v1alpha1",
        kind: "WhatIf",
        job: case.name.to_owned(),
        pods: Vec::new(),
        is_in: true,
        not_tried: None,
        changes: Vec::new(),
        tried: 0,
    };
    let said = trials.read_cluster()?;
    answer.pods.clone_from(&trials.pods);
    answer.not_tried = trials.not_tried();
    if answer.not_tried.is_some() {
        answer.is_in = false;
    } else if !trials.pods.is_empty() && trials.is_in(&case.snapshot.objects)?.is_none() {
        answer.is_in = false;
        answer.changes.extend(bounds::changes(&mut trials, &said)?);
        answer.changes.extend(nodes::changes(&mut trials)?);
        answer.changes.extend(priorities::changes(&mut trials)?);
    }
    answer.tried = trials.tried;
    Ok(answer)
}

/// The trials of changes.
struct TrialRunner<'a, 's> {
    case: &'a WhatIfRequest<'a>,
    start: &'a mut PolicyStarter<'s>,
    /// The system whose laws apply.
    system: Option<SystemInfo>,
    /// The pods that wait.
    pods: Vec<String>,
    /// The requests of each of them, by resource.
    requests: Vec<BTreeMap<String, i64>>,
    /// The sum of those requests.
    requested: BTreeMap<String, i64>,
    /// Why pods that wait are not tried, in words.
    not_tried_reasons: Vec<String>,
    tried: usize,
}

impl TrialRunner<'_, '_> {
    /// Looks at the cluster as it is: the pods that wait, and all reasons for the job.
    fn read_cluster(&mut self) -> Result<Value, DecideError> {
        let mut opened = self.open(self.case.snapshot.clone())?;
        self.system = opened.system().cloned();
        let names = opened.names()?;
        let meant = names.find(self.case.name)?;
        let waits = |pod: &&InitialPod| pod.node.is_none() && !pod.ended && !pod.is_terminating;
        self.pods = meant.pods.iter().filter(waits).map(|pod| pod.name.clone()).collect();
        let mirror = opened.session().mirror();
        for pod in self.pods.iter().filter_map(|pod| mirror.pod(mirror.pod_id(pod)?)) {
            let mut requests = BTreeMap::new();
            for amount in &pod.template.requests {
                let resource = usize::try_from(amount.resource).ok().and_then(|at| mirror.resources().get(at));
                let Some(resource) = resource else { continue };
                requests.insert(resource.name.clone(), amount.value);
                let sum = self.requested.entry(resource.name.clone()).or_default();
                *sum = sum.saturating_add(amount.value);
            }
            self.requests.push(requests);
        }
        opened.explain_pods(&meant.names())?;
        let record = self.decide(&mut opened)?;
        let held_back = record.cycles.iter().flat_map(|cycle| &cycle.held_back);
        let told = held_back.filter(|(pod, _)| self.pods.contains(pod));
        self.not_tried_reasons = told.map(|(pod, reason)| format!("`{pod}`: {}", reason.message)).collect();
        Ok(serde_json::to_value(ExplanationReport::of(self.case.name, meant, &record)).unwrap_or_default())
    }

    /// Returns why no change is tried, where pods are held back: the reason of the first one. `None`: no pod is held back.
    fn not_tried(&self) -> Option<String> {
        let first = self.not_tried_reasons.first()?;
        let others = match self.not_tried_reasons.len().saturating_sub(1) {
            0 => String::new(),
            1 => "; 1 more pod is held back, too".to_owned(),
            others => format!("; {others} more pods are held back, too"),
        };
        Some(format!("{first}{others}. No change of a quota, of the nodes or of its priority lets it in."))
    }

    /// Returns the number of victims where all pods of the job get in. `None`: they do not, or the objects are no valid cluster.
    fn is_in(&mut self, objects: &[KubernetesObject]) -> Result<Option<usize>, DecideError> {
        let mut opened = match self.open(ClusterSnapshot { objects: objects.to_vec(), ..ClusterSnapshot::default() }) {
            Ok(opened) => opened,
            Err(DecideError::Session(cause)) => return Err(DecideError::Session(cause)),
            Err(_) => return Ok(None),
        };
        let record = self.decide(&mut opened)?;
        let Some(cycle) = record.cycles.first() else { return Ok(None) };
        let happened = &cycle.happened;
        let is_nominated = |pod: &String| happened.nominated.contains_key(pod);
        // A pod of a gang may hold its node until the victims of the others have left.
        let waits = |pod: &String| cycle.waiting.contains_key(pod) && self.pods.iter().any(is_nominated);
        let is_in = |pod: &String| happened.bound.contains_key(pod) || is_nominated(pod) || waits(pod);
        let victims = happened.victims.values().filter(
            |evicted| matches!(&evicted.for_whom, EvictionBeneficiary::Preemptor(pod) if self.pods.contains(pod)),
        );
        Ok(self.pods.iter().all(is_in).then(|| victims.count()))
    }

    fn open(&mut self, snapshot: ClusterSnapshot) -> Result<ClusterSession, DecideError> {
        let WhatIfRequest { system, arguments, schedulers, rails, .. } = *self.case;
        let mut policy = (self.start)()?;
        let described = policy.describe()?;
        let with =
            DecisionSettings { system, arguments: arguments.clone(), schedulers, rails: rails.clone(), recorder: None };
        ClusterSession::open(policy, described, with, || Ok(snapshot))
    }

    fn decide(&mut self, opened: &mut ClusterSession) -> Result<DecisionReport, DecideError> {
        self.tried = self.tried.saturating_add(1);
        opened.decide(1, PolicySource::default())
    }
}
