//! Computes the requests of a pod as kube-scheduler does (component-helpers `resource/helpers.go`, PodRequests).
//!
//! Of a pod that has a node, the larger of what its spec requests, what the kubelet has allocated and what it has actuated counts, each
//! summed up for the whole pod first. Of a resize that the kubelet calls infeasible, the spec does not count.

use std::collections::BTreeMap;
use std::fmt::Display;

use k8s_openapi::api::core::v1::{Container, ContainerStatus, PodSpec, PodStatus, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::quantities::{OVER_MAX_AMOUNT, ResourceAmounts, add, lower, raise, read};
use super::subject::ObjectContext;
use crate::cluster::InputError;

/// Computes the requests of a pod: containers, init containers and sidecars, pod-level resources, overhead, and 1 of `pods`. `pointer` is the JSON
/// pointer of the `spec` of the pod. An amount beyond what any node can have is [`OVER_MAX_AMOUNT`].
///
/// The status of a pod without a node does not count (upstream `noderesources/fit.go` computePodResourceRequest).
pub(super) fn of_pod(
    spec: &PodSpec,
    status: Option<&PodStatus>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<ResourceAmounts, InputError> {
    let has_node = spec.node_name.as_ref().is_some_and(|node| !node.is_empty());
    let status = status.filter(|_| has_node);
    let pod = RequestReader { spec, status, infeasible: status.is_some_and(is_infeasible), pointer, subject };
    let specified = pod.containers(RequestSource::Spec)?;
    let mut requests = pod.of_containers(&specified)?;
    requests.extend(pod.pod_level(&specified)?.into_iter().filter(|(resource, _)| is_pod_level(resource)));
    add(&mut requests, &pod.read(spec.overhead.as_ref(), format_args!("{pointer}/overhead"))?);
    requests.insert("pods".to_owned(), 1);
    lower(&mut requests, OVER_MAX_AMOUNT);
    Ok(requests)
}

/// Returns whether a resource may be requested for a pod as a whole (IsSupportedPodLevelResource).
fn is_pod_level(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory") || resource.starts_with("hugepages-")
}

/// Returns whether the kubelet calls the resize of a pod infeasible. Upstream reads the first condition of the type and ignores its status
/// (IsPodResizeInfeasible).
fn is_infeasible(status: &PodStatus) -> bool {
    let mut conditions = status.conditions.iter().flatten();
    let pending = conditions.find(|condition| condition.type_ == "PodResizePending");
    pending.is_some_and(|condition| condition.reason.as_deref() == Some("Infeasible"))
}

/// Returns whether a status has amounts of the pod or of a container.
fn has_amounts(status: &PodStatus) -> bool {
    let lists = [&status.container_statuses, &status.init_container_statuses];
    let of_container = |status: &ContainerStatus| status.allocated_resources.is_some() || status.resources.is_some();
    status.allocated_resources.is_some() || lists.into_iter().flatten().flatten().any(of_container)
}

/// The place where the requests of a container are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestSource {
    /// The spec (containerSpecRequests).
    Spec,
    /// The amounts that the kubelet has admitted (containerAllocatedRequests).
    Allocated,
    /// The amounts that the container runs with (containerActuatedRequests).
    Actuated,
}

/// A pod, with the place and the name that mistakes in it are reported at.
struct RequestReader<'a> {
    spec: &'a PodSpec,
    status: Option<&'a PodStatus>,
    /// The kubelet calls the resize to the spec infeasible.
    infeasible: bool,
    pointer: &'a str,
    subject: &'a ObjectContext<'a>,
}

impl RequestReader<'_> {
    fn read(&self, list: Option<&BTreeMap<String, Quantity>>, at: impl Display) -> Result<ResourceAmounts, InputError> {
        read(list, at, self.subject)
    }

    /// Reads the requests of the containers together (AggregateContainerRequests). `specified` is their sum in the spec.
    fn of_containers(&self, specified: &ResourceAmounts) -> Result<ResourceAmounts, InputError> {
        // A status without amounts is read like the spec.
        let counts = |status: &&PodStatus| self.infeasible || has_amounts(status);
        let Some(status) = self.status.filter(counts) else { return Ok(specified.clone()) };
        let whole = status.resources.as_ref().and_then(|resources| resources.requests.as_ref());
        let (allocated, actuated) = match (status.allocated_resources.as_ref(), whole) {
            (Some(allocated), Some(actuated)) => (
                self.read(Some(allocated), "/status/allocatedResources")?,
                self.read(Some(actuated), "/status/resources/requests")?,
            ),
            _ => (self.containers(RequestSource::Allocated)?, self.containers(RequestSource::Actuated)?),
        };
        let mut requests = if self.infeasible { ResourceAmounts::new() } else { specified.clone() };
        raise(&mut requests, &allocated);
        raise(&mut requests, &actuated);
        Ok(requests)
    }

    /// Reads the requests of the pod as a whole, which replace those of its containers; empty where the spec has none.
    fn pod_level(&self, containers: &ResourceAmounts) -> Result<ResourceAmounts, InputError> {
        let resources = self.spec.resources.as_ref();
        let RequestsAndLimits { requests: mut whole, limits } =
            requirements(resources, format_args!("{}/resources", self.pointer), self.subject)?;
        // The API server adds the missing requests of a pod that has limits: those of the containers, else the limit (defaultPodRequests).
        for (resource, limit) in limits.iter().filter(|(resource, _)| is_pod_level(resource)) {
            whole.entry(resource.clone()).or_insert_with(|| containers.get(resource).copied().unwrap_or(*limit));
        }
        let Some(status) = self.status.filter(|_| whole.keys().any(|resource| is_pod_level(resource))) else {
            return Ok(whole);
        };
        let Some(resources) = &status.resources else { return Ok(whole) };
        if self.infeasible {
            whole.clear();
        }
        raise(&mut whole, &self.read(resources.requests.as_ref(), "/status/resources/requests")?);
        raise(&mut whole, &self.read(status.allocated_resources.as_ref(), "/status/allocatedResources")?);
        Ok(whole)
    }

    /// Adds up the containers in this view. Containers run together with all sidecars; another init container runs with the sidecars that
    /// started before it (aggregateContainerResourcesByFn).
    fn containers(&self, view: RequestSource) -> Result<ResourceAmounts, InputError> {
        let (mut running, mut sidecars, mut peak) =
            (ResourceAmounts::new(), ResourceAmounts::new(), ResourceAmounts::new());
        for (index, container) in self.spec.containers.iter().enumerate() {
            add(&mut running, &self.container(container, view, "containers", index)?);
        }
        for (index, container) in self.spec.init_containers.iter().flatten().enumerate() {
            let requests = self.container(container, view, "initContainers", index)?;
            let mut together = sidecars.clone();
            add(&mut together, &requests);
            raise(&mut peak, &together);
            if container.restart_policy.as_deref() == Some("Always") {
                add(&mut running, &requests);
                sidecars = together;
            }
        }
        raise(&mut running, &peak);
        Ok(running)
    }

    fn container(
        &self,
        container: &Container,
        view: RequestSource,
        list: &str,
        index: usize,
    ) -> Result<ResourceAmounts, InputError> {
        if view != RequestSource::Spec
            && let Some((at, status)) = self.status_of(&container.name)
        {
            let resources = status.resources.as_ref().filter(|_| view == RequestSource::Actuated);
            if let Some(requests) = resources.and_then(|resources| resources.requests.as_ref()) {
                return self.read(Some(requests), format_args!("{at}/resources/requests"));
            }
            if let Some(allocated) = &status.allocated_resources {
                return self.read(Some(allocated), format_args!("{at}/allocatedResources"));
            }
        }
        if view != RequestSource::Spec && self.infeasible {
            return Ok(ResourceAmounts::new());
        }
        let pointer = format_args!("{}/{list}/{index}/resources", self.pointer);
        let RequestsAndLimits { requests, limits } = requirements(container.resources.as_ref(), pointer, self.subject)?;
        // The API server uses the limit as request where the latter is absent (SetDefaults_Pod).
        Ok(limits.into_iter().chain(requests).collect())
    }

    /// Finds the status of a container, whichever list it is in, and its JSON pointer (findContainerStatus).
    fn status_of(&self, container: &str) -> Option<(String, &ContainerStatus)> {
        let status = self.status?;
        let lists = [
            ("containerStatuses", &status.container_statuses),
            ("initContainerStatuses", &status.init_container_statuses),
        ];
        let mut all = lists.into_iter().flat_map(|(field, list)| {
            list.iter().flatten().enumerate().map(move |(index, status)| (field, index, status))
        });
        let (field, index, status) = all.find(|(_, _, status)| status.name == container)?;
        Some((format!("/status/{field}/{index}"), status))
    }
}

/// Amounts of a container or a pod.
struct RequestsAndLimits {
    requests: ResourceAmounts,
    limits: ResourceAmounts,
}

fn requirements(
    resources: Option<&ResourceRequirements>,
    pointer: impl Display,
    subject: &ObjectContext<'_>,
) -> Result<RequestsAndLimits, InputError> {
    let requests = resources.and_then(|r| r.requests.as_ref());
    let limits = resources.and_then(|r| r.limits.as_ref());
    Ok(RequestsAndLimits {
        requests: read(requests, format_args!("{pointer}/requests"), subject)?,
        limits: read(limits, format_args!("{pointer}/limits"), subject)?,
    })
}

#[cfg(test)]
mod tests;
