//! Which running pods are safe, in every system. Expected values follow from the sentence of each law.

use serde_json::json;

use crate::contract::{Object, PodId, PolicyError, by};
use crate::testing::{INSIDE, PodBuilder, PolicyHarness, amounts, object, pod, quota, reservation};

/// Returns a cluster of this system with one node.
fn world(system: &str, arguments: &str) -> PolicyHarness {
    let mut world = PolicyHarness::of(system, arguments);
    world.node("n", "cpu=64");
    world
}

/// Returns the threats to a pod, a line each: the kind of preemptors, and the least priority of theirs or the law that spares the pod.
fn threats(world: &mut PolicyHarness, name: &str) -> Vec<String> {
    let id = world.id(name);
    let standings = world.engine.standings(&[id]).unwrap();
    let line = |threat: &crate::contract::Threat| match (&threat.spared, threat.priority) {
        (Some(reason), _) => format!("{}: {}", threat.by, reason.code),
        (None, Some(priority)) => format!("{}: from {priority}", threat.by),
        (None, None) => format!("{}: any", threat.by),
    };
    standings.first().unwrap().iter().map(line).collect()
}

/// Returns the threats to one pod on the node of the cluster.
fn of(world: &mut PolicyHarness, draft: PodBuilder) -> Vec<String> {
    let name = draft.name();
    world.pod(draft.on("n"));
    threats(world, &name)
}

#[test]
fn a_pod_of_kubernetes_is_safe_from_all_but_higher_priorities() {
    let mut world = world("kubernetes", "");
    assert_eq!(of(&mut world, pod("a").requests("cpu=1").priority(5)), ["pod: from 6"]);
    let critical = pod("b").requests("cpu=1").priority(2_000_001_000);
    assert_eq!(of(&mut world, critical), ["pod: kubernetes/victim-ranks-lower"], "no pod has a higher priority");
    assert_eq!(of(&mut world, pod("c").priority(i32::MIN)), ["pod: from -2147483647"]);
    assert_eq!(by::POD, "pod");
}

#[test]
fn a_pod_that_waits_or_leaves_has_no_standing_and_one_that_is_not_there_is_an_error() {
    let mut world = world("kubernetes", "");
    world.pod(pod("a"));
    assert_eq!(threats(&mut world, "a"), [""; 0]);
    assert_eq!(of(&mut world, pod("b").with(|pod| pod.terminating = true)), [""; 0]);
    assert_eq!(world.engine.standings(&[PodId::MAX]), Err(PolicyError::UnknownPod(PodId::MAX)));
}

#[test]
fn a_non_preemptible_pod_of_koordinator_is_safe_in_every_quota() {
    let mut world = world("koordinator", "");
    world.object(quota("q", "", "cpu=2", "cpu=9"));
    let law = "koordinator/victim-is-preemptible";
    let safe = [format!("same-queue: {law}"), format!("other-queue: {law}")];
    assert_eq!(of(&mut world, pod("a").quota("q").requests("cpu=1").preemptible(false)), safe);
    let opted_out = pod("b").quota("q").label("scheduling.koordinator.sh/disable-preemptible", "true");
    assert_eq!(of(&mut world, opted_out), safe);
    let other = pod("c").quota("q").requests("cpu=1").priority(7);
    assert_eq!(of(&mut world, other), ["same-queue: from 8", "other-queue: from 8"]);
}

#[test]
fn a_quota_of_coscheduling_protects_its_pods_within_its_min_from_other_quotas() {
    let mut world = world("coscheduling", "");
    for namespace in ["a", "b"] {
        let quota = object(
            "ElasticQuota",
            &format!("{namespace}/{namespace}"),
            [&[], &[]],
            json!({"spec": {"min": {"cpu": "2"}}}),
        );
        world.object(Object { group: "scheduling.x-k8s.io".to_owned(), ..quota });
    }
    let within = "other-queue: coscheduling/victim-quota-is-over-min".to_owned();
    assert_eq!(of(&mut world, pod("a/p").requests("cpu=2").priority(5)), ["same-queue: from 6".to_owned(), within]);
    // With 4 of 2, a pod that takes back evicts whatever the priority.
    assert_eq!(of(&mut world, pod("a/q").requests("cpu=2").priority(5)), ["same-queue: from 6", "other-queue: any"]);
    let none = "other-queue: coscheduling/victim-is-of-the-quota-that-gives";
    assert_eq!(of(&mut world, pod("c/r").requests("cpu=2").priority(5)), ["same-queue: from 6", none]);
}

/// Announces queues below the root to the world.
fn queues_of_yunikorn(world: &mut PolicyHarness, queues: &serde_json::Value) {
    let root = json!({"name": "root", "queues": queues});
    let rules = json!([{"name": "provided", "create": true}]);
    // JSON is YAML.
    let text = json!({"partitions": [{"name": "default", "placementrules": rules, "queues": [root]}]}).to_string();
    let body = json!({"data": {"queues.yaml": text}});
    let config = object("ConfigMap", "yunikorn/yunikorn-configs", [&[], &[]], body);
    world.object(Object { group: String::new(), ..config });
}

#[test]
fn a_guarantee_of_yunikorn_protects_from_other_queues_and_no_queue_evicts_its_own_pods() {
    let mut world = world("yunikorn", "");
    let queue = |name: &str, cores: u32| json!({"name": name, "resources": {"guaranteed": {"vcore": cores}}});
    queues_of_yunikorn(&mut world, &json!([queue("a", 2), queue("b", 8)]));
    let of_queue = |name: &str, queue: &str, app: &str| {
        pod(name).requests("cpu=4").label("queue", queue).label("applicationId", app)
    };
    let own = "same-queue: yunikorn/4";
    // 4 of 2 are used, but without the pod nothing would be.
    let needed = [own, "other-queue: yunikorn/2", "daemon-set: from 0"];
    assert_eq!(of(&mut world, of_queue("p", "root.a", "1")), needed);
    assert_eq!(of(&mut world, of_queue("o", "root.a", "1")), [own, "other-queue: from 0", "daemon-set: from 0"]);
    let within = ["same-queue: yunikorn/5", "other-queue: yunikorn/5", "daemon-set: from 0"];
    assert_eq!(of(&mut world, of_queue("q", "root.b", "2")), within);
    let law = "yunikorn/victim-is-of-no-daemon-set";
    let daemon = of_queue("r", "root.a", "3").with(|pod| {
        pod.template_mut().owner =
            Some(crate::contract::Owner { kind: "DaemonSet".to_owned(), name: "d".to_owned(), uid: String::new() });
    });
    assert_eq!(of(&mut world, daemon), [own.to_owned(), format!("other-queue: {law}"), format!("daemon-set: {law}")]);
}

/// Checks that only reservations of a higher priority evict a reservation (seed 001, Story 2: pods do not preempt reservations). A reservation has no
/// queue.
#[test]
fn only_reservations_of_a_higher_priority_evict_a_reservation() {
    let mut world = world("koordinator", "");
    let of_priority =
        |name: &str, priority: &str| reservation(name).requests("cpu=1").label("koordinator.sh/priority", priority);
    assert_eq!(of(&mut world, of_priority("a", "5")), ["reservation: from 6"]);
    // A reservation without a priority has the highest number, above every priority that Kubernetes admits for pods.
    assert_eq!(of(&mut world, of_priority("b", "2000001000")), ["reservation: from 2000001001"]);
    assert_eq!(of(&mut world, of_priority("c", "2147483646")), ["reservation: from 2147483647"]);
    let unlabelled = reservation("d").requests("cpu=1").with(|pod| pod.template_mut().priority = None);
    assert_eq!(of(&mut world, unlabelled), ["reservation: koordinator/victim-ranks-lower"]);
}

/// Checks that the pods inside a reservation are evicted with it, and only with it (seed 001, rule 4).
#[test]
fn a_pod_inside_a_reservation_leaves_with_its_reservation_only() {
    let mut world = world("koordinator", "");
    world.pod(reservation("r").requests("cpu=4").label("koordinator.sh/priority", "1").on("n"));
    let inside = || pod("a").requests("cpu=4").priority(1000).annotation(INSIDE, r#"{"name": "r", "uid": "u"}"#);
    let law = "koordinator/victim-is-outside-reservations";
    let leaves = [format!("same-queue: {law}"), format!("other-queue: {law}"), "reservation: from 2".to_owned()];
    assert_eq!(of(&mut world, inside().preemptible(false)), leaves);
    assert_eq!(of(&mut world, inside()), leaves);
    // A reservation that leaves takes the pod along: both have no standing any more.
    world.pod(reservation("r").requests("cpu=4").on("n").with(|pod| pod.terminating = true));
    assert_eq!(threats(&mut world, "a"), [""; 0]);
    world.remove_pod("Reservation/r");
    assert_eq!(threats(&mut world, "a"), ["same-queue: from 1001", "other-queue: from 1001"]);
}

/// Checks that no preemption takes a queue below its guarantee, whatever the preemptor and whatever else the pods use (law 2).
#[test]
fn a_pod_without_which_its_queue_of_yunikorn_falls_below_its_guarantee_is_safe() {
    let mut world = world("yunikorn", "");
    let queue = |name: &str, cores: u32| json!({"name": name, "resources": {"guaranteed": {"vcore": cores}}});
    queues_of_yunikorn(&mut world, &json!([queue("prod", 4), queue("test", 1)]));
    let of_prod =
        |name: &str| pod(name).requests("cpu=2 memory=1Gi").label("queue", "root.prod").label("applicationId", "p");
    of(&mut world, of_prod("a"));
    let safe = ["same-queue: yunikorn/4", "other-queue: yunikorn/5", "daemon-set: from 0"];
    assert_eq!(of(&mut world, of_prod("b")), safe);
    // With 5 of 4 in use, a pod of 2 still must not be evicted, one of 1 may be.
    let small = || of_prod("c").with(|pod| pod.template_mut().requests = amounts("cpu=1 memory=1Gi"));
    assert_eq!(of(&mut world, small())[1], "other-queue: from 0");
    assert_eq!(threats(&mut world, "b")[1], "other-queue: yunikorn/2");
    // A pod that leaves counts no more.
    of(&mut world, small().with(|pod| pod.terminating = true));
    assert_eq!(threats(&mut world, "b")[1], "other-queue: yunikorn/5");
    assert_eq!(of(&mut world, of_prod("d"))[1], "other-queue: from 0");
}

/// Checks that a request for a resource that the pod itself does not request may make it a victim: law 5 looks at each resource of the preemptor.
#[test]
fn a_pod_of_yunikorn_is_safe_only_if_no_request_makes_it_a_victim() {
    let mut world = world("yunikorn", "");
    let leaves = json!([{"name": "a"}, {"name": "b"}]);
    let parent = json!({"name": "p", "resources": {"guaranteed": {"vcore": 4}}, "queues": leaves});
    queues_of_yunikorn(&mut world, &json!([parent]));
    let of_a = |name: &str, asks: &str| pod(name).requests(asks).label("queue", "root.p.a").label("applicationId", "a");
    // The two queues share a guarantee of 4, and use no more.
    assert_eq!(of(&mut world, of_a("c", "cpu=4"))[1], "other-queue: yunikorn/5");
    // No queue guarantees memory, so a queue that uses some is over.
    of(&mut world, of_a("m", "memory=1Gi"));
    assert_eq!(threats(&mut world, "c")[1], "other-queue: from 0");
}

#[test]
fn where_no_action_evicts_pods_there_is_no_threat() {
    let mut world = world("volcano", r#"{"actions": "allocate"}"#);
    assert_eq!(of(&mut world, pod("a").requests("cpu=1").annotation("scheduling.k8s.io/group-name", "g")), [""; 0]);
}

#[test]
fn a_job_of_volcano_is_safe_from_other_queues_within_what_its_queue_deserves() {
    let mut world = world("volcano", r#"{"actions": "allocate, reclaim, preempt"}"#);
    for name in ["q", "r"] {
        let queue = object("Queue", &format!("/{name}"), [&[], &[]], json!({"spec": {"deserved": {"cpu": "4"}}}));
        world.object(Object { group: "scheduling.volcano.sh".to_owned(), ..queue });
    }
    let group = object("PodGroup", "default/g", [&[], &[]], json!({"spec": {"minMember": 1, "queue": "q"}}));
    world.object(Object { group: "scheduling.volcano.sh".to_owned(), ..group });
    let member = |name| pod(name).requests("cpu=3").annotation("scheduling.k8s.io/group-name", "g");
    let above = "other-queue: volcano/normal-victim-queue-is-above-deserved";
    assert_eq!(of(&mut world, member("a")), ["same-queue: from 1", above]);
    // With 6 of 4 the queue gives back, whatever the priority.
    assert_eq!(of(&mut world, member("b")), ["same-queue: from 1", "other-queue: any"]);
    let law = "volcano/victim-did-not-opt-out";
    let safe = member("c").annotation("volcano.sh/preemptable", "false");
    assert_eq!(of(&mut world, safe), [format!("same-queue: {law}"), format!("other-queue: {law}")]);
}

/// A gang, its minimum, and its pods with what each is.
type Gang<'a> = (&'a str, u32, &'a [(&'a str, &'a str)]);

/// Adds to a world of Volcano two queues that deserve so much cpu, and gangs of the first queue with these minima and annotations.
fn gangs_of_volcano(world: &mut PolicyHarness, deserved: u32, gangs: &[Gang<'_>]) {
    let mut tell = |object: Object| world.object(Object { group: "scheduling.volcano.sh".to_owned(), ..object });
    for name in ["q", "r"] {
        let body = json!({"spec": {"deserved": {"cpu": deserved}}});
        tell(object("Queue", &format!("/{name}"), [&[], &[]], body));
    }
    for (name, minimum, annotations) in gangs {
        let body = json!({"spec": {"minMember": minimum, "queue": "q"}});
        tell(object("PodGroup", &format!("default/{name}"), [&[], annotations], body));
    }
}

/// Checks that the elastic pods of a job are evicted before its other pods, which are judged without them (ruling 3.3g).
#[test]
fn the_minimum_of_a_job_is_safe_where_only_its_elastic_pods_take_the_queue_above_what_it_deserves() {
    let train = [("volcano.sh/elastic-train", "true"), ("volcano.sh/elastic-train-factor", "1")];
    let mut world = world("volcano", r#"{"capacity.reclaim.mode": "reclaim"}"#);
    gangs_of_volcano(&mut world, 2, &[("t", 2, &train)]);
    let member = |name| pod(name).requests("cpu=1").annotation("scheduling.k8s.io/group-name", "t");
    for name in ["t-0", "t-1"] {
        of(&mut world, member(name));
    }
    for name in ["t-2", "t-3"] {
        of(&mut world, member(name).label("volcano.sh/elastic-train", "true"));
    }
    let safe = "other-queue: volcano/normal-victim-queue-is-above-deserved";
    for name in ["t-0", "t-1"] {
        assert_eq!(threats(&mut world, name)[1], safe, "{name}");
    }
    for name in ["t-2", "t-3"] {
        assert_eq!(threats(&mut world, name)[1], "other-queue: any", "{name}");
    }
}

/// Checks that a gang below its minimum is evicted whole, as it does no work, and only if each of its pods may be evicted after those before it.
#[test]
fn a_gang_is_safe_where_one_of_its_pods_is() {
    let mut world = world("volcano", r#"{"capacity.reclaim.mode": "reclaim"}"#);
    gangs_of_volcano(&mut world, 3, &[("g", 2, &[]), ("h", 2, &[])]);
    let member = |name, gang, asks| pod(name).requests(asks).annotation("scheduling.k8s.io/group-name", gang);
    of(&mut world, member("g-0", "g", "cpu=2"));
    of(&mut world, member("g-1", "g", "cpu=2"));
    // With 4 of 3 the first pod may go. Then 2 are left, so the second may not, and the first does not go alone.
    for name in ["g-0", "g-1"] {
        assert_eq!(threats(&mut world, name)[1], "other-queue: volcano/normal-victim-queue-is-above-deserved");
    }
    // With 6 of 3 both may go, 6 and 4 are more than 3.
    of(&mut world, member("h-0", "h", "cpu=2"));
    assert_eq!(threats(&mut world, "g-1")[1], "other-queue: any");
    // A gang with more pods than its minimum gives one.
    world.remove_pod("g-1");
    world.remove_pod("h-0");
    of(&mut world, member("g-2", "g", "cpu=1"));
    of(&mut world, member("g-3", "g", "cpu=1"));
    assert_eq!(threats(&mut world, "g-0")[1], "other-queue: any");
}
