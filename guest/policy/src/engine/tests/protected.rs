//! Pods that the host protects, in every system.

use crate::testing::{INSIDE, PodBuilder, PolicyHarness, pod, reservation};

/// Returns a pod that the host protects.
fn protected(draft: PodBuilder) -> PodBuilder {
    draft.with(|pod| pod.template_mut().protected = true)
}

/// Returns the laws that spare a pod, one for each kind of preemptor; empty text where none does.
fn spared(world: &mut PolicyHarness, name: &str) -> Vec<String> {
    let standings = world.engine.standings(&[world.id(name)]).unwrap();
    let law = |threat: &crate::contract::Threat| threat.spared.as_ref().map(|reason| reason.code.clone());
    standings.first().unwrap().iter().map(|threat| law(threat).unwrap_or_default()).collect()
}

#[test]
fn no_system_evicts_a_protected_pod() {
    for system in ["koordinator", "yunikorn", "volcano", "coscheduling", "kubernetes"] {
        let mut world = PolicyHarness::of(system, "");
        world.node("n", "cpu=64");
        world.pod(protected(pod("default/a").requests("cpu=1").on("n")));
        let laws = spared(&mut world, "default/a");
        // A law about the preemptor may spare it before.
        let is_spared = laws.iter().all(|law| !law.is_empty()) && laws.iter().any(|law| law == "engine/protected");
        assert!(is_spared, "{system}: {laws:?}");
    }
}

#[test]
fn a_reservation_with_a_protected_pod_inside_is_not_evicted() {
    let mut world = PolicyHarness::of("koordinator", "");
    world.node("n", "cpu=64");
    world.pod(reservation("r").requests("cpu=4").label("koordinator.sh/priority", "1").on("n"));
    assert_eq!(spared(&mut world, "Reservation/r"), [""]);
    let inside = pod("a").requests("cpu=4").annotation(INSIDE, r#"{"name": "r", "uid": "u"}"#);
    world.pod(protected(inside.clone().on("n")));
    assert_eq!(spared(&mut world, "Reservation/r"), ["engine/protected"]);
    world.pod(inside.on("n"));
    assert_eq!(spared(&mut world, "Reservation/r"), [""]);
}
