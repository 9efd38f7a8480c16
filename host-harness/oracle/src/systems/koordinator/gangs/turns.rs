//! The turns of pods in the rounds of their gang groups.

use std::collections::BTreeSet;

use super::super::switches::PluginSettings;
use super::super::{job, unplaced_pods};
use super::{GangSpec, GangStates, Gangs};
use crate::outcome::ReportedOutcome;
use crate::systems::rounds::{self, GangTurn};
use crate::world::{ModelCluster, ModelPod};

impl Gangs<'_> {
    /// Returns how many pods a gang must get that are not on nodes yet: none where it is complete. Bound pods count by every match policy.
    fn awaits(self, of: &str) -> usize {
        let minimum =
            GangSpec::of(self.world, of).filter(|_| !self.is_complete_with(of, 0)).map_or(0, |gang| gang.minimum);
        let stays = |member: &&ModelPod| member.occupied_node().is_some() && !(member.leaving && self.deletes);
        minimum.saturating_sub(self.members(of).filter(stays).count())
    }
}

impl GangStates {
    /// Begins the turn of a pod of a gang. `is_tried`: it is not refused together with its whole gang. Returns none where no other pod
    /// depends on it: it is of no strict gang, and no strict gang of the group that has failed waits for its plan.
    pub(in crate::systems::koordinator) fn turn<'w>(
        &mut self,
        world: &'w ModelCluster,
        pod: &ModelPod,
        switches: PluginSettings,
        outcome: &ReportedOutcome,
        is_tried: bool,
    ) -> Option<GangTurn<'w>> {
        if !Gangs::claims(pod) {
            return None;
        }
        let own = GangSpec::of(world, &job(pod))?;
        let gangs = Gangs { world, memory: self, deletes: switches.deletes };
        let of = |name: &String| rounds::GangProgress {
            pods: world.pods.values().filter(|pod| Gangs::claims(pod) && job(pod) == *name).collect(),
            lacks: (0..).take(99).find(|more| gangs.is_complete_with(name, *more)).unwrap_or(99),
            awaits: gangs.awaits(name),
        };
        let all: Vec<rounds::GangProgress<'_>> = own.jobs.iter().map(of).collect();
        if !own.is_strict && self.rounds.is_quiet(world, &own.jobs.join(" "), &all) {
            return None;
        }
        let name = own.jobs.join(" ");
        // A pod that has to wait for the others of its group plans nothing for them. Any other one plans for all pods of its own gang that
        // wait, and of each gang that is not complete: a single one that may not trigger forbids the plan (rulings C24 and C62).
        let planned =
            |pod: &ModelPod| gangs.planned_with(pod).iter().flat_map(|of| unplaced_pods(world, of)).collect::<Vec<_>>();
        let all_trigger = |pod: &ModelPod| planned(pod).iter().chain([&pod]).all(|other| switches.triggers(other));
        let pods = all.iter().flat_map(|gang| &gang.pods).filter(|pod| !gangs.is_one_too_many(pod) && all_trigger(pod));
        let able: BTreeSet<&str> = pods.map(|pod| pod.name.as_str()).collect();
        let plans = |pod: &ModelPod| able.contains(pod.name.as_str());
        let turn = self.rounds.turn((world, &name, false), pod, all, outcome, plans);
        if own.is_strict { Some(turn) } else { turn.for_others().filter(|_| is_tried) }
    }

    /// Notes that it is not known for sure what the group of a pod finds in its round.
    pub(in crate::systems::koordinator) fn doubt(&mut self, world: &ModelCluster, pod: &ModelPod) {
        if let Some(gang) = GangSpec::of(world, &job(pod)).filter(|_| Gangs::claims(pod)) {
            self.rounds.record_doubt(&gang.jobs.join(" "));
        }
    }

    /// Notes that a pod of a group has failed, and ends the round of the group where its turn says so.
    pub(in crate::systems::koordinator) fn end_turn(
        &mut self,
        world: &ModelCluster,
        pod: &ModelPod,
        (group, ended): (&str, Option<String>),
    ) {
        if GangSpec::of(world, &job(pod)).is_some_and(|gang| gang.is_strict) {
            self.rounds.record_failure(group);
        }
        self.rounds.end(ended);
    }
}
