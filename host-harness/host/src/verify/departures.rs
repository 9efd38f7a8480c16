//! The victims of accepted plans that have not left yet.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::PodId;

use crate::cluster::Mirror;
use crate::rails::EvictionHistory;

/// The plan that a victim leaves for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEviction {
    /// The number of the plan.
    pub plan: u64,
    /// The pods that get the room of the victim.
    pub beneficiaries: BTreeSet<PodId>,
}

/// Every victim of an accepted plan that is still in the cluster.
#[derive(Debug, Default)]
pub struct PlannedEvictions {
    victims: BTreeMap<PodId, PlannedEviction>,
    /// The victims whose plan was given up, because another victim of the plan stays.
    cancelled: BTreeSet<PodId>,
    /// The pods about which the API server has refused a command.
    refused: BTreeMap<PodId, CommandRefusal>,
    /// The victims of the last minutes, including those that have left.
    history: EvictionHistory,
}

/// A refusal of the API server, and the time of the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandRefusal {
    /// The time of the next attempt, in nanoseconds since 1970.
    pub until: i64,
    /// Whether a PodDisruptionBudget caused the refusal.
    pub budget: bool,
}

impl PlannedEvictions {
    /// Sets or cancels (`None`) the departure of a victim. Returns the former departure.
    pub fn set(&mut self, victim: PodId, departure: Option<PlannedEviction>) -> Option<PlannedEviction> {
        self.cancelled.remove(&victim);
        match departure {
            Some(departure) => self.victims.insert(victim, departure),
            None => self.victims.remove(&victim),
        }
    }

    /// Returns the victims of the last minutes, including those that have left.
    pub fn history(&self) -> &EvictionHistory {
        &self.history
    }

    /// Returns the victims of the last minutes, to record another one or to take one back.
    pub fn history_mut(&mut self) -> &mut EvictionHistory {
        &mut self.history
    }

    /// Returns all victims with their departures, including those whose plan was given up.
    pub fn iter(&self) -> impl Iterator<Item = (PodId, &PlannedEviction)> {
        self.victims.iter().map(|(victim, departure)| (*victim, departure))
    }

    /// Gives up a plan: its victims need not leave any more.
    pub fn cancel_plan(&mut self, plan: u64) {
        let of_plan = self.victims.iter().filter(|(_, departure)| departure.plan == plan).map(|(victim, _)| *victim);
        self.cancelled.extend(of_plan);
    }

    /// Forgets pods that do not exist any more, and refusals whose time has passed.
    pub fn forget_deleted(&mut self, mirror: &Mirror) {
        let is_there = |pod: &PodId| mirror.pod(*pod).is_some();
        self.victims.retain(|victim, _| is_there(victim));
        self.cancelled.retain(is_there);
        self.refused.retain(|pod, refused| is_there(pod) && refused.until > mirror.now());
        self.victims.values_mut().for_each(|departure| departure.beneficiaries.retain(is_there));
    }

    /// Records that the API server has refused a command about a pod. A later end of an earlier refusal stays.
    pub fn refuse(&mut self, pod: PodId, refused: CommandRefusal) {
        let known = self.refused.entry(pod).or_insert(refused);
        if known.until <= refused.until {
            *known = refused;
        }
    }

    /// Returns the pods for which a victim leaves; empty where the pod is no victim.
    pub fn beneficiaries(&self, victim: PodId) -> BTreeSet<PodId> {
        self.victims.get(&victim).map(|departure| departure.beneficiaries.clone()).unwrap_or_default()
    }

    /// Forgets the refusals by PodDisruptionBudgets, because a budget has changed.
    pub fn budget_changed(&mut self) {
        self.refused.retain(|_, refused| !refused.budget);
    }

    /// Returns the time before which no command about a pod is requested, in nanoseconds since 1970. `None`: a command may be requested now.
    pub fn refused_until(&self, now: i64, pod: PodId) -> Option<i64> {
        self.refused.get(&pod).map(|refused| refused.until).filter(|until| *until > now)
    }

    /// Returns the next time at which a refused command may be requested again, in nanoseconds since 1970.
    pub fn next_try(&self, now: i64) -> Option<i64> {
        self.refused.values().map(|refused| refused.until).filter(|until| *until > now).min()
    }

    /// Returns the plan by which a pod is leaving. `None`: the pod is no victim, or its plan was given up and the cluster does not show that it
    /// leaves.
    ///
    /// A victim leaves even when no pod waits for its room any more: the next preemptor uses the room before any other pod is evicted.
    pub fn plan_of_victim(&self, mirror: &Mirror, pod: PodId) -> Option<u64> {
        let departure = self.victims.get(&pod)?;
        let shows = mirror.pod(pod).is_some_and(|known| known.terminating || mirror.is_marked(known));
        (shows || !self.cancelled.contains(&pod)).then_some(departure.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::ClusterFixture;
    use super::*;

    /// Returns the plan by which `default/v`, a victim of plan 3 for `default/q`, is leaving.
    fn leaving(world: &ClusterFixture) -> Option<u64> {
        world.departures.plan_of_victim(&world.mirror, world.pod("default/v"))
    }

    fn world() -> ClusterFixture {
        let mut world = ClusterFixture::small();
        let departure = PlannedEviction { plan: 3, beneficiaries: [world.pod("default/q")].into() };
        world.departures.set(world.pod("default/v"), Some(departure));
        world
    }

    #[test]
    fn a_victim_leaves_even_if_its_preemptor_is_bound_held_or_gone() {
        let mut bound = world();
        assert_eq!(leaving(&bound), Some(3));
        bound.mirror.bind(bound.pod("default/q"), bound.node("n3"));
        bound.sync();
        assert_eq!(leaving(&bound), Some(3));
        let mut held = world();
        let (q, n3) = (held.pod("default/q"), held.node("n3"));
        held.hold(q, n3);
        assert_eq!(leaving(&held), Some(3));
        let mut gone = world();
        assert!(gone.mirror.remove("Pod/default/q"));
        gone.departures.forget_deleted(&gone.mirror);
        assert_eq!(leaving(&gone), Some(3));
    }

    #[test]
    fn a_deletion_cannot_be_taken_back() {
        let mut world = world();
        world.departures.cancel_plan(3);
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
        world.departures.forget_deleted(&world.mirror);
        assert_eq!(world.departures.iter().count(), 0);
    }
}
