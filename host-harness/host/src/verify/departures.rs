//! The victims of accepted plans that have not left yet.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::PodId;

use super::Occupancy;
use crate::cluster::Mirror;

/// Why a pod is leaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The plan.
    pub plan: u64,
    /// The pods that it makes room for.
    pub beneficiaries: BTreeSet<PodId>,
}

/// Every victim of an accepted plan that is still in the cluster.
#[derive(Debug, Default)]
pub struct Departures(BTreeMap<PodId, Departure>);

impl Departures {
    /// A victim is planned to leave, or is not any more; what was planned before.
    pub fn set(&mut self, victim: PodId, departure: Option<Departure>) -> Option<Departure> {
        match departure {
            Some(departure) => self.0.insert(victim, departure),
            None => self.0.remove(&victim),
        }
    }

    /// All victims and why they leave, whether or not their plan is still under way.
    pub fn iter(&self) -> impl Iterator<Item = (PodId, &Departure)> {
        self.0.iter().map(|(victim, departure)| (*victim, departure))
    }

    /// Whether a pod is a victim of a plan that is known, whether or not the plan is still under way.
    pub fn knows(&self, pod: PodId) -> bool {
        self.0.contains_key(&pod)
    }

    /// No pod waits for the room of the victims of this plan any more.
    pub fn void(&mut self, plan: u64) {
        self.0.values_mut().filter(|departure| departure.plan == plan).for_each(|it| it.beneficiaries.clear());
    }

    /// Forgets the pods that are gone.
    pub fn sweep(&mut self, mirror: &Mirror) {
        let is_there = |pod: &PodId| mirror.pod(*pod).is_some();
        self.0.retain(|victim, _| is_there(victim));
        self.0.values_mut().for_each(|departure| departure.beneficiaries.retain(is_there));
    }

    /// The plan by which a pod is leaving: it is being deleted, or its plan is neither void nor pointless.
    ///
    /// A victim that was only marked stays in the cluster for as long as somebody else likes. When nobody waits for its room
    /// any more, another plan may name it again.
    pub fn leaving(&self, mirror: &Mirror, occupancy: &Occupancy, pod: PodId) -> Option<u64> {
        let departure = self.0.get(&pod)?;
        let deleted = mirror.pod(pod).is_some_and(|pod| pod.terminating);
        let awaited = |pod: &PodId| mirror.pod(*pod).is_some_and(|pod| occupancy.is_pending(pod));
        (deleted || departure.beneficiaries.iter().any(awaited)).then_some(departure.plan)
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

    fn world() -> World {
        let mut world = World::small();
        let departure = Departure { plan: 3, beneficiaries: [world.pod("default/q")].into() };
        world.departures.set(world.pod("default/v"), Some(departure));
        world
    }

    #[test]
    fn a_victim_leaves_as_long_as_somebody_waits_for_its_room() {
        let mut world = world();
        assert_eq!(leaving(&world), Some(3));
        world.mirror.bind(world.pod("default/q"), world.node("n3"));
        world.sync();
        assert_eq!(leaving(&world), None);
    }

    #[test]
    fn whom_it_makes_way_for_may_be_held_or_gone() {
        let mut held = world();
        let (q, n3) = (held.pod("default/q"), held.node("n3"));
        held.hold(q, n3);
        assert_eq!(leaving(&held), None);
        let mut gone = world();
        assert!(gone.mirror.remove("Pod/default/q"));
        gone.departures.sweep(&gone.mirror);
        assert_eq!(leaving(&gone), None);
    }

    #[test]
    fn a_deletion_cannot_be_taken_back() {
        let mut world = world();
        world.departures.void(3);
        assert_eq!(leaving(&world), None);
        world.mirror.terminate(world.pod("default/v"));
        assert_eq!(leaving(&world), Some(3));
    }

    #[test]
    fn who_is_gone_is_no_victim() {
        let mut world = world();
        let v = world.pod("default/v");
        assert!(world.departures.iter().map(|(victim, _)| victim).eq([v]));
        assert!(world.mirror.remove("Pod/default/v"));
        world.departures.sweep(&world.mirror);
        assert_eq!(world.departures.iter().count(), 0);
    }
}
