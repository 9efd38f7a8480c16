//! Disruption budgets in kube-scheduler's preemption.

use serde_json::json;

use crate::contract::{NotedPods, Object};
use crate::testing::{PolicyHarness, key, object, pod};

/// Returns a budget of pods with this value of the label `app`, of which so many may be disrupted.
fn budget(name: &str, app: &str, allowed: i64) -> Object {
    let body = json!({"spec": {"selector": {"matchLabels": {"app": app}}}, "status": {"disruptionsAllowed": allowed}});
    let object = object("PodDisruptionBudget", name, [&[], &[]], body);
    Object { group: "policy".to_owned(), ..object }
}

/// Creates three nodes, full with one pod each, of apps and priorities as given; `a` preempts. One node with a plan is enough, unless all violate.
fn world(residents: [(&str, i32); 3]) -> PolicyHarness {
    let mut world =
        PolicyHarness::of("kubernetes", r#"{"minCandidateNodesAbsolute": 1, "minCandidateNodesPercentage": 0}"#);
    for (node, (app, priority)) in ["x", "y", "z"].into_iter().zip(residents) {
        world.node(node, "cpu=1");
        world.pod(pod(&format!("on-{node}")).label("app", app).requests("cpu=1").priority(priority).on(node));
    }
    world.pod(pod("a").requests("cpu=1").priority(9));
    world
}

fn victim(world: &mut PolicyHarness) -> String {
    let plain = world.plan("a").unwrap().victims;
    // Where everything is noted, each node is dry-run.
    world.engine.record_notes(&NotedPods::All);
    assert_eq!(world.plan("a").unwrap().victims, plain);
    world.engine.record_notes(&NotedPods::None);
    plain.join(", ")
}

/// Checks that the first node is enough, unless its only candidate violates a budget. Then the search continues to the first node that needs no
/// violation, and not to a better one after it.
#[test]
fn the_search_goes_on_until_no_budget_is_violated() {
    let mut world = world([("guarded", 0), ("free", 5), ("free", 1)]);
    assert_eq!(victim(&mut world), "default/on-x");
    world.object(budget("default/guarded", "guarded", 0));
    assert_eq!(victim(&mut world), "default/on-y");
}

/// Checks that the least important victim decides, on whatever node, if all nodes violate a budget.
#[test]
fn where_all_violate_the_cheapest_of_all_nodes_is_taken() {
    let mut world = world([("guarded", 3), ("guarded", 1), ("guarded", 2)]);
    world.object(budget("default/guarded", "guarded", 0));
    assert_eq!(victim(&mut world), "default/on-y");
}

/// Checks a budget as it changes: the number it allows, then the pods it covers. Then it is removed, and a budget of another namespace takes its
/// number.
#[test]
fn a_budget_that_changes_counts_as_it_is_now() {
    let mut world = world([("guarded", 0), ("free", 5), ("free", 1)]);
    world.object(budget("default/guarded", "guarded", 0));
    assert_eq!(victim(&mut world), "default/on-y");
    world.object(budget("default/guarded", "guarded", 1));
    assert_eq!(victim(&mut world), "default/on-x");
    world.object(budget("default/guarded", "free", 0));
    assert_eq!(victim(&mut world), "default/on-x");
    world.object(budget("default/guarded", "guarded", 0));
    assert_eq!(victim(&mut world), "default/on-y");
    let gone = key(&budget("default/guarded", "guarded", 0));
    world.apply(vec![crate::contract::Event::ObjectRemoved(gone)]);
    world.object(budget("other/guarded", "guarded", 0));
    assert_eq!(victim(&mut world), "default/on-x");
}
