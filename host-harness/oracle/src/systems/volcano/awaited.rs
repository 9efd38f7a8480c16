//! Room that is coming: the policy keeps it for gangs that fit without evictions once leaving pods have left. What these gangs request counts
//! as used by their queue, like upstream's pipelined tasks, and their room is not free for later plans; but the outcome does not report them.

use super::plan::is_nominated;
use super::read::{VolcanoJob, group_of};
use super::{VolcanoCycleCheck, used};
use crate::amounts::MilliAmounts;
use crate::placement::PlacementProblem;
use crate::world::ModelPod;

/// Why a victim may be needed, or a smaller plan or growth not be possible, although the nodes have room.
pub(super) const CAPACITY_AWAITED: &str = "an earlier gang waits for the room";

/// Room of every node that is left if some gangs wait for room that is coming.
pub(super) struct RemainingCapacity<'w> {
    /// Their pods.
    pub(super) pods: Vec<&'w ModelPod>,
    /// The room that they leave of every node, before the evictions of the plan.
    pub(super) free: Vec<MilliAmounts>,
}

impl RemainingCapacity<'_> {
    /// Returns the same problem in the room that these gangs leave.
    pub(super) fn within<'p>(&self, problem: &PlacementProblem<'p>) -> PlacementProblem<'p> {
        PlacementProblem { free: self.free.clone(), ..problem.clone() }
    }
}

impl VolcanoCycleCheck<'_> {
    /// Returns what a queue, with those below it, may be left with after the plan. The first entry counts bound and nominated pods. Each further entry
    /// adds gangs that may wait for room that is coming.
    pub(super) fn remaining_usage(&self, queue: &str) -> Vec<MilliAmounts> {
        let holds = |pod: &ModelPod| pod.node.is_some() && !pod.leaving || is_nominated(pod);
        let left = used(&self.after, &self.jobs, queue, |_, pod| holds(pod));
        let with = |pods: Vec<&ModelPod>| {
            let mut left = left.clone();
            pods.into_iter().for_each(|pod| left.add(&pod.request));
            left
        };
        let is_ours = |job: &VolcanoJob| job.queue == queue || job.parent.as_deref() == Some(queue);
        std::iter::once(Vec::new()).chain(self.before_the_plan(is_ours)).map(with).collect()
    }

    /// Returns the room of every node for the plan without its evictions, if no gang waits for any of the room.
    pub(super) fn capacity(&self) -> Vec<MilliAmounts> {
        self.planned().1.free
    }

    /// Returns the rooms of every node for the plan without its evictions that are left if gangs wait for some of the room, each with the pods that
    /// wait. The plan fits on its nodes there after its evictions.
    pub(super) fn capacities_left_by_gangs(&self) -> Vec<RemainingCapacity<'_>> {
        let (planned, problem) = self.planned();
        let places = self.places(&planned);
        let mut rooms = self.capacities_left_by(self.before_the_plan(|_| true), &problem.free);
        rooms.retain(|room| {
            let problem = room.within(&problem);
            problem.fits_on(problem.all(), &places)
        });
        rooms
    }

    /// Returns the rooms of every node that are left if gangs wait for some of this room, each with the pods that wait.
    pub(super) fn capacities_with_waiting(&self, free: Vec<MilliAmounts>) -> Vec<RemainingCapacity<'_>> {
        let problem = PlacementProblem { free, candidates: Vec::new(), incoming: Vec::new() };
        let fits =
            |pods: &[&ModelPod]| PlacementProblem { incoming: self.incoming(pods), ..problem.clone() }.fits_without(0);
        self.capacities_left_by(self.awaiting(|_| true, fits), &problem.free)
    }

    /// Returns why room may stay idle that pods which a job lacks fit; none where nothing is known against them.
    pub(super) fn why_idle(
        &self,
        job: &VolcanoJob,
        missing: &[&ModelPod],
        problem: &PlacementProblem<'_>,
    ) -> Option<&'static str> {
        if self.capacity_was_planned(missing) {
            return Some("its room went to the plan of a gang: it gets another node in the next cycle");
        }
        self.is_awaited(job, problem).then_some(CAPACITY_AWAITED)
    }

    /// Returns whether pods of other jobs, which their queues take only once leaving pods have left, may wait for room that the pods of a job fit.
    fn is_awaited(&self, job: &VolcanoJob, problem: &PlacementProblem<'_>) -> bool {
        let waits =
            |other: &VolcanoJob| other.name != job.name && !self.queue_takes(other, &self.missing(other), false);
        let fits =
            |pods: &[&ModelPod]| PlacementProblem { incoming: self.incoming(pods), ..problem.clone() }.fits_without(0);
        let rooms = self.capacities_left_by(self.awaiting(waits, fits), &problem.free);
        rooms.iter().any(|room| !room.within(problem).fits_without(0))
    }

    /// Returns the rooms that placements of each set of pods in this room leave.
    fn capacities_left_by<'w>(
        &'w self,
        sets: Vec<Vec<&'w ModelPod>>,
        free: &[MilliAmounts],
    ) -> Vec<RemainingCapacity<'w>> {
        let mut rooms = Vec::new();
        for pods in sets {
            let (free, incoming) = (free.to_vec(), self.incoming(&pods));
            let left = PlacementProblem { free, candidates: Vec::new(), incoming }.remaining_capacities();
            rooms.extend(left.into_iter().map(|free| RemainingCapacity { pods: pods.clone(), free }));
        }
        rooms
    }

    /// Returns the nodes of these pods of the plan, by number.
    pub(super) fn places(&self, planned: &[&ModelPod]) -> Vec<usize> {
        let nodes: Vec<&String> = self.world.nodes.keys().collect();
        let place =
            |pod: &&ModelPod| nodes.iter().position(|node| self.outcome.nominated.get(&pod.name) == Some(*node));
        planned.iter().filter_map(place).collect()
    }

    /// Returns the pods of the plan, and the problem of placing them with its victims as candidates.
    fn planned(&self) -> (Vec<&ModelPod>, PlacementProblem<'_>) {
        let planned: Vec<&ModelPod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let problem = self.problem(&planned, |pod| self.outcome.victims.contains(&pod.name));
        (planned, problem)
    }

    /// Returns the sets of pods of these jobs that may wait for room that is coming before the plan is made. The pods of a set fit without the
    /// evictions of the plan, and with these evictions they leave room for the plan.
    fn before_the_plan(&self, may_wait: impl Fn(&VolcanoJob) -> bool) -> Vec<Vec<&ModelPod>> {
        let (planned, problem) = self.planned();
        let fits = |pods: &[&ModelPod]| {
            let alone = PlacementProblem { incoming: self.incoming(pods), ..problem.clone() };
            let with_plan = PlacementProblem { incoming: self.incoming(&[pods, &planned].concat()), ..problem.clone() };
            alone.fits_without(0) && with_plan.fits_without(with_plan.all())
        };
        self.awaiting(|job| may_wait(job) && !self.would_be_evicted(job), fits)
    }

    /// Returns the sets of pods of these jobs that may wait for room that is coming, in which the pods of a set fit.
    fn awaiting(
        &self,
        may_wait: impl Fn(&VolcanoJob) -> bool,
        fits: impl Fn(&[&ModelPod]) -> bool,
    ) -> Vec<Vec<&ModelPod>> {
        let mut sets: Vec<Vec<&ModelPod>> = Vec::new();
        for job in self.jobs.iter().filter(|job| self.nominated(job).is_empty() && may_wait(job)) {
            let (waiting, missing) = (self.waiting(job), self.missing(job).len());
            if missing == 0 {
                continue;
            }
            // A gang waits for all that it lacks. A running job may wait for more.
            let parts = (missing..=waiting.len()).filter_map(|length| waiting.get(..length));
            let parts: Vec<&[&ModelPod]> =
                parts.filter(|part| self.queue_takes(job, part, true) && fits(part)).collect();
            let more = sets.iter().flat_map(|set| parts.iter().map(|part| [set.as_slice(), part].concat()));
            let more: Vec<Vec<&ModelPod>> = more.filter(|set| fits(set)).collect();
            sets.extend(parts.iter().map(|part| part.to_vec()));
            sets.extend(more);
        }
        sets
    }

    /// Returns whether the gang of the plan would evict this gang in place of the victims, if this gang had the room that is coming. Such a gang does
    /// not wait for the room: the gang of the plan does, and no pod is evicted. Both evictions are of one queue and alike, so the laws allow both
    /// or none. The victims have run, and this gang has not: less work is lost.
    fn would_be_evicted(&self, job: &VolcanoJob) -> bool {
        let victims: Vec<&ModelPod> =
            self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name)).collect();
        let missing = self.missing(job);
        let (planned, problem) = self.planned();
        let may_be_lost = |pod: &&ModelPod| {
            let opted = pod.annotation("volcano.sh/preemptable").or(pod.label("volcano.sh/preemptable"));
            opted.is_none_or(|text| text == "true") && pod.annotation("volcano.sh/cooldown-time").is_none()
        };
        let is_whole_gang = |pod: &&ModelPod| {
            let of = self.jobs.iter().find(|of| of.name == group_of(pod));
            of.is_some_and(|of| of.queue == job.queue && !of.is_elastic() && of.size(&self.after) == 0)
        };
        let sizes = |pods: &[&ModelPod]| {
            let mut sizes: Vec<String> = pods.iter().map(|pod| format!("{:?}", pod.request)).collect();
            sizes.sort_unstable();
            sizes
        };
        let gains = |of: &VolcanoJob| !self.nominated(of).is_empty();
        !self.elastic_mode
            && !self.world.is_constrained()
            && !job.is_elastic()
            && job.size(&self.after) == 0
            && !self.jobs.iter().any(|of| gains(of) && of.queue == job.queue)
            && missing.iter().all(may_be_lost)
            && victims.iter().all(is_whole_gang)
            && victims.iter().any(|pod| pod.times.started.is_some_and(|started| started < self.world.now))
            && sizes(&missing) == sizes(&victims)
            && problem.fits_on(0, &self.places(&planned))
    }
}
