//! Room: what a node has for a pod, and whether the pods around it allow it there. The same in every system, and no law of any: it is
//! what kube-scheduler's filters for resources, for pods among each other and for nominated pods do.

use super::reasons::{ELIGIBLE, HAS_ROOM, INTER_POD, KEEPS_PROMISES, LARGE_ENOUGH, RESERVED};
use crate::contract::Obstacle;
use crate::laws::Detail;
use crate::model::{Amounts, Cluster, InterPodLack, Request, ResourceIx};

/// Whether a node takes a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Fits,
    /// The pod may not run there, regardless of the other pods.
    Ineligible,
    /// The node is too small for the pod even when it is empty.
    TooSmall(ResourceIx),
    /// Others hold what the pod asks for.
    Full(ResourceIx),
    /// What the pod asks for is promised to pods that are no less important.
    Promised(ResourceIx),
    /// The node is kept for a DaemonSet's pod that may run nowhere else.
    Kept,
    /// The other pods do not allow it there.
    InterPod(InterPodLack),
    /// Room was reserved for the pod on another node that takes it.
    Elsewhere,
}

/// Resources of which there is too little: how much is asked for, and how much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

    /// All of it as data. The case is empty, `ports` where host ports alone are lacking, or `ports-and-room`.
    pub fn detail(&self, cluster: &Cluster) -> Detail {
        let port = |resource| cluster.resource_name(resource).strip_prefix("hostport/");
        let ports: Vec<&str> = self.0.iter().filter_map(|(resource, ..)| port(*resource)).collect();
        let case = match (ports.len(), self.0.len()) {
            (0, _) => "",
            (ports, all) if ports == all => "ports",
            _ => "ports-and-room",
        };
        let detail = Detail::case(case);
        let detail = if ports.is_empty() { detail } else { detail.text("ports", ports.join(", ")) };
        let amounts = self.0.iter().filter(|(resource, ..)| port(*resource).is_none());
        amounts.fold(detail, |detail, (resource, requested, free)| {
            detail.amount("requested", *resource, *requested).amount("free", *resource, *free)
        })
    }
}

impl Verdict {
    /// The obstacle, in the words of kube-scheduler.
    pub fn obstacle(&self, cluster: &Cluster) -> Obstacle {
        let short = |resource: &ResourceIx| cluster.resource_name(*resource).to_owned();
        let any = |resource| Detail::case("any").text("short-of", short(resource));
        let (rule, detail, resolvable) = match self {
            Verdict::Fits | Verdict::Ineligible => (ELIGIBLE, Detail::default(), false),
            Verdict::TooSmall(resource) => {
                (LARGE_ENOUGH, of_host(&short(resource)).unwrap_or_else(|| any(resource)), false)
            }
            Verdict::Full(resource) => (HAS_ROOM, of_host(&short(resource)).unwrap_or_else(|| any(resource)), true),
            Verdict::Promised(resource) => {
                (KEEPS_PROMISES, of_host(&short(resource)).unwrap_or_else(|| any(resource)), true)
            }
            Verdict::InterPod(lack) => (INTER_POD, inter_pod(*lack), lack.is_resolvable()),
            Verdict::Elsewhere => (RESERVED, Detail::default(), true),
            Verdict::Kept => (KEEPS_PROMISES, Detail::case("daemon-set"), true),
        };
        Obstacle { reason: rule.reason(detail), resolvable }
    }
}

/// Returns the case of the reason for a resource that only the host counts; none for another.
fn of_host(resource: &str) -> Option<Detail> {
    let cases = [
        ("hostport/", "any-port"),
        ("volume/attachments/", "any-attachment"),
        ("volume/disk/", "any-disk"),
        ("volume/free/", "any-volume"),
    ];
    cases.iter().find(|(prefix, _)| resource.starts_with(prefix)).map(|(_, case)| Detail::case(case))
}

/// Why the other pods do not allow a pod on a node.
pub fn inter_pod(lack: InterPodLack) -> Detail {
    Detail::case(match lack {
        InterPodLack::Unknown => "",
        InterPodLack::Claim => "claim",
        InterPodLack::NoDomain => "no-domain",
        InterPodLack::Spread => "spread",
        InterPodLack::Affinity => "affinity",
        InterPodLack::AntiAffinity => "anti-affinity",
        InterPodLack::Existing => "existing",
        InterPodLack::Nominated => "nominated",
    })
}
