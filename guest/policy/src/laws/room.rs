//! Room: what a node has for a pod. The same in every system, and no law of any: it is what kube-scheduler's filters for
//! resources and for nominated pods do.

use super::breach::amount;
use crate::contract::{Obstacle, Reason};
use crate::model::{Amounts, Cluster, Request, ResourceIx};

/// Whether a node takes a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Fits,
    /// The pod may not run there, whoever else is there.
    Ineligible,
    /// The node is too small for the pod even when it is empty.
    TooSmall(ResourceIx),
    /// Others hold what the pod asks for.
    Full(ResourceIx),
    /// What the pod asks for is promised to pods that are no less important.
    Promised(ResourceIx),
    /// The node is kept for a DaemonSet's pod that may run nowhere else.
    Kept,
    /// Room was reserved for the pod on another node that takes it.
    Elsewhere,
}

/// Too little of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lack {
    /// The resource.
    pub resource: ResourceIx,
    /// How much of it is asked for.
    pub asked: i64,
    /// How much of it there is.
    pub free: i64,
}

impl Lack {
    /// The first resource of which there is less than is asked for.
    pub fn of(room: &Amounts, request: &Request) -> Option<Lack> {
        let resource = room.lacks(request)?;
        Some(Lack { resource, asked: request.get(resource), free: room.get(resource) })
    }

    /// Both numbers in words.
    pub fn sentence(&self, cluster: &Cluster) -> String {
        let name = cluster.resource_name(self.resource);
        match name.strip_prefix("hostport/") {
            Some(port) => format!("host port {port} is taken"),
            None => {
                let (asked, free) = (amount(name, self.asked), amount(name, self.free));
                format!("not enough {name}: asked {asked}, free {free}")
            }
        }
    }
}

impl Verdict {
    /// What stands in the way, in words that kube-scheduler's users know.
    pub fn obstacle(&self, cluster: &Cluster) -> Obstacle {
        let name = |resource: &ResourceIx| cluster.resource_name(*resource).to_owned();
        let (law, message, resolvable) = match self {
            Verdict::Fits => ("node/fits", "it fits".to_owned(), true),
            Verdict::Ineligible => ("node/eligible", "the pod may not run there".to_owned(), false),
            Verdict::TooSmall(resource) => {
                ("node/large-enough", format!("node(s) too small: {}", name(resource)), false)
            }
            Verdict::Full(resource) if name(resource).starts_with("hostport/") => {
                ("node/has-room", "node(s) didn't have free ports for the requested pod ports".to_owned(), true)
            }
            Verdict::Full(resource) => ("node/has-room", format!("Insufficient {}", name(resource)), true),
            Verdict::Promised(resource) => {
                ("node/keeps-promises", format!("{} promised to nominated pods", name(resource)), true)
            }
            Verdict::Elsewhere => ("node/reserved", "room is reserved for the pod on another node".to_owned(), true),
            Verdict::Kept => ("node/keeps-promises", "kept for a pod of a DaemonSet".to_owned(), true),
        };
        Obstacle { reason: Reason { law: law.to_owned(), message }, resolvable }
    }
}
