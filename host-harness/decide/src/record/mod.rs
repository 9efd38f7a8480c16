//! All decisions, as data.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Description, Phase, SystemInfo};
use serde::Serialize;
use serde_json::{Map, Value};

use lictor_host::cluster::Mirror;
use lictor_host::driver::VirtualDriver;
use lictor_host::reason::NamedReason;
use lictor_host::session::{Attempt, AttemptResult, PodStanding, Session, SessionReport};

use super::problem::Problem;

mod namespaces;
mod source;
pub(super) mod usage;

pub use source::{ComponentDigest, PolicySource};
pub use usage::{AccountResourceUsage, AccountUsage, NO_LIMIT};

/// The code of the reason of a pod that has scheduling gates.
pub const GATED: &str = "host/gated";

/// The code of the reason of a pod that another scheduler decides about.
pub const OTHER_SCHEDULER: &str = "host/other-scheduler";

/// The document that `decide` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Decisions"))]
#[serde(rename_all = "camelCase")]
pub struct DecisionReport {
    #[cfg_attr(feature = "typescript", ts(type = "\"lictor.dev/v1alpha1\""))]
    api_version: &'static str,
    #[cfg_attr(feature = "typescript", ts(type = "\"Decisions\""))]
    kind: &'static str,
    /// The policy that decided.
    pub policy: PolicyInfo,
    /// The cluster at the beginning.
    pub cluster: ClusterCounts,
    /// The decisions of each cycle.
    pub cycles: Vec<CycleReport>,
    /// The quotas or queues, before the first cycle and after the last.
    pub accounts: Vec<AccountUsage>,
    /// The standings of running pods before the first cycle: which pods were safe, and which could be evicted. Empty unless decisions are explained.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub standings: BTreeMap<String, PodStanding>,
    /// Findings for the authors of the objects.
    pub findings: Vec<Problem>,
    /// The number of ignored objects by version and kind.
    pub ignored: BTreeMap<String, usize>,
    /// The ignored kinds of which a finding warns.
    #[serde(skip)]
    pub warned: BTreeSet<String>,
}

/// The policy that decided.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Deciding"))]
#[serde(rename_all = "camelCase")]
pub struct PolicyInfo {
    /// Its name, as it says.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// The system whose laws apply.
    pub laws: String,
    /// The arguments that were given.
    pub arguments: Map<String, Value>,
    /// The source of the policy.
    #[serde(flatten)]
    pub source: PolicySource,
}

/// The cluster at the beginning.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ClusterCounts"))]
#[serde(rename_all = "camelCase")]
pub struct ClusterCounts {
    /// The newest time in the snapshot. `None`: the snapshot has no times.
    pub now: Option<String>,
    /// Nodes.
    pub nodes: usize,
    /// Pods on nodes.
    pub placed: usize,
    /// Pending pods.
    pub pending: usize,
    /// Finished pods.
    pub ended: usize,
}

/// The decisions of a cycle.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Cycle"))]
#[serde(rename_all = "camelCase")]
pub struct CycleReport {
    /// Its number, from 1.
    pub cycle: u32,
    /// The decisions.
    #[serde(flatten)]
    pub happened: SessionReport,
    /// Pods that wait at permit at its end, with their nodes.
    pub waiting: BTreeMap<String, String>,
    /// Pods that were nominated before and still are.
    pub still_nominated: BTreeMap<String, String>,
    /// Pods that are pending at its end.
    pub still_pending: Vec<String>,
    /// Pods that are pending at its end and were not tried: those with scheduling gates, and those of other schedulers.
    pub held_back: BTreeMap<String, NamedReason>,
    /// Why pods are pending, where the policy runs its own cycle and explains it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub reasons: BTreeMap<String, NamedReason>,
}

impl DecisionReport {
    /// Makes the record before any decision.
    pub(super) fn new(
        described: &Description,
        laws: Option<&SystemInfo>,
        source: PolicySource,
        arguments: Map<String, Value>,
        mirror: &Mirror,
    ) -> DecisionReport {
        DecisionReport {
            api_version: "lictor.dev/v1alpha1",
            kind: "Decisions",
            policy: PolicyInfo {
                name: described.name.clone(),
                version: described.version.clone(),
                laws: laws.map(|laws| laws.name.clone()).unwrap_or_default(),
                arguments,
                source,
            },
            cluster: ClusterCounts::of(mirror),
            cycles: Vec::new(),
            accounts: Vec::new(),
            standings: BTreeMap::new(),
            findings: Vec::new(),
            ignored: mirror.ignored().clone(),
            warned: BTreeSet::new(),
        }
    }
}

impl ClusterCounts {
    /// Counts the nodes and pods of a cluster.
    pub fn of(mirror: &Mirror) -> ClusterCounts {
        let now = jiff::Timestamp::from_nanosecond(mirror.now().into()).ok().filter(|_| mirror.now() > 0);
        let ended = |phase| matches!(phase, Phase::Succeeded | Phase::Failed);
        let (mut placed, mut pending, mut finished) = (0usize, 0usize, 0usize);
        for pod in mirror.pods() {
            let count = match pod.node {
                _ if ended(pod.phase) => &mut finished,
                Some(_) => &mut placed,
                None => &mut pending,
            };
            *count = count.saturating_add(1);
        }
        ClusterCounts {
            now: now.map(|now| now.to_string()),
            nodes: mirror.nodes().count(),
            placed,
            pending,
            ended: finished,
        }
    }
}

impl CycleReport {
    /// Takes the decisions since the last call.
    pub fn of(cycle: u32, session: &mut VirtualDriver) -> CycleReport {
        let happened = session.take_report();
        CycleReport::decided(cycle, happened, session.session())
    }

    /// Makes the cycle of these decisions, where `session` is in the state after them.
    pub fn decided(cycle: u32, happened: SessionReport, session: &Session) -> CycleReport {
        let waiting = session.waiting();
        let reasons = happened.refusals.clone();
        let mirror = session.mirror();
        let (mut still_nominated, mut still_pending) = (BTreeMap::new(), Vec::new());
        for pod in session.pending().filter_map(|pod| mirror.pod(pod)) {
            let Some(name) = mirror.pod_name(pod.id) else { continue };
            still_pending.push(name.to_owned());
            let before = pod.nominated.filter(|_| !happened.nominated.contains_key(name));
            still_nominated.extend(before.and_then(|node| Some((name.to_owned(), mirror.node(node)?.name.clone()))));
        }
        still_pending.sort_unstable();
        let held_back = session.not_scheduled();
        CycleReport { cycle, happened, waiting, still_nominated, still_pending, held_back, reasons }
    }

    /// Returns the pending pods without an attempt of their own: the policy's own cycle handles all pods together.
    pub fn without_attempt(&self) -> impl Iterator<Item = &str> {
        let tried: BTreeSet<&str> = self.happened.attempts.iter().map(|attempt| attempt.pod.as_str()).collect();
        let pending = self.still_pending.iter().map(String::as_str);
        pending.filter(move |pod| !tried.contains(pod) && !self.happened.nominated.contains_key(*pod))
    }

    /// Returns the pods that were not tried for a reason with this code, each with the reason.
    pub fn not_tried_for(&self, code: &'static str) -> impl Iterator<Item = (&str, &NamedReason)> {
        let held_back = self.held_back.iter().filter(move |(_, reason)| reason.code == code);
        held_back.map(|(pod, reason)| (pod.as_str(), reason))
    }

    /// Returns the attempts with this result, of pods that are neither bound, nominated nor waiting at permit.
    pub fn unplaced_attempts(&self, result: AttemptResult) -> impl Iterator<Item = &Attempt> {
        let SessionReport { attempts, bound, nominated, .. } = &self.happened;
        attempts.iter().filter(move |attempt| {
            attempt.result == result
                && !bound.contains_key(&attempt.pod)
                && !nominated.contains_key(&attempt.pod)
                && !self.waiting.contains_key(&attempt.pod)
        })
    }
}

/// Returns the newest time of any pod, in nanoseconds since 1970; 0 where no pod has a time.
pub fn newest(mirror: &Mirror) -> i64 {
    let times = mirror.pods().flat_map(|pod| [Some(pod.created), pod.started, pod.scheduled]);
    times.flatten().max().unwrap_or(0)
}
