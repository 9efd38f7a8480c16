//! The rulings by which a policy departs from upstream, and what a comparison of one attempt comes to.

use lictor_oracle::SystemKind;
use serde_json::Value;

use crate::question::JudgeRequest;
use crate::trial::UpstreamDifference;
use crate::{coscheduling, koordinator, kubernetes, yunikorn};

/// A ruling by which a policy departs from upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpstreamDeparture {
    /// The id of the ruling in the manual of the system.
    pub id: &'static str,
    /// What upstream does.
    pub upstream: &'static str,
    /// What the policy does.
    pub policy: &'static str,
}

/// Returns the departures of a system.
pub fn departures(system: SystemKind) -> Vec<UpstreamDeparture> {
    match system {
        SystemKind::Kubernetes => kubernetes::departures().collect(),
        SystemKind::Yunikorn => yunikorn::departures().collect(),
        SystemKind::Coscheduling => coscheduling::departures().collect(),
        SystemKind::Koordinator => koordinator::departures().collect(),
        SystemKind::Volcano => Vec::new(),
    }
}

/// Returns the name and version of what a system is compared with; none where it has no judge.
pub fn upstream(system: SystemKind) -> Option<&'static str> {
    match system {
        SystemKind::Kubernetes => Some("kube-scheduler 1.37.1"),
        SystemKind::Yunikorn => Some("yunikorn-core 1.9.0"),
        SystemKind::Coscheduling => Some("scheduler-plugins 0.33.5"),
        SystemKind::Koordinator => Some("Koordinator 1.7.0"),
        SystemKind::Volcano => None,
    }
}

/// One attempt of the policy.
pub(crate) struct PolicyAttempt<'s> {
    /// The question about it.
    pub(crate) question: &'s JudgeRequest,
    /// The pod that is tried.
    pub(crate) pod: &'s Value,
    /// The outcome of the policy, in the format of `lictor test --output json`.
    pub(crate) outcome: &'s Value,
}

/// The result of comparing an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptComparison {
    /// Both decide alike.
    Same,
    /// They differ, and these rulings explain it.
    Ruled(Vec<&'static str>),
    /// They differ, and no ruling explains it.
    Differs(UpstreamDifference),
    /// The judge cannot judge the cluster, for this reason.
    NotCompared(&'static str),
}
