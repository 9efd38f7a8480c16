//! Computes the requests of a pod like kube-scheduler.

use std::collections::BTreeMap;
use std::fmt::Display;

use k8s_openapi::api::core::v1::{Container, ContainerStatus, PodSpec, PodStatus, ResourceRequirements};

use super::quantities::{Amounts, add, raise, read};
use super::subject::Subject;
use crate::cluster::InputError;

/// The requests of a pod: containers, init containers and sidecars, pod-level resources, overhead, and 1 of `pods`. `pointer` is that of the
/// pod's `spec`.
pub(super) fn of_pod(
    spec: &PodSpec,
    status: Option<&PodStatus>,
    pointer: &str,
    subject: &Subject<'_>,
) -> Result<Amounts, InputError> {
    let too_large = |resource: String| {
        let what = format_args!("the sum of the requests of `{resource}` is too large").to_string();
        subject.mistake(pointer, what, "write smaller requests")
    };
    let own = Reader { status, pointer, subject };
    let containers = own.all(Some(&spec.containers), "containers")?;
    let init_containers = own.all(spec.init_containers.as_ref(), "initContainers")?;
    let mut requests = combine(&containers, &init_containers).map_err(too_large)?;
    let whole = requirements(spec.resources.as_ref(), format_args!("{pointer}/resources"), subject)?;
    // A pod-level limit replaces a request only for resources that no container requests.
    let missing =
        whole.limits.into_iter().filter(|(resource, _)| !requests.contains_key(resource)).collect::<Amounts>();
    requests.extend(missing.into_iter().chain(whole.requests).filter(|(resource, _)| is_pod_level(resource)));
    let overhead = read(spec.overhead.as_ref(), format_args!("{pointer}/overhead"), subject)?;
    add(&mut requests, &overhead).map_err(too_large)?;
    requests.insert("pods".to_owned(), 1);
    Ok(requests)
}

/// Whether a resource is allowed at pod level.
fn is_pod_level(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory") || resource.starts_with("hugepages-")
}

/// The requests of a container, and whether it is a sidecar (an init container that keeps running).
struct Share {
    requests: Amounts,
    sidecar: bool,
}

/// Combines requests. Containers run together with all sidecars; another init container runs with the sidecars started before it.
fn combine(containers: &[Share], init_containers: &[Share]) -> Result<Amounts, String> {
    let (mut running, mut sidecars, mut peak) = (Amounts::new(), Amounts::new(), Amounts::new());
    for container in containers {
        add(&mut running, &container.requests)?;
    }
    for container in init_containers {
        if container.sidecar {
            add(&mut running, &container.requests)?;
            add(&mut sidecars, &container.requests)?;
            raise(&mut peak, &sidecars);
        } else {
            let mut together = sidecars.clone();
            add(&mut together, &container.requests)?;
            raise(&mut peak, &together);
        }
    }
    raise(&mut running, &peak);
    Ok(running)
}

/// Amounts of a container or a pod.
struct Requirements {
    requests: Amounts,
    limits: Amounts,
}

fn requirements(
    resources: Option<&ResourceRequirements>,
    pointer: impl Display,
    subject: &Subject<'_>,
) -> Result<Requirements, InputError> {
    let requests = resources.and_then(|r| r.requests.as_ref());
    let limits = resources.and_then(|r| r.limits.as_ref());
    Ok(Requirements {
        requests: read(requests, format_args!("{pointer}/requests"), subject)?,
        limits: read(limits, format_args!("{pointer}/limits"), subject)?,
    })
}

/// Reads the containers of a pod.
struct Reader<'a> {
    status: Option<&'a PodStatus>,
    pointer: &'a str,
    subject: &'a Subject<'a>,
}

impl Reader<'_> {
    fn all(&self, containers: Option<&Vec<Container>>, list: &str) -> Result<Vec<Share>, InputError> {
        let statuses = self.status.and_then(|status| match list {
            "containers" => status.container_statuses.as_deref(),
            _ => status.init_container_statuses.as_deref(),
        });
        let statuses: BTreeMap<&str, (usize, &ContainerStatus)> =
            statuses.unwrap_or_default().iter().enumerate().map(|(i, s)| (&*s.name, (i, s))).collect();
        let mut shares = Vec::new();
        for (index, container) in containers.into_iter().flatten().enumerate() {
            let pointer = format_args!("{}/{list}/{index}/resources", self.pointer);
            let written = requirements(container.resources.as_ref(), pointer, self.subject)?;
            // The API server uses the limit as request where the latter is absent.
            let mut requests = written.limits;
            requests.extend(written.requests);
            let sidecar = container.restart_policy.as_deref() == Some("Always");
            if list == "containers" || sidecar {
                self.raise_to_actual(&mut requests, statuses.get(&*container.name), list)?;
            }
            shares.push(Share { requests, sidecar });
        }
        Ok(shares)
    }

    /// Raises the requests of a container during an in-place resize: the larger of old and new amounts counts.
    fn raise_to_actual(
        &self,
        requests: &mut Amounts,
        status: Option<&(usize, &ContainerStatus)>,
        list: &str,
    ) -> Result<(), InputError> {
        let Some((index, status)) = status else { return Ok(()) };
        let Some(resources) = &status.resources else { return Ok(()) };
        let field = if list == "containers" { "containerStatuses" } else { "initContainerStatuses" };
        let pointer = format_args!("/status/{field}/{index}");
        raise(
            requests,
            &read(resources.requests.as_ref(), format_args!("{pointer}/resources/requests"), self.subject)?,
        );
        let allocated = status.allocated_resources.as_ref();
        raise(requests, &read(allocated, format_args!("{pointer}/allocatedResources"), self.subject)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::quantities::as_texts;
    use super::*;
    use crate::cluster::load::{self, Origin};

    fn origin() -> Origin {
        load::read("p.yaml", "spec: 1\n").unwrap().remove(0).origin
    }

    fn requests(spec: Value, status: Value) -> Result<Amounts, InputError> {
        let (mut spec, mut status) = (spec, status);
        as_texts(&mut spec);
        as_texts(&mut status);
        let (spec, status) = (serde_json::from_value(spec).unwrap(), serde_json::from_value(status).unwrap());
        let subject = Subject { origin: &origin(), name: "Pod default/a".to_owned() };
        of_pod(&spec, Some(&status), "/spec", &subject)
    }

    fn amounts<const N: usize>(of: [(&str, i64); N]) -> Amounts {
        of.into_iter().chain([("pods", 1)]).map(|(name, amount)| (name.to_owned(), amount)).collect()
    }

    fn cpu(name: &str, cores: i64) -> Value {
        json!({"name": name, "resources": {"requests": {"cpu": cores}}})
    }

    fn sidecar(name: &str, cores: i64) -> Value {
        json!({"name": name, "restartPolicy": "Always", "resources": {"requests": {"cpu": cores}}})
    }

    #[test]
    fn containers_are_added_and_init_containers_run_alone() {
        let spec = json!({"containers": [cpu("a", 1), cpu("b", 2)], "initContainers": [cpu("i", 2), cpu("j", 4)]});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 4000)])));
        let spec = json!({"containers": [cpu("a", 1), cpu("b", 2)], "initContainers": [cpu("i", 2)]});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 3000)])));
    }

    #[test]
    fn sidecars_run_beside_containers_and_later_init_containers() {
        // i runs alone (5); then s (1) runs on; j beside it (3 + 1); then a beside it (2 + 1).
        let spec = json!({"containers": [cpu("a", 2)], "initContainers": [cpu("i", 5), sidecar("s", 1), cpu("j", 3)]});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 5000)])));
        let spec = json!({"containers": [cpu("a", 2)], "initContainers": [sidecar("s", 1), cpu("j", 5)]});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 6000)])));
        let spec = json!({"containers": [cpu("a", 2)], "initContainers": [sidecar("s", 1), sidecar("t", 4)]});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 7000)])));
    }

    #[test]
    fn overhead_is_added_to_everything() {
        let spec = json!({"containers": [cpu("a", 1)], "initContainers": [cpu("i", 3)], "overhead": {"cpu": "250m", "memory": "1Mi"}});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 3250), ("memory", 1 << 20)])));
    }

    #[test]
    fn limits_stand_in_for_requests_that_are_not_given() {
        let resources =
            json!({"requests": {"cpu": "1"}, "limits": {"cpu": "2", "nvidia.com/gpu": 4, "hugepages-2Mi": "4Mi"}});
        let spec = json!({"containers": [{"name": "a", "resources": resources}]});
        let expected = amounts([("cpu", 1000), ("nvidia.com/gpu", 4), ("hugepages-2Mi", 4 << 20)]);
        assert_eq!(requests(spec, json!({})), Ok(expected));
    }

    #[test]
    fn what_is_given_for_the_whole_pod_replaces_the_sum() {
        let whole = json!({"requests": {"cpu": "1500m", "nvidia.com/gpu": 9}, "limits": {"cpu": "3", "memory": "1Gi"}});
        let gpu = json!({"name": "g", "resources": {"requests": {"nvidia.com/gpu": 1}}});
        let spec =
            json!({"containers": [cpu("a", 1), cpu("b", 2), gpu], "resources": whole, "overhead": {"cpu": "100m"}});
        let expected = amounts([("cpu", 1600), ("memory", 1 << 30), ("nvidia.com/gpu", 1)]);
        assert_eq!(requests(spec, json!({})), Ok(expected));
        let spec = json!({"containers": [cpu("a", 1)], "resources": {"limits": {"cpu": "3"}}});
        assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 1000)])));
    }

    #[test]
    fn a_container_that_is_resized_holds_the_larger_amount() {
        let status = json!({"containerStatuses": [{
            "name": "a", "image": "", "imageID": "", "ready": true, "restartCount": 0,
            "resources": {"requests": {"cpu": 3}}, "allocatedResources": {"cpu": 2, "memory": "1Mi"},
        }]});
        let spec = json!({"containers": [cpu("a", 1), cpu("b", 1)]});
        assert_eq!(requests(spec, status), Ok(amounts([("cpu", 4000), ("memory", 1 << 20)])));
    }

    #[test]
    fn a_sum_that_cannot_be_counted_is_a_mistake() {
        let huge = json!({"name": "a", "resources": {"requests": {"memory": "5Ei"}}});
        let mistake = requests(json!({"containers": [huge, huge]}), json!({})).unwrap_err();
        assert!(mistake.message.contains("the sum of the requests of `memory` is too large"), "{mistake}");
        let path = requests(
            json!({"containers": [cpu("a", 0), {"name": "b", "resources": {"limits": {"a/b": "9Ei"}}}]}),
            json!({}),
        );
        assert!(path.unwrap_err().message.starts_with("spec.containers[1].resources.limits[a/b] of Pod default/a"));
        let name = json!({"containers": [{"name": "b", "resources": {"limits": {"a/b/c": 1}}}]});
        assert!(requests(name, json!({})).unwrap_err().message.contains("more than one `/`"));
    }
}
