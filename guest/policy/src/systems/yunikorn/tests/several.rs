//! A plan for several pods of an application, and a victim that the host refused.

use super::{Scene, of};
use crate::contract::{PodId, Refuted};
use crate::testing::NamedPlan;

/// Creates two full nodes of 2 cores, and `p` and `q` of one application in `prod`, which is guaranteed so many cores. Both have waited for the
/// delay.
fn scene(guaranteed: u32) -> Scene {
    waiting(guaranteed).after(30)
}

/// Creates the same cluster before `p` and `q` have waited.
fn waiting(guaranteed: u32) -> Scene {
    let queues = format!("- {{name: prod, resources: {{guaranteed: {{vcore: {guaranteed}}}}}}}\n- {{name: test}}");
    let pods = [of("v", "root.test", 2).on("m"), of("w", "root.test", 2).on("n")];
    let scene = Scene::new(&queues).nodes(&[("m", 2), ("n", 2)]).pods(pods);
    scene.pods([of("p", "root.prod", 2), of("q", "root.prod", 2)])
}

fn plan(scene: &mut Scene, names: &[&str], refused: &[&str]) -> Option<NamedPlan> {
    let ids = |names: &[&str]| names.iter().map(|name| scene.0.id(name)).collect::<Vec<PodId>>();
    let (pods, refuted) = (ids(names), Refuted { victims: ids(refused), ..Refuted::default() });
    let answer = scene.0.engine.post_filter(&pods, &refuted).unwrap();
    answer.plan.map(|plan| scene.0.named(&plan))
}

#[test]
fn each_pod_gets_a_node_of_its_own_in_one_plan() {
    let plan = plan(&mut scene(4), &["p", "q"], &[]).unwrap();
    let mut nodes: Vec<&str> = plan.nominations.values().map(String::as_str).collect();
    nodes.sort_unstable();
    assert_eq!((plan.nominations.len(), nodes), (2, vec!["m", "n"]));
    let mut victims = plan.victims;
    victims.sort();
    assert_eq!(victims, ["default/v", "default/w"]);
}

#[test]
fn there_is_no_plan_where_one_of_them_gets_no_node() {
    let mut scene = scene(2);
    assert!(plan(&mut scene, &["p"], &[]).is_some_and(|plan| plan.victims.len() == 1));
    // With `p` on its node the queue has its guarantee.
    assert_eq!(plan(&mut scene, &["p", "q"], &[]), None);
}

#[test]
fn a_pod_that_has_not_waited_long_enough_says_when_it_has() {
    let mut scene = waiting(4).after(12);
    let p = scene.0.id("p");
    let answer = scene.0.engine.post_filter(&[p], &Refuted::default()).unwrap();
    // The pod was created at 0 and waits for 30 s.
    assert_eq!((answer.plan, answer.retry.at), (None, Some(30_000_000_000)));
    // The first pod of the application decides on the queue, and so on the delay.
    let after = &answer.retry.after;
    for change in ["object-upserted/ConfigMap", "object-removed/ConfigMap", "pod-upserted"] {
        assert!(after.iter().any(|named| named == change), "{change} is missing in {after:?}");
    }
}

#[test]
fn a_victim_that_the_host_refused_is_not_planned_again() {
    let mut scene = scene(4);
    let victims = |plan: Option<NamedPlan>| plan.map(|plan| plan.victims);
    assert_eq!(victims(plan(&mut scene, &["p"], &["v"])), Some(vec!["default/w".to_owned()]));
    assert_eq!(victims(plan(&mut scene, &["p"], &["w"])), Some(vec!["default/v".to_owned()]));
    assert_eq!(plan(&mut scene, &["p"], &["v", "w"]), None);
}
