//! Room that is coming: the policy keeps it for gangs that fit without evictions once leaving pods have left. What these gangs request counts
//! as used by their queue, like upstream's pipelined tasks, and their room is not free for later plans; but the outcome does not report them.

use super::plan::is_nominated;
use super::read::Job;
use super::{Judge, used};
use crate::amounts::Amounts;
use crate::placement::PlacementProblem;
use crate::world::Pod;

impl Judge<'_> {
    /// Returns what a queue, with those below it, may be left with after the plan. The first entry counts bound and nominated pods. Each further entry
    /// adds gangs that may wait for room that is coming.
    pub(super) fn left(&self, queue: &str) -> Vec<Amounts> {
        let holds = |pod: &Pod| pod.node.is_some() && !pod.leaving || is_nominated(pod);
        let left = used(&self.after, &self.jobs, queue, |_, pod| holds(pod));
        let with = |pods: Vec<&Pod>| {
            let mut left = left.clone();
            pods.into_iter().for_each(|pod| left.add(&pod.request));
            left
        };
        let is_ours = |job: &Job| job.queue == queue || job.parent.as_deref() == Some(queue);
        self.awaiting(is_ours).into_iter().map(with).collect()
    }

    /// Returns the room of every node for the plan without its evictions, if no gang waits for any of the room.
    pub(super) fn room(&self) -> Vec<Amounts> {
        self.planned().1.free
    }

    /// Returns the rooms of every node for the plan without its evictions that are left if gangs wait for some of the room. The plan fits on its nodes
    /// there after its evictions.
    pub(super) fn rooms_beside_gangs(&self) -> Vec<Vec<Amounts>> {
        let (planned, problem) = self.planned();
        let nodes: Vec<&String> = self.world.nodes.keys().collect();
        let place = |pod: &&Pod| nodes.iter().position(|node| self.outcome.nominated.get(&pod.name) == Some(*node));
        let places: Vec<usize> = planned.iter().filter_map(place).collect();
        let mut rooms: Vec<Vec<Amounts>> = Vec::new();
        for pods in self.awaiting(|_| true).into_iter().filter(|pods| !pods.is_empty()) {
            let alone = PlacementProblem { incoming: self.incoming(&pods), ..problem.clone() };
            for free in alone.rooms_left() {
                let beside = PlacementProblem { free, ..problem.clone() };
                if !rooms.contains(&beside.free) && beside.fits_on(beside.all(), &places) {
                    rooms.push(beside.free);
                }
            }
        }
        rooms
    }

    /// Returns the pods of the plan, and the problem of placing them with its victims as candidates.
    fn planned(&self) -> (Vec<&Pod>, PlacementProblem<'_>) {
        let planned: Vec<&Pod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let problem = self.problem(&planned, |pod| self.outcome.victims.contains(&pod.name));
        (planned, problem)
    }

    /// Returns the sets of pods of these jobs that may wait for room that is coming; the first set is empty. The pods of a set fit without the
    /// evictions of the plan, and with these evictions they leave room for the plan.
    fn awaiting(&self, may_wait: impl Fn(&Job) -> bool) -> Vec<Vec<&Pod>> {
        let (planned, problem) = self.planned();
        let fits = |pods: &[&Pod]| {
            let alone = PlacementProblem { incoming: self.incoming(pods), ..problem.clone() };
            let with_plan = PlacementProblem { incoming: self.incoming(&[pods, &planned].concat()), ..problem.clone() };
            alone.fits_without(0) && with_plan.fits_without(with_plan.all())
        };
        let mut sets: Vec<Vec<&Pod>> = vec![Vec::new()];
        for job in self.jobs.iter().filter(|job| may_wait(job) && self.nominated(job).is_empty()) {
            let (waiting, missing) = (self.waiting(job), self.missing(job).len());
            if missing == 0 {
                continue;
            }
            // A gang waits for all that it lacks. A running job may wait for more.
            let parts = (missing..=waiting.len()).filter_map(|length| waiting.get(..length));
            let parts: Vec<&[&Pod]> = parts.filter(|part| self.queue_takes(job, part, true) && fits(part)).collect();
            let more = sets.iter().flat_map(|set| parts.iter().map(|part| [set.as_slice(), part].concat()));
            let more: Vec<Vec<&Pod>> = more.filter(|set| fits(set)).collect();
            sets.extend(more);
        }
        sets
    }
}
