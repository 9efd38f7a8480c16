//! Why a plan or a binding is not carried out.

use std::fmt;

use lictor_contract::{NodeId, Placement, Plan, PodId, Refuted};

use super::Apart;
use crate::cluster::Ineligible;
use crate::reason::{Fact, NamedReason, say, time};

/// An invariant and what breaks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A number that names no pod.
    UnknownPod(PodId),
    /// A number that names no node.
    UnknownNode(NodeId),
    /// The same victim twice.
    VictimTwice {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A pod with two nodes, or twice the same.
    PlacedTwice {
        /// The pod.
        pod: String,
    },
    /// A victim that is the preemptor or nominated by the same plan.
    OwnVictim {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim that holds no room.
    HoldsNothing {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim of a plan that is still under way.
    AlreadyLeaving {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
        /// The earlier plan.
        plan: u64,
    },
    /// A victim that is being deleted already, by no plan.
    BeingDeleted {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A victim whose eviction the API server has refused.
    EvictionRefused {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
        /// When it is asked again, in nanoseconds since 1970.
        until: i64,
    },
    /// A pod of another scheduler that a queue is to give back.
    OfAnotherScheduler {
        /// Its number.
        id: PodId,
        /// The victim.
        victim: String,
    },
    /// A pod that is not waiting for a node.
    NotPending {
        /// The pod.
        pod: String,
        /// What it does instead.
        state: &'static str,
    },
    /// Somebody is evicted and nobody is placed.
    NobodyGains {
        /// How many are evicted.
        victims: usize,
    },
    /// The pod that asked is not among those the plan places.
    AskerLeftOut {
        /// The pod that asked.
        preemptor: String,
        /// How many the plan nominates.
        nominated: usize,
    },
    /// A victim that was refused before.
    RefutedVictim {
        /// Its number.
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
        /// Why.
        why: Ineligible,
    },
    /// A node that does not take the pod beside other pods.
    Apart {
        /// The placement.
        placement: Placement,
        /// The pod.
        pod: String,
        /// The node.
        node: String,
        /// Why.
        why: Apart,
    },
    /// A node without room for what is placed on it.
    NoRoom {
        /// The number of the node.
        id: NodeId,
        /// The node.
        node: String,
        /// The resource that is short.
        resource: String,
        /// What the node has of it.
        allocatable: i64,
        /// What stays taken or promised.
        taken: i128,
        /// What is to be placed.
        wanted: i128,
    },
}

impl Violation {
    /// The invariant and what breaks it, as a reason for the pod that asked.
    pub fn reason(&self) -> NamedReason {
        let (code, case, facts) = match self {
            Violation::UnknownPod(number) => ("host/known", "pod", vec![Fact::count("number", *number)]),
            Violation::UnknownNode(number) => ("host/known", "node", vec![Fact::count("number", *number)]),
            Violation::VictimTwice { victim, .. } => ("host/distinct", "victim", vec![Fact::name("pod", victim)]),
            Violation::PlacedTwice { pod } => ("host/distinct", "placed", vec![Fact::name("pod", pod)]),
            Violation::OwnVictim { victim, .. } => ("host/apart", "", vec![Fact::name("pod", victim)]),
            Violation::HoldsNothing { victim, .. } => ("host/running", "", vec![Fact::name("pod", victim)]),
            Violation::AlreadyLeaving { victim, plan, .. } => {
                ("host/leaving", "", vec![Fact::name("pod", victim), Fact::count("plan", *plan)])
            }
            Violation::BeingDeleted { victim, .. } => ("host/leaving", "deleted", vec![Fact::name("pod", victim)]),
            Violation::EvictionRefused { victim, until, .. } => {
                ("host/leaving", "refused", vec![Fact::name("pod", victim), Fact::name("time", time(*until))])
            }
            Violation::OfAnotherScheduler { victim, .. } => {
                ("host/other-scheduler", "victim", vec![Fact::name("pod", victim)])
            }
            Violation::NotPending { pod, state } => {
                ("host/pending", "", vec![Fact::name("pod", pod), Fact::name("state", *state)])
            }
            Violation::NobodyGains { victims } => ("host/purpose", "nobody", vec![Fact::count("victims", *victims)]),
            Violation::AskerLeftOut { preemptor, nominated } => {
                ("host/purpose", "preemptor", vec![Fact::name("pod", preemptor), Fact::count("nominated", *nominated)])
            }
            Violation::Refuted { pod, node, .. } => {
                ("host/refuted", "", vec![Fact::name("pod", pod), Fact::name("node", node)])
            }
            Violation::RefutedVictim { victim, .. } => ("host/refuted", "victim", vec![Fact::name("pod", victim)]),
            Violation::Ineligible { pod, node, why, .. } => {
                let why = Fact::name("why", why.reason().message);
                ("host/eligible", "plan", vec![Fact::name("pod", pod), Fact::name("node", node), why])
            }
            Violation::Apart { pod, node, why, .. } => {
                let why = Fact::name("why", why.reason().message);
                ("host/inter-pod", "plan", vec![Fact::name("pod", pod), Fact::name("node", node), why])
            }
            Violation::NoRoom { node, resource, allocatable, taken, wanted, .. } => {
                let amount = |name, n: i128| Fact::amount(name, resource, n);
                let amounts = [
                    amount("allocatable", (*allocatable).into()),
                    amount("in-use", *taken),
                    amount("requested", *wanted),
                ];
                ("host/fits", "", std::iter::once(Fact::name("node", node)).chain(amounts).collect())
            }
        };
        say(code, case, facts)
    }

    /// The same as a node says it of a pod, in words that are the same for all nodes where they can be.
    pub fn of_node(&self) -> String {
        match self {
            Violation::Apart { why, .. } => why.reason().message,
            Violation::Ineligible { why, .. } => why.to_string(),
            other => other.to_string(),
        }
    }

    /// What of the plan cannot be: the victims where it breaks down on one, else placements.
    pub fn refutes(&self, plan: &Plan) -> Refuted {
        let placements = |placements| Refuted { placements, ..Refuted::default() };
        match self {
            Violation::VictimTwice { id, .. }
            | Violation::OwnVictim { id, .. }
            | Violation::HoldsNothing { id, .. }
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
            | Violation::Apart { placement, .. } => placements(vec![placement.clone()]),
            Violation::NoRoom { id, .. } => {
                placements(plan.nominations.iter().filter(|on| on.node == *id).cloned().collect())
            }
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
