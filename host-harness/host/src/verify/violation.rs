//! Why a plan or a binding is not carried out.

use lictor_contract::{NodeId, Placement, Plan, PodId};

use crate::cluster::Ineligible;
use crate::reason::NamedReason;

/// An invariant and what breaks it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A number that names no pod.
    #[error("no pod has the number {0}")]
    UnknownPod(PodId),
    /// A number that names no node.
    #[error("no node has the number {0}")]
    UnknownNode(NodeId),
    /// The same victim twice.
    #[error("`{victim}` is a victim twice")]
    VictimTwice {
        /// The victim.
        victim: String,
    },
    /// A pod with two nodes, or twice the same.
    #[error("`{pod}` is placed twice")]
    PlacedTwice {
        /// The pod.
        pod: String,
    },
    /// A victim that is the preemptor or nominated by the same plan.
    #[error("`{victim}` is a victim of the plan that is made for it")]
    OwnVictim {
        /// The victim.
        victim: String,
    },
    /// A victim that holds no room.
    #[error("the victim `{victim}` neither runs on a node nor is held at permit")]
    HoldsNothing {
        /// The victim.
        victim: String,
    },
    /// A victim of a plan that is still under way.
    #[error("`{victim}` is already leaving by plan {plan}")]
    AlreadyLeaving {
        /// The victim.
        victim: String,
        /// The earlier plan.
        plan: u64,
    },
    /// A pod that is not waiting for a node.
    #[error("`{pod}` cannot be placed: it {state}")]
    NotPending {
        /// The pod.
        pod: String,
        /// What it does instead.
        state: &'static str,
    },
    /// Somebody is evicted and nobody is placed.
    #[error("{victims} are evicted and nobody is nominated")]
    NobodyGains {
        /// How many are evicted.
        victims: usize,
    },
    /// The pod that asked is not among those the plan places.
    #[error("the plan nominates {nominated} pods, but not `{preemptor}`, whose attempt asked for it")]
    AskerLeftOut {
        /// The pod that asked.
        preemptor: String,
        /// How many the plan nominates.
        nominated: usize,
    },
    /// A placement that was refused before.
    #[error("`{pod}` on `{node}` was refused before")]
    Refuted {
        /// The placement.
        placement: Placement,
        /// The pod.
        pod: String,
        /// The node.
        node: String,
    },
    /// A node that can never take the pod.
    #[error("`{node}` does not take `{pod}`: {why}")]
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
    /// A node without room for what is placed on it.
    #[error("`{node}` has {allocatable} of `{resource}`: {taken} stay taken, {wanted} more are to be placed")]
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
    /// The invariant, as the law of a reason: `host/` and the name of its file.
    pub fn code(&self) -> &'static str {
        match self {
            Violation::UnknownPod(_) | Violation::UnknownNode(_) => "host/known",
            Violation::VictimTwice { .. } | Violation::PlacedTwice { .. } => "host/distinct",
            Violation::OwnVictim { .. } => "host/apart",
            Violation::HoldsNothing { .. } => "host/running",
            Violation::AlreadyLeaving { .. } => "host/leaving",
            Violation::NotPending { .. } => "host/pending",
            Violation::NobodyGains { .. } | Violation::AskerLeftOut { .. } => "host/purpose",
            Violation::Refuted { .. } => "host/refuted",
            Violation::Ineligible { .. } => "host/eligible",
            Violation::NoRoom { .. } => "host/fits",
        }
    }

    /// The violation as a reason for the pod that asked.
    pub fn reason(&self) -> NamedReason {
        NamedReason { code: self.code().to_owned(), message: self.to_string(), ..NamedReason::default() }
    }

    /// The placements of a plan that it speaks against: those on the node or of the pod where it names them, else all.
    pub fn refutes(&self, plan: &Plan) -> Vec<Placement> {
        match self {
            Violation::Refuted { placement, .. } | Violation::Ineligible { placement, .. } => vec![placement.clone()],
            Violation::NoRoom { id, .. } => plan.nominations.iter().filter(|on| on.node == *id).cloned().collect(),
            _ => plan.nominations.clone(),
        }
    }
}
