//! The search: a plan is legal and no larger than it must be, and where there is none, trying everything finds none.

use proptest::prelude::*;

use crate::oracle::{Oracle, Plan};
use crate::scene::{Cast, Pod, Scene, scene};
use crate::testing::PolicyHarness;

/// Returns the plan for the job, or the law that failed.
fn ask(scene: &Scene, oracle: &Oracle<'_>) -> Result<Plan, String> {
    let mut world: PolicyHarness = scene.world();
    let plan = world.plan(&oracle.preemptor.name)?;
    let short = |name: String| name.trim_start_matches("default/").to_owned();
    let node = |name: String| name.trim_start_matches('n').parse::<usize>().unwrap();
    let victims: Vec<String> = plan.victims.into_iter().map(short).collect();
    let distinct = victims.iter().cloned().collect();
    assert_eq!(victims.len(), std::collections::BTreeSet::len(&distinct), "no pod is evicted twice");
    let nodes = plan.nominations.into_iter().map(|(pod, at)| (short(pod), node(at))).collect();
    Ok(Plan { nodes, victims: distinct })
}

fn is_legal(scene: &Scene, oracle: &Oracle<'_>, plan: &Plan) {
    assert!(oracle.may_trigger() && oracle.can_start(), "the job may preempt, and starts then");
    let planned: Vec<&String> = plan.nodes.keys().collect();
    let mut waiting: Vec<&String> = oracle.pods.iter().map(|pod| &pod.name).collect();
    waiting.sort();
    assert_eq!(planned, waiting, "the whole job has nodes");
    for pod in scene.pods.iter().filter(|pod| plan.victims.contains(&pod.name)) {
        assert!(oracle.is_candidate(pod), "{} may be evicted", pod.name);
    }
    let gone = |pod: &Pod| plan.victims.contains(&pod.name);
    assert!(oracle.fits(&plan.nodes, &gone), "every pod fits its node");
    assert!(oracle.limits_hold(&gone), "every limit holds");
}

fn is_irreducible(oracle: &Oracle<'_>, plan: &Plan) {
    for spared in &plan.victims {
        let gone = |pod: &Pod| plan.victims.contains(&pod.name) && pod.name != *spared;
        let needed = !oracle.fits(&plan.nodes, &gone) || !oracle.limits_hold(&gone);
        assert!(needed, "{spared} need not go");
    }
}

/// Moves leaving pods out of quotas that are below another quota.
fn settled(mut scene: Scene) -> Scene {
    let is_child = |quota: usize| scene.quotas.get(quota).is_some_and(|quota| quota.parent.is_some());
    let leaving = scene.pods.iter_mut().filter(|pod| pod.leaving.is_some());
    leaving.filter(|pod| pod.quota.is_some_and(is_child)).for_each(|pod| pod.quota = None);
    scene
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_plan_is_legal_and_nobody_goes_who_could_stay(scene in scene(Cast::Unlike).prop_map(settled)) {
        let oracle = Oracle::new(&scene);
        if let Ok(plan) = ask(&scene, &oracle) {
            is_legal(&scene, &oracle, &plan);
            is_irreducible(&oracle, &plan);
        }
    }

    /// Checks jobs of one pod, or of equal pods, for which the order in which pods are planned cannot matter.
    #[test]
    fn where_there_is_no_plan_trying_everything_finds_none(mut scene in scene(Cast::Alike).prop_map(settled)) {
        scene.laws.parents_bind = false;
        let oracle = Oracle::new(&scene);
        if let Err(law) = ask(&scene, &oracle) && law != "koordinator/last-plan-is-done" {
            let may_start = oracle.may_trigger() && oracle.can_start();
            let possible = may_start && oracle.some_assignment_fits() && oracle.limits_can_hold();
            prop_assert!(!possible, "{} says there is no way", law);
        }
    }
}
