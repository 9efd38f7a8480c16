//! Events of the contract: most of them as a host tells them, some as none ever should.

use lictor_contract::*;

use crate::bytes::FuzzInput;
use crate::clusters;

const RESOURCES: [&str; 5] = ["cpu", "memory", "pods", "nvidia.com/gpu", "hostport/80"];
const VALUES: [&str; 9] = ["true", "false", "g0", "g1", "a", "root.a", "2", "{\"name\":\"p0\"}", "\u{0}"];
const BOUND: u32 = 6;

/// Returns a number that a host gives. Such numbers are dense, so that an engine may keep lists by them; at times there is a hole.
pub(crate) fn number(bytes: &mut FuzzInput<'_>) -> u32 {
    match bytes.below(32) {
        31 => 300,
        n => n.checked_rem(BOUND).unwrap_or_default(),
    }
}

/// Returns a number of something that is never removed: at times far beyond all others, which an engine refuses.
fn far_number(bytes: &mut FuzzInput<'_>) -> u32 {
    match bytes.below(32) {
        31 => 300,
        30 => u32::MAX,
        n => n.checked_rem(BOUND).unwrap_or_default(),
    }
}

/// Returns a number in a question or a reference: perhaps one that was never given.
pub(crate) fn any_number(bytes: &mut FuzzInput<'_>) -> u32 {
    if bytes.rarely(32) { u32::MAX } else { number(bytes) }
}

fn value(bytes: &mut FuzzInput<'_>) -> i64 {
    bytes.choose(&[1000, 1, 0, 2, 3, 500, i64::MAX, -1, i64::MIN]).unwrap_or_default()
}

fn amounts(bytes: &mut FuzzInput<'_>) -> Vec<Amount> {
    bytes.list(4, |bytes| Amount { resource: far_number(bytes), value: value(bytes) })
}

fn attributes(bytes: &mut FuzzInput<'_>) -> Vec<Attribute> {
    bytes.list(6, |bytes| Attribute { key: bytes.below(40), value: bytes.text(&VALUES) })
}

fn words(bytes: &mut FuzzInput<'_>) -> Vec<u64> {
    bytes.list(3, |bytes| bytes.choose(&[u64::MAX, 0, 1, 0b101]).unwrap_or_default())
}

fn phase(bytes: &mut FuzzInput<'_>) -> Phase {
    bytes
        .choose(&[Phase::Pending, Phase::Running, Phase::Succeeded, Phase::Failed, Phase::Unknown])
        .unwrap_or(Phase::Unknown)
}

fn pod(bytes: &mut FuzzInput<'_>) -> Pod {
    let id = number(bytes);
    let name = if bytes.rarely(8) { "p0".to_owned() } else { format!("p{id}") };
    let mut pod = Pod::pending(id, &bytes.text(&["a", "b"]), &name);
    pod.kind = bytes.rarely(8).then(|| any_number(bytes));
    pod.uid = bytes.text(&["", "u", "v"]);
    pod.gated = bytes.rarely(8);
    pod.set_status(&status(bytes));
    pod.required_node = bytes.rarely(8).then(|| any_number(bytes));
    pod.created = value(bytes);
    pod.entered = value(bytes);
    pod.shape = far_number(bytes);
    pod.inter_pod = bytes.rarely(3).then(|| far_number(bytes));
    pod.with(|shared| template(bytes, shared))
}

fn template(bytes: &mut FuzzInput<'_>, template: &mut PodTemplate) {
    let owner = |bytes: &mut FuzzInput<'_>| {
        let (kind, name) = (bytes.text(&["ReplicaSet", "DaemonSet"]), bytes.text(&["x", "y"]));
        Owner { kind, name, uid: String::new() }
    };
    template.priority = bytes.option(|bytes| bytes.choose(&[0, 5, 9, -1, i32::MAX, i32::MIN]).unwrap_or_default());
    template.never_preempts = bytes.rarely(8);
    template.foreign = bytes.rarely(8);
    template.protected = bytes.rarely(8);
    template.requests = amounts(bytes);
    template.owner = bytes.option(owner);
    template.labels = attributes(bytes);
    template.annotations = attributes(bytes);
    template.fields = attributes(bytes);
}

fn status(bytes: &mut FuzzInput<'_>) -> PodStatus {
    PodStatus {
        id: number(bytes),
        phase: phase(bytes),
        node: bytes.option(any_number),
        nominated: bytes.rarely(4).then(|| any_number(bytes)),
        terminating: bytes.rarely(6),
        preempted: bytes.rarely(8),
        started: bytes.option(value),
        scheduled: bytes.option(value),
    }
}

fn inter_pod(bytes: &mut FuzzInput<'_>) -> InterPod {
    InterPod {
        id: far_number(bytes),
        selected_by: bytes.list(3, far_number),
        affinity: bytes.option(|bytes| PodAffinity { selector: number(bytes), topologies: bytes.list(3, far_number) }),
        anti_affinity: bytes.list(3, |bytes| TopologyTerm { selector: number(bytes), topology: far_number(bytes) }),
        spread: bytes.list(2, |bytes| TopologySpread {
            selector: far_number(bytes),
            topology: far_number(bytes),
            max_skew: bytes.choose(&[1, 2, 0, u32::MAX]).unwrap_or_default(),
            min_domains: bytes.choose(&[1, 2, 0, u32::MAX]).unwrap_or_default(),
            nodes: words(bytes),
        }),
    }
}

/// Returns an object of a kind that some system reads; at times, one that the API server would refuse.
fn object(bytes: &mut FuzzInput<'_>) -> Object {
    let value = clusters::object(bytes);
    let at = |pointer: &str| value.pointer(pointer).and_then(|it| it.as_str()).unwrap_or_default().to_owned();
    let version = at("/apiVersion");
    let group = version.split_once('/').map(|(group, _)| group.to_owned()).unwrap_or_default();
    let json = if bytes.rarely(16) { bytes.text(&["{}", "", "[", "null"]) } else { value.to_string() };
    Object { group, kind: at("/kind"), namespace: at("/metadata/namespace"), name: at("/metadata/name"), json }
}

/// Returns one event.
pub(crate) fn event(bytes: &mut FuzzInput<'_>) -> Event {
    match bytes.below(20) {
        0..=2 => {
            let (id, allocatable, labels) = (number(bytes), amounts(bytes), attributes(bytes));
            let name = if bytes.rarely(16) { "n0".to_owned() } else { format!("n{id}") };
            Event::NodeUpserted(Node { id, name, allocatable, labels })
        }
        3..=8 => Event::PodUpserted(pod(bytes)),
        9 | 10 => Event::PodStatus(status(bytes)),
        11 => Event::PodRemoved(any_number(bytes)),
        12 => Event::NodeRemoved(any_number(bytes)),
        13 => Event::Eligibility(Eligibility { shape: far_number(bytes), nodes: words(bytes) }),
        14 => {
            let (id, key) = (far_number(bytes), bytes.text(&["zone", ""]));
            Event::Topology(Topology { id, key, domains: bytes.list(6, |bytes| bytes.below(3)) })
        }
        15 => Event::InterPod(inter_pod(bytes)),
        16 => Event::ObjectUpserted(object(bytes)),
        17 => {
            let Object { group, kind, namespace, name, .. } = object(bytes);
            Event::ObjectRemoved(ObjectKey { group, kind, namespace, name })
        }
        18 => Event::Clock(value(bytes)),
        _ if bytes.below(2) == 0 => Event::PlanAccepted(u64::from(bytes.below(4))),
        _ => Event::PlanRefused(u64::from(bytes.below(4))),
    }
}

/// Returns the events that every stream begins with: the resources, and some nodes that may be used.
pub(crate) fn initial_events(bytes: &mut FuzzInput<'_>) -> Vec<Event> {
    let resource =
        |name: &&str| Resource { name: (*name).to_owned(), everywhere: i64::from(name.starts_with("hostport")) };
    let mut events = vec![Event::Resources(RESOURCES.iter().map(resource).collect())];
    for id in 0..bytes.below(4) {
        let allocatable = (0..3).map(|resource| Amount { resource, value: 4000 }).collect();
        events.push(Event::NodeUpserted(Node { id, name: format!("n{id}"), allocatable, labels: Vec::new() }));
        events.push(Event::Eligibility(Eligibility { shape: id, nodes: vec![u64::MAX] }));
    }
    events
}
