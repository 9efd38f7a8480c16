//! Room: what a node has for a pod. The same in every system, and no law of any: it is what kube-scheduler's filters for
//! resources and for nominated pods do.

use crate::contract::Obstacle;
use crate::laws::Detail;
use crate::model::{Amounts, Cluster, Request, ResourceIx};
use crate::quantity::readable;

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

/// Resources of which there is too little: how much is asked for, and how much there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack(Vec<(ResourceIx, i64, i64)>);

impl Lack {
    /// What is lacking for a request; none where nothing is.
    pub fn of(room: &Amounts, request: &Request) -> Option<Lack> {
        Lack::among(request.iter().map(|(resource, asked)| (resource, asked, room.get(resource))))
    }

    /// What is lacking where so much of each resource is asked for, and so much is there; none where nothing is.
    pub fn among(resources: impl Iterator<Item = (ResourceIx, i64, i64)>) -> Option<Lack> {
        let lacking: Vec<_> = resources.filter(|(_, asked, free)| free < asked).collect();
        (!lacking.is_empty()).then_some(Lack(lacking))
    }

    /// All of it in words, with both sides' numbers.
    pub fn sentence(&self, cluster: &Cluster) -> String {
        let (mut taken, mut short) = (Vec::new(), Vec::new());
        for (resource, asked, free) in &self.0 {
            let name = cluster.resource_name(*resource);
            match name.strip_prefix("hostport/") {
                Some(port) => taken.push(format!("host port {port} is taken")),
                None => {
                    short.push(format!("{name} (asked {}, free {})", readable(name, *asked), readable(name, *free)));
                }
            }
        }
        if !short.is_empty() {
            taken.push(format!("not enough {}", short.join(", ")));
        }
        taken.join("; ")
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
        Obstacle { reason: Detail::from(message).reason(law), resolvable }
    }
}
