//! The rulings by which a policy departs from upstream, and what a comparison of one attempt comes to.

use lictor_oracle::System;
use serde_json::Value;

use crate::question::Question;
use crate::trial::Difference;
use crate::{coscheduling, koordinator, kubernetes, yunikorn};

/// A ruling by which a policy departs from upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// The id of the ruling in the manual of the system.
    pub id: &'static str,
    /// What upstream does.
    pub upstream: &'static str,
    /// What the policy does.
    pub policy: &'static str,
}

/// Returns the departures of a system.
pub fn departures(system: System) -> Vec<Departure> {
    match system {
        System::Kubernetes => kubernetes::departures().collect(),
        System::Yunikorn => yunikorn::departures().collect(),
        System::Coscheduling => coscheduling::departures().collect(),
        System::Koordinator => koordinator::departures().collect(),
        System::Volcano => Vec::new(),
    }
}

/// Returns the name and version of what a system is compared with; none where it has no judge.
pub fn upstream(system: System) -> Option<&'static str> {
    match system {
        System::Kubernetes => Some("kube-scheduler 1.37.1"),
        System::Yunikorn => Some("yunikorn-core 1.9.0"),
        System::Coscheduling => Some("scheduler-plugins 0.33.5"),
        System::Koordinator => Some("Koordinator 1.7.0"),
        System::Volcano => None,
    }
}

/// One attempt of the policy.
pub(crate) struct Attempt<'s> {
    /// The question about it.
    pub(crate) question: &'s Question,
    /// The pod that is tried.
    pub(crate) pod: &'s Value,
    /// The outcome of the policy, in the format of `lictor test --output json`.
    pub(crate) outcome: &'s Value,
}

/// The result of comparing an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Both decide alike.
    Alike,
    /// They differ, and these rulings explain it.
    Ruled(Vec<&'static str>),
    /// They differ, and no ruling explains it.
    Differs(Difference),
    /// The judge cannot judge the cluster, for this reason.
    NotCompared(&'static str),
}
