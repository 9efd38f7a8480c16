//! Events of every kind, with the values at which a crossing could go wrong.

use std::sync::Arc;

use lictor_contract::*;

/// Returns at least one event of each kind; the events fit together.
pub fn events() -> Vec<Event> {
    let cpu = |value| vec![Amount { resource: 0, value }, Amount { resource: 1, value: 1 }];
    let resource = |name: &str| Resource { name: name.to_owned(), everywhere: 0 };
    let port = Resource { name: "hostport/TCP/80".to_owned(), everywhere: 1 };
    let node = |id: u32, name: &str| {
        Event::NodeUpserted(Node { id, name: name.to_owned(), allocatable: cpu(64_000), labels: attributes() })
    };
    let pods = [
        pod(0, "a", Phase::Pending, None),
        pod(1, "b", Phase::Running, Some(0)),
        pod(2, "gr\u{f6}\u{df}e-\u{1f980}", Phase::Unknown, Some(1)),
        pod(3, "", Phase::Succeeded, None),
        pod(4, "e", Phase::Failed, None),
        bare(5),
        Pod { kind: None, phase: Phase::Running, node: Some(3), ..bare(6) }.with(|it| it.requests = cpu(60_000)),
        Pod { kind: None, shape: 2, ..bare(7) }.with(|it| (it.priority, it.requests) = (Some(i32::MAX), cpu(50_000))),
    ];
    let mut events = vec![
        Event::Resources(vec![resource("cpu"), resource("pods"), port]),
        Event::Clock(1_700_000_000_000_000_000),
        node(0, "node-0"),
        node(1, "node-1"),
        node(2, "node-2"),
        node(3, "node-3"),
        Event::NodeRemoved(2),
        Event::Eligibility(Eligibility { shape: 0, nodes: vec![u64::MAX, 0, 1 << 63] }),
        Event::Eligibility(Eligibility { shape: 1, nodes: Vec::new() }),
        Event::Eligibility(Eligibility { shape: 2, nodes: vec![0b1000] }),
        Event::Topology(Topology { id: 0, key: "topology.kubernetes.io/zone".to_owned(), domains: vec![0, u32::MAX] }),
        Event::InterPod(inter_pod()),
        Event::ObjectUpserted(object("{\"metadata\":{\"name\":\"q\"}}")),
        Event::ObjectUpserted(object("no JSON \u{0}")),
        Event::ObjectRemoved(ObjectKey {
            group: "scheduling.sigs.k8s.io".to_owned(),
            kind: "ElasticQuota".to_owned(),
            namespace: "default".to_owned(),
            name: "q".to_owned(),
        }),
    ];
    events.extend(pods.map(Event::PodUpserted));
    let placed = Pod { phase: Phase::Running, node: Some(3), nominated: Some(1), started: Some(5), ..bare(6) };
    events.push(Event::PodStatus(PodStatus { preempted: true, scheduled: Some(i64::MIN), ..placed.status() }));
    events.extend([Event::PodRemoved(4), Event::PlanAccepted(0), Event::PlanRefused(u64::MAX), Event::Clock(i64::MAX)]);
    events
}

fn attributes() -> Vec<Attribute> {
    vec![Attribute { key: 0, value: "value".to_owned() }, Attribute { key: 1, value: String::new() }]
}

fn object(json: &str) -> Object {
    Object {
        group: "scheduling.sigs.k8s.io".to_owned(),
        kind: "ElasticQuota".to_owned(),
        namespace: "default".to_owned(),
        name: "q".to_owned(),
        json: json.to_owned(),
    }
}

/// Returns every demand between pods, of ids that are known and unknown.
fn inter_pod() -> InterPod {
    let term = |selector| TopologyTerm { selector, topology: 0 };
    InterPod {
        id: 3,
        selected_by: vec![0, u32::MAX],
        affinity: Some(PodAffinity { selector: 0, topologies: vec![0, 7] }),
        anti_affinity: vec![term(0), term(1)],
        spread: vec![TopologySpread {
            selector: 2,
            topology: 0,
            max_skew: 0,
            min_domains: u32::MAX,
            nodes: vec![u64::MAX],
        }],
    }
}

/// Returns a template with something in every field.
fn template() -> PodTemplate {
    PodTemplate {
        namespace: "default".to_owned(),
        owner: Some(Owner { kind: "Job".to_owned(), name: "job".to_owned(), uid: "uid".to_owned() }),
        priority: Some(i32::MIN),
        priority_class: "low".to_owned(),
        never_preempts: true,
        scheduler: "default-scheduler".to_owned(),
        foreign: true,
        protected: true,
        requests: vec![Amount { resource: 0, value: 1000 }, Amount { resource: 1, value: 1 }],
        labels: attributes(),
        annotations: attributes(),
        fields: attributes(),
    }
}

/// Returns a pod with something in every field.
fn pod(id: PodId, name: &str, phase: Phase, node: Option<NodeId>) -> Pod {
    Pod {
        id,
        template: Arc::new(template()),
        kind: None,
        name: name.to_owned(),
        uid: format!("uid-{id}"),
        gated: true,
        phase,
        node,
        nominated: Some(1),
        required_node: Some(0),
        terminating: true,
        preempted: true,
        created: i64::MIN,
        entered: 0,
        started: Some(i64::MAX),
        scheduled: Some(-1),
        shape: 0,
        inter_pod: Some(3),
    }
}

/// Returns a pod with nothing in every field that may be empty.
fn bare(id: PodId) -> Pod {
    Pod { kind: Some(0), uid: format!("uid-{id}"), ..Pod::pending(id, "default", &format!("bare-{id}")) }
}
