//! A policy is replaced by the same one in a session over 5,000 nodes and 50,000 pods: decisions with and without a replacement are
//! equal, and how long a caller waits for the replacement in each of its calls.
//!
//! Every node has 64 cores. Pods of four teams run; in every cycle some of them end and some gangs and pods come, one of which must
//! preempt. Both policies are components in the sandbox. `cargo bench -p lictor-bench --bench replace`; with `LICTOR_BENCH_NODES=500` it
//! is smaller. It ends in an error where a call takes a millisecond longer than without a replacement. Calls that take long alone, which are
//! cycles, are shown and not held to it: in shadow and in the watch both policies answer them at the same time, each on a core, and what is
//! left is the noise of long calls.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lictor::embedded;
use lictor_host::cluster::{KubernetesObject, load};
use lictor_host::policy::Policy;
use lictor_host::replace::{Period, ReplacementState, ReplacementTerms};
use lictor_host::sandbox::{LoadedComponent, Sandbox, SandboxLimits};
use lictor_host::session::{CandidatePolicy, CommandAction, CommandOutcome, Session, SessionInput, StepOutput};
use serde_json::{Value, json};

const NODES: usize = 5_000;
const PODS_PER_NODE: usize = 10;
/// The cycles of the simulation, how many pods come in each of them, and in which one the replacement begins.
const CYCLES: usize = 44;
const COMING: usize = 16;
const BEGIN: usize = 2;
/// How often the simulation runs: a pause is what a call takes at least, of all runs, over what it takes at least without a replacement.
const RUNS: usize = 5;
/// How long the caller does something else between two calls, with and without a replacement: a call after a rest is slower by itself. A
/// driver of a living cluster collects changes for longer than that.
const BETWEEN: Duration = Duration::from_millis(5);
/// The longest pause of a call that a replacement alone causes.
const PAUSE: Duration = Duration::from_millis(1);
const SECOND: i64 = 1_000_000_000;

fn nodes() -> usize {
    std::env::var("LICTOR_BENCH_NODES").ok().and_then(|nodes| nodes.parse().ok()).unwrap_or(NODES)
}

fn object(value: Value) -> KubernetesObject {
    let origin = load::read("benchmark.yaml", "{}").unwrap().remove(0).origin;
    KubernetesObject::from_value(value, &origin, "").unwrap()
}

fn pod(
    name: &str,
    team: usize,
    cores: usize,
    priority: usize,
    node: Option<usize>,
    gang: Option<&str>,
) -> KubernetesObject {
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

/// Returns the cluster at the beginning: almost full.
fn objects() -> Vec<KubernetesObject> {
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

/// Returns the inputs of a cycle: the time, pods that have ended, and pods that arrive. Half of the members of its gang arrive one cycle later.
fn inputs(cycle: usize) -> Vec<SessionInput> {
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
    let mut coming: Vec<KubernetesObject> = vec![group(&format!("gang-{cycle}"))];
    coming.extend((0..COMING / 2).map(single));
    coming.extend(member(cycle, 0));
    coming.extend(cycle.checked_sub(1).into_iter().flat_map(|before| member(before, 1)));
    // It fits nowhere unless others leave.
    coming.push(pod(&format!("large-{cycle}"), cycle % 4, 40, 9000, None, None));
    let ended = (0..COMING / 2).map(|number| format!("Pod/work/pod-{:05}", cycle * 97 + number * 11));
    let time = SessionInput::Clock(i64::try_from(cycle).unwrap() * 30 * SECOND);
    let removed = ended.map(SessionInput::Removed);
    [time].into_iter().chain(removed).chain([SessionInput::Objects(coming), SessionInput::Cycle]).collect()
}

/// The results of the simulation, and the duration of each call.
#[derive(Default)]
struct SimulationRun {
    steps: Vec<StepOutput>,
    /// The state of the replacement before each call; none while there is none.
    states: Vec<Option<ReplacementState>>,
    inputs: Vec<String>,
    took: Vec<Duration>,
    /// What beginning the replacement took.
    begin: Duration,
}

impl SimulationRun {
    fn handle(&mut self, session: &mut Session, input: SessionInput) -> StepOutput {
        let state = session.replacement().map(|progress| progress.state).filter(|state| !state.is_final());
        std::thread::sleep(BETWEEN);
        self.states.push(state);
        self.inputs.push(input.to_string());
        let begun = Instant::now();
        let step = session.handle(input).unwrap();
        self.took.push(begun.elapsed());
        step
    }

    /// Tells the session an input, and has what it asks for done: victims leave with the next cycle.
    fn feed(&mut self, session: &mut Session, input: SessionInput, leaving: &mut Vec<String>) {
        let mut step = self.handle(session, input);
        loop {
            let commands = std::mem::take(&mut step.commands);
            step.replacement.clear();
            self.steps.push(StepOutput { commands: commands.clone(), ..step });
            if commands.is_empty() {
                return;
            }
            let evicted = commands.iter().filter(|command| matches!(command.action, CommandAction::Evict { .. }));
            leaving.extend(evicted.map(|command| command.object.key()));
            let done = commands.iter().map(|command| (command.id, CommandOutcome::Done));
            step = self.handle(session, SessionInput::Outcomes(done.collect()));
        }
    }
}

fn component() -> LoadedComponent {
    Sandbox::new(SandboxLimits { memory_bytes: 2 << 30, ..SandboxLimits::default() }).unwrap().load(embedded()).unwrap()
}

fn started(loaded: &LoadedComponent) -> Box<dyn Policy> {
    Box::new(loaded.start().unwrap())
}

fn opened(loaded: &LoadedComponent, objects: &[KubernetesObject]) -> Session {
    let mut session = Session::open(started(loaded), "koordinator", "").unwrap();
    session.handle(SessionInput::InitialList(objects.to_vec())).unwrap();
    session
}

/// Runs the simulation; with `terms`, the policy is replaced.
fn play(
    loaded: &LoadedComponent,
    objects: &[KubernetesObject],
    terms: Option<ReplacementTerms>,
) -> (SimulationRun, Session) {
    let mut session = opened(loaded, objects);
    let (mut leaving, mut played) = (Vec::new(), SimulationRun::default());
    for cycle in 0..CYCLES {
        if let Some(terms) = terms.filter(|_| cycle == BEGIN) {
            let candidate = CandidatePolicy::new(started(loaded), "koordinator", "").unwrap();
            let begun = Instant::now();
            session.replace(candidate, terms).unwrap();
            played.begin = begun.elapsed();
        }
        for key in std::mem::take(&mut leaving) {
            played.feed(&mut session, SessionInput::Removed(key), &mut Vec::new());
        }
        for input in inputs(cycle) {
            played.feed(&mut session, input, &mut leaving);
        }
    }
    (played, session)
}

/// Returns the shortest times of several runs, call by call.
fn shortest(runs: &[SimulationRun]) -> Vec<Duration> {
    let calls = 0..runs.first().map_or(0, |run| run.took.len());
    calls.map(|call| runs.iter().filter_map(|run| run.took.get(call)).min().copied().unwrap_or_default()).collect()
}

fn millis(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

/// Shows the pauses of the calls in one state; whether all of them are short enough.
fn shown(what: &str, mut pauses: Vec<(Duration, String)>, bound: bool) -> bool {
    pauses.sort_unstable();
    let (Some((longest, call)), Some((median, _))) = (pauses.last(), pauses.get(pauses.len() / 2)) else { return true };
    let calls = pauses.len();
    println!("  {what}: median {}, longest {} of {calls} calls ({call})", millis(*median), millis(*longest));
    !bound || *longest <= PAUSE
}

/// Measures how long a caller waits for the old policy after a replacement is given up in the watch.
fn rolled_back(loaded: &LoadedComponent, objects: &[KubernetesObject]) -> Vec<Duration> {
    let terms = ReplacementTerms {
        shadow: Period::Cycles(0),
        watch: Period::Cycles(1_000_000),
        allowed: 0,
        ..ReplacementTerms::default()
    };
    let mut session = opened(loaded, objects);
    let mut pauses = Vec::new();
    for _ in 0..RUNS {
        session.replace(CandidatePolicy::new(started(loaded), "koordinator", "").unwrap(), terms).unwrap();
        while session.replacement().unwrap().state != ReplacementState::Watching {
            session.handle(SessionInput::Clock(session.mirror().now())).unwrap();
        }
        let begun = Instant::now();
        session.abort_replacement("the benchmark goes on");
        session.handle(SessionInput::Clock(session.mirror().now())).unwrap();
        pauses.push(begun.elapsed());
        assert_eq!(session.replacement().unwrap().state, ReplacementState::RolledBack);
    }
    pauses
}

fn main() {
    let (loaded, objects) = (component(), objects());
    let terms = ReplacementTerms {
        shadow: Period::Cycles(6),
        watch: Period::Cycles(6),
        allowed: 0,
        ..ReplacementTerms::default()
    };
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        without.push(play(&loaded, &objects, None).0);
        let (played, session) = play(&loaded, &objects, Some(terms));
        let history = session.replacement().unwrap().history.to_vec();
        let states: Vec<ReplacementState> = history.iter().map(|transition| transition.to).collect();
        assert_eq!(
            states,
            [ReplacementState::Shadow, ReplacementState::Switching, ReplacementState::Watching, ReplacementState::Done],
            "{history:?}"
        );
        with.push(played);
    }
    let expected = &without.first().unwrap().steps;
    assert!(with.iter().all(|run| run.steps == *expected), "a replacement by the same policy changes decisions");
    let count = |what: fn(&CommandAction) -> bool| {
        expected.iter().flat_map(|step| &step.commands).filter(|command| what(&command.action)).count()
    };
    let bound = count(|action| matches!(action, CommandAction::Bind { .. }));
    let evicted = count(|action| matches!(action, CommandAction::Evict { .. }));
    let (nodes, steps) = (nodes(), expected.len());
    println!("{nodes} nodes, {} pods, {CYCLES} cycles:", nodes * PODS_PER_NODE);
    println!("  {steps} steps are equal with and without a replacement ({bound} bound, {evicted} evicted)");
    assert!(bound > 100 && evicted > 0);

    let mut ok = shown("begin", vec![(with.iter().map(|run| run.begin).min().unwrap(), "replace".to_owned())], true);
    let (alone, beside) = (shortest(&without), shortest(&with));
    let mut by_state: BTreeMap<(ReplacementState, bool), Vec<(Duration, String)>> = BTreeMap::new();
    let calls = with.first().unwrap().states.iter().zip(&with.first().unwrap().inputs);
    for (((state, input), beside), alone) in calls.zip(beside).zip(alone) {
        let Some(state) = *state else { continue };
        // A call of several milliseconds is a cycle.
        let call = format!("{input}, {} alone", millis(alone));
        by_state.entry((state, alone > PAUSE)).or_default().push((beside.saturating_sub(alone), call));
    }
    for ((state, long), pauses) in by_state {
        let what = if long { ", calls that take more than 1 ms alone" } else { "" };
        ok &= shown(&format!("{state:?}{what}"), pauses, !long);
    }
    let back = rolled_back(&loaded, &objects).into_iter().min().unwrap();
    ok &= shown("roll back", vec![(back, "give_up_replacement and an input".to_owned())], true);
    assert!(ok, "a call waits for more than {} for the replacement", millis(PAUSE));
}
