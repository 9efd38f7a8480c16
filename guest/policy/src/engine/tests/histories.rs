//! What came before does not matter: gangs submitted again, numbers used again, objects in another order, sums that overflow.
use crate::contract::*;
use crate::testing::*;

#[test]
fn leaving_elsewhere() {
    let mut world = World::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=4");
    world.node("n2", "cpu=2");
    world.pod(pod("leaving").quota("team").asks("cpu=2").on("n2").with(|pod| pod.terminating = true));
    world.pod(pod("own").quota("team").asks("cpu=2").on("n1"));
    world.pod(pod("a").quota("team").preemptible(false).asks("cpu=2").priority(1).only_on(&["n1"]));
    assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(vec![]));
}

#[test]
fn child_of_orphan() {
    let mut world = World::new();
    world.tell(vec![
        Event::ObjectUpserted(quota("b", "nowhere", "", "")),
        Event::ObjectUpserted(quota("c", "b", "", "")),
    ]);
    assert_eq!(world.account("c").parent.as_deref(), Some("b"));
}

#[test]
fn child_of_cycle() {
    let mut world = World::new();
    world.tell(vec![
        Event::ObjectUpserted(quota("a", "b", "", "")),
        Event::ObjectUpserted(quota("b", "a", "", "")),
        Event::ObjectUpserted(quota("c", "b", "", "")),
    ]);
    assert_eq!(world.account("c").parent.as_deref(), Some("b"));
}

#[test]
fn siblings_by_name() {
    let mut world = World::new();
    world.object(quota("a", "", "", ""));
    world.object(quota("z", "", "", ""));
    let names: Vec<_> = world
        .engine
        .queues()
        .unwrap()
        .into_iter()
        .filter(|q| q.parent.as_deref() == Some(ROOT))
        .map(|q| q.name)
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn reused_id_of_a_victim() {
    let mut world = World::new();
    world.node("n", "cpu=2");
    for name in ["v1", "v2"] {
        world.pod(pod(name).asks("cpu=1").on("n"));
    }
    world.pod(pod("a").asks("cpu=2").priority(1));
    let plan = world.plan("a").unwrap();
    world.tell(vec![Event::PlanAccepted(plan.id)]);
    // v1 leaves; its number goes to a new, important pod that runs there.
    let v1 = world.id("v1");
    world.gone("v1");
    world.numbers.pods.insert("default/new".to_owned(), v1);
    world.node("m", "cpu=1");
    world.pod(pod("new").preemptible(false).asks("cpu=1").on("m"));
    world.pod(pod("other").asks("cpu=1").priority(5).only_on(&["m"]));
    assert_eq!(world.plan("other"), Err("koordinator/cheapest-node-first".to_owned()), "`new` is not leaving");
}

#[test]
fn gang_of_the_same_name_again() {
    let mut world = World::new();
    world.node("n", "cpu=9");
    let group = pod_group("g", 2, &[]);
    world.object(group.clone());
    for name in ["a", "b"] {
        world.pod(pod(name).job("g"));
        world.reserve(name, "n");
    }
    assert_eq!(world.engine.permit(world.id("a")).unwrap().permission, Permission::Allow);
    for name in ["a", "b"] {
        world.gone(name);
    }
    world.tell(vec![Event::ObjectRemoved(key(&group))]);
    // The job is submitted again under its name.
    world.object(group);
    for name in ["c", "d"] {
        world.pod(pod(name).job("g"));
    }
    world.reserve("c", "n");
    assert_eq!(world.engine.permit(world.id("c")).unwrap().permission, Permission::Wait(600_000_000_000));
}

#[test]
fn annotated_gang_of_pods_that_are_gone() {
    let mut world = World::new();
    world.pod(pod("a").job("g").annotation("gang.scheduling.koordinator.sh/min-available", "1"));
    world.gone("a");
    world.pod(pod("b").job("g"));
    assert!(matches!(world.pre_filter("b"), Admission::Final(_)), "nobody describes the gang");
}

#[test]
fn annotations_that_differ() {
    let answer = |order: [(&str, &str); 2]| {
        let mut world = World::new();
        for (name, minimum) in order {
            world.pod(pod(name).job("g").annotation("gang.scheduling.koordinator.sh/min-available", minimum));
        }
        world.pre_filter("a")
    };
    assert_eq!(answer([("a", "2"), ("b", "3")]), answer([("b", "3"), ("a", "2")]));
}

#[test]
fn quota_of_one_name_in_two_namespaces() {
    let one = |namespace: &str, max: &str| {
        object(
            "ElasticQuota",
            &format!("{namespace}/q"),
            [&[], &[]],
            serde_json::json!({"spec": {"max": {"cpu": max}}}),
        )
    };
    let answer = |first: Object, second: Object| {
        let mut world = World::new();
        world.object(first);
        world.object(second);
        world.account("q").bounds
    };
    assert_eq!(answer(one("a", "1"), one("b", "2")), answer(one("b", "2"), one("a", "1")));
}

#[test]
fn second_quota_takes_over_when_first_goes() {
    let one = |namespace: &str, max: &str| {
        object(
            "ElasticQuota",
            &format!("{namespace}/q"),
            [&[], &[]],
            serde_json::json!({"spec": {"max": {"cpu": max}}}),
        )
    };
    let mut world = World::new();
    world.object(one("a", "1"));
    world.object(one("b", "2"));
    world.tell(vec![Event::ObjectRemoved(key(&one("a", "1")))]);
    assert!(world.engine.queues().unwrap().iter().any(|q| q.name == "q"));
}

#[test]
fn minimum_that_is_no_number() {
    let mut world = World::new();
    world.pod(pod("a").job("g").annotation("gang.scheduling.koordinator.sh/min-available", "many"));
    assert!(world.findings[0].message.contains("`many`"), "{:?}", world.findings);
}

#[test]
fn overflow_leaves_the_books_right() {
    let mut world = World::new();
    world.node("n", "cpu=1");
    let most = format!("memory={}", i64::MAX);
    world.pod(pod("a").asks(&most).on("n"));
    let events = world.numbers.pod(&pod("b").asks("memory=1 cpu=1").on("n"));
    let _ = world.engine.apply(events.to_vec());
    world.gone("b");
    world.gone("a");
    let _ = world.account(DEFAULT);
    assert_eq!(world.account(DEFAULT).used, []);
    assert_eq!(world.account(DEFAULT).pending, []);
    assert_eq!(world.account(ROOT).pending, []);
}

#[test]
fn overflow_in_first_settle() {
    let mut engine = crate::Engine::default();
    engine.configure("koordinator", "").unwrap();
    let mut numbers = Numbers::new("koordinator");
    let mut events =
        vec![Event::Resources(RESOURCES.map(|name| Resource { name: name.to_owned(), everywhere: 0 }).to_vec())];
    events.push(numbers.node("n", "cpu=1"));
    let most = format!("memory={}", i64::MAX);
    for name in ["a", "b"] {
        events.extend(numbers.pod(&pod(name).asks(&most).on("n")));
    }
    let _ = engine.apply(events);
    let _ = engine.apply(vec![Event::PodRemoved(0)]);
    let _ = engine.queues();
    let _ = engine.apply(vec![Event::PodRemoved(1)]);
    for queue in engine.queues().unwrap() {
        assert_eq!((queue.used, queue.pending), (vec![], vec![]));
    }
}

#[test]
fn runtime_in_the_account_is_up_to_date() {
    let mut world = World::with(r#"{"enableRuntimeQuota": true}"#);
    world.object(quota("team", "", "", "cpu=20"));
    world.node("n", "cpu=12");
    world.pod(pod("a").quota("team").asks("cpu=3"));
    let before = world.account("team").bounds;
    world.pre_filter("a");
    assert_eq!(before, world.account("team").bounds);
}

#[test]
fn leaving_below() {
    let mut world = World::new();
    world.object(quota("group", "", "cpu=4", "cpu=4"));
    world.object(quota("child", "group", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=2");
    world.node("n2", "cpu=4");
    world.pod(pod("leaving").quota("child").asks("cpu=4").on("n2").with(|pod| pod.terminating = true));
    world.pod(pod("a").quota("group").preemptible(false).asks("cpu=2").priority(1).only_on(&["n1"]));
    assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(vec![]));
}

#[test]
fn time_of_a_gang_of_coscheduling() {
    let order = |gone: bool| {
        let mut world = World::of("coscheduling", "");
        let member = |name: &str, created: i64| {
            pod(name)
                .label("pod-group/name", "g")
                .label("pod-group/min-available", "1")
                .with(|pod| pod.created = created)
        };
        if gone {
            world.pod(member("first", 1));
            world.gone("first");
        }
        world.pod(member("m", 9));
        world.pod(pod("bare").with(|pod| pod.created = 5));
        let ids = vec![world.id("m"), world.id("bare")];
        world.engine.queue_order(ids).unwrap().into_iter().map(|id| world.pod_name(id)).collect::<Vec<_>>()
    };
    assert_eq!(order(true), order(false));
}

#[test]
fn reused_id_notes() {
    let mut world = World::new();
    world.engine.record_notes(true);
    world.object(quota("team", "", "", "cpu=0"));
    world.pod(pod("a").quota("team").asks("cpu=1"));
    world.pre_filter("a");
    let id = world.id("a");
    world.gone("a");
    world.numbers.pods.insert("default/b".to_owned(), id);
    world.pod(pod("b"));
    assert_eq!(world.engine.notes(id), Ok(vec![]));
}
