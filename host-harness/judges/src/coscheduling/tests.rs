//! Attempts in clusters that are written by hand. Upstream is a small scheduler, `upstream.rs`.

mod kept;
mod quotas;
mod rulings;
mod upstream;

use std::collections::BTreeMap;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
use serde_json::{Value, json};

use super::answer::{CoschedulingPermit, CoschedulingResponse};
use super::departures;
use crate::tests::{binds, node, nominates, pod, refuses};
use crate::{CaseComparison, TrialError, UpstreamDifference};

/// A cluster, and the pods that wait at Permit in it.
pub(super) struct Table {
    objects: Vec<Value>,
    held: BTreeMap<String, String>,
    /// Whether the time of the pods at Permit runs out before `d/p` is tried.
    is_late: bool,
    /// A pod whose attempt before is in vain.
    failed: Option<&'static str>,
}

impl Table {
    /// Makes nodes `n1` of so many cpu, `n2` and so on, and pods `d/p` and others.
    pub(super) fn new(sizes: &[u32], pods: &[Value]) -> Table {
        let nodes = (1..).zip(sizes).map(|(number, size)| {
            let mut node = node(&format!("n{number}"));
            node["status"]["allocatable"]["cpu"] = json!(size.to_string());
            node
        });
        Table {
            objects: nodes.chain(pods.iter().cloned()).collect(),
            held: BTreeMap::new(),
            is_late: false,
            failed: None,
        }
    }

    /// Adds a PodGroup, of namespace `d` where none is named.
    pub(super) fn group(mut self, name: &str, minimum: u32) -> Table {
        let (namespace, name) = name.split_once('/').unwrap_or(("d", name));
        self.objects.push(json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": namespace}, "spec": {"minMember": minimum}}));
        self
    }

    /// Adds a PodGroup that needs so many cpu free on all nodes together.
    pub(super) fn group_of_least(mut self, name: &str, minimum: u32, cpu: u32) -> Table {
        self = self.group(name, minimum);
        self.objects.iter_mut().rev().take(1).for_each(|group| group["spec"]["minResources"] = json!({"cpu": cpu}));
        self
    }

    /// Adds a quota.
    pub(super) fn quota(mut self, namespace: &str, min: u32, max: Option<u32>) -> Table {
        let mut spec = json!({"min": {"cpu": min.to_string()}});
        if let Some(max) = max {
            spec["max"] = json!({"cpu": max.to_string()});
        }
        self.objects.push(json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": format!("q-{namespace}"), "namespace": namespace}, "spec": spec}));
        self
    }

    /// Lets a pod wait at Permit.
    pub(super) fn held(mut self, pod: &str, node: &str) -> Table {
        self.held.insert(pod.to_owned(), node.to_owned());
        self
    }

    /// Lets the time of the pods at Permit run out.
    pub(super) fn late(mut self) -> Table {
        self.is_late = true;
        self
    }

    /// Lets an attempt for a pod be in vain before.
    pub(super) fn failed(mut self, pod: &'static str) -> Table {
        self.failed = Some(pod);
        self
    }

    /// Returns the rulings that explain an outcome for `d/p`, or the kind of the difference.
    pub(super) fn judge(&self, outcome: &Value) -> Result<Vec<&'static str>, &'static str> {
        let case = FuzzCase::by_hand(SystemKind::Coscheduling, RoundKind::Attempts, self.objects.clone());
        let mut trial = CaseComparison::of(&case).unwrap();
        for (pod, node) in &self.held {
            let waiting: Vec<&String> = self.held.keys().filter(|other| *other <= pod).collect();
            let outcome = json!({"result": "Waiting", "node": node, "waiting": waiting, "standing": self.standing()});
            let permit = Some(CoschedulingPermit { result: "wait".to_owned(), ..CoschedulingPermit::default() });
            let answer =
                CoschedulingResponse { feasible: vec![node.clone()], permit, ..CoschedulingResponse::default() };
            trial.step(&CaseStep::Schedule(pod.clone()), &outcome, |_| Ok(json!(answer))).unwrap();
        }
        if self.is_late {
            trial.step(&CaseStep::Advance(60), &self.nothing(&[]), |_| Ok(json!({}))).unwrap();
        }
        if let Some(failed) = self.failed {
            let step = CaseStep::Schedule(failed.to_owned());
            trial
                .step(&step, &self.nothing(&[]), |question| {
                    Ok(json!(CoschedulingResponse {
                        quotas: upstream::decides(question).quotas,
                        ..CoschedulingResponse::default()
                    }))
                })
                .unwrap();
        }
        let before = trial.tally.departures.len();
        let answered = trial.step(&CaseStep::Schedule("d/p".to_owned()), outcome, |question| {
            Ok(serde_json::to_value(upstream::decides(question)).unwrap())
        });
        match answered {
            Ok(()) => Ok(trial.tally.departures.into_keys().skip(before).collect()),
            Err(TrialError::Difference(UpstreamDifference { kind, .. })) => Err(kind),
            Err(_) => Err("no answer"),
        }
    }

    fn standing(&self) -> BTreeMap<String, Value> {
        let nominated = self.objects.iter().filter(|object| object["status"]["nominatedNodeName"].is_string());
        nominated.map(|pod| (crate::object::name(pod), pod["status"]["nominatedNodeName"].clone())).collect()
    }

    /// Returns the outcome that nothing happens, with these pods at Permit.
    pub(super) fn nothing(&self, waiting: &[&str]) -> Value {
        let mut outcome = refuses(&json!(self.standing()));
        outcome["waiting"] = json!(waiting);
        outcome
    }
}

/// Returns a pod of namespace `d`, with a change.
pub(super) fn with(name: &str, on: Option<&str>, change: impl FnOnce(&mut Value)) -> Value {
    let mut pod = pod(name, on);
    change(&mut pod);
    pod
}

/// Returns a pod of a group.
pub(super) fn member(name: &str, group: &str, on: Option<&str>) -> Value {
    with(name, on, |pod| pod["metadata"]["labels"] = json!({"scheduling.x-k8s.io/pod-group": group}))
}

/// Returns a pod of group `g` with priority 1.
pub(super) fn asking(name: &str) -> Value {
    ranks(member(name, "g", None), 1)
}

/// Returns an outcome that has `d/p` wait, with others.
pub(super) fn waits(node: &str, waiting: &[&str]) -> Value {
    json!({"result": "Waiting", "node": node, "bound": {}, "nominated": {}, "victims": [], "waiting": waiting, "standing": {}})
}

/// Sets the priority of a pod.
pub(super) fn ranks(mut pod: Value, priority: i64) -> Value {
    pod["spec"]["priority"] = json!(priority);
    pod
}

/// Nominates a pod.
pub(super) fn promised(mut pod: Value, node: &str) -> Value {
    pod["status"]["nominatedNodeName"] = json!(node);
    pod
}

/// Lets a pod leave.
pub(super) fn leaving(mut pod: Value) -> Value {
    pod["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
    pod
}

/// Moves a pod to another namespace.
pub(super) fn of(namespace: &str, mut pod: Value) -> Value {
    pod["metadata"]["namespace"] = json!(namespace);
    pod
}

#[test]
fn a_binding_is_to_a_node_that_upstream_finds_feasible() {
    let table = Table::new(&[1, 0], &[pod("p", None)]);
    assert_eq!(table.judge(&binds("d/p", "n1")), Ok(vec![]));
    assert_eq!(table.judge(&binds("d/p", "n2")), Err("upstream/node"));
    assert_eq!(table.judge(&table.nothing(&[])), Err("upstream/node"));
    assert_eq!(table.judge(&waits("n1", &["d/p"])), Err("upstream/permit"));
}

#[test]
fn the_last_pod_of_a_group_lets_the_others_go() {
    let members = [member("p", "g", None), member("q", "g", None)];
    let alone = Table::new(&[2], &members).group("g", 2);
    assert_eq!(alone.judge(&waits("n1", &["d/p"])), Ok(vec![]));
    assert_eq!(alone.judge(&binds("d/p", "n1")), Err("upstream/permit"));
    let last = alone.held("d/q", "n1");
    let mut both = binds("d/p", "n1");
    assert_eq!(last.judge(&both), Err("upstream/permit"));
    both["bound"] = json!({"d/p": "n1", "d/q": "n1"});
    assert_eq!(last.judge(&both), Ok(vec![]));
}

#[test]
fn a_group_by_the_labels_of_the_proposal_is_one_for_upstream() {
    let labelled = |name| {
        with(name, None, |pod| {
            pod["metadata"]["labels"] = json!({"pod-group/name": "g", "pod-group/min-available": "2"});
        })
    };
    let table = Table::new(&[2], &[labelled("p"), labelled("q")]);
    assert_eq!(table.judge(&waits("n1", &["d/p"])), Ok(vec![]));
    assert_eq!(table.judge(&binds("d/p", "n1")), Err("upstream/permit"));
}

#[test]
fn a_plan_is_one_of_upstream() {
    let table = Table::new(&[1], &[pod("v", Some("n1")), ranks(pod("p", None), 1)]);
    assert_eq!(table.judge(&nominates("d/p", "n1", &["d/v"])), Ok(vec![]));
    assert_eq!(table.judge(&nominates("d/p", "n1", &[])), Err("upstream/victims"));
    assert_eq!(table.judge(&table.nothing(&[])), Err("upstream/plan"));
    let equal = Table::new(&[1], &[pod("v", Some("n1")), pod("p", None)]);
    assert_eq!(equal.judge(&nominates("d/p", "n1", &["d/v"])), Err("upstream/victims"));
    assert_eq!(equal.judge(&equal.nothing(&[])), Ok(vec![]));
}

#[test]
fn every_ruling_is_in_a_manual() {
    let manuals = [
        include_str!("../../../../guest/policy/src/systems/coscheduling/README.md"),
        include_str!("../../../../guest/policy/src/systems/kubernetes/README.md"),
    ];
    for id in departures().map(|departure| departure.id) {
        assert!(manuals.iter().any(|manual| manual.contains(&format!("\n| {id} |"))), "{id}");
    }
}
