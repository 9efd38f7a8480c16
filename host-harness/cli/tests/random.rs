//! The policy in a session whose driver fails, delays, reorders and loses outcomes, while pods come and go and the policy breaks.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use lictor::Native;
use lictor_contract::ExtensionPoint;
use lictor_host::cluster::{Mirror, Object};
use lictor_host::driver::random::{Faulty, Fuse, Real, Simulation};
use lictor_host::policy::Policy;
use lictor_host::session::Session;
use lictor_host::verify::testing::object;
use serde_json::json;

/// How many simulations are played with a system, and how long each of them is.
const SEEDS: u64 = 8;
const STEPS: usize = 300;
/// How many of them make a system preempt often that evicts only for queues below their guarantee.
const MANY_SEEDS: u64 = 24;

/// The commands of a system that binds, and of one that preempts pods of lower priority on demand.
const BINDS: [&str; 2] = ["bind", "confirm"];
const PREEMPTS: [&str; 4] = ["bind", "confirm", "nominate", "evict"];

/// Plays simulations with a system; these commands must be asked for often.
fn play(system: &str, dress: fn(usize, &mut Real), objects: &[Object], seeds: u64, kinds: &[&str]) {
    let described = Native::default().describe().unwrap();
    let info = described.systems.into_iter().find(|info| info.name == system).unwrap();
    let pod_by_pod = !info.extension_points.iter().any(|point| point == ExtensionPoint::Act.name());
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut restarts = 0;
    for seed in 0..seeds {
        let fuse = Fuse::default();
        let policy = Faulty::new(Native::default(), fuse.clone());
        let counted = policy.restarts();
        let session = Session::open(Box::new(policy), system, "").unwrap();
        let mut simulation = Simulation::new(session, seed, 3, objects.to_vec(), fuse);
        simulation.dress = dress;
        (0..STEPS).for_each(|_| simulation.step());
        simulation.settle();
        simulation.check(Mirror::new(info.interests.clone()), pod_by_pod);
        restarts += counted.load(Ordering::SeqCst);
        for (what, times) in simulation.asked {
            *asked.entry(what).or_default() += times;
        }
    }
    let often = |what: &str| asked.get(what).is_some_and(|times| *times > 10);
    assert!(kinds.iter().all(|kind| often(kind)), "{system}: {asked:?}");
    assert!(restarts > 10, "{system}: {restarts} new instances");
}

#[test]
fn kubernetes() {
    play("kubernetes", |_, _| {}, &[], SEEDS, &PREEMPTS);
}

#[test]
fn coscheduling_with_gangs_of_two() {
    let dress = |number: usize, pod: &mut Real| {
        if number.is_multiple_of(3) {
            pod.labels.insert("pod-group/name".to_owned(), format!("g{}", number % 4));
            pod.labels.insert("pod-group/min-available".to_owned(), "2".to_owned());
        }
    };
    play("coscheduling", dress, &[], SEEDS, &PREEMPTS);
}

#[test]
fn koordinator_with_gangs_of_two() {
    let dress = |number: usize, pod: &mut Real| {
        pod.labels.insert("quota.scheduling.koordinator.sh/name".to_owned(), "q".to_owned());
        if number.is_multiple_of(3) {
            let gang = format!("g{}", number % 4);
            pod.annotations.insert("gang.scheduling.koordinator.sh/name".to_owned(), gang);
            pod.annotations.insert("gang.scheduling.koordinator.sh/min-available".to_owned(), "2".to_owned());
        }
    };
    let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
                       "metadata": {"name": "q", "namespace": "default"},
                       "spec": {"min": {"cpu": "18"}, "max": {"cpu": "18"}}});
    play("koordinator", dress, &[object(quota)], SEEDS, &BINDS);
}

#[test]
fn yunikorn() {
    let dress = |number: usize, pod: &mut Real| {
        pod.scheduler = "yunikorn";
        pod.labels.insert("applicationId".to_owned(), format!("app{}", number % 4));
        pod.labels.insert("queue".to_owned(), format!("root.q{}", number % 2));
    };
    // Each of two queues gets half of the cluster back whenever it needs it.
    let queue = |name: &str| json!({"name": name, "resources": {"guaranteed": {"vcore": 12}}, "properties": {"preemption.delay": "1s"}});
    let root = json!({"name": "root", "submitacl": "*", "queues": [queue("q0"), queue("q1")]});
    let rules = json!([{"name": "provided", "create": true}]);
    let config = json!({"partitions": [{"name": "default", "placementrules": rules, "queues": [root]}]});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
                     "data": {"queues.yaml": config.to_string()}});
    play("yunikorn", dress, &[object(map)], MANY_SEEDS, &PREEMPTS);
}

#[test]
fn volcano() {
    let dress = |number: usize, pod: &mut Real| {
        pod.scheduler = "volcano";
        pod.annotations.insert("scheduling.k8s.io/group-name".to_owned(), format!("j{}", number % 3));
    };
    let group = |name: &str, class: &str| {
        object(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
                      "metadata": {"name": name, "namespace": "default"},
                      "spec": {"queue": "default", "minMember": 1, "priorityClassName": class},
                      "status": {"phase": "Running"}}))
    };
    let class = |name: &str, value: i32| {
        object(json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                      "metadata": {"name": name}, "value": value}))
    };
    let objects = [class("low", 1), class("high", 9), group("j0", "low"), group("j1", "low"), group("j2", "high")];
    play("volcano", dress, &objects, SEEDS, &BINDS);
}
