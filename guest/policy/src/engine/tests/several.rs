//! PostFilter for several pods of a job: a node for each of them, or no plan.

use serde_json::json;

use crate::contract::{PodId, PolicyError, Refuted};
use crate::testing::{NamedPlan, PodBuilder, PolicyHarness, object, pod, pod_group};

/// Returns the plan for exactly these pods. `None`: there is no plan.
fn plan(world: &mut PolicyHarness, names: &[&str]) -> Result<Option<NamedPlan>, PolicyError> {
    let ids: Vec<PodId> = names.iter().map(|name| world.id(name)).collect();
    let answer = world.engine.post_filter(&ids, &Refuted::default())?;
    Ok(answer.plan.map(|plan| world.named(&plan)))
}

/// Returns the pods that a plan places.
fn placed(plan: Option<NamedPlan>) -> Option<Vec<String>> {
    plan.map(|plan| plan.nominations.into_keys().map(|name| name.trim_start_matches("default/").to_owned()).collect())
}

/// Creates a node of 2 cores, full of `v` and `w`; the pods `a`, `b` and `c` of a job wait.
fn world(system: &str, member: impl Fn(PodBuilder) -> PodBuilder) -> PolicyHarness {
    let mut world = PolicyHarness::of(system, "");
    world.node("n", "cpu=2");
    for name in ["v", "w"] {
        world.pod(pod(name).requests("cpu=1").on("n"));
    }
    for name in ["a", "b", "c"] {
        world.pod(member(pod(name).requests("cpu=1").priority(1)));
    }
    world
}

fn gang(draft: PodBuilder) -> PodBuilder {
    draft.label("pod-group/name", "j").label("pod-group/min-available", "1")
}

#[test]
fn the_plan_is_for_these_pods_of_the_job_and_no_other() {
    let mut world = world("koordinator", |draft| draft.job("j"));
    assert_eq!(placed(plan(&mut world, &["a"]).unwrap()), None, "one pod stands for its job, and three do not fit");
    assert_eq!(placed(plan(&mut world, &["b", "a"]).unwrap()), Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(placed(plan(&mut world, &["c", "a", "b"]).unwrap()), None, "three do not fit");
    assert_eq!(plan(&mut world, &["a", "b"]).unwrap().unwrap().victims, ["default/v", "default/w"]);
}

#[test]
fn a_gang_that_needs_fewer_gets_a_plan_for_all_that_are_named() {
    let mut world = world("coscheduling", gang);
    assert_eq!(placed(plan(&mut world, &["b"]).unwrap()), Some(vec!["b".to_owned()]), "its gang needs one");
    assert_eq!(placed(plan(&mut world, &["b", "c"]).unwrap()), Some(vec!["b".to_owned(), "c".to_owned()]));
    assert_eq!(placed(plan(&mut world, &["a", "b", "c"]).unwrap()), None);
}

#[test]
fn the_pods_of_a_gang_are_planned_by_jobs() {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=2");
    for (queue, cores) in [("mine", "2"), ("theirs", "1")] {
        let spec = json!({"spec": {"deserved": {"cpu": cores}, "capability": {"cpu": "2"}}});
        world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
    }
    for (group, queue, minimum) in [("old", "theirs", 1), ("new", "mine", 2)] {
        let spec = json!({"spec": {"queue": queue, "minMember": minimum}});
        world.object(object("PodGroup", &format!("default/{group}"), [&[], &[]], spec));
    }
    let member = |name: &str, group: &str| pod(name).annotation("scheduling.k8s.io/group-name", group);
    world.pod(member("v", "old").requests("cpu=2").on("n"));
    for name in ["a", "b"] {
        world.pod(member(name, "new").requests("cpu=1"));
    }
    let plan = plan(&mut world, &["b", "a"]).unwrap().unwrap();
    assert_eq!(
        (plan.victims.clone(), placed(Some(plan))),
        (vec!["default/v".to_owned()], Some(vec!["a".to_owned(), "b".to_owned()]))
    );
}

#[test]
fn what_are_not_waiting_pods_of_one_job_is_refused() {
    let mut world = world("koordinator", |draft| draft.job("j"));
    for name in ["x", "y"] {
        world.pod(pod(name).priority(1));
    }
    world.pod(pod("other").job("k").priority(1));
    let wrong = |what: &str| Err(PolicyError::WrongState(what.to_owned()));
    assert_eq!(plan(&mut world, &[]), wrong("no pod is named"));
    assert_eq!(plan(&mut world, &["a", "a"]), wrong("a pod is named twice"));
    assert_eq!(plan(&mut world, &["a", "v"]), wrong("the pod does not wait for a node"));
    assert_eq!(plan(&mut world, &["a", "other"]), wrong("the pods are not of one job"));
    assert_eq!(plan(&mut world, &["a", "x"]), wrong("the pods are not of one job"));
    assert_eq!(plan(&mut world, &["x", "y"]), wrong("the pods are not of one job"), "each is a job of its own");
    let a = world.id("a");
    assert_eq!(world.engine.post_filter(&[a, 99], &Refuted::default()), Err(PolicyError::UnknownPod(99)));
}

#[test]
fn the_other_gangs_of_the_group_are_planned_with_the_pods_that_are_named() {
    let groups = [("gang.scheduling.koordinator.sh/groups", r#"["default/j", "default/k"]"#)];
    let mut world = world("koordinator", |draft| draft.job("j"));
    world.object(pod_group("j", 1, &groups));
    world.object(pod_group("k", 1, &groups));
    world.pod(pod("k").requests("cpu=1").priority(1).job("k"));
    let both = |own: &str| Some(vec![own.to_owned(), "k".to_owned()]);
    assert_eq!(placed(plan(&mut world, &["a", "b"]).unwrap()), None, "2 pods and the one of `k` do not fit");
    assert_eq!(placed(plan(&mut world, &["k"]).unwrap()), None, "`k` needs `j`, which has 3 pods");
    for name in ["b", "c"] {
        world.remove_pod(name);
    }
    assert_eq!(placed(plan(&mut world, &["a"]).unwrap()), both("a"));
    assert_eq!(placed(plan(&mut world, &["k"]).unwrap()), both("a"));
}
