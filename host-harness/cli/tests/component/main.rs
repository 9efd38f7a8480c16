//! The built-in component is what it should be, and answers what the native engine answers.
#![expect(clippy::unwrap_used, reason = "tests")]

mod samples;

use std::path::Path;
use std::sync::LazyLock;

use lictor::Native;
use lictor::embedded;
use lictor_contract::*;
use lictor_host::policy::Policy;
use lictor_host::sandbox::{Cache, Inspection, LoadedComponent, Sandbox, SandboxLimits, SandboxedPolicy};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    Sandbox::new(SandboxLimits::default()).unwrap().with_cache(Cache::open(&shared).unwrap())
});
static BUILT_IN: LazyLock<LoadedComponent> = LazyLock::new(|| SANDBOX.load(embedded()).unwrap());
static TOLD: LazyLock<Inspection> = LazyLock::new(|| SANDBOX.inspect(embedded()));

fn component() -> SandboxedPolicy {
    BUILT_IN.start().unwrap()
}

#[test]
fn it_imports_nothing() {
    let told = &*TOLD;
    assert_eq!(told.imports, Vec::<String>::new());
    assert_eq!(told.refused, None);
}

#[test]
fn it_exports_what_the_world_says() {
    let told = &*TOLD;
    assert_eq!(told.contract.as_deref(), Some("0.1.0"));
    assert_eq!((told.bytes, told.sha256.len()), (embedded().len(), 64));
    let exported: Vec<(&str, usize)> =
        told.exports.iter().map(|export| (export.name.as_str(), export.functions.len())).collect();
    let world = [
        ("lictor:policy/cluster@0.1.0", 0),
        ("lictor:policy/answers@0.1.0", 0),
        ("lictor:policy/queue@0.1.0", 1),
        ("lictor:policy/placement@0.1.0", 5),
        ("lictor:policy/permit@0.1.0", 1),
        ("lictor:policy/cycle@0.1.0", 1),
        ("lictor:policy/account@0.1.0", 2),
        ("lictor:policy/explain@0.1.0", 2),
        ("lictor:policy/state@0.1.0", 2),
        ("lictor:policy/marks@0.1.0", 1),
        ("lictor:policy/enforce@0.1.0", 1),
        ("lictor:policy/standing@0.1.0", 1),
        ("lictor:policy/core@0.1.0", 3),
    ];
    assert_eq!(exported, world);
    let signature = |name: &str| {
        let mut functions = told.exports.iter().flat_map(|export| &export.functions);
        functions.find(|function| function.name == name).unwrap().signature.clone()
    };
    assert_eq!(signature("describe"), "func() -> description");
    assert_eq!(
        signature("apply"),
        "func(templates: list<numbered-template>, events: list<event>) -> result<applied, policy-error>"
    );
    assert_eq!(
        signature("post-filter"),
        "func(pods: list<u32>, refuted: refuted) -> result<post-filtered, policy-error>"
    );
    assert_eq!(signature("memberships"), "func(pods: list<u32>) -> result<list<membership>, policy-error>");
    assert_eq!(signature("standings"), "func(pods: list<u32>) -> result<list<list<threat>>, policy-error>");
    assert_eq!(signature("restore"), "func(checkpoint: checkpoint) -> result<_, state-error>");
    assert_eq!(signature("record-notes"), "func(pods: noted-pods)");
}

#[test]
fn it_describes_itself_as_the_native_engine_does() {
    let description = component().describe().unwrap();
    assert_eq!(description, Native::default().describe().unwrap());
    assert_eq!(TOLD.description, Some(description));
}

/// Returns all answers of a policy to the same events and questions, in order.
fn transcript(policy: &mut dyn Policy, laws: Option<&str>) -> Vec<String> {
    let mut said = Vec::new();
    macro_rules! ask {
        ($($call:tt)*) => { said.push(format!("{} = {:?}", stringify!($($call)*), policy.$($call)*)) };
    }
    ask!(configure("no such system", ""));
    if let Some(laws) = laws {
        ask!(configure(laws, "{\"no such argument\": 1}"));
        ask!(configure(laws, "[no JSON"));
        ask!(configure(laws, ""));
    }
    ask!(record_notes(&NotedPods::All));
    for event in samples::events() {
        ask!(apply(vec![event]));
    }
    ask!(apply(Vec::new()));
    ask!(queue_keys(&[2, 1, 0]));
    for (pod, next) in (0..8).zip(1..) {
        ask!(pre_filter(pod));
        ask!(filter(pod));
        let refuted = Refuted { placements: vec![Placement { pod, node: 1 }], victims: vec![next] };
        ask!(post_filter(&[pod], &refuted));
        ask!(post_filter(&[pod, next], &refuted));
        ask!(notes(pod));
        ask!(reserve(pod, 0));
        ask!(permit(pod));
        ask!(unreserve(pod, ReleaseCause::Timeout));
    }
    ask!(act());
    ask!(queues());
    ask!(memberships(&[2, 1, 0]));
    ask!(memberships(&[0, u32::MAX]));
    ask!(save());
    ask!(restore(&Checkpoint { format: u32::MAX, bytes: vec![0, 255] }));
    said
}

#[test]
fn it_answers_as_the_native_engine_does() {
    let sets = component().describe().unwrap().systems;
    let names = sets.iter().map(|set| Some(set.name.as_str()));
    for laws in names.chain([None]) {
        let native = transcript(&mut Native::default(), laws);
        assert_eq!(transcript(&mut component(), laws), native, "{laws:?}");
    }
}

#[test]
fn it_takes_more_events_than_fit_in_one_call() {
    let sets = component().describe().unwrap().systems;
    let outcome = |policy: &mut dyn Policy| {
        if let Some(set) = sets.first() {
            policy.configure(&set.name, "").unwrap().unwrap();
        }
        format!("{:?}", policy.apply((0..10_000).map(Event::Clock).collect()))
    };
    assert_eq!(outcome(&mut component()), outcome(&mut Native::default()));
}

/// Checks that a newly configured policy forgets the cluster, and the templates of its pods with it.
#[test]
fn it_is_told_the_same_pods_again_after_it_is_configured_again() {
    let mut component = component();
    let laws = component.describe().unwrap().systems.swap_remove(0).name;
    let events = samples::events();
    for _ in 0..2 {
        component.configure(&laws, "").unwrap().unwrap();
        assert!(component.apply(events.clone()).is_ok());
    }
}

#[test]
fn its_checkpoint_is_taken_by_the_native_engine_and_back() {
    let (mut native, mut component) = (Native::default(), component());
    let saved = component.save().unwrap();
    assert_eq!(saved, native.save().unwrap());
    assert_eq!(native.restore(&saved).unwrap(), component.restore(&saved).unwrap());
}
