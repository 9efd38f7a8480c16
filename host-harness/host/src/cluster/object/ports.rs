//! Host ports as resources, so that ordinary arithmetic finds conflicts and what an eviction frees.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec};

use super::quantities::ResourceAmounts;
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::volumes::ATTACHMENTS;

/// The prefix of the resources that stand for host ports.
pub(crate) const PORT: &str = "hostport/";

/// The amount of a port on each node. A pod that binds all addresses uses the whole amount. A pod that binds one address uses 1.
pub(super) const PORT_CAPACITY: i64 = 1 << 32;

/// Returns the allocatable amount of a resource on a node that does not list the resource. It is non-zero for host ports, disks, and attachments
/// without a limit.
pub(crate) fn default_allocatable(resource: &str) -> i64 {
    if resource.starts_with(super::disks::DISK) || resource.starts_with(ATTACHMENTS) {
        return PORT_CAPACITY;
    }
    match resource.strip_prefix(PORT).map(|rest| rest.matches('/').count()) {
        Some(1) => PORT_CAPACITY,
        Some(2) => 1,
        _ => 0,
    }
}

/// Reads the host ports of a pod. `pointer` is the JSON pointer of the pod's `spec`.
pub(super) fn of_pod(
    spec: &PodSpec,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<ResourceAmounts, InputError> {
    let host_network = spec.host_network == Some(true);
    let mut taken = BTreeMap::<(String, i32), BTreeSet<Option<IpAddr>>>::new();
    let sidecar = |container: &Container| container.restart_policy.as_deref() == Some("Always");
    let lists = [
        ("containers", spec.containers.as_slice()),
        ("initContainers", spec.init_containers.as_deref().unwrap_or_default()),
    ];
    for (list, containers) in lists {
        for (index, container) in containers.iter().enumerate() {
            if list == "initContainers" && !sidecar(container) {
                continue;
            }
            for (port, spec) in container.ports.iter().flatten().enumerate() {
                let at = format!("{pointer}/{list}/{index}/ports/{port}");
                if let Some((port, address)) = read(spec, host_network, &at, subject)? {
                    taken.entry(port).or_default().insert(address);
                }
            }
        }
    }
    Ok(amounts(&taken))
}

/// The protocol, the port, and the address. `None`: all addresses, which is also the meaning of `0.0.0.0`.
type PortBinding = ((String, i32), Option<IpAddr>);

fn read(
    port: &ContainerPort,
    host_network: bool,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Option<PortBinding>, InputError> {
    let number = match port.host_port {
        None | Some(0) if host_network => port.container_port,
        None | Some(0) => return Ok(None),
        Some(number) => number,
    };
    if !(1..=65535).contains(&number) {
        let at = format!("{pointer}/{}", if port.host_port.is_some() { "hostPort" } else { "containerPort" });
        return Err(subject.mistake(&at, format_args!("`{number}` is not a port"), "write a number from 1 to 65535"));
    }
    let protocol = match port.protocol.as_deref().unwrap_or_default() {
        "" => "TCP",
        known @ ("TCP" | "UDP" | "SCTP") => known,
        other => {
            let what = format_args!("`{other}` is not a protocol").to_string();
            return Err(subject.mistake(&format!("{pointer}/protocol"), what, "write TCP, UDP or SCTP"));
        }
    };
    let address = match port.host_ip.as_deref().unwrap_or_default() {
        "" => None,
        text => match text.parse::<IpAddr>() {
            // `::` is an address like any other (kube-scheduler `framework/types.go` HostPortInfo.CheckConflict).
            Ok(IpAddr::V4(address)) if address.is_unspecified() => None,
            Ok(address) => Some(address),
            Err(_) => {
                let what = format_args!("`{text}` is not an IP address").to_string();
                return Err(subject.mistake(
                    &format!("{pointer}/hostIP"),
                    what,
                    "write an address, or remove the field",
                ));
            }
        },
    };
    Ok(Some(((protocol.to_owned(), number), address)))
}

fn amounts(taken: &BTreeMap<(String, i32), BTreeSet<Option<IpAddr>>>) -> ResourceAmounts {
    let mut amounts = ResourceAmounts::new();
    for ((protocol, port), addresses) in taken {
        let resource = format!("{PORT}{protocol}/{port}");
        if addresses.contains(&None) {
            amounts.insert(resource, PORT_CAPACITY);
            continue;
        }
        for address in addresses.iter().flatten() {
            amounts.insert(format!("{resource}/{address}"), 1);
        }
        amounts.insert(resource, i64::try_from(addresses.len()).unwrap_or(PORT_CAPACITY).min(PORT_CAPACITY));
    }
    amounts
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::load;

    fn requested(spec: Value) -> Result<ResourceAmounts, InputError> {
        let origin = load::read("p.yaml", "spec: 1\n").unwrap().remove(0).origin;
        let subject = ObjectContext { origin: &origin, name: "Pod default/a".to_owned() };
        of_pod(&serde_json::from_value(spec).unwrap(), "/spec", &subject)
    }

    fn ports(ports: Value) -> ResourceAmounts {
        requested(json!({"containers": [{"name": "c", "ports": ports}]})).unwrap()
    }

    /// Returns whether both sets of ports fit on a node.
    fn fit(one: &ResourceAmounts, other: &ResourceAmounts) -> bool {
        one.iter().all(|(resource, amount)| {
            amount.saturating_add(*other.get(resource).unwrap_or(&0)) <= default_allocatable(resource)
        })
    }

    #[test]
    fn conflicts_follow_from_ordinary_arithmetic() {
        let bind = |protocol: &str, address: &str| {
            ports(json!([{"containerPort": 1, "hostPort": 80, "protocol": protocol, "hostIP": address}]))
        };
        let all = bind("TCP", "");
        let one = bind("TCP", "10.0.0.1");
        for (first, second, expected) in [
            (&all, &all, false),
            (&all, &one, false),
            (&one, &all, false),
            (&one, &one, false),
            (&one, &bind("TCP", "10.0.0.2"), true),
            (&one, &bind("UDP", "10.0.0.1"), true),
            (&all, &bind("", "0.0.0.0"), false),
            (&all, &bind("TCP", "::"), false),
            (&one, &bind("TCP", "::"), true),
            (&bind("TCP", "::"), &bind("TCP", "0:0::0"), false),
            (&all, &bind("SCTP", ""), true),
            (&bind("TCP", "fd00::1"), &bind("TCP", "fd00:0:0::1"), false),
            (&all, &ports(json!([{"containerPort": 80, "hostPort": 81}])), true),
        ] {
            assert_eq!(fit(first, second), expected, "{first:?} {second:?}");
            assert!(fit(first, &ResourceAmounts::new()));
        }
    }

    #[test]
    fn a_pod_does_not_conflict_with_itself() {
        let own = ports(json!([
            {"containerPort": 1, "hostPort": 80},
            {"containerPort": 2, "hostPort": 80, "hostIP": "10.0.0.1"},
            {"containerPort": 3, "hostPort": 90, "hostIP": "10.0.0.1"},
            {"containerPort": 4, "hostPort": 90, "hostIP": "10.0.0.2"},
            {"containerPort": 5, "hostPort": 90, "hostIP": "10.0.0.2"},
        ]));
        let expected = [
            ("hostport/TCP/80", 1 << 32),
            ("hostport/TCP/90", 2),
            ("hostport/TCP/90/10.0.0.1", 1),
            ("hostport/TCP/90/10.0.0.2", 1),
        ];
        assert_eq!(own, expected.map(|(name, amount)| (name.to_owned(), amount)).into());
        assert!(fit(&own, &ResourceAmounts::new()));
    }

    #[test]
    fn the_host_network_takes_container_ports_and_only_sidecars_count_of_init_containers() {
        let container = |port: u32| json!({"name": "c", "ports": [{"containerPort": port}]});
        let mut sidecar = container(82);
        sidecar["restartPolicy"] = "Always".into();
        let spec =
            json!({"hostNetwork": true, "containers": [container(80)], "initContainers": [container(81), sidecar]});
        let whole = |port: u32| (format!("hostport/TCP/{port}"), 1_i64 << 32);
        assert_eq!(requested(spec), Ok([whole(80), whole(82)].into()));
        assert_eq!(requested(json!({"containers": [container(80)]})), Ok(ResourceAmounts::new()));
    }

    #[test]
    fn an_invalid_port_is_a_mistake() {
        for (port, path) in [
            (json!({"hostPort": 65536}), "spec.containers[0].ports[0].hostPort"),
            (json!({"hostPort": -1}), "spec.containers[0].ports[0].hostPort"),
            (json!({"hostPort": 1, "protocol": "tcp"}), "spec.containers[0].ports[0].protocol"),
            (json!({"hostPort": 1, "hostIP": "10.0.0"}), "spec.containers[0].ports[0].hostIP"),
        ] {
            let mistake = requested(json!({"containers": [{"name": "c", "ports": [port]}]})).unwrap_err();
            assert!(mistake.message.starts_with(path), "{mistake}");
        }
        assert_eq!(default_allocatable("cpu"), 0);
        assert_eq!(default_allocatable("hostport/own"), 0);
    }
}
