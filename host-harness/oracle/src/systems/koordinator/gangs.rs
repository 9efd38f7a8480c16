//! Gangs: what a PodGroup asks for, alone or together with others (upstream coscheduling; rulings of the manual).

mod turns;

use std::collections::{BTreeMap, BTreeSet};

use super::{JOB, job};
use crate::outcome::ReportedOutcome;
use crate::systems::rounds::{GangTurn, GroupRounds};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at, tag};

/// How long a gang waits that does not say so, in seconds.
const TIMEOUT: i64 = 600;

/// A match policy: the members that make a gang complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GangMatchPolicy {
    OnceSatisfied,
    OnlyWaiting,
    WaitingAndRunning,
}

/// A gang as its PodGroup specifies it.
#[derive(Debug)]
struct GangSpec {
    minimum: usize,
    /// Its members fail together.
    is_strict: bool,
    matching: GangMatchPolicy,
    timeout: i64,
    /// Its pods must be near each other in the network, which is not judged.
    needs_topology: bool,
    /// The jobs that are bound together, its own among them.
    jobs: Vec<String>,
}

impl GangSpec {
    /// Reads the gang of a job. `None`: no PodGroup describes the job.
    fn of(world: &ModelCluster, job: &str) -> Option<GangSpec> {
        let name = job.rsplit_once('#')?.1;
        let group = world.others.get(&("PodGroup".to_owned(), name.to_owned()))?;
        let said = |key: &str| tag(group, "annotations", &format!("gang.scheduling.koordinator.sh/{key}"));
        let minimum = at(group, "/spec/minMember")?.as_i64()?;
        let jobs: Vec<String> = said("groups").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Some(GangSpec {
            minimum: usize::try_from(minimum).ok()?,
            is_strict: said("mode") != Some("NonStrict"),
            matching: match said("match-policy") {
                Some("only-waiting") => GangMatchPolicy::OnlyWaiting,
                Some("waiting-and-running") => GangMatchPolicy::WaitingAndRunning,
                _ => GangMatchPolicy::OnceSatisfied,
            },
            timeout: at(group, "/spec/scheduleTimeoutSeconds").and_then(|seconds| seconds.as_i64()).unwrap_or(TIMEOUT),
            needs_topology: said("network-topology-spec").is_some_and(|text| text.contains("MustGather")),
            jobs: if jobs.is_empty() {
                vec![job.to_owned()]
            } else {
                jobs.iter().map(|name| name.replace('/', "#")).collect()
            },
        })
    }
}

/// The state of gangs that outlasts an attempt.
#[derive(Debug, Default)]
pub(super) struct GangStates {
    /// Jobs that have been bound.
    satisfied: BTreeSet<String>,
    /// When the time of a pod that is held is up.
    deadlines: BTreeMap<String, i64>,
    rounds: GroupRounds,
}

/// The gangs of the cluster, as one pod is tried.
#[derive(Clone, Copy)]
pub(super) struct Gangs<'w> {
    pub(super) world: &'w ModelCluster,
    pub(super) memory: &'w GangStates,
    /// Victims are deleted, so they are no members any more; one that is only marked is.
    pub(super) deletes: bool,
}

impl<'w> Gangs<'w> {
    /// Returns the gang of a pod and how many pods it needs; none for a pod of no gang.
    pub(super) fn needs(world: &ModelCluster, pod: &ModelPod) -> Option<(String, usize)> {
        let name = job(pod);
        Gangs::claims(pod).then(|| GangSpec::of(world, &name)).flatten().map(|gang| (name, gang.minimum))
    }

    /// Returns whether a pod belongs to a gang.
    pub(super) fn claims(pod: &ModelPod) -> bool {
        !pod.is_reservation() && pod.label(JOB).is_some()
    }

    /// Returns the jobs that are bound together with that of a pod, its own among them; empty for a pod of no gang.
    fn group(self, pod: &ModelPod) -> Vec<String> {
        if !Gangs::claims(pod) {
            return Vec::new();
        }
        GangSpec::of(self.world, &job(pod)).map_or_else(|| vec![job(pod)], |gang| gang.jobs)
    }

    /// Returns the pods of a job that belong to a gang and have not finished.
    fn members(self, of: &str) -> impl Iterator<Item = &'w ModelPod> {
        self.world.pods.values().filter(move |pod| Gangs::claims(pod) && job(pod) == of && !pod.finished)
    }

    /// Returns whether another pod is of the same job as a pod, or of the same group of gangs.
    pub(super) fn share_group(self, pod: &ModelPod, other: &ModelPod) -> bool {
        job(pod) == job(other) || Gangs::claims(other) && self.group(pod).contains(&job(other))
    }

    /// Returns the pods of the group of a pod that are held at permit.
    fn pods_at_permit(self, pod: &ModelPod) -> BTreeSet<&'w str> {
        let group = self.group(pod);
        let members = group.iter().flat_map(|job| self.members(job));
        members.filter(|member| member.held.is_some()).map(|member| member.name.as_str()).collect()
    }

    /// Returns whether a gang must be complete only once, and was: a member is bound, or was when the gang became complete.
    fn is_satisfied(self, gang: &GangSpec, of: &str) -> bool {
        gang.matching == GangMatchPolicy::OnceSatisfied
            && (self.memory.satisfied.contains(of) || self.members(of).any(|member| member.node.is_some()))
    }

    /// Checks whether every gang of the group of a pod is described, and has as many members as it needs, or needs none any more; and its own gang, and
    /// those that are not complete, demand nothing that is not judged (rulings C31 and C57).
    pub(super) fn have_members(self, pod: &ModelPod) -> bool {
        let own = job(pod);
        self.group(pod).iter().all(|job| {
            let Some(gang) = GangSpec::of(self.world, job) else { return false };
            let is_gone = |member: &&ModelPod| member.leaving && self.deletes;
            let is_judged = !gang.needs_topology || *job != own && self.is_complete_with(job, 0);
            let is_full = || self.members(job).filter(|member| !is_gone(member)).count() >= gang.minimum;
            is_judged && (self.is_satisfied(&gang, job) || is_full())
        })
    }

    /// Returns whether every gang of the group of a pod is complete when the pod is held, too.
    pub(super) fn are_complete_with(self, pod: &ModelPod) -> bool {
        self.group(pod).iter().all(|of| self.is_complete_with(of, usize::from(*of == job(pod))))
    }

    /// Returns whether a gang is complete when so many more of its pods are held.
    pub(super) fn is_complete_with(self, of: &str, more: usize) -> bool {
        let Some(gang) = GangSpec::of(self.world, of) else { return true };
        let held = self.members(of).filter(|member| member.held.is_some()).count() + more;
        let bound = self.members(of).filter(|member| member.node.is_some() && !(member.leaving && self.deletes));
        match gang.matching {
            GangMatchPolicy::OnceSatisfied => self.is_satisfied(&gang, of) || held >= gang.minimum,
            GangMatchPolicy::OnlyWaiting => held >= gang.minimum,
            GangMatchPolicy::WaitingAndRunning => held + bound.count() >= gang.minimum,
        }
    }

    /// Returns the jobs that are planned together with that of a pod, its own first. The others are the gangs of its group that are not complete
    /// yet and have pods that wait.
    pub(super) fn planned_with(self, pod: &ModelPod) -> Vec<String> {
        let own = job(pod);
        let waits = |of: &String| self.members(of).any(ModelPod::pending);
        let others = self.group(pod).into_iter().filter(|of| *of != own && !self.is_complete_with(of, 0) && waits(of));
        std::iter::once(own.clone()).chain(others).collect()
    }

    /// Returns whether the group of a pod is complete when every waiting pod of these jobs is held.
    pub(super) fn could_start(self, pod: &ModelPod, planned: &[String]) -> bool {
        let more = |of: &String| self.members(of).filter(|member| planned.contains(of) && member.pending()).count();
        self.group(pod).iter().all(|of| self.is_complete_with(of, more(of)))
    }

    /// Returns the pods that are bound together with a pod when the group is complete, the pod itself among them.
    pub(super) fn bound_with(self, pod: &'w ModelPod) -> BTreeSet<&'w str> {
        self.pods_at_permit(pod).into_iter().chain([pod.name.as_str()]).collect()
    }

    /// Returns whether a pod is one more than its gang needs, while another gang of its group is not complete.
    pub(super) fn is_one_too_many(self, pod: &ModelPod) -> bool {
        let own = job(pod);
        let is_full = GangSpec::of(self.world, &own)
            .is_some_and(|gang| !self.is_satisfied(&gang, &own) && self.is_complete_with(&own, 0));
        is_full && self.group(pod).iter().any(|of| *of != own && !self.is_complete_with(of, 0))
    }

    /// Returns how many more pods the gang of a pod needs, at least one, while another gang of its group is not complete; none where every other one is.
    pub(super) fn lacks_in_incomplete_group(self, pod: &ModelPod) -> Option<usize> {
        let own = job(pod);
        let is_incomplete = self.group(pod).iter().any(|of| *of != own && !self.is_complete_with(of, 0));
        let gang = GangSpec::of(self.world, &own).filter(|_| is_incomplete)?;
        let placed = self.members(&own).filter(|member| member.occupied_node().is_some() && !member.leaving).count();
        Some(gang.minimum.saturating_sub(placed).max(1))
    }

    /// Judges which pods are held after an attempt: all that were held before, except those that are bound and those of a group that cannot start
    /// any more.
    pub(super) fn check_held(
        self,
        pod: &ModelPod,
        ended: Option<&GangTurn<'_>>,
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) {
        let released =
            if ended.is_some_and(|turn| turn.is_last_chance) { self.pods_at_permit(pod) } else { BTreeSet::new() };
        for other in self.world.pods.values().filter(|other| other.name != pod.name) {
            let (before, now) = (other.held.is_some(), outcome.waiting.contains(&other.name));
            let leaves = released.contains(other.name.as_str()) || outcome.bound.contains_key(&other.name);
            if now != (before && !leaves) {
                let text = format!("`{}` was tried, and `{}` is held: {now}", pod.name, other.name);
                verdict.breach("gang-fails-together", text);
            }
        }
        if let Some(turn) = ended {
            turn.after_failure(pod, outcome, verdict);
        }
    }
}

impl GangStates {
    /// Forgets that gangs were complete which have no pod left: the pods that come now must be complete together again (ruling C64).
    pub(super) fn forget_empty_jobs(&mut self, world: &ModelCluster) {
        let has_pods = |of: &String| world.pods.values().any(|pod| Gangs::claims(pod) && job(pod) == *of);
        self.satisfied.retain(has_pods);
    }

    /// Records what an attempt changes: gangs that became complete, or the deadline of a pod that is held at permit.
    pub(super) fn remember(&mut self, world: &ModelCluster, pod: &ModelPod, outcome: &ReportedOutcome) {
        if !Gangs::claims(pod) {
            return;
        }
        let Some(gang) = GangSpec::of(world, &job(pod)) else { return };
        if outcome.bound.contains_key(&pod.name) {
            self.satisfied.extend(gang.jobs);
        } else if outcome.waiting.contains(&pod.name) {
            self.deadlines.insert(pod.name.clone(), world.now + gang.timeout);
        }
    }

    /// Judges the passing of time: a held pod whose deadline has passed is rejected. If its gang is strict, all held pods of the gang group are
    /// rejected.
    pub(super) fn advance(
        &mut self,
        world: &ModelCluster,
        deletes: bool,
        now: i64,
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) {
        let gangs = Gangs { world, memory: self, deletes };
        let is_up = |pod: &&ModelPod| self.deadlines.get(&pod.name).is_some_and(|deadline| *deadline <= now);
        let mut rejected: BTreeSet<&str> = BTreeSet::new();
        for pod in world.pods.values().filter(|pod| pod.held.is_some()).filter(is_up) {
            rejected.insert(&pod.name);
            if GangSpec::of(world, &job(pod)).is_some_and(|gang| gang.is_strict) {
                rejected.extend(gangs.pods_at_permit(pod));
            }
        }
        for pod in world.pods.values().filter(|pod| pod.held.is_some()) {
            let is_rejected = rejected.contains(pod.name.as_str());
            if is_rejected == outcome.waiting.contains(&pod.name) {
                let text = format!("`{}` at {now}s: rejected should be {is_rejected}", pod.name);
                verdict.breach("gang-fails-together", text);
            }
        }
        let groups = rejected.iter().filter_map(|name| GangSpec::of(world, &job(world.pods.get(*name)?)));
        let groups: Vec<String> = groups.map(|gang| gang.jobs.join(" ")).collect();
        groups.iter().for_each(|group| self.rounds.forget(group));
    }
}

/// Returns whether two pods are of one gang group, both of strict gangs, and the gang of the other one has less than its minimum without it.
pub(super) fn fail_together(world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    let strict = |pod: &ModelPod| GangSpec::of(world, &job(pod)).filter(|gang| Gangs::claims(pod) && gang.is_strict);
    let is_placed =
        |member: &&ModelPod| Gangs::claims(member) && job(member) == job(other) && member.occupied_node().is_some();
    let placed = world.pods.values().filter(is_placed).count();
    strict(pod).zip(strict(other)).is_some_and(|(gang, of)| gang.jobs.contains(&job(other)) && placed < of.minimum)
}
