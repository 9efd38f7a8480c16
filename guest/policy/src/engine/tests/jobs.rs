//! A job decides as a job: it may do what its least entitled planned pod may.

use serde_json::json;

use crate::contract::{Admission, Attribute, Event, Object};
use crate::model::{Job, PodIx};
use crate::testing::{PolicyHarness, object, pod, pod_group, quota};

/// Creates two nodes of 4 cpu, each used by a pod of priority 300.
fn two_held_nodes() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    for (node, held) in [("n1", "v1"), ("n2", "v2")] {
        world.node(node, "cpu=4");
        world.pod(pod(held).requests("cpu=4").on(node).priority(300));
    }
    world
}

#[test]
fn priority_of_a_job_is_that_of_its_least_important_planned_pod() {
    let mut world = two_held_nodes();
    world.pod(pod("high").job("j").requests("cpu=4").priority(500));
    world.pod(pod("low").job("j").requests("cpu=4").priority(100));
    // `high` alone could evict a pod of 300, `low` could not: the job evicts neither.
    for tried in ["high", "low"] {
        assert_eq!(world.plan(tried), Err("engine/no-node".to_owned()), "{tried}");
    }
    world.pod(pod("low").job("j").requests("cpu=4").priority(301));
    assert_eq!(world.plan("high").map(|plan| plan.victims.len()), Ok(2));
}

#[test]
fn every_planned_pod_must_be_allowed_to_preempt() {
    let mut world = two_held_nodes();
    world.pod(pod("a").job("j").requests("cpu=4").priority(500));
    world.pod(pod("b").job("j").requests("cpu=4").priority(500).with(|pod| pod.template_mut().never_preempts = true));
    for tried in ["a", "b"] {
        assert_eq!(world.plan(tried), Err("koordinator/may-preempt".to_owned()), "{tried}");
    }
}

#[test]
fn each_gang_of_a_group_must_be_allowed_to_preempt_and_to_rank_above_the_victims() {
    let of_group = [("gang.scheduling.koordinator.sh/groups", r#"["default/g","default/h"]"#)];
    for (priority, never, expected) in
        [(500, false, None), (200, false, Some("engine/no-node")), (500, true, Some("koordinator/may-preempt"))]
    {
        let mut world = two_held_nodes();
        world.object(pod_group("g", 1, &of_group));
        world.object(pod_group("h", 1, &of_group));
        world.pod(pod("a").job("g").requests("cpu=4").priority(500));
        world.pod(
            pod("b")
                .job("h")
                .requests("cpu=4")
                .priority(priority)
                .with(|pod| pod.template_mut().never_preempts = never),
        );
        assert_eq!(world.plan("a").err().as_deref(), expected, "priority {priority}, never {never}");
    }
}

#[test]
fn pods_of_each_class_meet_the_bound_of_their_class() {
    // min 4, max 8: the preemptible pod alone fits the max, the non-preemptible pods of 6 cpu do not fit the min.
    let mut world = PolicyHarness::new();
    world.object(pod_group("j", 1, &[]));
    world.object(quota("team", "", "cpu=4", "cpu=8"));
    world.node("n", "cpu=16");
    world.pod(pod("p").quota("team").job("j").requests("cpu=1").priority(1));
    world.pod(pod("np-1").quota("team").job("j").preemptible(false).requests("cpu=3").priority(1));
    world.pod(pod("np-2").quota("team").job("j").preemptible(false).requests("cpu=3").priority(1));
    for tried in ["p", "np-1", "np-2"] {
        assert!(matches!(world.pre_filter(tried), Admission::Refused(_)), "{tried}");
    }
    // 4 cpu of non-preemptible pods fit the min, and 1 + 4 the max.
    world.pod(pod("np-2").quota("team").job("j").preemptible(false).requests("cpu=1").priority(1));
    for tried in ["p", "np-1", "np-2"] {
        assert_eq!(world.pre_filter(tried), Admission::Pass, "{tried}");
    }
}

#[test]
fn pods_of_each_quota_meet_the_bound_of_their_quota() {
    let mut world = PolicyHarness::new();
    world.object(pod_group("j", 1, &[]));
    world.object(quota("small", "", "cpu=0", "cpu=1"));
    world.object(quota("large", "", "cpu=0", "cpu=8"));
    world.node("n", "cpu=16");
    world.pod(pod("a").quota("large").job("j").requests("cpu=2").priority(1));
    world.pod(pod("b").quota("small").job("j").requests("cpu=2").priority(1));
    for tried in ["a", "b"] {
        assert!(matches!(world.pre_filter(tried), Admission::Refused(_)), "{tried}: quota small has room for 1 of 2");
    }
    world.pod(pod("b").quota("small").job("j").requests("cpu=1").priority(1));
    assert_eq!(world.pre_filter("a"), Admission::Pass);
}

#[test]
fn victim_with_a_stale_nomination_does_not_count_as_nominated() {
    // min 4, max 4: with `v` evicted the job of 4 fits. API servers before 1.35 keep the nomination of a bound pod.
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n", "cpu=4");
    world.pod(pod("v").quota("team").requests("cpu=4").on("n").nominated("n"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=4").priority(1));
    assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(vec!["default/v".to_owned()]));
}

#[test]
fn jobs_that_are_gone_are_kept_by_no_system() {
    for system in ["koordinator", "kubernetes", "coscheduling", "yunikorn", "volcano"] {
        let mut world = PolicyHarness::of(system, "");
        let of_job = |number: usize| {
            let job = format!("j{number}");
            let draft = pod(&format!("p{number}")).requests("cpu=1");
            match system {
                "koordinator" => draft.job(&job),
                "coscheduling" => draft.label("pod-group/name", &job).label("pod-group/min-available", "1"),
                "yunikorn" => draft.label("applicationId", &job),
                "volcano" => draft.annotation("scheduling.k8s.io/group-name", &job),
                _ => draft.with(|pod| pod.template_mut().owner = None),
            }
        };
        world.pod(of_job(0));
        for number in 1..3000 {
            world.pod(of_job(number));
            let gone = world.id(&format!("p{number}"));
            world.apply(vec![Event::PodRemoved(gone)]);
        }
        let cluster = world.engine.cluster();
        assert!(cluster.jobs().count() <= 1025, "{system}: {}", cluster.jobs().count());
        let first = cluster.pod(PodIx(world.id("p0"))).and_then(|pod| pod.attributes.job);
        assert!(
            first.is_none() || first.and_then(|job| cluster.job(job)).is_some(),
            "{system}: a job with a pod stays"
        );
        assert!(first.is_some() || system == "kubernetes", "{system}: the pods are of jobs");
    }
}

#[test]
fn the_least_priority_of_a_job_is_known_also_when_its_group_gives_its_pods_another() {
    let mut world = PolicyHarness::of("kubernetes", "");
    for (name, priority) in [("a", 1), ("b", 7)] {
        let fields = vec![Attribute { key: 0, value: "\"g\"".to_owned() }];
        world.pod(pod(name).priority(priority).with(|pod| pod.template_mut().fields = fields));
    }
    let least = |world: &PolicyHarness| world.engine.cluster().jobs().find_map(|(_, job)| Job::least_priority(job));
    assert_eq!(least(&world), Some(1));
    for (priority, expected) in [(json!(5), 5), (json!(9), 9)] {
        let body = json!({"spec": {"priority": priority, "schedulingPolicy": {"gang": {"minCount": 2}}}});
        let group = object("PodGroup", "default/g", [&[], &[]], body);
        world.object(Object { group: "scheduling.k8s.io".to_owned(), ..group });
        assert_eq!(least(&world), Some(expected));
    }
    let gone = world.id("a");
    world.apply(vec![Event::PodRemoved(gone)]);
    assert_eq!(least(&world), Some(9));
}
