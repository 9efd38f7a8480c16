//! A cluster of 5,000 nodes and 50,000 pods: its events, calls about its pods, and a plan in it; natively and in the component.
//!
//! Every node has 64 cores, full of preemptible pods of low priority from four teams; a non-preemptible gang of 64 whole nodes takes
//! back what its team is guaranteed. `cargo bench -p lictor-bench --bench scale`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, reason = "a benchmark")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use lictor::Native;
use lictor::embedded;
use lictor_contract::{Event, NotedPods, PodId, Refuted};
use lictor_host::cluster::{KubernetesObject, Mirror, load};
use lictor_host::policy::Policy;
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use serde_json::{Value, json};

const NODES: usize = 5_000;
const PODS_PER_NODE: usize = 10;
const GANG: usize = 64;

/// Returns the objects of the cluster.
fn objects() -> impl Iterator<Item = Value> {
    let quotas = (0..4).map(|team| {
        json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": format!("team-{team}"), "namespace": "quotas"},
            "spec": {"min": {"cpu": "100k", "memory": "1Pi"}, "max": {"cpu": "400k", "memory": "4Pi"}}})
    });
    let nodes = (0..NODES).map(|node| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{node:04}")},
            "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "pods": "110"}}})
    });
    let pods = (0..NODES * PODS_PER_NODE).map(|pod| {
        let (node, team) = (pod / PODS_PER_NODE, pod % 4);
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("pod-{pod:05}"), "namespace": "work",
                "creationTimestamp": format!("2026-01-01T{:02}:{:02}:{:02}Z", pod / 3600 % 24, pod / 60 % 60, pod % 60),
                "labels": {"quota.scheduling.koordinator.sh/name": format!("team-{team}"),
                    "quota.scheduling.koordinator.sh/preemptible": "true"}},
            "spec": {"nodeName": format!("node-{node:04}"), "priority": 1000 + (pod * 7919 % 9) as i32,
                "containers": [{"name": "c", "resources": {"requests": {"cpu": "6", "memory": "40Gi"}}}]},
            "status": {"phase": "Running"}})
    });
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "gang", "namespace": "work"}, "spec": {"minMember": GANG}});
    let gang = (0..GANG).map(|member| {
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("gang-{member:03}"), "namespace": "work",
                "creationTimestamp": "2026-02-01T00:00:00Z",
                "labels": {"quota.scheduling.koordinator.sh/name": "team-0",
                    "quota.scheduling.koordinator.sh/preemptible": "false",
                    "pod-group.scheduling.sigs.k8s.io": "gang"}},
            "spec": {"priority": 9000,
                "containers": [{"name": "c", "resources": {"requests": {"cpu": "60", "memory": "400Gi"}}}]}})
    });
    quotas.chain(nodes).chain(pods).chain([group]).chain(gang)
}

/// Returns the events of the cluster that the policy receives, and the first pod of the gang.
fn events() -> (Vec<Event>, PodId) {
    let mut policy = Native::default();
    let koordinator = policy.describe().unwrap().systems.remove(0);
    let mut mirror = Mirror::new(koordinator.interests);
    let origin = load::read("benchmark.yaml", "{}").unwrap().remove(0).origin;
    mirror.load_objects(objects().map(|value| KubernetesObject::from_value(value, &origin, "").unwrap()));
    let preemptor = mirror.pod_id("work/gang-000").unwrap();
    (mirror.drain_events(), preemptor)
}

fn sandboxed() -> impl Policy {
    // The load is one call here and thousands of pods a chunk; a machine busy with a benchmark may take its time.
    let limits = SandboxLimits { memory_bytes: 2 << 30, ..SandboxLimits::default() };
    Sandbox::new(limits).unwrap().load(embedded()).unwrap().start().unwrap()
}

fn loaded(mut policy: impl Policy, events: &[Event]) -> impl Policy {
    policy.configure("koordinator", "").unwrap().unwrap();
    policy.apply(events.to_vec()).unwrap();
    policy
}

fn measure<P: Policy>(c: &mut Criterion, name: &str, fresh: fn() -> P, events: &[Event], preemptor: PodId) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group.bench_function("load", |b| {
        let setup = || {
            let mut policy = fresh();
            policy.configure("koordinator", "").unwrap().unwrap();
            (policy, events.to_vec())
        };
        b.iter_batched(
            setup,
            |(mut policy, events)| {
                policy.apply(events).unwrap();
                policy
            },
            BatchSize::PerIteration,
        );
    });
    let mut policy = loaded(fresh(), events);
    group.bench_function("pre-filter", |b| b.iter(|| black_box(policy.pre_filter(preemptor).unwrap())));
    group.bench_function("filter", |b| b.iter(|| black_box(policy.filter(preemptor).unwrap())));
    group.bench_function("post-filter", |b| {
        b.iter(|| {
            let plan = policy
                .post_filter(&[preemptor], &Refuted::default())
                .unwrap()
                .plan
                .unwrap_or_else(|| panic!("there is a plan"));
            assert_eq!(plan.nominations.len(), GANG);
            black_box(plan)
        });
    });
    policy.record_notes(&NotedPods::All).unwrap();
    group.bench_function("filter explained", |b| {
        b.iter(|| {
            policy.pre_filter(preemptor).unwrap();
            black_box(policy.filter(preemptor).unwrap())
        });
    });
    group.bench_function("post-filter explained", |b| {
        b.iter(|| {
            policy.pre_filter(preemptor).unwrap();
            black_box((
                policy.post_filter(&[preemptor], &Refuted::default()).unwrap(),
                policy.notes(preemptor).unwrap(),
            ))
        });
    });
    group.finish();
}

fn scale(c: &mut Criterion) {
    let (events, preemptor) = events();
    measure(c, "native", Native::default, &events, preemptor);
    measure(c, "component", sandboxed, &events, preemptor);
}

criterion_group!(benches, scale);
criterion_main!(benches);
