//! Room: what a node has for a pod, and whether the pods around it allow it there. The same in every system, and no law of any: it is
//! what kube-scheduler's filters for resources, for pods among each other and for nominated pods do.

use super::reasons::{ELIGIBLE, HAS_ROOM, INTER_POD, KEEPS_PROMISES, LARGE_ENOUGH, RESERVED};
use crate::contract::Obstacle;
use crate::laws::ReasonFacts;
use crate::model::{Amounts, Cluster, InterPodViolation, ResourceIx, ResourceRequest};

/// The verdict of a node on a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeFit {
    /// The node takes the pod.
    Fits,
    /// The pod may not run there, regardless of the other pods.
    Ineligible,
    /// The node is too small for the pod even when it is empty.
    InsufficientAllocatable(ResourceIx),
    /// Other pods use what the pod requests.
    InsufficientFree(ResourceIx),
    /// What the pod requests is promised to pods that are no less important.
    NominatedToOthers(ResourceIx),
    /// The node is kept for a DaemonSet's pod that may run nowhere else.
    PinnedForDaemonPod,
    /// The constraints between pods do not allow the pod there.
    InterPod(InterPodViolation),
    /// Another node, which takes the pod, has a reservation for it.
    ReservedElsewhere,
}

/// The resources that are lacking, each with the amount requested and the amount free.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InsufficientResources(Vec<(ResourceIx, i64, i64)>);

impl InsufficientResources {
    /// Returns what is lacking for a request. `None`: the capacity is enough.
    pub fn of(room: &Amounts, request: &ResourceRequest) -> Option<InsufficientResources> {
        InsufficientResources::among(request.iter().map(|(resource, asked)| (resource, asked, room.get(resource))))
    }

    /// Returns the lacking ones of these resources, each with the amount requested and the amount free. `None`: nothing is lacking.
    pub fn among(resources: impl Iterator<Item = (ResourceIx, i64, i64)>) -> Option<InsufficientResources> {
        let lacking: Vec<_> = resources.filter(|(_, asked, free)| free < asked).collect();
        (!lacking.is_empty()).then_some(InsufficientResources(lacking))
    }

    /// Returns the first resource that is lacking.
    pub fn first(&self) -> Option<ResourceIx> {
        self.0.first().map(|(resource, ..)| *resource)
    }

    /// Returns the lack as facts of a reason. The case is empty, `ports` where host ports alone are lacking, or `ports-and-room`.
    pub fn detail(&self, cluster: &Cluster) -> ReasonFacts {
        let port = |resource| cluster.resource_name(resource).strip_prefix("hostport/");
        let ports: Vec<&str> = self.0.iter().filter_map(|(resource, ..)| port(*resource)).collect();
        let case = match (ports.len(), self.0.len()) {
            (0, _) => "",
            (ports, all) if ports == all => "ports",
            _ => "ports-and-room",
        };
        let detail = ReasonFacts::case(case);
        let detail = if ports.is_empty() { detail } else { detail.text("ports", ports.join(", ")) };
        let amounts = self.0.iter().filter(|(resource, ..)| port(*resource).is_none());
        amounts.fold(detail, |detail, (resource, requested, free)| {
            detail.amount("requested", *resource, *requested).amount("free", *resource, *free)
        })
    }
}

impl NodeFit {
    /// Returns the obstacle as the contract states it, in the words of kube-scheduler.
    pub fn obstacle(&self, cluster: &Cluster) -> Obstacle {
        let short = |resource: &ResourceIx| cluster.resource_name(*resource).to_owned();
        let any = |resource| ReasonFacts::case("any").text("short-of", short(resource));
        let (rule, detail, resolvable) = match self {
            NodeFit::Fits | NodeFit::Ineligible => (ELIGIBLE, ReasonFacts::default(), false),
            NodeFit::InsufficientAllocatable(resource) => {
                (LARGE_ENOUGH, host_resource_facts(&short(resource)).unwrap_or_else(|| any(resource)), false)
            }
            NodeFit::InsufficientFree(resource) => {
                (HAS_ROOM, host_resource_facts(&short(resource)).unwrap_or_else(|| any(resource)), true)
            }
            NodeFit::NominatedToOthers(resource) => {
                (KEEPS_PROMISES, host_resource_facts(&short(resource)).unwrap_or_else(|| any(resource)), true)
            }
            NodeFit::InterPod(lack) => (INTER_POD, inter_pod_facts(*lack), lack.is_resolvable()),
            NodeFit::ReservedElsewhere => (RESERVED, ReasonFacts::default(), true),
            NodeFit::PinnedForDaemonPod => (KEEPS_PROMISES, ReasonFacts::case("daemon-set"), true),
        };
        Obstacle { reason: rule.reason(detail), resolvable }
    }
}

/// Returns the case of the reason for a resource that only the host counts; none for another.
fn host_resource_facts(resource: &str) -> Option<ReasonFacts> {
    let cases = [
        ("hostport/", "any-port"),
        ("volume/attachments/", "any-attachment"),
        ("volume/disk/", "any-disk"),
        ("volume/free/", "any-volume"),
    ];
    cases.iter().find(|(prefix, _)| resource.starts_with(prefix)).map(|(_, case)| ReasonFacts::case(case))
}

/// Returns the facts on a constraint between pods that forbids a node.
pub fn inter_pod_facts(lack: InterPodViolation) -> ReasonFacts {
    ReasonFacts::case(match lack {
        InterPodViolation::Unknown => "",
        InterPodViolation::Claim => "claim",
        InterPodViolation::NoDomain => "no-domain",
        InterPodViolation::Spread => "spread",
        InterPodViolation::Affinity => "affinity",
        InterPodViolation::AntiAffinity => "anti-affinity",
        InterPodViolation::Existing => "existing",
        InterPodViolation::Nominated => "nominated",
    })
}
