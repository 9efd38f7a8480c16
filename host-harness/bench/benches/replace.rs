//! A policy is replaced by the same one in a session over 5,000 nodes and 50,000 pods: decisions with and without a replacement are
//! equal, and the pause that the caller sees at the switch.
//!
//! Every node has 64 cores. Pods of four teams run; in every cycle some of them end and some gangs and pods come, one of which must
//! preempt. Both policies are components in the sandbox. `cargo bench -p lictor-bench --bench replace`; with `LICTOR_BENCH_NODES=500` it
//! is smaller.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a benchmark")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use lictor::embedded;
use lictor_host::cluster::{Object, load};
use lictor_host::policy::Policy;
use lictor_host::replace::{Period, State, Terms};
use lictor_host::sandbox::{Limits, Loaded, Sandbox};
use lictor_host::session::{Action, CommandOutcome, Input, Session, Step};
use serde_json::{Value, json};

const NODES: usize = 5_000;
const PODS_PER_NODE: usize = 10;
/// The cycles of the simulation, and how many pods come in each of them.
const CYCLES: usize = 24;
const COMING: usize = 16;
const SECOND: i64 = 1_000_000_000;

fn nodes() -> usize {
    std::env::var("LICTOR_BENCH_NODES").ok().and_then(|nodes| nodes.parse().ok()).unwrap_or(NODES)
}

fn object(value: Value) -> Object {
    let origin = load::read("benchmark.yaml", "{}").unwrap().remove(0).origin;
    Object::from_value(value, &origin, "").unwrap()
}

fn pod(name: &str, team: usize, cores: usize, priority: usize, node: Option<usize>, gang: Option<&str>) -> Object {
    let mut labels = json!({"quota.scheduling.koordinator.sh/name": format!("team-{team}"),
        "quota.scheduling.koordinator.sh/preemptible": if node.is_some() { "true" } else { "false" }});
    if let Some(gang) = gang {
        labels.as_object_mut().unwrap().insert("pod-group.scheduling.sigs.k8s.io".to_owned(), json!(gang));
    }
    let mut spec = json!({"priority": priority,
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cores.to_string(), "memory": "1Gi"}}}]});
    let mut status = json!({"phase": "Pending"});
    if let Some(node) = node {
        spec.as_object_mut().unwrap().insert("nodeName".to_owned(), json!(format!("node-{node:04}")));
        status = json!({"phase": "Running", "startTime": "2026-01-01T00:00:00Z"});
    }
    object(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "work", "uid": name,
        "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels}, "spec": spec, "status": status}))
}

/// The cluster at the beginning: almost full.
fn objects() -> Vec<Object> {
    let quotas = (0..4).map(|team| {
        object(json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": format!("team-{team}"), "namespace": "quotas"},
            "spec": {"min": {"cpu": "100k", "memory": "1Pi"}, "max": {"cpu": "400k", "memory": "4Pi"}}}))
    });
    let machines = (0..nodes()).map(|node| {
        object(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{node:04}")},
            "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "pods": "110"}}}))
    });
    let pods = (0..nodes() * PODS_PER_NODE).map(|number| {
        let priority = 1000 + number * 7919 % 9;
        pod(&format!("pod-{number:05}"), number % 4, 6, priority, Some(number / PODS_PER_NODE), None)
    });
    quotas.chain(machines).chain(pods).collect()
}

/// The inputs of a cycle: the time, pods that have ended, and pods that come. Half of the members of its gang come one cycle later.
fn inputs(cycle: usize) -> Vec<Input> {
    let group = |gang: &str| {
        object(json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": gang, "namespace": "work"},
            "spec": {"minMember": COMING / 2, "scheduleTimeoutSeconds": 600}}))
    };
    let single = |number: usize| pod(&format!("single-{cycle}-{number}"), number % 4, 2, 2000, None, None);
    let member = |cycle: usize, half: usize| {
        let gang = format!("gang-{cycle}");
        (0..COMING / 4)
            .map(move |number| pod(&format!("{gang}-{half}-{number}"), cycle % 4, 2, 3000, None, Some(&gang)))
    };
    let mut coming: Vec<Object> = vec![group(&format!("gang-{cycle}"))];
    coming.extend((0..COMING / 2).map(single));
    coming.extend(member(cycle, 0));
    coming.extend(cycle.checked_sub(1).into_iter().flat_map(|before| member(before, 1)));
    // It fits nowhere unless others leave.
    coming.push(pod(&format!("large-{cycle}"), cycle % 4, 40, 9000, None, None));
    let ended = (0..COMING / 2).map(|number| format!("Pod/work/pod-{:05}", cycle * 97 + number * 11));
    let time = Input::Clock(i64::try_from(cycle).unwrap() * 30 * SECOND);
    let removed = ended.map(Input::Removed);
    [time].into_iter().chain(removed).chain([Input::Objects(coming), Input::Cycle]).collect()
}

/// Tells the session an input, and has what it asks for done: victims leave three inputs later.
fn tell(session: &mut Session, input: Input, leaving: &mut Vec<String>, steps: &mut Vec<Step>) {
    let mut step = session.handle(input).unwrap();
    loop {
        let commands = std::mem::take(&mut step.commands);
        step.replacement.clear();
        steps.push(Step { commands: commands.clone(), ..step });
        if commands.is_empty() {
            return;
        }
        let evicted = commands.iter().filter(|command| matches!(command.action, Action::Evict { .. }));
        leaving.extend(evicted.map(|command| command.object.key()));
        let done = commands.iter().map(|command| (command.id, CommandOutcome::Done));
        step = session.handle(Input::Outcomes(done.collect())).unwrap();
    }
}

fn component() -> Loaded {
    Sandbox::new(Limits { memory_bytes: 2 << 30, ..Limits::default() }).unwrap().load(embedded()).unwrap()
}

fn started(loaded: &Loaded) -> Box<dyn Policy> {
    Box::new(loaded.start().unwrap())
}

fn opened(loaded: &Loaded) -> Session {
    let mut session = Session::open(started(loaded), "koordinator", "").unwrap();
    session.handle(Input::Listed(objects())).unwrap();
    session
}

/// What came of every input of the simulation; with `terms`, the policy is replaced in its third cycle.
fn stream(loaded: &Loaded, terms: Option<Terms>) -> (Vec<Step>, Vec<State>, Vec<Duration>) {
    let mut session = opened(loaded);
    let (mut leaving, mut steps, mut pauses) = (Vec::new(), Vec::new(), Vec::new());
    for cycle in 0..CYCLES {
        if let Some(terms) = terms.filter(|_| cycle == 2) {
            session.replace(started(loaded), "koordinator", "", terms).unwrap();
        }
        for key in std::mem::take(&mut leaving) {
            tell(&mut session, Input::Removed(key), &mut Vec::new(), &mut steps);
        }
        for input in inputs(cycle) {
            let begun = Instant::now();
            tell(&mut session, input, &mut leaving, &mut steps);
            pauses.push(begun.elapsed());
        }
    }
    let history = session.replacement().map(|progress| progress.history.iter().map(|it| it.to).collect());
    (steps, history.unwrap_or_default(), pauses)
}

/// With and without a replacement the same is decided.
fn equal(loaded: &Loaded) {
    let terms = Terms { shadow: Period::Cycles(6), watch: Period::Cycles(6), allowed: 0 };
    let (without, ..) = stream(loaded, None);
    let (with, states, _) = stream(loaded, Some(terms));
    assert_eq!(states, [State::Shadow, State::Switching, State::Watching, State::Done]);
    assert!(without == with, "a replacement by the same policy changes decisions");
    let count = |what: fn(&Action) -> bool| {
        without.iter().flat_map(|step| &step.commands).filter(|command| what(&command.action)).count()
    };
    let bound = count(|action| matches!(action, Action::Bind { .. }));
    let evicted = count(|action| matches!(action, Action::Evict { .. }));
    println!(
        "{} nodes, {} pods, {CYCLES} cycles: {} steps are equal with and without a replacement ({bound} bound, {evicted} evicted)",
        nodes(),
        nodes() * PODS_PER_NODE,
        without.len(),
    );
    assert!(bound > 100 && evicted > 0);
}

/// A session whose next input is the one before which the policy is switched.
fn before_the_switch(loaded: &Loaded) -> Session {
    let mut session = opened(loaded);
    let mut leaving = Vec::new();
    let mut cycle = 0;
    let mut next = |session: &mut Session| {
        inputs(cycle).into_iter().for_each(|input| tell(session, input, &mut leaving, &mut Vec::new()));
        cycle += 1;
    };
    next(&mut session);
    let terms = Terms { shadow: Period::Cycles(1), watch: Period::Cycles(1_000_000), allowed: 0 };
    session.replace(started(loaded), "koordinator", "", terms).unwrap();
    while session.replacement().unwrap().state != State::Switching {
        // The last input of a cycle is the cycle itself, in which the time in shadow is over.
        next(&mut session);
        assert_ne!(session.replacement().unwrap().state, State::RolledBack);
    }
    session
}

fn switch(c: &mut Criterion) {
    let loaded = component();
    equal(&loaded);
    let mut group = c.benchmark_group("replace");
    group.sample_size(10);
    let mut session = before_the_switch(&loaded);
    let clock = |session: &Session| Input::Clock(session.mirror().now());
    let input = clock(&session);
    let begun = Instant::now();
    session.handle(input).unwrap();
    let first = begun.elapsed();
    assert_eq!(session.replacement().unwrap().state, State::Watching);
    println!("the input at the switch, the first time: {first:?}");
    group.bench_function("an input that decides nothing", |b| {
        b.iter(|| black_box(session.handle(clock(&session)).unwrap()));
    });
    group.bench_function("the same at the switch", |b| {
        b.iter_custom(|times| {
            let mut took = Duration::ZERO;
            for _ in 0..times {
                // A watch that is given up brings the old policy back: the next replacement begins at once.
                session.give_up_replacement("the benchmark goes on");
                let terms = Terms { shadow: Period::Cycles(0), watch: Period::Cycles(1_000_000), allowed: 0 };
                session.replace(started(&loaded), "koordinator", "", terms).unwrap();
                while session.replacement().unwrap().state != State::Switching {
                    session.handle(clock(&session)).unwrap();
                }
                let input = clock(&session);
                let begun = Instant::now();
                black_box(session.handle(input).unwrap());
                took += begun.elapsed();
                assert_eq!(session.replacement().unwrap().state, State::Watching);
            }
            took
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    targets = switch
}
criterion_main!(benches);
