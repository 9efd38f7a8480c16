//! What came before does not matter: numbers that are used again, gangs submitted again, sums that overflowed.

use crate::contract::{Admission, Event, NotedPods, Permission};
use crate::testing::{DEFAULT, PolicyHarness, ROOT, key, pod, pod_group, quota};

#[test]
fn a_new_pod_with_the_number_of_a_victim_is_no_victim() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    for name in ["v1", "v2"] {
        world.pod(pod(name).requests("cpu=1").on("n"));
    }
    world.pod(pod("a").requests("cpu=2").priority(1));
    let plan = world.plan("a").unwrap();
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    // v1 is deleted; its number is given to a new, important pod that runs there.
    let v1 = world.id("v1");
    world.remove_pod("v1");
    world.numbers.pods.insert("default/new".to_owned(), v1);
    world.node("m", "cpu=1");
    world.pod(pod("new").preemptible(false).requests("cpu=1").on("m"));
    world.pod(pod("other").requests("cpu=1").priority(5).only_on(&["m"]));
    assert_eq!(world.plan("other"), Err("engine/no-node".to_owned()), "`new` is not leaving");
}

#[test]
fn a_new_pod_with_the_number_of_one_that_was_refused_has_no_notes() {
    let mut world = PolicyHarness::new();
    world.engine.record_notes(&NotedPods::All);
    world.object(quota("team", "", "", "cpu=0"));
    world.pod(pod("a").quota("team").requests("cpu=1"));
    world.pre_filter("a");
    let id = world.id("a");
    world.remove_pod("a");
    world.numbers.pods.insert("default/b".to_owned(), id);
    world.pod(pod("b"));
    assert_eq!(world.engine.notes(id), Ok(vec![]));
}

#[test]
fn a_gang_that_is_submitted_again_has_to_be_complete_again() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=9");
    let group = pod_group("g", 2, &[]);
    world.object(group.clone());
    for name in ["a", "b"] {
        world.pod(pod(name).job("g"));
        world.reserve(name, "n");
    }
    assert_eq!(world.engine.permit(world.id("a")).unwrap().permission, Permission::Allow);
    for name in ["a", "b"] {
        world.remove_pod(name);
    }
    world.apply(vec![Event::ObjectRemoved(key(&group))]);
    // The job is submitted again under the same name.
    world.object(group);
    for name in ["c", "d"] {
        world.pod(pod(name).job("g"));
    }
    world.reserve("c", "n");
    assert_eq!(world.engine.permit(world.id("c")).unwrap().permission, Permission::Wait(600_000_000_000));
}

#[test]
fn what_pods_that_are_gone_said_of_their_gang_is_forgotten() {
    let mut world = PolicyHarness::new();
    world.pod(pod("a").job("g").annotation("gang.scheduling.koordinator.sh/min-available", "1"));
    world.remove_pod("a");
    world.pod(pod("b").job("g"));
    assert!(matches!(world.pre_filter("b"), Admission::Final(_)), "nobody describes the gang");
}

/// The bytes that all pods may request together.
const MOST: i64 = i64::MAX >> 2;

#[test]
fn a_pod_that_cannot_be_counted_changes_nothing_and_the_events_before_it_hold() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").requests(&format!("memory={MOST}")).on("n"));
    let mut events = world.numbers.pod(&pod("before").requests("cpu=1").on("n")).to_vec();
    let gang = pod("b").requests("memory=1 cpu=1").on("n").job("g");
    events.extend(world.numbers.pod(&gang.annotation("gang.scheduling.koordinator.sh/min-available", "1")));
    assert!(matches!(world.engine.apply(events), Err(crate::contract::PolicyError::Overflow(_))));
    assert_eq!(world.account(DEFAULT).used, world.account(ROOT).used);
    assert_eq!(world.engine.cluster().pods().count(), 2, "`a` and `before`");
    assert_eq!(world.engine.cluster().jobs().count(), 0, "what `b` said of its gang was not read");
    world.remove_pod("before");
    world.remove_pod("a");
    assert_eq!((world.account(DEFAULT).used, world.account(DEFAULT).pending), (vec![], vec![]));
    // A deleted pod frees the amounts for what was refused.
    world.pod(pod("b").requests(&format!("memory={MOST}")).on("n"));
    let _ = world.account(DEFAULT);
}

#[test]
fn findings_before_an_event_that_cannot_be_counted_come_with_the_next_answer() {
    use crate::contract::{Event, PolicyError};
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").requests(&format!("memory={MOST}")).on("n"));
    let wrong = crate::testing::pod_group("g", 2, &[("gang.scheduling.koordinator.sh/mode", "Sometimes")]);
    let mut events = vec![Event::ObjectUpserted(wrong)];
    events.extend(world.numbers.pod(&pod("b").requests("memory=1").on("n")));
    assert!(matches!(world.engine.apply(events), Err(PolicyError::Overflow(_))));
    let findings = world.engine.apply(Vec::new()).unwrap().findings;
    assert!(matches!(findings.as_slice(), [found] if found.object == "PodGroup/default/g"), "{findings:?}");
    assert_eq!(world.engine.apply(Vec::new()).unwrap().findings, []);
}

#[test]
fn a_number_that_was_not_announced_is_refused_and_no_list_is_made_that_long() {
    use crate::contract::{Amount, Eligibility, Event, InterPod, Node, PolicyError, Topology, Unannounced};
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").requests("cpu=1").on("n"));
    let known = u32::try_from(world.engine.cluster().resource_count()).unwrap();
    let shapes = u32::try_from(world.engine.cluster().shape_count()).unwrap();
    let amounts = |resource| vec![Amount { resource, value: 1 }];
    let node = |resource| {
        let (name, labels) = ("m".to_owned(), Vec::new());
        Event::NodeUpserted(Node { id: 1, name, allocatable: amounts(resource), labels })
    };
    let asks = |resource| {
        let pod = crate::contract::Pod::pending(9, "default", "b");
        Event::PodUpserted(pod.with(|template| template.requests = amounts(resource)))
    };
    let shape = |shape| Event::Eligibility(Eligibility { shape, nodes: vec![1] });
    let topology = |id| Event::Topology(Topology { id, key: "zone".to_owned(), domains: vec![1] });
    let inter_pod = |id| {
        let (selected_by, anti_affinity, spread) = (Vec::new(), Vec::new(), Vec::new());
        Event::InterPod(InterPod { id, selected_by, affinity: None, anti_affinity, spread })
    };
    // Resources are announced by an event of their own. For the others, the number is the announcement, and may be a little beyond the next one.
    for (first, what, event) in [
        (known, "resource", &node as &dyn Fn(u32) -> Event),
        (known, "resource", &asks),
        (shapes + 1025, "shape", &shape),
        (1025, "topology", &topology),
        (1025, "inter-pod", &inter_pod),
    ] {
        for number in [first, u32::MAX] {
            let unannounced = Unannounced { event: 1, what: what.to_owned(), number };
            let told = vec![Event::Clock(1), event(number)];
            assert_eq!(world.engine.apply(told), Err(PolicyError::Unannounced(unannounced)));
        }
        world.engine.apply(vec![event(first - 1)]).unwrap();
    }
}

#[test]
fn numbers_that_no_host_gives_are_refused_and_take_no_memory() {
    use crate::contract::{Event, Node, PolicyError, Unannounced};
    use crate::model::PodIx;
    let mut world = PolicyHarness::new();
    let node = |id| {
        let name = "far".to_owned();
        Event::NodeUpserted(Node { id, name, allocatable: Vec::new(), labels: Vec::new() })
    };
    let pod = |id| Event::PodUpserted(crate::contract::Pod::pending(id, "default", "far"));
    for (what, number, event) in [
        ("node", 1 << 20, node(1 << 20)),
        ("node", u32::MAX, node(u32::MAX)),
        ("pod", 1 << 28, pod(1 << 28)),
        ("pod", u32::MAX, pod(u32::MAX)),
    ] {
        let unannounced = Unannounced { event: 0, what: what.to_owned(), number };
        assert_eq!(world.engine.apply(vec![event]), Err(PolicyError::Unannounced(unannounced)));
    }
    let last = (1 << 28) - 1;
    world.engine.apply(vec![pod(last)]).unwrap();
    assert!(world.engine.cluster().pod(PodIx(last)).is_some());
}

#[test]
fn a_pod_that_grows_past_what_can_be_counted_stays_as_it_was() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=9");
    world.pod(pod("a").requests("cpu=1 memory=1").on("n"));
    world.pod(pod("b").requests(&format!("memory={}", MOST - 1)).on("n"));
    let before = (world.account(DEFAULT).used, world.account(DEFAULT).pending);
    let events = world.numbers.pod(&pod("a").requests("cpu=2 memory=2").on("n"));
    assert!(world.engine.apply(events.to_vec()).is_err());
    assert_eq!((world.account(DEFAULT).used, world.account(DEFAULT).pending), before);
}

#[test]
fn a_node_that_cannot_be_counted_is_not_known() {
    let mut world = PolicyHarness::new();
    world.node("n", &format!("memory={MOST}"));
    let events = vec![world.numbers.node("m", "memory=1")];
    assert!(world.engine.apply(events).is_err());
    assert_eq!(world.engine.cluster().nodes().count(), 1);
    // The same node with other amounts counts once.
    world.node("n", &format!("memory={}", MOST - 1));
    world.node("m", "memory=1");
}
