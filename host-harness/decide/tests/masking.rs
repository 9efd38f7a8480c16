//! A cluster under invented names is decided about alike, up to the names: the clusters of all scenarios, and the bundled snapshots.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use lictor_conformance::{Scenario, each_in, read_scenario};
use lictor_decide::mask::Masked;
use lictor_decide::record::{DecisionReport, PolicySource};
use lictor_decide::{ClusterSession, ClusterSnapshot, DecisionSettings, Native, UserArguments};
use lictor_host::policy::Policy;

/// The scenarios that are decided differently under invented names. YuniKorn ignores upper and lower case, but here the two are different words. The
/// mask reads neither merge keys, nor the key of the queues where the policy group names it. A driver that replaces a plugin of Kubernetes is known by
/// its name alone.
const OTHERWISE: [&str; 5] = [
    "a-configuration-with-merge-keys-and-anchors-is-read",
    "kube-attachment-of-a-plugin-of-kubernetes-is-that-of-its-driver",
    "placement-makes-no-queue-that-it-may-not",
    "queue-names-and-policies-are-read-in-any-case",
    "the-policy-group-names-the-key-of-the-queues",
];

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Returns the decisions of three cycles. `None`: the cluster cannot be opened.
fn decided(
    snapshot: &ClusterSnapshot,
    system: &str,
    arguments: &UserArguments,
    schedulers: &[String],
) -> Option<DecisionReport> {
    let mut policy = Box::<Native>::default();
    let described = policy.describe().unwrap();
    let with = DecisionSettings { system, arguments: arguments.clone(), schedulers, ..DecisionSettings::default() };
    let mut opened = ClusterSession::open(policy, described, with, || Ok(snapshot.clone())).ok()?;
    Some(opened.decide(3, PolicySource::default()).unwrap())
}

/// Returns whether the masked cluster has the same decisions, up to the names. `None`: the cluster cannot be opened.
fn is_alike(
    snapshot: &ClusterSnapshot,
    system: &str,
    arguments: &UserArguments,
    schedulers: &[String],
) -> Option<bool> {
    let before = decided(snapshot, system, arguments, schedulers)?;
    let masked = Masked::of(snapshot, schedulers).unwrap();
    let after = decided(&masked.snapshot, system, arguments, schedulers);
    Some(after.is_some_and(|after| masked.has_same_decisions(&before.cycles, &after.cycles)))
}

#[test]
fn every_scenario_is_decided_alike() {
    let folders = fs::read_dir(fixtures().join("scenarios")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    let mut scenarios: Vec<Scenario> = Vec::new();
    for file in files.map(|entry| entry.unwrap().path()) {
        each_in(&file, &mut |document| {
            scenarios.push(read_scenario(document)?);
            Ok(())
        })
        .unwrap();
    }
    let (mut count, mut otherwise) = (0, Vec::new());
    for scenario in &scenarios {
        let snapshot = ClusterSnapshot { objects: scenario.cluster.clone(), ..ClusterSnapshot::default() };
        let mut arguments = UserArguments::default();
        arguments.values.clone_from(&scenario.args);
        if let Some(alike) = is_alike(&snapshot, &scenario.system, &arguments, &scenario.schedulers) {
            count += 1;
            otherwise.extend((!alike).then_some(scenario.name.as_str()));
        }
    }
    otherwise.sort_unstable();
    assert_eq!(otherwise, OTHERWISE);
    assert!(count > 600, "{count} clusters of {} scenarios", scenarios.len());
}

#[test]
fn nothing_of_the_names_of_a_snapshot_is_left() {
    for (file, system, names) in [
        ("four-teams.yaml", "koordinator", ["vit-huge", "ranker-xl", "bert", "a100-02", "\"search\"", "vision/"]),
        ("three-zones.yaml", "kubernetes", ["zone-a", "\"web", "cache-", "ledger", "gateway", "postgres"]),
    ] {
        let text = fs::read_to_string(fixtures().join("snapshots").join(file)).unwrap();
        let snapshot = ClusterSnapshot::from_text(file, text).unwrap();
        assert_eq!(is_alike(&snapshot, system, &UserArguments::default(), &[]), Some(true), "{file}");
        let masked = Masked::of(&snapshot, &[]).unwrap();
        let written: String = masked.snapshot.objects.iter().map(|object| object.json() + "\n").collect();
        for name in names {
            assert!(!written.contains(name), "{name} in {file}");
        }
    }
}

/// Checks that masking keeps the facts on which decisions depend. `web` binds its port at another address than the pod on the node does. `db` has a
/// volume that is in two zones, and the node is in one of them. `ml` requests a resource that the node has: its class may stay under its name.
#[test]
fn what_a_decision_depends_on_is_kept() {
    let port = |address: &str| format!("ports: [{{containerPort: 80, hostPort: 80, hostIP: {address}}}]");
    let pod = |name: &str, spec: &str, container: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: d}}, spec: {{{spec}containers: [{{name: c, {container}}}]}}}}"
        )
    };
    let objects = [
        "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.kubernetes.io/zone: east-1}}, \
          status: {allocatable: {cpu: '9', pods: '9', example.com/gpu: '4'}}}".to_owned(),
        "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, labels: {topology.kubernetes.io/zone: east-1__west-1}}, \
          spec: {claimRef: {namespace: d, name: data}}}".to_owned(),
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: d}, spec: {volumeName: v}}".to_owned(),
        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}".to_owned(),
        pod("old", "nodeName: n1, ", &port("192.0.2.1")),
        pod("web", "", &port("192.0.2.2")),
        pod("db", "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}], ", "image: db"),
        pod("ml", "", "resources: {requests: {example.com/gpu: 1}}"),
    ];
    let snapshot = ClusterSnapshot::from_text("it.yaml", objects.join("\n---\n")).unwrap();
    let record = decided(&snapshot, "kubernetes", &UserArguments::default(), &[]).unwrap();
    let bound: Vec<&String> = record.cycles.iter().flat_map(|cycle| cycle.happened.bound.keys()).collect();
    assert_eq!(bound, ["d/db", "d/ml", "d/web"]);
    assert_eq!(is_alike(&snapshot, "kubernetes", &UserArguments::default(), &[]), Some(true));
    let masked = Masked::of(&snapshot, &[]).unwrap();
    let written: String = masked.snapshot.objects.iter().map(lictor_host::cluster::KubernetesObject::json).collect();
    let class = r#""extendedResourceName":"example.com/gpu""#;
    assert!(!written.contains("192.0.2.") && !written.contains("east") && written.contains(class), "{written}");
}
