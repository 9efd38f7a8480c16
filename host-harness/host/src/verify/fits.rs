//! The invariant that every pod that a plan places has room on its node once the victims have left.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, Pod, PodId};

use super::{PlanUnderTest, VerifyContext, Violation, allocatable};

/// Checks that on every nominated node the pods nominated there fit together with the pods that stay and the promised capacity.
///
/// Bound pods and pods held at permit stay, unless they are victims, released by the same answer, leaving by an earlier plan, being deleted, or
/// marked for eviction by others. Capacity is promised to pods that earlier plans nominated, unless their priority is lower than that of every pod
/// that this plan places there, or the same answer withdraws their nomination.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    let mut by_node: BTreeMap<NodeId, Vec<PodId>> = BTreeMap::new();
    for nomination in &plan.nominations {
        by_node.entry(nomination.node).or_default().push(nomination.pod);
    }
    let placed: BTreeSet<PodId> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
    let stays = remains_after_plan(ground, proposal);
    by_node.iter().try_for_each(|(node, comers)| {
        let least = comers.iter().map(|pod| priority(ground, *pod)).min();
        let promised: Vec<PodId> = (ground.occupancy.nominated_to(*node))
            .filter(|pod| !placed.contains(pod) && !proposal.effects.withdrawn.contains(pod))
            .filter(|pod| Some(priority(ground, *pod)) >= least)
            .collect();
        check_capacity(ground, *node, &stays, &promised, comers)
    })
}

/// Returns a predicate: whether a pod is neither a victim nor released by the same answer.
pub(super) fn remains<'a>(proposal: &'a PlanUnderTest<'_>) -> impl Fn(PodId) -> bool + 'a {
    let going: BTreeSet<PodId> = proposal.plan.victims.iter().map(|victim| victim.pod).collect();
    move |pod: PodId| !going.contains(&pod) && !proposal.effects.releases.contains(&pod)
}

/// Checks whether a pod on a node would take room there that is promised to another pod: the nominated pods would fit once the leaving pods
/// have left, and with the pod they do not.
pub fn breaks_nomination(ground: &VerifyContext<'_>, pod: PodId, node: NodeId) -> bool {
    let promised: Vec<PodId> = ground.occupancy.nominated_to(node).filter(|other| *other != pod).collect();
    if promised.is_empty() {
        return false;
    }
    let stays = |other: PodId| !is_leaving(ground, other);
    let with: Vec<PodId> = promised.iter().copied().chain([pod]).collect();
    check_capacity(ground, node, stays, &[], &promised).is_ok()
        && check_capacity(ground, node, stays, &[], &with).is_err()
}

/// Checks whether a pod leaves its node without a further plan: it is being deleted, marked, or a victim of an earlier plan.
fn is_leaving(ground: &VerifyContext<'_>, pod: PodId) -> bool {
    let shows = |pod: &Pod| pod.terminating || ground.mirror.is_marked(pod);
    ground.mirror.pod(pod).is_some_and(shows) || ground.departures.plan_of_victim(ground.mirror, pod).is_some()
}

/// Returns a predicate: whether a pod stays after the plan is carried out and the leaving pods have left.
pub(super) fn remains_after_plan<'a>(
    ground: &'a VerifyContext<'_>,
    proposal: &'a PlanUnderTest<'_>,
) -> impl Fn(PodId) -> bool + 'a {
    let is_left = remains(proposal);
    move |pod: PodId| is_left(pod) && !is_leaving(ground, pod)
}

/// Checks that the pods `comers` fit on the node together with the pods that stay and the pods with promised capacity. A resource that the comers do
/// not request is not checked.
pub(super) fn check_capacity(
    ground: &VerifyContext<'_>,
    id: NodeId,
    stays: impl Fn(PodId) -> bool,
    promised: &[PodId],
    comers: &[PodId],
) -> Result<(), Violation> {
    let node = ground.mirror.node(id).ok_or(Violation::UnknownNode(id))?;
    let all: Vec<PodId> = promised.iter().chain(comers).copied().collect();
    let before = ground.occupancy.load_with(ground.mirror, id, &stays, promised);
    let after = ground.occupancy.load_with(ground.mirror, id, &stays, &all);
    for (resource, known) in (0..).zip(ground.mirror.resources()) {
        let has = allocatable(ground.mirror, node, resource);
        if after.get(resource) > before.get(resource) && after.get(resource) > i128::from(has) {
            return Err(Violation::InsufficientResources {
                id,
                node: node.name.clone(),
                resource: known.name.clone(),
                allocatable: has,
                used: before.get(resource),
                requested: after.get(resource).saturating_sub(before.get(resource)),
            });
        }
    }
    Ok(())
}

/// Returns the priority of a pod; 0 where it has none.
fn priority(ground: &VerifyContext<'_>, pod: PodId) -> i32 {
    ground.mirror.pod(pod).and_then(|pod| pod.template.priority).unwrap_or(0)
}

#[cfg(test)]
mod tests {

    use lictor_contract::{Effects, Interests, Plan};
    use serde_json::json;

    use super::super::PlannedEviction;
    use super::super::testing::{ClusterFixture, IN_SLOT, interests, node, object, on, pod, slot, with};
    use super::*;

    /// Returns the node that is too full, with what is in use and what is requested, in cores. `None`: the plan is sound.
    fn short(world: &ClusterFixture, plan: &Plan, effects: &Effects) -> Option<(String, i128, i128)> {
        match world.check_with(plan, effects) {
            Ok(()) => None,
            Err(Violation::InsufficientResources { node, used: taken, requested: wanted, .. }) => {
                Some((node, taken / 1000, wanted / 1000))
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn the_victims_must_make_enough_room() {
        let world = ClusterFixture::small();
        let none = Effects::default();
        let plan = world.plan(&[("default/p", "n1")], &["default/w"]);
        let said = "`n1` lacks room: cpu: allocatable 4, in use 3, requested 3";
        assert_eq!(world.refusal(&plan), said);
        assert_eq!(short(&world, &world.plan(&[("default/p", "n1")], &["default/v"]), &none), None);
        // p and q together need all four cores of n1.
        let both = [("default/p", "n1"), ("default/q", "n1")];
        assert_eq!(short(&world, &world.plan(&both, &["default/v"]), &none), Some(("n1".to_owned(), 1, 4)));
        assert_eq!(short(&world, &world.plan(&both, &["default/v", "default/w"]), &none), None);
    }

    #[test]
    fn room_held_at_permit_is_taken_until_the_same_answer_releases_it() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n3")], &[]);
        assert_eq!(short(&world, &plan, &Effects::default()), Some(("n3".to_owned(), 2, 3)));
        let released = Effects { releases: vec![world.pod("default/h")], ..Effects::default() };
        assert_eq!(short(&world, &plan, &released), None);
    }

    #[test]
    fn room_promised_to_the_same_or_a_higher_priority_is_taken() {
        let mut world = ClusterFixture::small();
        // On n3, two of four cores are held and one is promised to q (priority 5), so one is left.
        let (q, n3) = (world.pod("default/q"), world.node("n3"));
        world.mirror.nominate(q, Some(n3));
        for (name, priority) in [("lower", 4), ("same", 5), ("higher", 6)] {
            world.mirror.upsert(object(pod(name, 2, priority)));
        }
        world.sync();
        let none = Effects::default();
        for name in ["default/lower", "default/same"] {
            assert_eq!(
                short(&world, &world.plan(&[(name, "n3")], &[]), &none),
                Some(("n3".to_owned(), 3, 2)),
                "{name}"
            );
        }
        assert_eq!(short(&world, &world.plan(&[("default/higher", "n3")], &[]), &none), None);
        let withdrawn = Effects { withdrawn: vec![q], ..Effects::default() };
        assert_eq!(short(&world, &world.plan(&[("default/lower", "n3")], &[]), &withdrawn), None);
        // A plan that nominates q again does not count q twice.
        assert_eq!(short(&world, &world.plan(&[("default/q", "n3")], &[]), &none), None);
    }

    #[test]
    fn who_is_leaving_leaves_room() {
        let mut world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n1")], &[]);
        let none = Effects::default();
        assert_eq!(short(&world, &plan, &none), Some(("n1".to_owned(), 4, 3)));
        world.mirror.terminate(world.pod("default/v"));
        world.sync();
        assert_eq!(short(&world, &plan, &none), None);
    }

    #[test]
    fn a_pod_that_others_have_marked_leaves_room_to_a_plan() {
        let plan = |label: &str, by_a_plan: bool| {
            let labelled = with(on("n1", pod("v", 3, 0)), "/metadata", "labels", json!({label: "x"}));
            let read = || ["marked".to_owned(), "other".to_owned()];
            let declared = Interests { labels: read().to_vec(), leaving_labels: read()[..1].to_vec(), ..interests() };
            let objects = [node("n1", 4), labelled, on("n1", pod("w", 1, 0)), pod("p", 3, 10)];
            let mut world = ClusterFixture::with_interests(declared, objects);
            if by_a_plan {
                // No pod waits for the room of `v` any more, but `v` leaves all the same.
                let (v, departure) =
                    (world.pod("default/v"), PlannedEviction { plan: 3, beneficiaries: BTreeSet::new() });
                world.departures.set(v, Some(departure));
            }
            let plan = world.plan(&[("default/p", "n1")], &[]);
            short(&world, &plan, &Effects::default())
        };
        // `v` uses 3 of the 4 cores, `w` one; `p` requests 3.
        let full = Some(("n1".to_owned(), 4, 3));
        assert_eq!((plan("marked", false), plan("other", false)), (None, full));
        assert_eq!((plan("marked", true), plan("other", true)), (None, None));
    }

    #[test]
    fn a_user_of_a_slot_makes_no_room_for_others() {
        let user = |name: &str| {
            let of_s = json!({IN_SLOT: r#"{"slot":{"name":"s"}}"#});
            on("n1", with(pod(name, 4, 0), "/metadata", "annotations", of_s))
        };
        let mut world = ClusterFixture::of([node("n1", 4), slot("s", 4, Some("n1")), user("o"), pod("p", 4, 10)]);
        let none = Effects::default();
        let plan = world.plan(&[("default/p", "n1")], &["default/o"]);
        assert_eq!(short(&world, &plan, &none), Some(("n1".to_owned(), 4, 4)));
        // The user leaves together with its slot.
        assert_eq!(short(&world, &world.plan(&[("default/p", "n1")], &["Slot/s"]), &none), None);
        // Without the slot the user counts like any pod.
        assert!(world.mirror.remove("Slot/s"));
        world.sync();
        assert_eq!(short(&world, &plan, &none), None);
    }
}
