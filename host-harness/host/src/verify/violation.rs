//! Why a plan or a binding is not carried out.

use std::fmt;

use lictor_contract::{NodeId, Placement, Plan, PodId, Refuted};

use super::{InterPodConflict, RailViolation};
use crate::cluster::Ineligible;
use crate::reason::{NamedFact, NamedReason, render, time};

/// A broken invariant, with the pods and nodes that break it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A number that names no pod.
    UnknownPod(PodId),
    /// A number that names no node.
    UnknownNode(NodeId),
    /// A pod is a victim twice.
    VictimTwice {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A pod is placed twice.
    PlacedTwice {
        /// The pod.
        pod: String,
    },
    /// A victim that is the preemptor or nominated by the same plan.
    OwnVictim {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim takes no capacity of a node.
    VictimNotPlaced {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim of another plan in flight.
    AlreadyLeaving {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
        /// The earlier plan.
        plan: u64,
    },
    /// A victim that is being deleted already, by no plan.
    BeingDeleted {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim whose eviction the API server has refused.
    EvictionRefused {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
        /// The time of the next attempt, in nanoseconds since 1970.
        until: i64,
    },
    /// A pod of another scheduler that a queue is to give back.
    OfAnotherScheduler {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A pod that is not pending.
    NotPending {
        /// The pod.
        pod: String,
        /// The state of the pod.
        state: &'static str,
    },
    /// Pods are evicted and no pod is placed.
    NoBeneficiary {
        /// The number of victims.
        victims: usize,
    },
    /// The plan does not place the preemptor.
    PreemptorNotPlaced {
        /// The preemptor.
        preemptor: String,
        /// The number of nominated pods.
        nominated: usize,
    },
    /// A victim that was refused before.
    RefutedVictim {
        /// The number of the victim.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A placement that was refused before.
    Refuted {
        /// The placement.
        placement: Placement,
        /// The pod.
        pod: String,
        /// The node.
        node: String,
    },
    /// A node that can never take the pod.
    Ineligible {
        /// The placement.
        placement: Placement,
        /// The pod.
        pod: String,
        /// The node.
        node: String,
        /// The reason.
        why: Ineligible,
    },
    /// A node that does not take the pod because of other pods.
    InterPodConflict {
        /// The placement.
        placement: Placement,
        /// The pod.
        pod: String,
        /// The node.
        node: String,
        /// The reason.
        why: InterPodConflict,
    },
    /// A rail of the operator.
    Rail(RailViolation),
    /// A node without enough free capacity for the placed pods.
    InsufficientResources {
        /// The number of the node.
        id: NodeId,
        /// The node.
        node: String,
        /// The resource that is short.
        resource: String,
        /// The allocatable amount of the node.
        allocatable: i64,
        /// The amount in use or promised.
        used: i128,
        /// The amount that the placed pods request.
        requested: i128,
    },
}

impl Violation {
    /// Returns the violation as a reason for the preemptor.
    pub fn reason(&self) -> NamedReason {
        let (code, case, facts) = match self {
            Violation::Rail(rail) => return rail.reason(),
            Violation::UnknownPod(number) => ("host/known", "pod", vec![NamedFact::count("number", *number)]),
            Violation::UnknownNode(number) => ("host/known", "node", vec![NamedFact::count("number", *number)]),
            Violation::VictimTwice { victim, .. } => ("host/distinct", "victim", vec![NamedFact::name("pod", victim)]),
            Violation::PlacedTwice { pod } => ("host/distinct", "placed", vec![NamedFact::name("pod", pod)]),
            Violation::OwnVictim { victim, .. } => ("host/apart", "", vec![NamedFact::name("pod", victim)]),
            Violation::VictimNotPlaced { victim, .. } => ("host/running", "", vec![NamedFact::name("pod", victim)]),
            Violation::AlreadyLeaving { victim, plan, .. } => {
                ("host/leaving", "", vec![NamedFact::name("pod", victim), NamedFact::count("plan", *plan)])
            }
            Violation::BeingDeleted { victim, .. } => ("host/leaving", "deleted", vec![NamedFact::name("pod", victim)]),
            Violation::EvictionRefused { victim, until, .. } => {
                ("host/leaving", "refused", vec![NamedFact::name("pod", victim), NamedFact::name("time", time(*until))])
            }
            Violation::OfAnotherScheduler { victim, .. } => {
                ("host/other-scheduler", "victim", vec![NamedFact::name("pod", victim)])
            }
            Violation::NotPending { pod, state } => {
                ("host/pending", "", vec![NamedFact::name("pod", pod), NamedFact::name("state", *state)])
            }
            Violation::NoBeneficiary { victims } => {
                ("host/purpose", "nobody", vec![NamedFact::count("victims", *victims)])
            }
            Violation::PreemptorNotPlaced { preemptor, nominated } => (
                "host/purpose",
                "preemptor",
                vec![NamedFact::name("pod", preemptor), NamedFact::count("nominated", *nominated)],
            ),
            Violation::Refuted { pod, node, .. } => {
                ("host/refuted", "", vec![NamedFact::name("pod", pod), NamedFact::name("node", node)])
            }
            Violation::RefutedVictim { victim, .. } => ("host/refuted", "victim", vec![NamedFact::name("pod", victim)]),
            Violation::Ineligible { pod, node, why, .. } => {
                let why = NamedFact::name("why", why.reason().message);
                ("host/eligible", "plan", vec![NamedFact::name("pod", pod), NamedFact::name("node", node), why])
            }
            Violation::InterPodConflict { pod, node, why, .. } => {
                let why = NamedFact::name("why", why.reason().message);
                ("host/inter-pod", "plan", vec![NamedFact::name("pod", pod), NamedFact::name("node", node), why])
            }
            Violation::InsufficientResources {
                node, resource, allocatable, used: taken, requested: wanted, ..
            } => {
                let amount = |name, n: i128| NamedFact::amount(name, resource, n);
                let amounts = [
                    amount("allocatable", (*allocatable).into()),
                    amount("in-use", *taken),
                    amount("requested", *wanted),
                ];
                ("host/fits", "", std::iter::once(NamedFact::name("node", node)).chain(amounts).collect())
            }
        };
        render(code, case, facts)
    }

    /// Returns the time after which the same plan may be accepted, in nanoseconds since 1970. `None`: time alone does not help.
    pub fn retry_at(&self) -> Option<i64> {
        match self {
            Violation::Rail(rail) => rail.retry_at(),
            _ => None,
        }
    }

    /// Returns the kind of objects whose change may make the same plan acceptable. `None`: no change of an object does.
    pub fn retry_after(&self) -> Option<&'static str> {
        match self {
            Violation::Rail(rail) => rail.retry_after(),
            _ => None,
        }
    }

    /// Returns the violation as an obstacle of a node. Where possible, the text does not name the node, so that equal obstacles can be counted.
    pub fn node_obstacle(&self) -> String {
        match self {
            Violation::InterPodConflict { why, .. } => why.reason().message,
            Violation::Ineligible { why, .. } => why.to_string(),
            other => other.to_string(),
        }
    }

    /// Returns the invalid part of the plan: the victim that breaks the invariant, else placements.
    pub fn refuted_part(&self, plan: &Plan) -> Refuted {
        let placements = |placements| Refuted { placements, ..Refuted::default() };
        match self {
            Violation::VictimTwice { id, .. }
            | Violation::OwnVictim { id, .. }
            | Violation::VictimNotPlaced { id, .. }
            | Violation::AlreadyLeaving { id, .. }
            | Violation::BeingDeleted { id, .. }
            | Violation::EvictionRefused { id, .. }
            | Violation::OfAnotherScheduler { id, .. }
            | Violation::RefutedVictim { id, .. } => Refuted { victims: vec![*id], ..Refuted::default() },
            Violation::UnknownPod(id) if plan.victims.iter().any(|victim| victim.pod == *id) => {
                Refuted { victims: vec![*id], ..Refuted::default() }
            }
            Violation::Refuted { placement, .. }
            | Violation::Ineligible { placement, .. }
            | Violation::InterPodConflict { placement, .. } => placements(vec![placement.clone()]),
            Violation::InsufficientResources { id, .. } => {
                placements(plan.nominations.iter().filter(|on| on.node == *id).cloned().collect())
            }
            Violation::Rail(rail) => rail.refuted_victims().unwrap_or_else(|| placements(plan.nominations.clone())),
            _ => placements(plan.nominations.clone()),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason().message)
    }
}

impl std::error::Error for Violation {}
