//! The victims of accepted plans that have not left yet.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Phase, PodId};

use super::Occupancy;
use crate::cluster::Mirror;

/// Why a pod is leaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The plan.
    pub plan: u64,
    /// The pods that it makes room for.
    pub beneficiaries: BTreeSet<PodId>,
    /// The moment at which the plan is void.
    pub expires: Option<i64>,
}

/// Every victim of an accepted plan that is still in the cluster.
#[derive(Debug, Default)]
pub struct Departures(BTreeMap<PodId, Departure>);

impl Departures {
    /// A victim is planned to leave.
    pub fn plan(&mut self, victim: PodId, departure: Departure) {
        self.0.insert(victim, departure);
    }

    /// All victims, whether or not their plan is still under way.
    pub fn victims(&self) -> impl Iterator<Item = PodId> + '_ {
        self.0.keys().copied()
    }

    /// The pod is gone.
    pub fn forget(&mut self, pod: PodId) {
        self.0.remove(&pod);
        for departure in self.0.values_mut() {
            departure.beneficiaries.remove(&pod);
        }
    }

    /// The plan by which a pod is leaving: it is being deleted, or its plan is neither void nor pointless.
    ///
    /// A victim that was only marked stays in the cluster for as long as somebody else likes. When nobody waits for its room
    /// any more, or the plan has expired, another plan may name it again.
    pub fn leaving(&self, mirror: &Mirror, occupancy: &Occupancy, pod: PodId) -> Option<u64> {
        let departure = self.0.get(&pod)?;
        let deleted = mirror.pod(pod).is_some_and(|pod| pod.terminating);
        let void = departure.expires.is_some_and(|end| end <= mirror.now());
        let awaited = |pod: &PodId| {
            let pending = mirror.pod(*pod).is_some_and(|pod| pod.phase == Phase::Pending && pod.node.is_none());
            pending && !occupancy.is_held(*pod)
        };
        (deleted || (!void && departure.beneficiaries.iter().any(awaited))).then_some(departure.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::World;
    use super::*;

    /// The plan by which `default/v`, a victim of plan 3 for `default/q`, is leaving.
    fn leaving(world: &World) -> Option<u64> {
        world.departures.leaving(&world.mirror, &world.occupancy, world.pod("default/v"))
    }

    fn world(expires: Option<i64>) -> World {
        let mut world = World::small();
        let departure = Departure { plan: 3, beneficiaries: [world.pod("default/q")].into(), expires };
        world.departures.plan(world.pod("default/v"), departure);
        world
    }

    #[test]
    fn a_victim_leaves_as_long_as_somebody_waits_for_its_room() {
        let mut world = world(None);
        assert_eq!(leaving(&world), Some(3));
        world.mirror.bind(world.pod("default/q"), world.node("n3"));
        world.sync();
        assert_eq!(leaving(&world), None);
    }

    #[test]
    fn whom_it_makes_way_for_may_be_held_or_gone() {
        let mut held = world(None);
        let (q, n3) = (held.pod("default/q"), held.node("n3"));
        held.occupancy.hold(q, Some(n3));
        assert_eq!(leaving(&held), None);
        let mut gone = world(None);
        gone.departures.forget(gone.pod("default/q"));
        assert_eq!(leaving(&gone), None);
    }

    #[test]
    fn a_plan_is_void_at_the_moment_it_expires() {
        let mut world = world(Some(10));
        world.mirror.set_clock(9);
        assert_eq!(leaving(&world), Some(3));
        world.mirror.set_clock(10);
        assert_eq!(leaving(&world), None);
        // Deletion cannot be taken back.
        world.mirror.terminate(world.pod("default/v"));
        assert_eq!(leaving(&world), Some(3));
    }

    #[test]
    fn who_is_gone_is_no_victim() {
        let mut world = world(None);
        let v = world.pod("default/v");
        assert_eq!(world.departures.victims().collect::<Vec<_>>(), [v]);
        world.departures.forget(v);
        assert_eq!(world.departures.victims().count(), 0);
    }
}
